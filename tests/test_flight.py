"""Free flight against closed forms, and its bounds against the flight itself."""

from __future__ import annotations

from dataclasses import replace
from math import acos, cos, inf, isclose, sin, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import orientations, standard

from sim.engine import flight
from sim.engine.flight import (
    GRAVITY,
    Body,
    Motion,
    fly,
    greatest_speed,
    lowest_point,
    time_above_table,
    time_apart,
    time_to_reach,
)

Vector = tuple[float, float, float]

PIG_MOMENTS = tuple(float(moment) for moment in standard()[1].principal()[0])
TOP = (2.0e-7, 2.0e-7, 3.5e-7)
UNEVEN = (1.0e-7, 2.0e-7, 2.6e-7)


def vectors(low: float, high: float) -> st.SearchStrategy[Vector]:
    return st.tuples(*[st.floats(low, high)] * 3)


@st.composite
def motions(draw: st.DrawFn, spin: float = 300.0) -> Motion:
    x, y = draw(st.floats(-0.2, 0.2)), draw(st.floats(-0.2, 0.2))
    quat = orientations(1, draw(st.integers(0, 2**32 - 1)))[0]
    return Motion(
        (x, y, draw(st.floats(0.005, 0.6))),
        tuple(quat.tolist()),
        draw(vectors(-4.0, 4.0)),
        draw(vectors(-spin, spin)),
    )


def momentum(motion: Motion, moments: Vector) -> np.ndarray:
    turn = Rotation.from_quat(motion.quat_xyzw)
    return turn.apply(np.array(moments) * turn.inv().apply(motion.spin))


def energy(motion: Motion, moments: Vector) -> float:
    return float(np.dot(motion.spin, momentum(motion, moments))) / 2


def turned_apart(a: Motion, b: Motion) -> float:
    turn = Rotation.from_quat(a.quat_xyzw).inv() * Rotation.from_quat(b.quat_xyzw)
    return float(turn.magnitude())


TUMBLING = Motion((0.0, 0.0, 1.0), (0.5, 0.5, -0.5, 0.5), (0.3, -0.2, 1.0), (20.0, 35.0, -15.0))
INTERMEDIATE = replace(TUMBLING, quat_xyzw=(0.0, 0.0, 0.0, 1.0), spin=(0.01, 40.0, 0.01))


