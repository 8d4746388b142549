"""Impulses of the fast engine's contacts against the laws that they must keep."""

from __future__ import annotations

import numpy as np
import pytest
from fast_bench import engine
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import orientations

from sim.engine.fast.manifold import GAP, POINT
from sim.engine.fast.motion import MOMENTUM, QUAT, STATE, VELOCITY
from sim.engine.fast.solver import Surface, add_contact, give, room_for, solve

MASS = engine().mass
MOMENTS = 1.0 / np.array([MASS.inverse_x, MASS.inverse_y, MASS.inverse_z])
UP = (0.0, 0.0, 1.0)
TILTED = (0.6, 0.0, 0.8)
STILL = (0.0, 0.0, 0.0)

SEEDS = st.integers(0, 2**32 - 1)
CONTACTS = st.sampled_from([1, 2, 3])
FRICTIONS = st.sampled_from([0.0, 0.05, 0.6])
"""Up to that of the pigs: between points anywhere, much more may keep the method from an end."""


class Blow:
    """A pig that touches a surface in points at random; before and after its impulses.

    Attributes:
        turn: World from principal, (3, 3).
        arms: From the center of mass to the points, world axes, (c, 3) [m].
        before: Velocities of the points, world axes, (c, 3) [m/s].
        after: The same.
        impulses: On the points, world axes, (c, 3) [N s].
    """

    def __init__(
        self, seed: int, contacts: int, surface: Surface, normal: tuple[float, float, float] = UP
    ) -> None:
        rng = np.random.default_rng(seed)
        self.normal = np.array(normal)
        self._state = np.zeros(STATE)
        self._state[QUAT : QUAT + 4] = orientations(1, seed)[0]
        self.turn = Rotation.from_quat(self._state[QUAT : QUAT + 4]).as_matrix()
        self._state[VELOCITY : VELOCITY + 3] = rng.uniform(-1.0, 1.0, 3)
        self._state[MOMENTUM : MOMENTUM + 3] = rng.uniform(-1e-5, 1e-5, 3)
        self.arms = rng.uniform(-0.01, 0.01, (contacts, 3))
        self.before = self._velocities()
        rows, point = room_for(8), np.zeros(POINT)
        point[GAP] = 0.0
        for count, arm in enumerate(self.arms.tolist()):
            r, spin = tuple(self.turn.ravel().tolist()), tuple(self._spin().tolist())
            add_contact(
                rows,
                count,
                0,
                MASS,
                self._state,
                r,
                spin,
                tuple(arm),
                normal,
                STILL,
                point,
                surface,
            )
        solve(rows, contacts, MASS, 0.0, 100_000, 1e-12)
        give(rows, contacts, self._state[None], MASS, 0.0)
        self.after = self._velocities()
        self.impulses = np.array(
            [
                rows.along[:, 3 * one : 3 * one + 3] @ rows.impulse[3 * one : 3 * one + 3]
                for one in range(contacts)
            ]
        )

    def _spin(self) -> np.ndarray:
        own = self.turn.T @ self._state[MOMENTUM : MOMENTUM + 3]
        return self.turn @ (own / MOMENTS)

    def _velocities(self) -> np.ndarray:
        return self._state[VELOCITY : VELOCITY + 3] + np.cross(self._spin(), self.arms)


def surface(friction: float, restitution: float = 0.0) -> Surface:
    return Surface(restitution, friction, 0.15, 0.0, 0.0, 0.0)


@settings(max_examples=200, deadline=None)
@given(SEEDS, CONTACTS, FRICTIONS, st.sampled_from([UP, TILTED]))
def test_impulses_push_and_keep_within_the_cone_of_friction(
    seed: int, contacts: int, friction: float, normal: tuple[float, float, float]
) -> None:
    blow = Blow(seed, contacts, surface(friction), normal)
    pushes = blow.impulses @ blow.normal
    rubs = blow.impulses - pushes[:, None] * blow.normal
    assert (pushes >= 0.0).all()
    assert (np.linalg.norm(rubs, axis=1) <= friction * pushes + 1e-15).all()


@settings(max_examples=200, deadline=None)
@given(SEEDS, CONTACTS, FRICTIONS)
def test_points_part_or_stay_and_those_that_do_not_slide_stick(
    seed: int, contacts: int, friction: float
) -> None:
    blow = Blow(seed, contacts, surface(friction))
    pushes = blow.impulses[:, 2]
    rubs = np.linalg.norm(blow.impulses[:, :2], axis=1)
    slips = np.linalg.norm(blow.after[:, :2], axis=1)
    assert (blow.after[:, 2] > -1e-9).all()
    assert (np.abs(blow.after[pushes > 0.0, 2]) < 1e-9).all()
    assert (slips[rubs < friction * pushes * (1 - 1e-9)] < 1e-9).all()


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.floats(0.0, 1.0))
def test_a_single_point_rebounds_by_its_restitution(seed: int, restitution: float) -> None:
    blow = Blow(seed, 1, surface(0.6, restitution))
    speed = blow.before[0, 2]
    expected = -restitution * speed if speed < -0.15 else max(speed, 0.0)
    if speed < 0.0:
        assert blow.after[0, 2] == pytest.approx(expected, abs=1e-9)
    else:
        assert blow.after[0, 2] >= -1e-9


@settings(max_examples=200, deadline=None)
@given(SEEDS)
def test_a_single_point_that_sticks_stops(seed: int) -> None:
    """By the one impulse that does; so rough a surface lets nearly all that press on it stick."""
    blow = Blow(seed, 1, surface(5.0))
    across = np.cross(np.eye(3), blow.arms[0])
    inverse = blow.turn @ np.diag(1.0 / MOMENTS) @ blow.turn.T
    response = np.eye(3) / MASS.mass + across.T @ inverse @ across
    impulse = np.linalg.solve(response, -blow.before[0])
    assume(np.linalg.norm(impulse[:2]) < 5.0 * impulse[2])
    np.testing.assert_allclose(blow.impulses[0], impulse, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(blow.after[0], 0.0, atol=1e-12)
