"""The pig's anatomy: balls and rings in millimeters, part by part -> the shape.

Every part is the convex hull of a few balls and rings, sampled at fixed points, so the collision
parts are exact and nothing needs to be decomposed. Axes as everywhere: x to the snout, y to the
pig's left, z out of its back, the soles at z = 0.

The toy's true size and form are not published: a length near 27 mm, and all numbers below, are our
assumption. What the table can touch (ear tips, snout, soles, flanks, back) comes from a search for
a hull that lands as the toy does; the rest is there so that it looks like the toy.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from meshes.shape import ConvexPart, Dot, FloatArray, Shape, convex_hull

_MILLIMETER = 1e-3
BIG_LENGTH = 0.1524
"""Of a pig of Big Pigs [m]: the 6 in that its box states."""
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Ball:
    """A sphere around `center` [mm] with `radius` [mm], sampled on circles around the x axis.

    `sides` is a multiple of 4, so that the points farthest along every axis are among the samples.
    """

    center: Vector
    radius: float
    sides: int = 8

    def points(self) -> FloatArray:
        """Sample the sphere, shape (n, 3) [mm]."""
        return np.array(self.center) + self.radius * _unit_sphere(self.sides)


@dataclass(frozen=True)
class Ring:
    """A circle around `center` [mm] with `radius` [mm], across `axis` (of any length).

    Samples start half a step off the third axis, so that a ring across x has a flat back, flat
    flanks and, with 12 sides, corners at 45 degrees between them.
    """

    center: Vector
    radius: float
    axis: Vector
    sides: int = 8

    def points(self) -> FloatArray:
        """Sample the circle, shape (sides, 3) [mm]; a sole's points keep its height exactly."""
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        first = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
        first /= np.linalg.norm(first)
        angles = (np.arange(self.sides) + 0.5) * (2 * np.pi / self.sides)
        turned = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), np.cross(axis, first))
        return np.array(self.center) + self.radius * turned


@lru_cache
def _unit_sphere(sides: int) -> FloatArray:
    latitudes = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 1)
    longitudes = np.arange(sides) * (2 * np.pi / sides)
    latitude, longitude = (grid.ravel() for grid in np.meshgrid(latitudes, longitudes))
    across = np.cos(latitude)
    points = [np.sin(latitude), across * np.cos(longitude), across * np.sin(longitude)]
    return np.stack(points, axis=1)


Outline = tuple[Ball | Ring, ...]
_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class PigAnatomy:
    """What each convex part is the hull of, and the dot; all in mm, pig frame.

    Every field but the last two is a part, named by its field.
    """

    body: Outline
    head: Outline
    snout: Outline
    ear_left: Outline
    ear_right: Outline
    front_leg_left: Outline
    front_leg_right: Outline
    hind_leg_left: Outline
    hind_leg_right: Outline
    front_foot_left: Outline
    front_foot_right: Outline
    hind_foot_left: Outline
    hind_foot_right: Outline
    tail_root: Outline
    tail_curl: Outline
    tail_tip: Outline
    dot_center: tuple[float, float]
    """(x, z) of the mark; it lies on the right side of the body, within one of its flat facets."""
    dot_radius: float


