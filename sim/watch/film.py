"""A throw as a film: where every pig and the leaf were, from the release to the end.

The engine throws as it always does and tells at each of its looks how things stand, so a film ends
in the very bits that a batch records. Where the engine leaps over free flight, the film has the
exact flight in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np

from sim.configuration import Configuration
from sim.engine.bullet import BulletEngine
from sim.engine.bullet_world import BulletSettings
from sim.engine.flight import Motion, fly
from sim.throw import Landings, Thrower


@dataclass(frozen=True, eq=False)
class Film:
    """One throw from release to end. Arrays are read-only.

    Attributes:
        time: Since the release, rising, (f,) [s].
        translation: (f, k, 3) [m] world_from_pig.
        quat_xyzw: (f, k, 4) world_from_pig.
        leaf_angle: How far the trap door's leaf is open, (f,) [rad]; 0 without one.
        landing: How it ended, of this one throw; the last frame has its very poses.
        note: What a viewer must say of it, in one line; empty as a rule.
    """

    time: np.ndarray
    translation: np.ndarray
    quat_xyzw: np.ndarray
    leaf_angle: np.ndarray
    landing: Landings
    note: str = ""

    def __post_init__(self) -> None:
        for array in (self.time, self.translation, self.quat_xyzw, self.leaf_angle):
            array.setflags(write=False)

    @property
    def duration(self) -> float:
        """From the release to the last frame [s]."""
        return float(self.time[-1])

    @property
    def pigs(self) -> int:
        """How many pigs there are."""
        return self.translation.shape[1]

    def frame_at(self, time: float) -> int:
        """Find the last frame that is not after a time [s]; the first, if all are."""
        return max(0, int(np.searchsorted(self.time, time, side="right")) - 1)


@dataclass(frozen=True)
class _Look:
    """What the engine tells at one look: time [s], states of the pigs, the leaf's angle [rad]."""

    time: float
    motions: list[Motion]
    leaf_angle: float


class Filmmaker:
    """Films throws of one configuration by their index."""

    def __init__(self, configuration: Configuration) -> None:
        settings = configuration.engine
        self._thrower = Thrower(configuration)
        engine = self._thrower.engine
        if not (isinstance(settings, BulletSettings) and isinstance(engine, BulletEngine)):
            raise ValueError(
                f"engine {engine.name}: keeps no paths; films are thrown with --engine bullet"
            )
        self._engine = engine
        self._interval = settings.time_step * settings.steps_per_check

    def film(self, index: int) -> Film:
        """Throw once and keep the whole path."""
        looks: list[_Look] = []
        releases = self._thrower.releases([index])
        resting = self._engine.settle(releases, lambda *look: looks.append(_Look(*look)))
        moments = self._engine.body.moments
        frames = [*_frames(looks, moments, self._interval), looks[-1]]
        motions = [motion for frame in frames for motion in frame.motions]
        translation, quat_xyzw = self._engine.poses(motions)
        shape = (len(frames), len(frames[0].motions), -1)
        translation, quat_xyzw = translation.reshape(shape), quat_xyzw.reshape(shape)
        translation[-1], quat_xyzw[-1] = resting.translation[0], resting.quat_xyzw[0]
        return Film(
            np.array([frame.time for frame in frames]),
            translation,
            quat_xyzw,
            np.array([frame.leaf_angle for frame in frames]),
            self._thrower.land(releases, resting),
        )


def still(landing: Landings, leaf_angle: float) -> Film:
    """Show the end of one throw, whose path nobody kept, and the leaf as it hung then [rad]."""
    return Film(
        np.zeros(1),
        landing.translation.copy(),
        landing.quat_xyzw.copy(),
        np.array([leaf_angle]),
        landing,
    )


def _frames(
    looks: Sequence[_Look], moments: tuple[float, float, float], interval: float
) -> Iterator[_Look]:
    """Give every look but the last, and the flight between looks more than an interval apart."""
    for look, following in pairwise(looks):
        yield look
        gap = following.time - look.time
        for part in range(1, ceil(gap / interval - 1e-6)):
            yield _Look(
                look.time + part * interval,
                [
                    _flown(motion, after, moments, part * interval)
                    for motion, after in zip(look.motions, following.motions, strict=True)
                ],
                look.leaf_angle,
            )


def _flown(
    motion: Motion, after: Motion, moments: tuple[float, float, float], duration: float
) -> Motion:
    """Follow the flight of a pig, unless it lay still while the others flew."""
    return motion if motion == after else fly(motion, moments, duration)
