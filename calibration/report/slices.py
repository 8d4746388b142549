"""A fitted density as slices through the pig's center of mass."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from meshes.density import volume_nodes
from meshes.shape import FloatArray, Shape

_CELLS = 60
"""Along the pig's length."""

_ORDER = 4
"""Gauss points along each edge of the mean density's integral."""

VIEWS = {"side": (0, 2), "top": (0, 1), "front": (1, 2)}
"""Which of x, y, z go across and up in a slice."""


def density_slices(
    shape: Shape,
    center_of_mass: Sequence[float],
    terms: Sequence[str],
    theta: Sequence[float],
    center: Sequence[float],
    length: float,
) -> list[dict[str, Any]]:
    """Cut a density exp(theta . phi) along three planes through the center of mass.

    Args:
        shape: Of the pig.
        center_of_mass: Shape (3,) [m], pig frame.
        terms: Names of phi, such as "x" or "yz", of (x - center) / length.
        theta: One number for every term.
        center: Shape (3,) [m].
        length: [m].

    Returns:
        For every view its name, the cells' side and first corner [m], the outline of every part as
        seen from there [m], and the density in units of the mean one at the middle of each cell,
        rows from below; None outside the pig.
    """

    def relative(points: FloatArray) -> FloatArray:
        return np.exp(_exponent((points - center) / length, terms, theta))

    nodes, weights = volume_nodes(shape.surface, _ORDER)
    mean = float(weights @ relative(nodes) / weights.sum())
    low, high = shape.hull.vertices.min(axis=0), shape.hull.vertices.max(axis=0)
    cell = float(high[0] - low[0]) / _CELLS
    planes = [ConvexHull(part.vertices).equations for part in shape.parts]
    slices = []
    for view, (across, up) in VIEWS.items():
        sides = [np.arange(low[axis] + cell / 2, high[axis], cell) for axis in (across, up)]
        points = np.tile(np.asarray(center_of_mass, np.float64), (len(sides[1]), len(sides[0]), 1))
        points[..., across], points[..., up] = np.meshgrid(*sides)
        values = np.where(_is_inside(points, planes), relative(points) / mean, np.nan)
        slices.append(
            {
                "view": view,
                "cell": cell,
                "corner": [float(low[across]), float(low[up])],
                "outline": [_outline(part.vertices[:, [across, up]]) for part in shape.parts],
                "density": [[_rounded(value) for value in row] for row in values.tolist()],
            }
        )
    return slices


def _rounded(value: float) -> float | None:
    return None if isnan(value) else round(value, 4)


def _outline(points: FloatArray) -> list[list[float]]:
    """Give the corners of a part as it is seen in a view, in order [m]."""
    corners: list[list[float]] = np.round(points[ConvexHull(points).vertices], 6).tolist()
    return corners


def _exponent(points: FloatArray, terms: Sequence[str], theta: Sequence[float]) -> FloatArray:
    """Evaluate theta . phi at dimensionless points (..., 3)."""
    exponent = np.zeros(points.shape[:-1])
    for term, value in zip(terms, theta, strict=True):
        exponent += value * points[..., ["xyz".index(letter) for letter in term]].prod(axis=-1)
    return exponent


def _is_inside(points: FloatArray, planes: Sequence[FloatArray]) -> np.ndarray:
    """Tell which points (..., 3) lie in any of several convex parts, given by planes (f, 4)."""
    inside = np.zeros(points.shape[:-1], dtype=bool)
    for part in planes:
        inside |= (points @ part[:, :3].T + part[:, 3] <= 0.0).all(axis=-1)
    return inside