STANDARD = PigAnatomy(
    body=(
        Ring((-8.11, 0.0, 8.64), 2.2, _X),
        Ring((-6.81, 0.0, 8.48), 4.02, _X, sides=12),
        Ring((-4.81, 0.0, 8.48), 5.22, _X, sides=12),
        Ring((-2.8, 0.0, 8.48), 5.67, _X, sides=12),
        Ring((3.2, 0.0, 8.34), 5.2, _X, sides=12),
        Ring((6.4, 0.0, 8.64), 4.2, _X, sides=12),
    ),
    head=(
        Ring((4.8, 0.3, 9.7), 3.0, _X, sides=12),
        Ring((6.6, 0.4, 9.9), 4.9, _X, sides=12),
        Ring((9.8, 0.6, 10.1), 5.0, (0.96, 0.12, 0.18), sides=12),
        Ring((12.0, 0.75, 10.6), 3.45, (0.93, 0.08, 0.36), sides=12),
        Ring((12.9, 0.75, 11.0), 2.65, (0.93, 0.08, 0.36), sides=12),
    ),
    snout=(
        Ring((11.6, 0.75, 10.45), 2.7, (0.93, 0.08, 0.36), sides=12),
        Ring((14.16, 0.83, 14.15), 2.43, (0.9, 0.08, 0.43), sides=12),
        Ring((14.76, 0.88, 14.45), 1.93, (0.9, 0.08, 0.43), sides=12),
        Ring((15.07, 0.91, 14.6), 0.9, (0.9, 0.08, 0.43), sides=12),
    ),
    ear_left=(
        Ball((5.4, 3.0, 12.2), 0.7),
        Ball((10.6, 3.4, 11.6), 0.7),
        Ball((5.7, 5.6, 14.7), 0.6),
        Ball((10.4, 6.8, 13.6), 0.6),
        Ball((8.4, 10.09, 17.77), 0.95),
    ),
    ear_right=(
        Ball((5.8, -2.4, 12.4), 0.7),
        Ball((11.2, -2.6, 11.6), 0.7),
        Ball((6.2, -5.2, 14.8), 0.6),
        Ball((11.2, -6.4, 13.6), 0.6),
        Ball((8.68, -7.58, 18.44), 0.95),
    ),
    front_leg_left=(Ball((5.2, 4.2, 7.4), 2.6), Ball((8.83, 4.91, 2.4), 1.5)),
    front_leg_right=(Ball((5.2, -4.2, 7.4), 2.6), Ball((8.83, -4.91, 2.4), 1.5)),
    hind_leg_left=(Ball((-4.6, 2.3, 6.8), 3.2), Ball((-6.19, 2.08, 2.4), 1.5)),
    hind_leg_right=(Ball((-5.2, -2.3, 6.8), 3.2), Ball((-8.78, -2.08, 2.4), 1.5)),
    front_foot_left=(
        Ring((9.33, 5.01, 0.0), 1.45, _Z),
        Ring((9.33, 5.01, 0.5), 1.7, _Z),
        Ring((8.93, 5.01, 2.4), 1.4, _Z),
    ),
    front_foot_right=(
        Ring((9.33, -5.01, 0.0), 1.45, _Z),
        Ring((9.33, -5.01, 0.5), 1.7, _Z),
        Ring((8.93, -5.01, 2.4), 1.4, _Z),
    ),
    hind_foot_left=(
        Ring((-6.39, 2.08, 0.0), 1.4, _Z),
        Ring((-6.39, 2.08, 0.5), 1.65, _Z),
        Ring((-6.39, 2.08, 2.4), 1.4, _Z),
    ),
    hind_foot_right=(
        Ring((-9.08, -2.08, 0.0), 1.4, _Z),
        Ring((-9.08, -2.08, 0.5), 1.65, _Z),
        Ring((-8.88, -2.08, 2.4), 1.4, _Z),
    ),
    tail_root=(Ball((-7.4, 0.3, 9.2), 0.6), Ball((-9.0, 1.0, 9.4), 0.55)),
    tail_curl=(Ball((-9.0, 1.0, 9.4), 0.55), Ball((-8.8, -0.8, 10.2), 0.5)),
    tail_tip=(Ball((-8.8, -0.8, 10.2), 0.5), Ball((-8.0, 0.5, 10.7), 0.4)),
    dot_center=(0.3, 8.68),
    dot_radius=1.1,
)
"""The pig that the others are compared with: 27 mm long, plump, wide ears, one hind leg back."""


def parts_from(anatomy: PigAnatomy) -> tuple[ConvexPart, ...]:
    """Build the 16 convex parts alone, without their union: cheap enough for a search."""
    return tuple(
        ConvexPart.from_points(
            field.name,
            np.concatenate([piece.points() for piece in getattr(anatomy, field.name)])
            * _MILLIMETER,
        )
        for field in fields(anatomy)
        if not field.name.startswith("dot_")
    )


def shape_from(anatomy: PigAnatomy, name: str = "standard") -> Shape:
    """Build the parts, their hull, their watertight union and the dot on the right flank."""
    parts = parts_from(anatomy)
    return Shape.from_parts(name, parts, _dot(anatomy, parts[0]))


@lru_cache(maxsize=1)
def standard_pig() -> Shape:
    """Build the standard pig, once in a process (about 30 ms)."""
    return shape_from(STANDARD)


@lru_cache(maxsize=1)
def big_pig() -> Shape:
    """Build the pig of Big Pigs: the standard pig's shape, BIG_LENGTH from tail to snout."""
    pig = standard_pig()
    scale = BIG_LENGTH / float(np.ptp(pig.hull.vertices[:, 0]))
    parts = tuple(ConvexPart(part.name, part.vertices * scale) for part in pig.parts)
    assert pig.dot is not None
    dot = Dot(pig.dot.center * scale, pig.dot.normal, pig.dot.radius * scale)
    return Shape.from_parts("big", parts, dot)


def _dot(anatomy: PigAnatomy, body: ConvexPart) -> Dot:
    """Put the mark where the line to the right through `dot_center` leaves the body."""
    a, b, c = np.moveaxis(convex_hull(body.vertices).triangles, 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    faces_right = normals[:, 1] < 0
    normals, a = normals[faces_right], a[faces_right]
    inside = np.array([anatomy.dot_center[0], 0.0, anatomy.dot_center[1]]) * _MILLIMETER
    distances = np.einsum("ij,ij->i", normals, a - inside) / -normals[:, 1]
    nearest = distances.argmin()
    center = inside - [0.0, distances[nearest], 0.0]
    return Dot(center, normals[nearest], anatomy.dot_radius * _MILLIMETER)
