"""Contacts of the fast engine: closed forms, and the box against a search over directions."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from fast_bench import UPRIGHT, at, engine, stepped, uniform_contact
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import Body, diamond, orientations, solid

from meshes.solids import Cuboid
from sim.device import TrapDoor
from sim.engine.fast.engine import FastEngine
from sim.engine.fast.leaf import UPPER, leaf_frame, meet_leaf
from sim.engine.fast.manifold import GAP, NORMAL, POINT
from sim.engine.fast.motion import energy_height, matrix
from sim.engine.fast.settings import FastSettings
from sim.engine.flight import GRAVITY, Motion
from sim.validate import bench as validation_bench
from sim.validate.check import Rig

STEP = FastSettings().time_step
NUMBERS = st.integers(0, 2**32 - 1)
DOOR = TrapDoor()
LENGTH = DOOR.leaf_length


def cube(edge: float = 0.02) -> Body:
    return solid(Cuboid((edge, edge, edge)).surface())


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.8])
def test_cube_slides_as_far_as_friction_lets_it(friction: float) -> None:
    """v^2 / (2 mu g), to 1.5 %, straight on to 1 %."""
    thrown = engine(cube(), contact=uniform_contact(0.0, friction))
    with stepped(thrown, [at(thrown, (0, 0, 0.01), velocity=(0.6, 0.8, 0.0))]) as scene:
        for _ in range(int(1.0 / (friction * GRAVITY) / STEP) + 200):
            scene.step()
        end = scene.motion(0).position
    assert np.hypot(end[0], end[1]) == pytest.approx(1 / (2 * friction * GRAVITY), rel=0.015)
    assert end[1] / end[0] == pytest.approx(4 / 3, rel=0.01)


OCTAHEDRON = diamond(0.01, 0.01, 0.01)


def fallen(thrown: FastEngine, drop: float, speed: float = 0.0) -> list[Motion]:
    """An octahedron, one corner straight down, `drop` above the table; to 120 steps after it hits.

    Args:
        thrown: Engine.
        drop: [m].
        speed: Downward, at first [m/s].
    """
    with stepped(thrown, [at(thrown, (0, 0, 0.01 + drop), velocity=(0, 0, -speed))]) as scene:
        seen = []
        for _ in range(int((sqrt(speed**2 + 2 * GRAVITY * drop) - speed) / GRAVITY / STEP) + 120):
            scene.step()
            seen.append(scene.motion(0))
    return seen


@pytest.mark.parametrize("restitution", [0.3, 0.7, 0.9])
def test_corner_rebounds_with_the_stated_restitution(restitution: float) -> None:
    """Mean over phases of the step; it comes half a step's way too deep, and is pushed out."""
    thrown = engine(OCTAHEDRON, contact=uniform_contact(restitution, 0.5, bounce_speed=0.01))
    speed, ratios = 1.4, []
    for drop in np.linspace(0.001, 0.005, 12):
        after = next(motion for motion in fallen(thrown, drop, speed) if motion.velocity[2] > 0.0)
        depth = 0.01 - after.position[2] + STEP * after.velocity[2]
        ratios.append(after.velocity[2] / sqrt(speed**2 + 2 * GRAVITY * (drop + depth)))
    pushed = FastSettings().contact_erp / 2
    assert np.mean(ratios) == pytest.approx(restitution + pushed, abs=0.006)


def test_nothing_rebounds_below_the_bounce_speed() -> None:
    thrown = engine(OCTAHEDRON, contact=uniform_contact(0.9, 0.5, bounce_speed=0.15))
    highest = [
        max(motion.velocity[2] for motion in fallen(thrown, drop)) for drop in (0.0008, 0.003)
    ]  # 0.125 and 0.243 m/s
    assert highest[0] < 0.005
    assert highest[1] > 0.2


