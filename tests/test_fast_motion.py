"""The fast engine's free flight, and its bounds on when it ends, against the reference's."""

from __future__ import annotations

import numpy as np
import pytest
from fast_bench import STILL, UPRIGHT, engine, stepped
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import orientations

from sim.engine.fast.bounds import fall_time, time_above
from sim.engine.fast.hull import lowest
from sim.engine.fast.meeting import distance, time_apart
from sim.engine.fast.motion import fly
from sim.engine.flight import GRAVITY, Motion
from sim.engine.flight import fly as exact

ENGINE = engine()
NUMBERS = st.integers(0, 2**32 - 1)


def random_motion(seed: int, height: float = 0.5, speed: float = 1.5, spin: float = 60.0) -> Motion:
    rng = np.random.default_rng(seed)
    return Motion.of(
        (*rng.uniform(-0.1, 0.1, 2), height),
        orientations(1, seed)[0],
        rng.uniform(-speed, speed, 3),
        rng.uniform(-spin, spin, 3),
    )


def row_of(motion: Motion) -> np.ndarray:
    with stepped(ENGINE, [motion]) as scene:
        return scene.state(0).copy()


def heights(row: np.ndarray) -> np.ndarray:
    turn = Rotation.from_quat(row[3:7]).as_matrix()
    return row[2] + ENGINE.body.vertices @ turn[2]


@settings(max_examples=40, deadline=None)
@given(NUMBERS, st.floats(0.0, 0.3))
def test_free_flight_is_the_exact_one(seed: int, duration: float) -> None:
    start = random_motion(seed)
    end = exact(start, ENGINE.body.moments, duration)
    row = row_of(start)
    fly(ENGINE.mass, row, duration)
    np.testing.assert_allclose(row[:3], end.position, atol=1e-12)
    np.testing.assert_allclose(row[7:10], end.velocity, atol=1e-12)
    assert abs(np.dot(row[3:7], end.quat_xyzw)) > 1.0 - 1e-8  # 0.3 mrad


@settings(max_examples=40, deadline=None)
@given(NUMBERS, st.floats(0.0, 0.1))
def test_no_vertex_sinks_to_the_table_before_the_bound(seed: int, height: float) -> None:
    """Looked at every 0.2 ms up to the bound; from 1 mm on the bound is worth 2 % of the truth."""
    row = row_of(random_motion(seed))
    row[2] += height - heights(row).min()
    bound = time_above(ENGINE.hull, ENGINE.mass, row, row[2], np.zeros(1, np.int64))
    time = 0.0
    while time + 2e-4 < bound:
        fly(ENGINE.mass, row, 2e-4)
        time += 2e-4
        assert heights(row).min() > -1e-9
    while heights(row).min() > 0.0:
        fly(ENGINE.mass, row, 2e-4)
        time += 2e-4
    assert bound >= 0.02 * time - 2e-4 or height < 0.001


def test_bound_is_exact_for_a_pig_that_does_not_turn() -> None:
    row = row_of(Motion.of((0.0, 0.0, 0.3), UPRIGHT, (0.0, 0.0, 0.4), STILL))
    gap = heights(row).min()
    found = time_above(ENGINE.hull, ENGINE.mass, row, row[2], np.zeros(1, np.int64))
    assert found == pytest.approx((0.4 + np.sqrt(0.16 + 2 * GRAVITY * gap)) / GRAVITY, rel=1e-12)


@given(st.floats(1e-6, 1.0), st.floats(-5.0, 5.0))
def test_fall_time_solves_the_fall(gap: float, rise: float) -> None:
    time = fall_time(gap, rise, GRAVITY)
    scale = gap + abs(rise) * time + 0.5 * GRAVITY * time * time
    assert gap + rise * time - 0.5 * GRAVITY * time * time == pytest.approx(0.0, abs=1e-12 * scale)


@given(NUMBERS, st.integers(0, 50))
def test_walk_along_edges_ends_at_the_lowest_vertex(seed: int, start: int) -> None:
    direction = np.random.default_rng(seed).standard_normal(3)
    found = lowest(ENGINE.hull, *direction, start)
    dots = ENGINE.body.vertices @ direction
    assert dots[found] == pytest.approx(dots.min(), abs=1e-15)


@settings(max_examples=40, deadline=None)
@given(NUMBERS, st.floats(0.0, 0.04))
def test_distance_of_hulls_is_a_bound_and_nearly_the_distance(seed: int, apart: float) -> None:
    """Within 0.5 mm of the greatest gap along 2,000 random directions."""
    rng = np.random.default_rng(seed)
    a, b = row_of(random_motion(seed, spin=0.0)), row_of(random_motion(seed + 1, spin=0.0))
    away = rng.standard_normal(3)
    b[:3] = a[:3] + apart * away / np.linalg.norm(away)
    placed = [
        row[:3] + ENGINE.body.vertices @ Rotation.from_quat(row[3:7]).as_matrix().T
        for row in (a, b)
    ]
    directions = rng.standard_normal((2000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    gaps = (placed[0] @ directions.T).min(axis=0) - (placed[1] @ directions.T).max(axis=0)
    found = distance(ENGINE.hull, a, b)
    nearest = min(float(np.linalg.norm(p - q)) for p in placed[0][::6] for q in placed[1][::6])
    assert found <= nearest + 1e-12
    assert found >= 0.98 * gaps.max() - 5e-4


@settings(max_examples=20, deadline=None)
@given(NUMBERS, st.booleans())
def test_pigs_in_flight_do_not_meet_before_the_bound(seed: int, is_known_to_fly: bool) -> None:
    """Looked at 20 times on the way; knowing that they fly only lengthens it."""
    a, b = row_of(random_motion(seed)), row_of(random_motion(seed + 1))
    b[:3] = a[:3] + np.array((0.05, 0.01, 0.0))
    least = time_apart(ENGINE.hull, ENGINE.mass, a, b, 0.0005, 0.0)
    bound = time_apart(ENGINE.hull, ENGINE.mass, a, b, 0.0005, 0.02 * is_known_to_fly)
    assert bound >= least > 0.0
    for _ in range(20):
        for row in (a, b):
            fly(ENGINE.mass, row, 0.999 * bound / 20)
        assert distance(ENGINE.hull, a, b) >= 0.0004


def test_pigs_that_fall_side_by_side_do_not_meet() -> None:
    a, b = (row_of(Motion.of((x, 0, 0.5), UPRIGHT, (0.0, 0.0, -1.0), STILL)) for x in (0.0, 0.05))
    assert time_apart(ENGINE.hull, ENGINE.mass, a, b, 0.0005, 0.3) == 0.3
