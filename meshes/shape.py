"""A rigid body's shape: named convex parts, their convex hull and their watertight union.

Everything is in meters, in the pig frame: x to the snout, y to the pig's left, z out of its back,
the origin on the table plane under the body when the pig stands. Geometry alone fixes that frame,
so it does not move when the mass distribution changes. Arrays are float64 (faces int64), read-only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import manifold3d
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError

MAX_PARTS = 16
"""Most convex parts a shape may have: the engine's compound silently drops every part past it."""

_DIGEST_STEP = 1e-9
"""Vertices are hashed in whole nanometers [m], so that the last bit of a sine does not matter."""

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Surface:
    """A closed triangle mesh.

    Attributes:
        vertices: Corner points, shape (v, 3) [m], pig frame.
        faces: Indices into `vertices`, shape (f, 3), counterclockwise seen from outside.
    """

    vertices: FloatArray
    faces: IntArray

    def __post_init__(self) -> None:
        """Freeze the arrays; refuse wrong shapes and indices that point at no vertex."""
        object.__setattr__(self, "vertices", _points("surface vertices", self.vertices))
        faces = np.array(self.faces, dtype=np.int64)
        if faces.ndim != 2 or faces.shape[1] != 3 or len(faces) < 4:
            raise ValueError(f"faces: expected shape (f >= 4, 3), got {faces.shape}")
        if faces.min() < 0 or faces.max() >= len(self.vertices):
            raise ValueError(f"faces: expected indices in 0..{len(self.vertices) - 1}")
        faces.setflags(write=False)
        object.__setattr__(self, "faces", faces)

    @property
    def triangles(self) -> FloatArray:
        """Corners of every face, shape (f, 3, 3) [m]."""
        return self.vertices[self.faces]

    @property
    def is_watertight(self) -> bool:
        """Whether every edge is walked exactly once each way: closed, and wound consistently."""
        edges = self.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        forth = np.sort(edges[:, 0] * len(self.vertices) + edges[:, 1])
        back = np.sort(edges[:, 1] * len(self.vertices) + edges[:, 0])
        is_each_once = bool((np.diff(forth) > 0).all())
        return is_each_once and bool((forth == back).all())


@dataclass(frozen=True, eq=False)
class ConvexPart:
    """A named convex polyhedron, given by exactly its vertices.

    Attributes:
        name: What the part is, such as `snout`; positions are named by the parts that carry.
        vertices: Shape (n, 3) [m], pig frame, all of them extreme points; see `from_points`.
    """

    name: str
    vertices: FloatArray

    def __post_init__(self) -> None:
        """Freeze the array; refuse an empty name and wrong shapes."""
        if not self.name:
            raise ValueError("part name: expected a word such as 'snout', got nothing")
        object.__setattr__(self, "vertices", _points(f"part '{self.name}'", self.vertices))

    @classmethod
    def from_points(cls, name: str, points: ArrayLike) -> ConvexPart:
        """Keep the vertices of the points' convex hull, in the points' order."""
        array = _points(f"part '{name}'", points)
        return cls(name, array[np.sort(_qhull(array).vertices)])


@dataclass(frozen=True, eq=False)
class Dot:
    """The round mark on the pig's right flank: a color, not a bump.

    Attributes:
        center: Point on the surface, shape (3,) [m], pig frame.
        normal: Outward unit normal there, shape (3,).
        radius: Of the mark [m].
    """

    center: FloatArray
    normal: FloatArray
    radius: float

    def __post_init__(self) -> None:
        """Freeze the arrays; refuse a normal that is no direction and a radius of zero or below."""
        for name in ("center", "normal"):
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != (3,) or not np.isfinite(array).all():
                raise ValueError(f"dot {name}: expected three finite numbers, got {array!r}")
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if abs(np.linalg.norm(self.normal) - 1) > 1e-9:
            raise ValueError(f"dot normal: expected a unit vector, got {self.normal.tolist()}")
        if not self.radius > 0:
            raise ValueError(f"dot radius: expected > 0 m, got {self.radius}")


