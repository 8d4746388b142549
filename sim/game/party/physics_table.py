"""The table of Pig Party in the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi, radians

import numpy as np
from scipy.spatial.transform import Rotation

from sim.configuration import Configuration
from sim.game.party.state import MOST_PLAYERS, LandedPig, PartyGame, Pose, Thrown
from sim.rest import AT_REST
from sim.throw import Landings, Lying, Thrower
from sim.touch import TouchJudge, TouchRule

MOVED_DISTANCE = 0.0002
"""A pig that lay and is this far from where it lay was moved [m]; assumption.

Of 4,500 pigs that were put down 99 % crept up to 0.05 mm and 0.3 degrees; the others were hit.
"""

MOVED_ANGLE = radians(1.0)
"""The same for a turn [rad]; assumption."""

ON_TABLE = 0.001
"""The lowest point of a pig at rest is this near the table's top [m]."""

APART = 1e-6
"""Pigs at rest are farther apart [m]; less than for touching, since those that lie may creep."""

DEVICE_DISTANCE = 0.3
"""Of each player's device from the middle of the table [m]; assumption."""


class PhysicsTable:
    """Throws with the simulator; pigs that lie are obstacles.

    Every player has a device, at a side of the table, that faces its middle. The table reaches as
    far from each device as the configuration says, so farther from the one across it. A pig that
    was hit, but neither moved nor touched at rest, counts as never touched.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._reach = configuration.engine.table_radius
        self._radius = self._reach + 2 * DEVICE_DISTANCE
        engine = replace(configuration.engine, table_radius=self._radius)
        self._configuration = replace(configuration, engine=engine)
        self._throwers: dict[int, Thrower] = {}

    def check(self, game: PartyGame) -> None:
        """Refuse pigs that do not lie on the table, or that lie in each other."""
        poses = [pig.pose for seat in game.seats for pig in seat.pigs]
        known = [pose for pose in poses if pose is not None]
        if len(known) < len(poses):
            raise ValueError("a pig without a pose lies on the table: physics did not throw it")
        if not known:
            return
        translation = np.array([pose.translation for pose in known])
        quat = np.array([pose.quat_xyzw for pose in known])
        shape = self._configuration.pig.shape
        heights = Rotation.from_quat(quat).as_matrix()[:, 2] @ shape.hull.vertices.T
        lowest = heights.min(axis=1) + translation[:, 2]
        if _is_beyond(self._radius, translation) or (np.abs(lowest) > ON_TABLE).any():
            raise ValueError("a pig that should lie on the table lies off it")
        if (TouchJudge(shape, TouchRule(distance=APART)).judge(translation, quat) != "none").any():
            raise ValueError("two pigs that should lie apart touch")

    def throw(self, game: PartyGame) -> Thrown:
        """Throw; throw i of a game is throw i of the configuration's seed."""
        pigs = game.pigs_to_throw
        if pigs not in self._throwers:
            self._throwers[pigs] = Thrower(replace(self._configuration, pigs=pigs))
        side = _Side(game.turn)
        lying = side.from_table([pig for _, pig in game.lying])
        if _is_beyond(self._radius, lying.translation):
            raise ValueError("a pig that should lie on the table lies off it")
        landings = self._throwers[pigs].throw([game.throws], lying)
        is_off = _is_beyond(self._reach, landings.translation[0, :pigs])
        if landings.status[0] != AT_REST or is_off:
            return Thrown((), is_failed=True)
        is_touching = landings.touch[0] != "none"
        disturbed = np.flatnonzero(is_touching[pigs:] | _moved(landings, pigs, lying))
        return Thrown(
            pigs=side.to_table(landings, pigs),
            is_touching=bool(is_touching[:pigs].any()),
            disturbed=tuple(int(pig) for pig in disturbed),
        )


class _Side:
    """A player's side of the table: changes between the table's frame and the device's."""

    def __init__(self, seat: int) -> None:
        angle = -2 * pi * seat / MOST_PLAYERS  # the next player sits to the left: clockwise
        self._turn = Rotation.from_rotvec((0.0, 0.0, angle))  # table_from_device
        self._place = self._turn.apply((-DEVICE_DISTANCE, 0.0, 0.0))

    def from_table(self, pigs: Sequence[LandedPig]) -> Lying:
        """Place pigs as seen from the device."""
        poses = [pig.pose for pig in pigs if pig.pose is not None]
        if len(poses) < len(pigs):
            raise ValueError("a pig without a pose lies on the table: physics did not throw it")
        translation = np.array([pose.translation for pose in poses]).reshape(-1, 3)
        quat = np.array([pose.quat_xyzw for pose in poses]).reshape(-1, 4)
        back = self._turn.inv()
        return Lying(
            back.apply(translation - self._place), (back * Rotation.from_quat(quat)).as_quat()
        )

    def to_table(self, landings: Landings, pigs: int) -> tuple[LandedPig, ...]:
        """Place the thrown pigs, the first ones of a throw, on the table."""
        translation = self._turn.apply(landings.translation[0, :pigs].copy()) + self._place
        turn = self._turn * Rotation.from_quat(landings.quat_xyzw[0, :pigs].copy())
        return tuple(
            LandedPig(str(position), Pose(tuple(place), tuple(quat)))
            for position, place, quat in zip(
                landings.position[0, :pigs],
                translation.tolist(),
                turn.as_quat(canonical=True).tolist(),
                strict=True,
            )
        )


def _is_beyond(radius: float, translation: np.ndarray) -> bool:
    return bool((np.hypot(translation[:, 0], translation[:, 1]) > radius).any())


def _moved(landings: Landings, thrown: int, lying: Lying) -> np.ndarray:
    """Whether each pig that lay is elsewhere now, (m,)."""
    distance = np.linalg.norm(landings.translation[0, thrown:] - lying.translation, axis=1)
    cosine = np.abs((landings.quat_xyzw[0, thrown:] * lying.quat_xyzw).sum(axis=1))
    angle = 2.0 * np.arccos(np.minimum(cosine, 1.0))
    return (distance > MOVED_DISTANCE) | (angle > MOVED_ANGLE)
