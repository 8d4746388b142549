"""Every validation case, by name."""

from __future__ import annotations

from sim.validate import closed_form, convergence, symmetry
from sim.validate.check import Case

CASES = (
    Case("free_fall", "closed form", False, closed_form.free_fall),
    Case("tumbling", "closed form", False, closed_form.tumbling),
    Case("resting_cube", "closed form", False, closed_form.resting_cube),
    Case("sliding", "closed form", False, closed_form.sliding),
    Case("incline_slip", "closed form", False, closed_form.incline_slip),
    Case("incline_tip", "closed form", False, closed_form.incline_tip),
    Case("rolling", "closed form", False, closed_form.rolling),
    Case("rebound", "closed form", False, closed_form.rebound),
    Case("top", "closed form", False, closed_form.top),
    Case("door", "closed form", False, closed_form.door),
    Case("order_and_workers", "symmetry", False, symmetry.order_and_workers),
    Case("fair_cube", "symmetry", True, symmetry.fair_cube),
    Case("fair_tetrahedron", "symmetry", True, symmetry.fair_tetrahedron),
    Case("mirrored_pig", "symmetry", True, symmetry.mirrored_pig),
    Case("turned_and_moved", "symmetry", True, symmetry.turned_and_moved),
    Case("engine_scale", "symmetry", True, symmetry.engine_scale),
    Case("convergence", "convergence", True, convergence.convergence),
)
