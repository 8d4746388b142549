"""Motions with a closed form: what the engine does beside what mechanics says."""

from __future__ import annotations

from dataclasses import replace
from math import atan, cos, hypot, pi, sin, sqrt

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.shape import convex_hull
from meshes.solids import Cuboid, Cylinder, Sphere
from sim.device import uniform_orientations
from sim.engine.flight import GRAVITY, Motion, fly
from sim.engine.mujoco_settings import MujocoSettings
from sim.pig import RUBBER_DENSITY, Pig, load_pig
from sim.validate.bench import Bench, contact, engine_settings, finest, solid
from sim.validate.check import Check, Rig

MECHANICS = "closed form"
EDGE = 0.020
"""Of the cubes [m]."""

DROP_HEIGHTS = (0.005, 0.02, 0.05, 0.127, 0.2032, 0.5)
RESTITUTION = 0.7


def free_fall(rig: Rig) -> list[Check]:
    """Fall of the pig from 1 m for 0.4 s, by the steps of throws."""
    bench = Bench(load_pig("standard"), contact(0.7, 0.6), engine_settings(rig))
    start = bench.start((0.0, 0.0, 1.0))
    time, end = bench.follow(start, 0.4, flying=True)[-1]
    fallen = start.position[2] - end.position[2]
    return [Check("fall [m]", fallen, 0.5 * GRAVITY * time**2, 1e-9, MECHANICS)]


def tumbling(rig: Rig) -> list[Check]:
    """Torque-free tumbling of the pig about no principal axis, 60 rad/s for 10 s, weightless."""
    pig = load_pig("standard")
    moments = tuple(float(x) for x in pig.mass_properties.principal()[0])
    bench = Bench(pig, contact(0.7, 0.6), engine_settings(rig))
    start = bench.start((0.0, 0.0, 1e4), spin=(35.0, 35.0, 35.0))
    energy, momentum = _rotation(start, moments)
    worst_energy = worst_momentum = 0.0
    motion = start
    for _step in range(100):
        motion = fly(motion, (moments[0], moments[1], moments[2]), 0.1)
        now_energy, now_momentum = _rotation(motion, moments)
        worst_energy = max(worst_energy, abs(now_energy / energy - 1.0))
        drift = float(np.linalg.norm(now_momentum - momentum) / np.linalg.norm(momentum))
        worst_momentum = max(worst_momentum, drift)
    return [
        Check("greatest relative error of energy in 10 s", worst_energy, 0.0, 1e-3, MECHANICS),
        Check("greatest relative error of momentum in 10 s", worst_momentum, 0.0, 1e-9, MECHANICS),
    ]


def _rotation(motion: Motion, moments: tuple[float, ...]) -> tuple[float, np.ndarray]:
    turn = Rotation.from_quat(motion.quat_xyzw).as_matrix()
    momentum = turn @ (np.array(moments) * (turn.T @ np.array(motion.spin)))
    return 0.5 * float(momentum @ np.array(motion.spin)), momentum


def _cube() -> Pig:
    return solid("cube", Cuboid((EDGE, EDGE, EDGE)).surface())


def resting_cube(rig: Rig) -> list[Check]:
    """Height of the middle of a cube at rest."""
    bench = Bench(_cube(), contact(0.5, 0.4), engine_settings(rig))
    height = bench.follow(bench.start((0.0, 0.0, EDGE / 2)), 0.5)[-1][1].position[2]
    return [Check("height / half edge", height / (EDGE / 2), 1.0, 0.01, MECHANICS)]


def sliding(rig: Rig) -> list[Check]:
    """Sliding distance of a cube pushed along the table, v^2 / (2 mu g)."""
    checks = []
    for friction in (0.2, 0.4, 0.8):
        bench = Bench(_cube(), contact(0.0, friction), engine_settings(rig))
        start = bench.start((0.0, 0.0, EDGE / 2), velocity=(1.0, 0.0, 0.0))
        distance = bench.follow(start, 3.0)[-1][1].position[0]
        expected = 1.0 / (2 * friction * GRAVITY)
        checks.append(
            Check(
                f"distance / expected, friction {friction}",
                distance / expected,
                1.0,
                0.02,
                MECHANICS,
            )
        )
    return checks