@pytest.mark.parametrize("name", ["bullet", "fast"])
def test_edge_opens_when_a_cube_rolls_about_it(name: str) -> None:
    """However small the gap: one step of 20 rad/s lifts the edge by 0.7 um, and gravity acts alone.

    Held by its edge the cube would fall by spin^2 arm = 0.58 g.
    """
    body = validation_bench.solid("cube", Cuboid((0.02, 0.02, 0.02)).surface())
    settings = validation_bench.finest(validation_bench.engine_settings(Rig(engine=name)))
    bench = validation_bench.Bench(body, uniform_contact(0.0, 0.8), settings)
    on_edge = Rotation.from_euler("y", 45, degrees=True).as_quat()
    arm = sqrt(0.5) * 0.02
    start = bench.start((0, 0, arm + 1e-5), on_edge, (20 * arm, 0, 0), (0, 20, 0))
    speeds = [motion.velocity[2] for _, motion in bench.follow(start, 24 * STEP)]
    falls = -np.diff(speeds[4:]) / (STEP * GRAVITY)
    assert (falls < 1.01).all()
    assert 5 <= np.count_nonzero(falls > 0.99) <= 15


def energy_with_depth(thrown: FastEngine, row: np.ndarray) -> float:
    """Height that all energy could lift the center to, from the surface of the table [m]."""
    down = Rotation.from_quat(row[3:7]).as_matrix()[2]
    lowest = row[2] + float((thrown.body.vertices @ down).min())
    return energy_height(thrown.mass, row) - min(lowest, 0.0)


@settings(max_examples=15, deadline=None)
@given(NUMBERS)
def test_energy_of_a_thrown_pig_never_grows(seed: int) -> None:
    """Without restitution and friction; with both, Newton's rule can give an oblique hit more.

    The depth of a pig in the table is energy that its correction gives back; beyond that it adds
    less than 0.2 mm of height.

    References:
        Kane, T. R., Levinson, D. A. (1985), Dynamics: Theory and Applications, McGraw-Hill, 348.
    """
    thrown = engine(contact=uniform_contact(0.0, 0.6))
    rng = np.random.default_rng(seed)
    start = Motion.of(
        (0, 0, 0.06), orientations(1, seed)[0], rng.uniform(-1, 1, 3), rng.uniform(-60, 60, 3)
    )
    with stepped(thrown, [start]) as scene:
        energy = energy_with_depth(thrown, scene.state(0))
        for _ in range(round(0.6 / STEP)):
            scene.step()
            assert energy_height(thrown.mass, scene.state(0)) < energy + 2e-4
            energy = min(energy, energy_with_depth(thrown, scene.state(0)))
    assert energy < 0.016


def test_leaf_swings_as_its_weight_says() -> None:
    """Speed of the empty leaf by energy, to 1 %."""
    thrown = engine(device=DOOR)
    far = Motion.of((0, 0, 10.0), UPRIGHT, (0, 0, 0), (0, 0, 0))
    length, thickness = DOOR.leaf_length, DOOR.leaf_thickness
    with stepped(thrown, [far], height=0.5) as scene:
        while scene.is_swinging():
            angle, rate = scene.swing()
            scene.step()
        sunk = length * np.sin(angle) - thickness * (1 - np.cos(angle))
        expected = sqrt(3 * GRAVITY * sunk / (length**2 + thickness**2))
        assert rate == pytest.approx(expected, rel=0.01)
        box = scene.obstacle()
    assert box is not None
    hinge = -length / 2
    np.testing.assert_allclose(box.low, (hinge - thickness, -0.035, 0.5 - length), atol=1e-9)
    np.testing.assert_allclose(box.high, (hinge, 0.035, 0.5), atol=1e-9)


