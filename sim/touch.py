"""Whether pigs at rest touch: Oinker and Piggyback, by distance between their true shapes.

Not by the engine's contact points: those outlive a contact and are made at a distance. The pigs'
convex parts are exact, so the distance between two pigs is the smallest between two parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from meshes.shape import Shape

TOUCHES = ("none", "oinker", "piggyback")

TOUCHING_DISTANCE = 0.0001
"""Pigs this close at rest touch [m]; ten times the engine's collision margin. Assumption."""

CARRIED_HEIGHT = 0.0003
"""A touching pig whose lowest point is this far above the table is carried [m]. Assumption."""


PLANES = 20
"""Tried before the distance itself is computed."""


@dataclass(frozen=True)
class TouchRule:
    """Thresholds of touching, at the size of the standard pig.

    Attributes:
        distance: Pigs this close at rest touch [m].
        carried_height: A touching pig whose lowest point is this far above the table is carried
            [m].
    """

    distance: float = TOUCHING_DISTANCE
    carried_height: float = CARRIED_HEIGHT

    def __post_init__(self) -> None:
        for name in ("distance", "carried_height"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"touch {name} must be above 0, got {getattr(self, name)}")


def convex_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Measure the distance between two convex polyhedra, 0 if they meet.

    The nearest point to the origin of the Minkowski difference's hull, as least squares over
    non-negative weights w of the differences c: minimize |C w|^2 + (1 - sum w)^2. Scaling w shows
    that its solution, normalized to sum 1, is that point exactly.

    Args:
        a: Vertices (m, 3) [m].
        b: Vertices (n, 3) [m].

    References:
        Lawson, C. L., Hanson, R. J. (1974), Solving Least Squares Problems, chapter 23.
    """
    differences = (a[:, None, :] - b[None, :, :]).reshape(-1, 3)
    size = float(np.abs(differences).max())
    if size == 0.0:
        return 0.0
    system = np.vstack((differences.T / size, np.ones(len(differences))))
    weights, _ = nnls(system, np.array((0.0, 0.0, 0.0, 1.0)))
    nearest = differences.T @ (weights / weights.sum())
    distance = float(np.linalg.norm(nearest))
    return distance if distance > 1e-9 * size else 0.0


def are_parted(a: np.ndarray, b: np.ndarray, distance: float) -> bool:
    """Whether a plane shows that two convex polyhedra are farther apart; False decides nothing.

    A walk to the nearest point of their difference tries a few directions; most bodies that are
    apart show it on the way.

    Args:
        a: Vertices (m, 3) [m].
        b: Vertices (n, 3) [m].
        distance: [m].

    References:
        Gilbert, E. G. (1966), "An iterative procedure for computing the minimum of a quadratic form
        on a convex set", SIAM Journal on Control 4(1): 61-80.
    """
    nearest = a.mean(axis=0) - b.mean(axis=0)
    for _ in range(PLANES):
        along_a, along_b = a @ nearest, b @ nearest
        gap = along_a.min() - along_b.max()
        if gap > distance * np.sqrt(nearest @ nearest) * (1 + 1e-9):
            return True
        step = a[along_a.argmin()] - b[along_b.argmax()] - nearest
        length2 = step @ step
        if length2 == 0.0:
            return False
        nearest = nearest + min(max(-(nearest @ step) / length2, 0.0), 1.0) * step
    return False


class TouchJudge:
    """Finds which pigs of a throw touch at rest, and which are carried."""

    def __init__(self, shape: Shape, rule: TouchRule | None = None) -> None:
        self._rule = rule or TouchRule()
        self._parts = [part.vertices for part in shape.parts]
        self._hull = shape.hull.vertices
        self._radius = float(np.linalg.norm(self._hull, axis=1).max())

    def judge_all(self, translation: np.ndarray, quat_xyzw: np.ndarray) -> np.ndarray:
        """Judge n throws, (n, k, 3) [m] and (n, k, 4): as one by one, (n, k); see judge.

        Pigs whose bounding balls are apart don't touch; only throws with others are looked at.
        """
        touch = np.full(translation.shape[:2], "none", dtype="<U9")
        i, j = np.triu_indices(translation.shape[1], 1)
        apart = np.linalg.norm(translation[:, i] - translation[:, j], axis=2)
        near = 2 * self._radius + 2 * self._rule.distance
        for row in np.flatnonzero((apart <= near).any(axis=1)):
            touch[row] = self.judge(translation[row], quat_xyzw[row])
        return touch

    def judge(self, translation: np.ndarray, quat_xyzw: np.ndarray) -> np.ndarray:
        """Judge one throw.

        Args:
            translation: (k, 3) [m] world_from_pig.
            quat_xyzw: (k, 4) world_from_pig.

        Returns:
            (k,) of TOUCHES: "piggyback" for a pig carried by others and for those it touches,
            "oinker" for any other that touches one, else "none".
        """
        turns = Rotation.from_quat(quat_xyzw).as_matrix()
        lowest = np.array(
            [
                (self._hull @ turn[2]).min() + t[2]
                for turn, t in zip(turns, translation, strict=True)
            ]
        )
        touch = np.full(len(translation), "none", dtype="<U9")
        for i in range(len(translation)):
            for j in range(i):
                if not self._is_touching(translation[[i, j]], turns[[i, j]]):
                    continue
                if max(lowest[i], lowest[j]) > self._rule.carried_height:
                    touch[[i, j]] = "piggyback"
                else:
                    touch[[i, j]] = np.where(touch[[i, j]] == "none", "oinker", touch[[i, j]])
        return touch

    def _is_touching(self, translation: np.ndarray, turns: np.ndarray) -> bool:
        reach = self._rule.distance
        if np.linalg.norm(translation[0] - translation[1]) > 2 * self._radius + reach:
            return False
        placed = [
            [part @ turn.T + t for part in self._parts]
            for turn, t in zip(turns, translation, strict=True)
        ]
        low = [np.array([part.min(axis=0) for part in parts]) for parts in placed]
        high = [np.array([part.max(axis=0) for part in parts]) for parts in placed]
        for i, j in product(range(len(self._parts)), repeat=2):
            gap = np.maximum(low[0][i] - high[1][j], low[1][j] - high[0][i])
            if gap.max() > reach:
                continue
            a, b = placed[0][i], placed[1][j]
            if not are_parted(a, b, reach) and convex_distance(a, b) <= reach:
                return True
        return False