@settings(max_examples=60, deadline=None)
@given(motions(), st.floats(0.0, 2.0))
def test_center_follows_the_parabola(start: Motion, time: float) -> None:
    end = fly(start, PIG_MOMENTS, time)
    fall = np.array((0.0, 0.0, -GRAVITY))
    expected = np.array(start.position) + np.array(start.velocity) * time + fall * time**2 / 2
    np.testing.assert_allclose(end.position, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(end.velocity, start.velocity + fall * time, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("time", [0.01, 0.1, 0.5])
def test_symmetric_top_precesses_about_its_angular_momentum(time: float) -> None:
    """The axis turns about L at |L| / I1: within 1e-4 rad of 27 rad, tolerance 2e-4."""
    start = replace(TUMBLING, spin=(5.0, 30.0, 12.0))
    whole = momentum(start, TOP)
    rate = np.linalg.norm(whole) / TOP[0]
    precession = Rotation.from_rotvec(whole / np.linalg.norm(whole) * rate * time)
    axis = Rotation.from_quat(start.quat_xyzw).apply((0.0, 0.0, 1.0))
    flown = Rotation.from_quat(fly(start, TOP, time).quat_xyzw).apply((0.0, 0.0, 1.0))
    assert acos(min(1.0, float(np.dot(flown, precession.apply(axis))))) < 2e-4


@pytest.mark.parametrize("time", [0.01, 0.1, 0.5])
def test_symmetric_top_spins_about_its_axis(time: float) -> None:
    """The body-frame spin turns at (I3 - I1) / I1 w3: within 1.5e-5 of it, tolerance 1e-4."""
    start = replace(TUMBLING, quat_xyzw=(0.0, 0.0, 0.0, 1.0), spin=(5.0, 30.0, 12.0))
    end = fly(start, TOP, time)
    own = Rotation.from_quat(end.quat_xyzw).inv().apply(end.spin)
    rate = (TOP[2] - TOP[0]) / TOP[0] * start.spin[2]
    c, s = cos(rate * time), sin(rate * time)
    expected = (c * 5.0 - s * 30.0, s * 5.0 + c * 30.0, 12.0)
    np.testing.assert_allclose(own, expected, atol=1e-4 * np.linalg.norm(start.spin))


@pytest.mark.parametrize("axis", range(3))
def test_turn_about_a_principal_axis_is_steady(axis: int) -> None:
    """One second at 8 rad/s: within 4e-11 rad of 8, tolerance 1e-8."""
    spin = tuple(8.0 * np.eye(3)[axis])
    end = fly(replace(INTERMEDIATE, spin=spin), UNEVEN, 1.0)
    np.testing.assert_allclose(end.spin, spin, atol=1e-6)
    expected = Rotation.from_rotvec(spin)
    assert (Rotation.from_quat(end.quat_xyzw) * expected.inv()).magnitude() < 1e-8


@pytest.mark.parametrize("start", [TUMBLING, INTERMEDIATE], ids=["tumbling", "intermediate axis"])
def test_energy_and_momentum_stay_over_ten_seconds(start: Motion) -> None:
    """In 2,560 checks of 1/256 s: L to 4e-10 and energy to 4e-5, tolerances 1e-9 and 1e-4."""
    now = start
    for _ in range(2560):
        now = fly(now, UNEVEN, 1 / 256)
    np.testing.assert_allclose(
        momentum(now, UNEVEN), momentum(start, UNEVEN), rtol=1e-9, atol=1e-15
    )
    assert energy(now, UNEVEN) == pytest.approx(energy(start, UNEVEN), rel=1e-4)


def test_intermediate_axis_flips() -> None:
    """Dzhanibekov: a spin about the middle axis turns over, one about the others does not."""

    def least_alignment(spin: Vector) -> float:
        axis = np.array(spin) / np.linalg.norm(spin)
        now = replace(INTERMEDIATE, spin=spin)
        worst = 1.0
        for _ in range(300):
            now = fly(now, UNEVEN, 0.01)
            own = Rotation.from_quat(now.quat_xyzw).inv().apply(now.spin)
            worst = min(worst, float(np.dot(own, axis)) / 40.0)
        return worst

    assert least_alignment((0.01, 40.0, 0.01)) < -0.9
    assert least_alignment((40.0, 0.01, 0.01)) > 0.99
    assert least_alignment((0.01, 0.01, 40.0)) > 0.99


def test_error_falls_with_the_fourth_power_of_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each halving of MAX_TURN divides the error by 16; tolerance 14 to 18."""

    def flown(turn: float) -> Motion:
        monkeypatch.setattr(flight, "MAX_TURN", turn)
        return fly(TUMBLING, UNEVEN, 0.5)

    exact = flown(0.002)
    errors = [turned_apart(flown(turn), exact) for turn in (0.2, 0.1, 0.05)]
    assert errors[0] < 1e-3
    assert 14 < errors[0] / errors[1] < 18
    assert 14 < errors[1] / errors[2] < 18


@settings(max_examples=40, deadline=None)
@given(motions(spin=100.0), st.floats(0.001, 0.3))
def test_flight_runs_backward_to_its_start(start: Motion, time: float) -> None:
    end = fly(start, PIG_MOMENTS, time)
    turned_back = replace(
        end, velocity=tuple(-v for v in end.velocity), spin=tuple(-w for w in end.spin)
    )
    back = fly(turned_back, PIG_MOMENTS, time)
    np.testing.assert_allclose(back.position, start.position, atol=1e-11)
    assert turned_apart(back, start) < 0.01


@settings(max_examples=40, deadline=None)
@given(motions(), st.integers(2, 8))
def test_flight_in_pieces_is_the_flight_at_once(start: Motion, pieces: int) -> None:
    """Of one rotation or so; the pieces only take smaller steps."""
    time = 0.02
    now = start
    for _ in range(pieces):
        now = fly(now, PIG_MOMENTS, time / pieces)
    whole = fly(start, PIG_MOMENTS, time)
    np.testing.assert_allclose(now.position, whole.position, atol=1e-12)
    assert turned_apart(now, whole) < 0.005


@settings(max_examples=60, deadline=None)
@given(motions(), st.sampled_from([PIG_MOMENTS, TOP, UNEVEN]), st.floats(0.0, 0.3))
def test_spin_of_a_free_body_keeps_to_its_bound(
    start: Motion, moments: Vector, time: float
) -> None:
    own = Rotation.from_quat(start.quat_xyzw).inv().apply(start.spin)
    bound = sqrt(flight._greatest_spin2(tuple(own.tolist()), moments))
    assert np.linalg.norm(start.spin) <= bound * (1 + 1e-9) + 1e-12
    assert np.linalg.norm(fly(start, moments, time).spin) <= bound * (1 + 1e-4) + 1e-12


def test_bound_on_spin_is_reached_about_the_first_and_the_last_axis() -> None:
    for own in ((30.0, 0.0, 0.0), (0.0, 0.0, 30.0)):
        assert flight._greatest_spin2(own, UNEVEN) == pytest.approx(900.0)


def test_no_time_changes_nothing() -> None:
    end = fly(TUMBLING, UNEVEN, 0.0)
    assert end.position == TUMBLING.position
    assert turned_apart(end, TUMBLING) < 1e-7
    np.testing.assert_allclose(end.spin, TUMBLING.spin, rtol=1e-12)


# Bounds.


def pig_body() -> Body:
    shape, properties = standard()
    moments, axes = properties.principal()
    vertices = (shape.hull.vertices - properties.center_of_mass) @ axes
    radius = float(np.linalg.norm(vertices, axis=1).max())
    return Body(vertices, radius, properties.mass, tuple(map(float, moments)))


PIG = pig_body()


@settings(max_examples=100, deadline=None)
@given(motions())
def test_lowest_point_is_that_of_the_turned_vertices(motion: Motion) -> None:
    turned = Rotation.from_quat(motion.quat_xyzw).apply(PIG.vertices)
    expected = motion.position[2] + turned[:, 2].min()
    assert lowest_point(motion, PIG.vertices) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(motions())
def test_nothing_comes_near_the_table_before_the_bound(start: Motion) -> None:
    clearance = 0.0005
    assume(lowest_point(start, PIG.vertices) > clearance)
    time = time_above_table(start, PIG, clearance)
    assert time > 0
    for fraction in np.linspace(0.0, 1.0, 20):
        now = fly(start, PIG.moments, float(fraction) * time)
        assert lowest_point(now, PIG.vertices) > clearance - 1e-6


def test_bound_is_exact_for_a_pig_that_does_not_turn_near_the_table() -> None:
    for quat in orientations(5, seed=1):
        height = PIG.radius  # its bounding sphere stands on the table
        start = Motion((0.0, 0.0, height), tuple(quat), (0.0, 0.0, -0.4), (0.0, 0.0, 0.0))
        gap = lowest_point(start, PIG.vertices) - 0.0005
        expected = (sqrt(0.16 + 2 * GRAVITY * gap) - 0.4) / GRAVITY
        assert time_above_table(start, PIG, 0.0005) == pytest.approx(expected, rel=1e-9)


def test_bound_is_worth_having_high_above_the_table() -> None:
    """A leap covers at least four fifths of a fall from 0.3 m, whatever the spin."""
    start = Motion((0.0, 0.0, 0.3), (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (200.0, 100.0, 50.0))
    assert time_above_table(start, PIG, 0.0005) > 0.8 * sqrt(2 * 0.3 / GRAVITY)


@pytest.mark.parametrize("height", [0.0, 0.0005])
def test_pig_within_the_clearance_has_no_time(height: float) -> None:
    low = float(PIG.vertices[:, 2].min())
    start = Motion((0.0, 0.0, height - low), (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 5.0), (9.0, 9.0, 9.0))
    assert time_above_table(start, PIG, 0.0005 + 1e-12) == 0.0


@settings(max_examples=200, deadline=None)
@given(motions(), motions(), st.floats(0.001, 0.05))
def test_centers_come_within_reach_exactly_then(a: Motion, b: Motion, reach: float) -> None:
    time = time_apart(a, b, reach)

    def distance(at: float) -> float:
        gap, rate = np.subtract(b.position, a.position), np.subtract(b.velocity, a.velocity)
        return float(np.linalg.norm(gap + rate * at))  # both fall alike

    if time == 0.0:
        assert distance(0.0) <= reach
    elif time == inf:
        assert min(distance(at) for at in np.linspace(0.0, 2.0, 60)) > reach * (1 - 1e-9)
    else:
        assert isclose(distance(time), reach, rel_tol=1e-6)
        assert min(distance(f * time) for f in np.linspace(0.0, 0.999, 30)) > reach


def test_head_on_centers_meet_at_the_closed_form() -> None:
    a = replace(TUMBLING, position=(0.0, 0.0, 1.0), velocity=(1.0, 0.0, 3.0))
    b = replace(TUMBLING, position=(0.5, 0.0, 1.0), velocity=(-1.5, 0.0, 3.0))
    assert time_apart(a, b, 0.1) == pytest.approx(0.4 / 2.5, rel=1e-12)
    assert time_apart(a, b, 0.5) == 0.0
    assert time_apart(b, replace(a, velocity=(-2.0, 0.0, 3.0)), 0.1) == inf


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 1.0), st.floats(0.0, 5.0))
def test_time_to_reach_covers_the_distance_falling(distance: float, speed: float) -> None:
    time = time_to_reach(distance, speed)
    assert speed * time + GRAVITY * time**2 / 2 == pytest.approx(distance, rel=1e-9, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(motions())
def test_greatest_speed_bounds_what_the_energy_allows(motion: Motion) -> None:
    kinetic = PIG.mass * np.dot(motion.velocity, motion.velocity) / 2 + energy(motion, PIG.moments)
    assert greatest_speed(motion, PIG) >= sqrt(2 * kinetic / PIG.mass) * (1 - 1e-9)
    slow = replace(motion, spin=(0.0, 0.0, 0.0))
    assert greatest_speed(slow, PIG) == pytest.approx(np.linalg.norm(motion.velocity))
