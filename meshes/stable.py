"""Where a body can rest on a table, by the geometry of its convex hull alone.

A body set down quasi-statically on a facet whose polygon does not hold the foot of the center of
mass rolls over the edge beyond which that foot lies farthest; the center of mass sinks with every
roll, so the rolling ends at a facet that holds it: a stable pose. The directions that end there
are its basin, and their solid angle its probability under uniformly random orientation.

References:
    Goldberg, K., Mirtich, B., Zhuang, Y., Craig, J., Carlisle, B., Canny, J. (1999), "Part pose
    statistics: estimators and experiments", IEEE Transactions on Robotics and Automation 15(5):
    849-857, section III.
    Van Oosterom, A., Strackee, J. (1983), "The solid angle of a plane triangle", IEEE Transactions
    on Biomedical Engineering 30(2): 125-126, eq. 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshes.shape import FloatArray, IntArray, Shape, Surface

TOUCHING = 0.002
"""A part carries if a vertex of it lies this close to the table, in body lengths (pig: 0.05 mm)."""

_COPLANAR = 1e-6
"""Triangles share a facet if their normals and offsets (in body lengths) agree to this."""


@dataclass(frozen=True, eq=False)
class StablePose:
    """One way to rest on a table.

    Attributes:
        down: Unit vector that points at the table, shape (3,), pig frame.
        support: Corners of the facet that lies on the table, shape (k, 3) [m], pig frame.
        carrying: Names of the parts that touch the table, in the order of the shape's parts.
        probability: Share of uniformly random orientations that roll here, [0, 1].
        height: Of the center of mass above the table [m].
    """

    down: FloatArray
    support: FloatArray
    carrying: tuple[str, ...]
    probability: float
    height: float


@dataclass(frozen=True, eq=False)
class _Facets:
    """The hull's flat faces, coplanar triangles merged.

    Attributes:
        of_triangle: (t,) facet of every triangle.
        normals: (f, 3) outward unit normals.
        offsets: (f,) distance of each plane from the center of mass [m].
        edges: (e, 2) facets on the two sides of every directed edge between facets.
        beyond: (e,) how far the foot of the center of mass lies outside that edge of the first [m].
    """

    of_triangle: IntArray
    normals: FloatArray
    offsets: FloatArray
    edges: IntArray
    beyond: FloatArray


def stable_poses(shape: Shape, center_of_mass: FloatArray) -> tuple[StablePose, ...]:
    """Find every stable pose of a shape on a table.

    Args:
        shape: Its hull is what touches; its parts give the names.
        center_of_mass: Shape (3,) [m], pig frame, strictly inside the hull.

    Returns:
        The poses, most probable first; their probabilities sum to 1.

    Raises:
        ValueError: If the center of mass is not inside the hull.
    """
    facets = _facets(shape.hull, center_of_mass)
    if facets.offsets.min() <= 0.0:
        raise ValueError(
            "center_of_mass: expected a point inside the convex hull, got one "
            f"{-facets.offsets.min():g} m outside of it"
        )
    solid_angles = np.bincount(
        facets.of_triangle, _solid_angles(shape.hull.triangles - center_of_mass)
    )
    rests_on = _roll(facets)
    shares = np.bincount(rests_on, solid_angles, len(rests_on)) / (4 * np.pi)
    stable = np.flatnonzero(rests_on == np.arange(len(rests_on)))
    poses = [
        StablePose(
            down=facets.normals[facet],
            support=_support(shape.hull, facets, facet),
            carrying=_carrying(shape, facets.normals[facet]),
            probability=float(shares[facet]),
            height=float(facets.offsets[facet]),
        )
        for facet in stable.tolist()
    ]
    return tuple(sorted(poses, key=lambda pose: -pose.probability))


def _facets(hull: Surface, center: FloatArray) -> _Facets:
    triangles = hull.triangles - center
    cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals = cross / np.linalg.norm(cross, axis=1, keepdims=True)
    offsets = np.einsum("ti,ti->t", normals, triangles[:, 0])
    planes = np.column_stack((normals, offsets / _length(hull)))
    of_triangle = _group(hull, planes)
    areas = np.linalg.norm(cross, axis=1)
    merged = np.zeros((of_triangle.max() + 1, 3))
    np.add.at(merged, of_triangle, cross)
    merged /= np.linalg.norm(merged, axis=1, keepdims=True)
    merged_offsets = np.bincount(of_triangle, areas * offsets) / np.bincount(of_triangle, areas)
    start, end, here, there = _edges(hull, of_triangle)
    corner = hull.vertices[start] - center
    along = hull.vertices[end] - hull.vertices[start]
    outward = np.cross(along, merged[here])
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    return _Facets(
        of_triangle,
        merged,
        merged_offsets,
        np.column_stack((here, there)),
        -np.einsum("ei,ei->e", outward, corner),
    )


def _group(hull: Surface, planes: FloatArray) -> IntArray:
    """Number the facets: connected triangles in one plane share a number."""
    _, _, here, there = _edges(hull, np.arange(len(planes)))
    is_flat = np.abs(planes[here] - planes[there]).max(axis=1) < _COPLANAR
    label = np.arange(len(planes))
    while True:
        lower = label.copy()
        np.minimum.at(lower, here[is_flat], label[there[is_flat]])
        if (lower == label).all():
            return np.unique(label, return_inverse=True)[1].astype(np.int64)
        label = lower


def _edges(hull: Surface, of_triangle: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Directed edges between facets: start and end vertex, facet here, facet across."""
    faces = hull.faces
    start = faces.ravel()
    end = np.roll(faces, -1, axis=1).ravel()
    here = np.repeat(of_triangle, 3)
    key, twin = start * len(hull.vertices) + end, end * len(hull.vertices) + start
    order = np.argsort(key)
    there = here[order[np.searchsorted(key, twin, sorter=order)]]
    is_between = here != there
    return start[is_between], end[is_between], here[is_between], there[is_between]


def _roll(facets: _Facets) -> IntArray:
    """Follow the rolling from every facet to the stable one it ends on, (f,)."""
    count = len(facets.normals)
    order = np.lexsort((facets.beyond, facets.edges[:, 0]))
    last = np.searchsorted(facets.edges[order, 0], np.arange(count), side="right") - 1
    worst = order[last]
    rolls_to = np.where(facets.beyond[worst] > 0.0, facets.edges[worst, 1], np.arange(count))
    while True:
        further = rolls_to[rolls_to]
        if (further == rolls_to).all():
            return rolls_to
        rolls_to = further


def _solid_angles(triangles: FloatArray) -> FloatArray:
    """Solid angle of triangles (t, 3, 3) seen from the origin, (t,) [sr]."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    la, lb, lc = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))

    def dot(u: FloatArray, v: FloatArray) -> FloatArray:
        return np.einsum("ti,ti->t", u, v)

    volume = dot(a, np.cross(b, c))
    base = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return 2 * np.arctan2(volume, base)


def _support(hull: Surface, facets: _Facets, facet: int) -> FloatArray:
    corners = np.unique(hull.faces[facets.of_triangle == facet])
    return hull.vertices[corners]


def _carrying(shape: Shape, down: FloatArray) -> tuple[str, ...]:
    lowest = (shape.hull.vertices @ down).max()
    near = lowest - TOUCHING * _length(shape.hull)
    return tuple(part.name for part in shape.parts if (part.vertices @ down).max() >= near)


def _length(hull: Surface) -> float:
    return float(np.ptp(hull.vertices, axis=0).max())
