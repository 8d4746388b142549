"""The main line: releases -> resting states -> landings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from meshes.stable import stable_poses
from sim.configuration import Configuration
from sim.device import Releases, release
from sim.engine import Engine, RestingStates
from sim.engine.bullet import BulletEngine
from sim.engine.fast.settings import FastSettings
from sim.engine.mujoco_settings import NOT_INSTALLED, MujocoSettings
from sim.position import OTHER, PositionNamer
from sim.rest import AT_REST, DIVERGED
from sim.touch import TouchJudge

UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Landings:
    """How n throws of k pigs ended. Arrays are read-only.

    Attributes:
        index: (n,) which throw of the seed.
        height: Of release, (n,) [m].
        start: (n,) "forward", "backward", "mixed" or "random".
        status: (n,) of sim.rest.STATUSES.
        position: (n, k) of sim.position.POSITIONS; "other" in every throw that failed.
        touch: (n, k) of sim.touch.TOUCHES; "none" in every throw that failed.
        translation: (n, k, 3) [m] world_from_pig.
        quat_xyzw: (n, k, 4) world_from_pig.
        rest_time: (n, k) when each pig came to rest [s]; nan if it did not.
        margin: (n, k) to the next position [rad]; see PositionNamer.name.
        handed_over: (n,) 1 if another engine ended the throw (see RestingStates), 0 if not,
            UNKNOWN in landings that were read from a file.
    """

    index: np.ndarray
    height: np.ndarray
    start: np.ndarray
    status: np.ndarray
    position: np.ndarray
    touch: np.ndarray
    translation: np.ndarray
    quat_xyzw: np.ndarray
    rest_time: np.ndarray
    margin: np.ndarray
    handed_over: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int8))

    def __post_init__(self) -> None:
        if len(self.handed_over) != len(self.index):
            object.__setattr__(self, "handed_over", np.full(len(self.index), UNKNOWN, np.int8))
        for array in vars(self).values():
            array.setflags(write=False)


@dataclass(frozen=True)
class Lying:
    """Pigs that already lie on the table when others are thrown.

    Attributes:
        translation: (m, 3) [m] world_from_pig.
        quat_xyzw: (m, 4) world_from_pig.
    """

    translation: np.ndarray
    quat_xyzw: np.ndarray


def engine_of(configuration: Configuration) -> Engine:
    """Build the engine that a configuration asks for."""
    shape, mass_properties = configuration.pig.shape, configuration.pig.mass_properties
    device, contact, rest = configuration.device, configuration.contact, configuration.rest
    settings = configuration.engine
    if isinstance(settings, FastSettings):
        from sim.engine.fast.engine import FastEngine  # its compiler takes long to import

        return FastEngine(shape, mass_properties, device, contact, settings, rest)
    if isinstance(settings, MujocoSettings):
        try:
            from sim.engine.mujoco import MujocoEngine
        except ModuleNotFoundError:
            raise ValueError(NOT_INSTALLED) from None
        return MujocoEngine(shape, mass_properties, device, contact, settings, rest)
    return BulletEngine(shape, mass_properties, device, contact, settings, rest)


class Thrower:
    """Throws by index; the landing of a throw depends on (configuration, index, lying) alone.

    Attributes:
        engine: What moves the pigs.
    """

    def __init__(self, configuration: Configuration) -> None:
        pig = configuration.pig
        self._configuration = configuration
        self._hull = pig.shape.hull.vertices
        self.engine = engine_of(configuration)
        self._namer = PositionNamer(stable_poses(pig.shape, pig.mass_properties.center_of_mass))
        self._judge = TouchJudge(pig.shape, configuration.touch)

    def throw(self, indices: Sequence[int], lying: Lying | None = None) -> Landings:
        """Throw the pigs once per index.

        Args:
            indices: Which throws of the seed, each >= 0, in any order.
            lying: Pigs on the table before; they follow the thrown ones in the landings.
        """
        releases = self.releases(indices)
        if lying is not None:
            releases = _with_lying(releases, lying)
        return self.land(releases, self.engine.settle(releases))

    def give_up(self, indices: Sequence[int]) -> Landings:
        """Record these throws as diverged at their release, without throwing them."""
        releases = self.releases(indices)
        starts = releases.translation, releases.quat_xyzw
        unknown = np.full(releases.translation.shape[:2], np.nan)
        return self.land(
            releases, RestingStates(np.full(len(releases.index), DIVERGED), *starts, unknown)
        )

    def releases(self, indices: Sequence[int]) -> Releases:
        """Draw the starts of these throws."""
        configuration = self._configuration
        return release(
            configuration.device,
            configuration.conditions,
            configuration.pigs,
            self._hull,
            configuration.seed,
            indices,
        )

    def land(self, releases: Releases, resting: RestingStates) -> Landings:
        """Name the positions and touches of throws that ended so."""
        throws, pigs = resting.rest_time.shape
        position, margin = self._namer.name(resting.quat_xyzw.reshape(-1, 4))
        is_done = resting.status == AT_REST
        touch = self._judge.judge_all(resting.translation, resting.quat_xyzw)
        touch[~is_done] = "none"
        return Landings(
            index=releases.index,
            height=releases.height,
            start=releases.start,
            status=resting.status,
            position=np.where(is_done[:, None], position.reshape(throws, pigs), OTHER),
            touch=touch,
            translation=resting.translation,
            quat_xyzw=resting.quat_xyzw,
            rest_time=resting.rest_time,
            margin=margin.reshape(throws, pigs),
            handed_over=_handed_over(resting),
        )


def _handed_over(resting: RestingStates) -> np.ndarray:
    if resting.handed_over is None:
        return np.zeros(len(resting.status), np.int8)
    return resting.handed_over.astype(np.int8)


def _with_lying(releases: Releases, lying: Lying) -> Releases:
    throws = len(releases.index)

    def after(thrown: np.ndarray, there: np.ndarray) -> np.ndarray:
        return np.concatenate((thrown, np.broadcast_to(there, (throws, *there.shape))), axis=1)

    return replace(
        releases,
        translation=after(releases.translation, lying.translation),
        quat_xyzw=after(releases.quat_xyzw, lying.quat_xyzw),
        velocity=after(releases.velocity, np.zeros_like(lying.translation)),
        spin=after(releases.spin, np.zeros_like(lying.translation)),
    )
