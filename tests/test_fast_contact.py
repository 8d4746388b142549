"""Contacts of the fast engine: closed forms, and the box against a search over directions."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from fast_bench import UPRIGHT, engine, stepped, uniform_contact
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import diamond, orientations, solid

from meshes.solids import Cuboid, Sphere
from sim.device import TrapDoor
from sim.engine.fast.leaf import UPPER, leaf_frame, meet_leaf
from sim.engine.fast.manifold import GAP, NORMAL, POINT
from sim.engine.fast.motion import energy_height, matrix
from sim.engine.flight import GRAVITY, Motion

STEP = 1.0 / 1024.0
NUMBERS = st.integers(0, 2**32 - 1)
DOOR = TrapDoor()


def cube(edge: float = 0.02) -> tuple:
    return solid(Cuboid((edge, edge, edge)).surface())


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.8])
def test_cube_slides_as_far_as_friction_lets_it(friction: float) -> None:
    """v^2 / (2 mu g), to 1 %."""
    thrown = engine(cube(), contact=uniform_contact(0.0, friction))
    with stepped(thrown, [Motion.of((0, 0, 0.01), UPRIGHT, (0.6, 0.8, 0), (0, 0, 0))]) as scene:
        for _ in range(int(1.0 / (friction * GRAVITY) / STEP) + 200):
            scene.step()
        end = scene.motion(0).position
    assert np.hypot(end[0], end[1]) == pytest.approx(1 / (2 * friction * GRAVITY), rel=0.01)
    assert end[1] / end[0] == pytest.approx(4 / 3, rel=1e-3)


@pytest.mark.parametrize("restitution", [0.3, 0.7, 0.9])
def test_ball_rebounds_with_the_stated_restitution(restitution: float) -> None:
    """Mean over phases of the step; the correction of depth adds half of its share, 0.01."""
    sphere = Sphere(0.010)
    thrown = engine(
        solid(sphere.surface(400)), contact=uniform_contact(restitution, 0.0, bounce_speed=0.01)
    )
    ratios = []
    for drop in np.linspace(0.100, 0.104, 12):
        with stepped(
            thrown, [Motion.of((0, 0, 0.01 + drop), UPRIGHT, (0, 0, 0), (0, 0, 0))]
        ) as scene:
            while scene.motion(0).velocity[2] <= 0.0:
                scene.step()
            after = scene.motion(0)
        lift = after.position[2] - 0.01 + after.velocity[2] ** 2 / (2 * GRAVITY)
        ratios.append(sqrt(lift / drop))
    assert np.mean(ratios) == pytest.approx(restitution + 0.01, abs=0.015)


def test_nothing_rebounds_below_the_bounce_speed() -> None:
    thrown = engine(cube(), contact=uniform_contact(0.9, 0.5, bounce_speed=0.15))
    for drop, rises in ((0.0008, False), (0.003, True)):  # 0.125 and 0.243 m/s
        with stepped(
            thrown, [Motion.of((0, 0, 0.01 + drop), UPRIGHT, (0, 0, 0), (0, 0, 0))]
        ) as scene:
            speeds = []
            for _ in range(60):
                scene.step()
                speeds.append(scene.motion(0).velocity[2])
        assert (max(speeds) > 0.05) == rises


@settings(max_examples=15, deadline=None)
@given(NUMBERS)
def test_energy_of_a_thrown_pig_never_grows(seed: int) -> None:
    """But for the correction of a depth: at most that depth, 2 mm at these speeds, times 0.04."""
    thrown = engine()
    rng = np.random.default_rng(seed)
    start = Motion.of(
        (0, 0, 0.06), orientations(1, seed)[0], rng.uniform(-1, 1, 3), rng.uniform(-60, 60, 3)
    )
    with stepped(thrown, [start]) as scene:
        energy = energy_height(thrown.mass, scene.state(0))
        for _ in range(600):
            scene.step()
            now = energy_height(thrown.mass, scene.state(0))
            assert now < energy + 1e-4
            energy = min(energy, now)
    assert energy < 0.5 * (0.06 + 0.2)


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
    np.testing.assert_allclose(box.low, (-0.053, -0.035, 0.4), atol=1e-9)
    np.testing.assert_allclose(box.high, (-0.05, 0.035, 0.5), atol=1e-9)


def test_pig_gives_the_leaf_what_it_takes() -> None:
    """Momentum about the hinge: a heavy cube on the leaf falls with it, slower than an empty leaf.

    The leaf and a point mass m at its middle: I + m (L/2)^2 and twice the torque, to 3 %.
    """
    door = TrapDoor(leaf_mass=0.02)
    thrown = engine(cube(0.02), device=door, contact=uniform_contact(0.0, 0.9))
    on = Motion.of((0, 0, 0.51), UPRIGHT, (0, 0, 0), (0, 0, 0))
    with stepped(thrown, [on], height=0.5) as scene:
        for _ in range(12):
            scene.step()
        _, loaded = scene.swing()
    with stepped(
        thrown, [Motion.of((0, 0, 9.0), UPRIGHT, (0, 0, 0), (0, 0, 0))], height=0.5
    ) as scene:
        for _ in range(12):
            scene.step()
        _, empty = scene.swing()
    mass, arm, inertia = thrown.body.mass, 0.05, 0.02 * (0.1**2 + 0.003**2) / 3
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
    """A pig near an edge of the leaf, beside a search over directions, to 1 % or 1 um."""
    rng = np.random.default_rng(seed)
    thrown = engine(device=DOOR)
    start = Motion.of(
        (0.05 + rng.uniform(-0.012, 0.012), rng.uniform(-0.05, 0.05), rng.uniform(0.99, 1.01)),
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
    vertices -= (-0.05, 0.0, 1.0)
    way = least_overlap(vertices, np.array((0, -0.035, -0.003)), np.array((0.1, 0.035, 0.0)))
    if way > 1e-6:
        assert found
        assert -point[GAP] == pytest.approx(way, rel=0.01, abs=1e-6)
        assert np.linalg.norm(point[NORMAL : NORMAL + 3]) == pytest.approx(1.0, abs=1e-9)
    if found:
        assert way > -thrown.hull.breaking


def test_corner_that_hits_the_leaf_finds_its_upper_face() -> None:
    thrown = engine(diamond(0.008, 0.01, 0.012), device=DOOR)
    row = np.zeros(13)
    row[:7] = (0.0, 0.0, 1.0115, 0.0, 0.0, 0.0, 1.0)
    point, hints = np.zeros(POINT), np.zeros(6, np.int64)
    door = thrown.door(1)
    frame = leaf_frame(door, np.zeros(3), 1.0)
    assert meet_leaf(thrown.hull, door, frame, row, matrix(*row[3:7]), point, hints)
    np.testing.assert_allclose(thrown.body.vertices[hints[UPPER]], (0, 0, -0.012), atol=1e-12)
    np.testing.assert_allclose(point, (0, 0, -0.012, 0.05, 0, 0, 0, 0, 1, -0.0005), atol=1e-12)
