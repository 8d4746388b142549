"""Every validation case, by name."""

from __future__ import annotations

from sim.configuration import ENGINES
from sim.validate import (
    agreement,
    closed_form,
    convergence,
    other_bodies,
    quasi_static,
    second_engine,
    symmetry,
    trap_door,
)
from sim.validate.check import Case

BULLET = ("bullet",)
OURS = ("bullet", "fast")
FAST = ("fast",)

CLOSED, SYMMETRY, CONVERGENCE = "closed form", "symmetry", "convergence"
GEOMETRY, PUBLISHED = "geometry", "published"

CASES = (
    Case("free_fall", CLOSED, False, closed_form.free_fall, ENGINES),
    Case("tumbling", CLOSED, False, closed_form.tumbling, ENGINES),
    Case("resting_cube", CLOSED, False, closed_form.resting_cube, ENGINES),
    Case("sliding", CLOSED, False, closed_form.sliding, ENGINES),
    Case("incline_slip", CLOSED, False, closed_form.incline_slip, ENGINES),
    Case("incline_tip", CLOSED, False, closed_form.incline_tip, ENGINES),
    Case("rolling", CLOSED, False, closed_form.rolling, ENGINES),
    Case("rebound", CLOSED, False, closed_form.rebound, ENGINES),
    Case("top", CLOSED, False, closed_form.top, ENGINES),
    Case("door", CLOSED, False, trap_door.door, BULLET),
    Case("leaf_friction", CLOSED, False, trap_door.leaf_friction, OURS),
    Case("order_and_workers", SYMMETRY, False, symmetry.order_and_workers, ENGINES),
    Case("fair_cube", SYMMETRY, True, symmetry.fair_cube, ENGINES),
    Case("fair_tetrahedron", SYMMETRY, True, symmetry.fair_tetrahedron, ENGINES),
    Case("mirrored_pig", SYMMETRY, True, symmetry.mirrored_pig, ENGINES),
    Case("turned_and_moved", SYMMETRY, True, symmetry.turned_and_moved, ENGINES),
    Case("engine_scale", SYMMETRY, True, convergence.engine_scale, BULLET),
    Case("half_step", CONVERGENCE, True, convergence.half_step, ENGINES),
    Case("twice_iterations", CONVERGENCE, True, convergence.twice_iterations, ENGINES),
    Case("twice_vertices", CONVERGENCE, True, convergence.twice_vertices, ENGINES),
    Case("stricter_rest", CONVERGENCE, True, convergence.stricter_rest, ENGINES),
    Case("creeping_cuboid", GEOMETRY, True, quasi_static.creeping_cuboid, ENGINES),
    Case("creeping_pig", GEOMETRY, True, quasi_static.creeping_pig, ENGINES),
    Case("cuboids", PUBLISHED, True, other_bodies.cuboids, ENGINES),
    Case("cuboid_assumptions", PUBLISHED, True, other_bodies.cuboid_assumptions, ENGINES),
    Case("die", PUBLISHED, True, other_bodies.die, ENGINES),
    Case("cylinder", PUBLISHED, True, other_bodies.cylinder, ENGINES),
    Case("agreement_pigs", "agreement", True, agreement.pigs, FAST),
    Case("agreement_solids", "agreement", True, agreement.solids, FAST),
    Case("second_engine", "second engine", True, second_engine.second_engine, OURS, "mujoco"),
)