@dataclass(frozen=True, eq=False)
class Shape:
    """What collides, what rests on a table, and what has mass.

    Attributes:
        name: Such as `standard`.
        parts: One to `MAX_PARTS` convex parts, whose names differ; the engine collides these.
        surface: Watertight outside of the body: mass integrals, distances and pictures use it.
        hull: Convex hull of all parts: all that a flat table can touch.
        dot: The mark on the right flank, or None.
        digest: SHA-256, hexadecimal, of what collides and what has mass.
    """

    name: str
    parts: tuple[ConvexPart, ...]
    surface: Surface
    hull: Surface
    dot: Dot | None
    digest: str

    @classmethod
    def from_parts(cls, name: str, parts: Sequence[ConvexPart], dot: Dot | None = None) -> Shape:
        """Unite convex parts into a body; where they overlap, the volume counts once.

        Args:
            name: Of the shape.
            parts: 1 to `MAX_PARTS` parts, in any order, overlapping or touching.
            dot: The mark, if there is one.

        Raises:
            ValueError: If there are too many parts, or none, or two of one name.
        """
        parts = tuple(parts)
        _check_parts(parts)
        hull = convex_hull(np.concatenate([part.vertices for part in parts]))
        return cls(name, parts, union(parts), hull, dot, _digest(parts))

    @classmethod
    def from_surface(cls, name: str, surface: Surface) -> Shape:
        """Take a closed surface as it is, and its convex hull as the one part that collides.

        A body alone on a flat table touches it with its hull only, so this is exact there; two
        such bodies touch earlier than their true surfaces would where these are hollow.
        """
        part = ConvexPart.from_points("hull", surface.vertices)
        hull = convex_hull(part.vertices)
        return cls(name, (part,), surface, hull, None, _digest((part,), surface))


def convex_hull(points: ArrayLike) -> Surface:
    """Wrap points in their convex hull.

    Args:
        points: Shape (n, 3) [m], n >= 4, not all in one plane.

    Returns:
        Watertight triangles, wound outward; the vertices keep the points' order.
    """
    array = _points("hull points", points)
    hull = _qhull(array)
    kept = np.sort(hull.vertices)
    faces = np.searchsorted(kept, hull.simplices)
    a, b, c = (array[kept][faces[:, i]] for i in range(3))
    is_inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[is_inward] = faces[is_inward][:, ::-1]
    return Surface(array[kept], faces.astype(np.int64))


def union(parts: Sequence[ConvexPart]) -> Surface:
    """Unite convex parts into one watertight surface, without the walls inside.

    Raises:
        ValueError: If no volume comes out, as from parts that are flat.
    """
    return _united([manifold3d.Manifold.hull_points(part.vertices) for part in parts])


def union_of_surfaces(surfaces: Sequence[Surface]) -> Surface:
    """Unite closed surfaces, wound outward, into one.

    Raises:
        ValueError: If a surface is not closed, or no volume comes out.
    """
    return _united(
        [
            # the binding takes no read-only arrays
            manifold3d.Manifold(manifold3d.Mesh64(each.vertices.copy(), each.faces.astype("u8")))
            for each in surfaces
        ]
    )


def _united(solids: Sequence[manifold3d.Manifold]) -> Surface:
    body = manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)
    if body.is_empty():
        raise ValueError("parts: expected solids with a volume, got an empty union")
    mesh = body.to_mesh64()
    return Surface(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts))


def _points(name: str, points: ArrayLike) -> FloatArray:
    array = np.array(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 3 or len(array) < 4:
        raise ValueError(f"{name}: expected at least 4 points, shape (n, 3), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite coordinates, got NaN or infinity")
    array.setflags(write=False)
    return array


def _qhull(points: FloatArray) -> ConvexHull:
    try:
        return ConvexHull(points)
    except QhullError:
        raise ValueError("hull: expected points that span a volume, got flat ones") from None


def _check_parts(parts: tuple[ConvexPart, ...]) -> None:
    if not 1 <= len(parts) <= MAX_PARTS:
        raise ValueError(
            f"parts: expected 1 to {MAX_PARTS} (the engine ignores any more), got {len(parts)}"
        )
    names = [part.name for part in parts]
    if len(set(names)) != len(names):
        raise ValueError(f"parts: expected names that differ, got {', '.join(names)}")


def _digest(parts: Sequence[ConvexPart], surface: Surface | None = None) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{part.name}:{len(part.vertices)};".encode())
        digest.update(_whole_steps(part.vertices))
    if surface is not None:
        digest.update(_whole_steps(surface.vertices))
        digest.update(surface.faces.astype("<i8").tobytes())
    return digest.hexdigest()


def _whole_steps(vertices: FloatArray) -> bytes:
    return np.rint(vertices / _DIGEST_STEP).astype("<i8").tobytes()
