"""The main line: releases -> resting states -> landings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meshes.stable import stable_poses
from sim.configuration import Configuration
from sim.device import Releases, release
from sim.engine import Engine, RestingStates
from sim.engine.bullet import BulletEngine
from sim.position import OTHER, PositionNamer
from sim.rest import AT_REST
from sim.touch import TouchJudge


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

    def __post_init__(self) -> None:
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
    return BulletEngine(
        configuration.pig.shape,
        configuration.pig.mass_properties,
        configuration.device,
        configuration.contact,
        configuration.engine,
        configuration.rest,
    )


class Thrower:
    """Throws by index; the landing of a throw depends on (configuration, index, lying) alone."""

    def __init__(self, configuration: Configuration) -> None:
        pig = configuration.pig
        self._configuration = configuration
        self._hull = pig.shape.hull.vertices
        self._engine = engine_of(configuration)
        self._namer = PositionNamer(stable_poses(pig.shape, pig.mass_properties.center_of_mass))
        self._judge = TouchJudge(pig.shape, configuration.touch)

    def throw(self, indices: Sequence[int], lying: Lying | None = None) -> Landings:
        """Throw the pigs once per index.

        Args:
            indices: Which throws of the seed, each >= 0, in any order.
            lying: Pigs on the table before; they follow the thrown ones in the landings.
        """
        configuration = self._configuration
        releases = release(
            configuration.device,
            configuration.conditions,
            configuration.pigs,
            self._hull,
            configuration.seed,
            indices,
        )
        if lying is not None:
            releases = _with_lying(releases, lying)
        return self._land(releases, self._engine.settle(releases))

    def _land(self, releases: Releases, resting: RestingStates) -> Landings:
        throws, pigs = resting.rest_time.shape
        position, margin = self._namer.name(resting.quat_xyzw.reshape(-1, 4))
        is_done = resting.status == AT_REST
        touch = [
            self._judge.judge(translation, quat) if done else np.full(pigs, "none")
            for translation, quat, done in zip(
                resting.translation, resting.quat_xyzw, is_done, strict=True
            )
        ]
        return Landings(
            index=releases.index,
            height=releases.height,
            start=releases.start,
            status=resting.status,
            position=np.where(is_done[:, None], position.reshape(throws, pigs), OTHER),
            touch=np.array(touch),
            translation=resting.translation,
            quat_xyzw=resting.quat_xyzw,
            rest_time=resting.rest_time,
            margin=margin.reshape(throws, pigs),
        )


def _with_lying(releases: Releases, lying: Lying) -> Releases:
    throws = len(releases.index)

    def after(thrown: np.ndarray, there: np.ndarray) -> np.ndarray:
        return np.concatenate((thrown, np.broadcast_to(there, (throws, *there.shape))), axis=1)

    return Releases(
        releases.index,
        releases.height,
        releases.start,
        after(releases.translation, lying.translation),
        after(releases.quat_xyzw, lying.quat_xyzw),
        after(releases.velocity, np.zeros_like(lying.translation)),
        after(releases.spin, np.zeros_like(lying.translation)),
        releases.thrown,
    )