def test_pig_gives_the_leaf_what_it_takes() -> None:
    """Momentum about the hinge: a heavy cube on the leaf falls with it, slower than an empty leaf.

    The leaf and a point mass m at its middle: I + m (L/2)^2 and twice the torque, to 3 %.
    """
    door = TrapDoor(leaf_mass=0.02)
    thrown = engine(cube(0.02), device=door, contact=uniform_contact(0.0, 0.9))
    with stepped(thrown, [at(thrown, (0, 0, 0.51))], height=0.5) as scene:
        for _ in range(12):
            scene.step()
        _, loaded = scene.swing()
    with stepped(
        thrown, [Motion.of((0, 0, 9.0), UPRIGHT, (0, 0, 0), (0, 0, 0))], height=0.5
    ) as scene:
        for _ in range(12):
            scene.step()
        _, empty = scene.swing()
    mass, arm, inertia = thrown.body.mass, LENGTH / 2, 0.02 * (LENGTH**2 + 0.003**2) / 3
    own = thrown.body.moments[0] + mass * (arm**2 + 0.01**2)
    expected = (0.02 + mass) * arm * GRAVITY / (inertia + own) / (0.02 * arm * GRAVITY / inertia)
    assert loaded / empty == pytest.approx(expected, rel=0.03)


def least_overlap(vertices: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Least way to part a hull from a box, over many directions, refined around the best."""
    rng = np.random.default_rng(0)
    directions = rng.standard_normal((4000, 3))
    best = np.inf
    for spread in (0.0, 0.2, 0.04, 0.01, 0.002):
        tried = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        reach = np.where(tried > 0.0, tried * high, tried * low).sum(axis=1)
        ways = reach - (vertices @ tried.T).min(axis=0)
        found = tried[ways.argmin()]
        best = min(best, float(ways.min()))
        directions = found + (spread or 0.2) * rng.standard_normal((2000, 3))
    return best


@settings(max_examples=40, deadline=None)
@given(NUMBERS)
def test_overlap_with_the_leaf_is_the_least_way_out(seed: int) -> None:
    """A pig near the leaf's edge: its way out parts them, and a search finds none shorter."""
    rng = np.random.default_rng(seed)
    thrown = engine(device=DOOR)
    start = Motion.of(
        (
            LENGTH / 2 + rng.uniform(-0.012, 0.012),
            rng.uniform(-0.05, 0.05),
            rng.uniform(0.99, 1.01),
        ),
        orientations(1, seed)[0],
        (0, 0, 0),
        (0, 0, 0),
    )
    with stepped(thrown, [start], height=1.0) as scene:
        row = scene.state(0).copy()
    door = thrown.door(1)
    frame = leaf_frame(door, np.zeros(3), 1.0)
    point = np.zeros(POINT)
    found = meet_leaf(
        thrown.hull, door, frame, row, matrix(*row[3:7]), point, np.zeros(6, np.int64)
    )
    vertices = row[:3] + thrown.body.vertices @ Rotation.from_quat(row[3:7]).as_matrix().T
    vertices -= (-LENGTH / 2, 0.0, 1.0)
    low, high = np.array((0, -0.035, -0.003)), np.array((LENGTH, 0.035, 0.0))
    way = least_overlap(vertices, low, high)
    if way > 1e-6:
        assert found
        out = point[NORMAL : NORMAL + 3]
        assert np.linalg.norm(out) == pytest.approx(1.0, abs=1e-9)
        reach = np.where(out > 0.0, out * high, out * low).sum()
        assert reach - (vertices @ out).min() == pytest.approx(-point[GAP], abs=1e-9)
        assert -point[GAP] <= way + 1e-12
    if found:
        assert way > -thrown.hull.breaking


def test_corner_that_hits_the_leaf_finds_its_upper_face() -> None:
    thrown = engine(diamond(0.008, 0.01, 0.012), device=DOOR)
    with stepped(thrown, [at(thrown, (0.0, 0.01, 1.0115))], height=1.0) as scene:
        row = scene.state(0).copy()
    point, hints = np.zeros(POINT), np.zeros(6, np.int64)
    door = thrown.door(1)
    frame = leaf_frame(door, np.zeros(3), 1.0)
    assert meet_leaf(thrown.hull, door, frame, row, matrix(*row[3:7]), point, hints)
    corner = thrown.body.vertices[hints[UPPER]]
    np.testing.assert_allclose(thrown.axes @ corner, (0, 0, -0.012), atol=1e-12)
    np.testing.assert_allclose(point[:3], corner, atol=1e-12)
    np.testing.assert_allclose(point[3:], (LENGTH / 2, 0.01, 0, 0, 0, 1, -0.0005), atol=1e-12)