def incline_slip(rig: Rig) -> list[Check]:
    """A cube on an incline stays while tan a < mu; beyond, a = g (sin a - mu cos a) gives mu."""
    friction, checks = 0.4, []
    bench = Bench(_cube(), contact(0.0, friction), engine_settings(rig))
    for share in (0.97, 0.99, 1.01, 1.03, 1.2):
        slope = atan(share * friction)
        track = bench.follow(bench.start((0.0, 0.0, EDGE / 2 + 1e-5)), 1.0, slope=slope)
        (early, then), (late, now) = track[len(track) // 2], track[-1]
        speed = now.velocity[0]
        acceleration = (speed - then.velocity[0]) / (late - early)
        at = f"at tan a = {share:g} mu"
        if share < 1.0:
            checks.append(Check(f"speed after 1 s [m/s] {at}", speed, 0.0, 0.001, MECHANICS))
        else:
            found = (GRAVITY * sin(slope) - acceleration) / (GRAVITY * cos(slope)) / friction
            checks.append(Check(f"friction found / mu {at}", found, 1.0, 0.012, MECHANICS))
            has_slipped = float(speed > 0.01)
            checks.append(Check(f"has slipped {at}", has_slipped, 1.0, 0.0, MECHANICS))
    return checks


def incline_tip(rig: Rig) -> list[Check]:
    """A block 10 mm long and 30 mm high tips at tan a = 1/3, never below."""
    block = solid("block", Cuboid((0.010, 0.020, 0.030)).surface())
    bench = Bench(block, contact(0.0, 1.5), engine_settings(rig))
    checks = []
    for share in (0.97, 0.99, 1.01, 1.03):
        start = bench.start((0.0, 0.0, 0.015 + 1e-5))
        end = bench.follow(start, 2.0, slope=atan(share / 3.0))[-1][1]
        has_tipped = float(end.position[2] < 0.012)
        checks.append(
            Check(
                f"has tipped at {share:g} of the slope", has_tipped, float(share > 1), 0, MECHANICS
            )
        )
    return checks


def rolling(rig: Rig) -> list[Check]:
    """A cylinder of 256 sides rolls down 10 degrees with 2/3 g sin a."""
    radius, slope = 0.010, 10 * pi / 180
    cylinder = Cylinder(radius, 0.020)
    bench = Bench(
        solid("cylinder", cylinder.surface(256), cylinder.mass_properties(RUBBER_DENSITY)),
        contact(0.0, 0.6),
        engine_settings(rig),
    )
    lying = (sin(pi / 4), 0.0, 0.0, cos(pi / 4))
    track = bench.follow(bench.start((0.0, 0.0, radius + 1e-5), lying), 0.6, slope=slope)
    (early, then), (late, now) = track[len(track) // 3], track[-1]
    measured = (now.velocity[0] - then.velocity[0]) / (late - early)
    expected = 2 / 3 * GRAVITY * sin(slope)
    return [Check("acceleration / expected", measured / expected, 1.0, 0.03, MECHANICS)]


def rebound(rig: Rig) -> list[Check]:
    """Effective restitution over drop height: of a sphere, and of a corner of the pig's hull."""
    sphere = Sphere(0.010)
    ball = solid("ball", sphere.surface(2000), sphere.mass_properties(RUBBER_DENSITY))
    return [*_flat("sphere", ball, rig), *_flat("pig", load_pig("standard"), rig)]


def _flat(name: str, pig: Pig, rig: Rig) -> list[Check]:
    bench = Bench(
        pig,
        contact(RESTITUTION, 0.0, bounce_speed=0.01),
        finest(engine_settings(rig)),
    )
    measured = [effective_restitution(bench, height) for height in DROP_HEIGHTS]
    middle = float(np.mean(measured))
    source = f"flat to 5 %; parameter {RESTITUTION}, mean {middle:.3f}"
    return [
        Check(
            f"{name}: restitution from {height * 1e3:g} mm / mean", one / middle, 1.0, 0.05, source
        )
        for height, one in zip(DROP_HEIGHTS, measured, strict=True)
    ]


def effective_restitution(bench: Bench, height: float) -> float:
    """Ratio of speeds after and before of the vertex that hits, mean over orientations.

    Before, the body falls without spin: sqrt(2 g h). After, the vertex's speed at the table's
    height follows by energy.
    """
    arms = bench.pig.shape.hull.vertices - bench.pig.mass_properties.center_of_mass
    leave = _leave_softly if isinstance(bench.settings, MujocoSettings) else _leave_by_impulse
    rng = np.random.default_rng(1)
    ratios = []
    for quat in uniform_orientations(24, rng):
        turned = arms @ Rotation.from_quat(quat).as_matrix().T
        arm = turned[turned[:, 2].argmin()]
        fallen = height * rng.uniform(1.0, 1.02)  # so that impacts fall anywhere within a step
        position = (0.0, 0.0, fallen - float(arm[2]))
        start = replace(bench.start((0.0, 0.0, 0.0), quat), position=position)
        above, speed = leave(bench, start, arm)
        ratios.append(sqrt((speed**2 + 2 * GRAVITY * above) / (2 * GRAVITY * fallen)))
    return float(np.mean(ratios))


def _leave_by_impulse(bench: Bench, start: Motion, arm: np.ndarray) -> tuple[float, float]:
    """Height [m] and rise [m/s] of the vertex after the first step with spin or rise.

    The step ends with a turn, of up to 0.3 rad; its impulse knew the arm before.
    """
    after = bench.follow(start, 1.0, until=_has_hit)[-1][1]
    above = after.position[2] + arm[2] if after.velocity[2] > 0.0 else 0.0
    return float(above), float(after.velocity[2] + np.cross(after.spin, arm)[2])


def _has_hit(motion: Motion) -> bool:
    return motion.velocity[2] > 0.0 or hypot(*motion.spin) > 1e-3


def _leave_softly(bench: Bench, start: Motion, arm: np.ndarray) -> tuple[float, float]:
    """Height [m] and rise [m/s] of the vertex when it is above the table again."""
    local = Rotation.from_quat(start.quat_xyzw).inv().apply(arm)

    def vertex(motion: Motion) -> tuple[float, float]:
        now = Rotation.from_quat(motion.quat_xyzw).apply(local)
        rise = motion.velocity[2] + np.cross(motion.spin, now)[2]
        return float(motion.position[2] + now[2]), float(rise)

    end = bench.follow(start, 1.0, until=lambda motion: min(vertex(motion)) > 0.0)[-1][1]
    return vertex(end)


def top(rig: Rig) -> list[Check]:
    """Precession of a top on its tip: m g l / (I3 spin), to first order in the slow rate."""
    radius, length, spin, tilt = 0.020, 0.008, 150.0, 0.15
    angles = np.linspace(0.0, 2 * pi, 32, endpoint=False)
    rim = np.column_stack((radius * np.cos(angles), radius * np.sin(angles), np.full(32, length)))
    pig = solid("top", convex_hull(np.vstack((rim, np.zeros((1, 3))))))
    bench = Bench(pig, contact(0.0, 1.0), finest(engine_settings(rig)))
    lean = Rotation.from_euler("y", tilt)
    start = bench.start(
        (0.0, 0.0, 1e-5), tuple(lean.as_quat()), spin=tuple(lean.apply((0.0, 0.0, spin)))
    )
    track = bench.follow(start, 0.5)
    axis = lean.apply((0.0, 0.0, 1.0))
    arm = float(pig.mass_properties.center_of_mass[2])
    own = float(pig.mass_properties.inertia[2, 2])
    expected = pig.mass_properties.mass * GRAVITY * arm / (own * spin)
    local = Rotation.from_quat(start.quat_xyzw).inv().apply(axis)
    headings = [np.arctan2(*Rotation.from_quat(m.quat_xyzw).apply(local)[1::-1]) for _, m in track]
    turned = float(np.unwrap(headings)[-1] - headings[0])
    return [Check("precession / expected", turned / track[-1][0] / expected, 1.0, 0.05, MECHANICS)]
