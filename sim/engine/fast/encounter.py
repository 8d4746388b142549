"""Pigs that are near each other, in the engine that knows contacts between pigs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.device import Releases
from sim.engine.bullet import BulletEngine
from sim.engine.bullet_scene import Scene
from sim.engine.course import Course
from sim.engine.fast.leaf import ANGLE, OPEN, SPEED
from sim.engine.flight import Motion


@dataclass(frozen=True, eq=False)
class Encounter:
    """How an encounter left the pigs.

    Attributes:
        status: Of sim.rest.STATUSES if the throw ended in it, else None.
        motions: Of the pigs, principal axes.
        leaf: (3,) see leaf.
        time: Since the release [s].
        rest_time: (k,) when each pig came to rest [s], nan if it did not.
    """

    status: str | None
    motions: list[Motion]
    leaf: np.ndarray
    time: float
    rest_time: np.ndarray


class EncounterEngine(BulletEngine):
    """The reference engine, asked only for the part of a throw in which pigs are near."""

    def meet(
        self, releases: Releases, row: int, is_parted: Callable[[list[Motion]], bool]
    ) -> Encounter:
        """Go on with one throw until it ends or its pigs have parted.

        Args:
            releases: Throws in mid-fall.
            row: Which of them.
            is_parted: Whether pigs that move so are far enough apart.
        """
        self._take_turn()
        with self.scene(releases, row) as (scene, limits):
            course = Course(scene, self.body, self._rest, limits, self._basins)
            status = None
            while status is None:
                course.advance()
                status = course.status()
                if is_parted(course.motions()):
                    break
            leaf = _leaf(scene)
        return Encounter(status, course.motions(), leaf, course.time, course.rest_times())


def _leaf(scene: Scene) -> np.ndarray:
    leaf = np.zeros(3)
    if scene.is_swinging():
        leaf[ANGLE], leaf[SPEED] = scene.swing()
    elif scene.obstacle():
        leaf[ANGLE], leaf[OPEN] = scene.leaf_angle(), 1.0
    return leaf
