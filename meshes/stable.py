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


NO_POSE, SEVERAL = -1, np.iinfo(np.int64).max
"""In place of a stable facet's number: none reached yet, or more than one."""


@dataclass(frozen=True, eq=False)
class StablePose:
    """One way to rest on a table.

    Attributes:
        down: Unit vector that points at the table, shape (3,), pig frame.
        support: Corners of the facet that lies on the table, shape (k, 3) [m], pig frame.
        carrying: Names of the parts that touch the table, in the order of the shape's parts.
        probability: Share of uniformly random orientations that roll here, [0, 1].
        height: Of the center of mass above the table [m].
        barrier: Height of the center of mass on the lowest way to another stable pose [m]; infinite
            if there is none. A body with less energy than that cannot leave.
    """

    down: FloatArray
    support: FloatArray
    carrying: tuple[str, ...]
    probability: float
    height: float
    barrier: float


@dataclass(frozen=True, eq=False)
class Landscape:
    """How high the center of mass is, over which way is down: facets, joined by edges.

    Over the directions of down, the height of the center of mass over a table that the hull touches
    is lowest at the normals of the stable facets. From facet to facet the lowest way is over their
    common edge, and highest where the foot of the center of mass lies on the edge's line.

    Attributes:
        normals: (f, 3) outward unit normals of the hull's facets, pig frame.
        heights: (f,) of the center of mass on each facet [m].
        pose: (f,) stable pose, by its place in stable_poses, below each facet.
        barriers: (f,) height up to which a body on the facet can reach no pose but that one [m];
            the facet's own if it can roll to several, infinite if there is only one.
        edges: (e, 4) start and end vertex of every edge walked either way, facet on its left,
            facet on its right.
    """

    normals: FloatArray
    heights: FloatArray
    pose: IntArray
    barriers: FloatArray
    edges: IntArray


@dataclass(frozen=True, eq=False)
class _Facets:
    """The hull's flat faces, coplanar triangles merged.

    Attributes:
        of_triangle: (t,) facet of every triangle.
        normals: (f, 3) outward unit normals.
        offsets: (f,) distance of each plane from the center of mass [m].
        center: (3,) of mass [m].
        edges: (e, 4) start and end vertex of every directed edge between facets, the facet that
            walks it, the facet across.
        beyond: (e,) how far the foot of the center of mass lies outside that edge of the first [m].
    """

    of_triangle: IntArray
    normals: FloatArray
    offsets: FloatArray
    center: FloatArray
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
    shares, barriers = _shares(shape.hull, center_of_mass, facets), _barriers(shape.hull, facets)
    return tuple(
        StablePose(
            down=facets.normals[facet],
            support=_support(shape.hull, facets, facet),
            carrying=_carrying(shape, facets.normals[facet]),
            probability=float(shares[facet]),
            height=float(facets.offsets[facet]),
            barrier=float(barriers[facet]),
        )
        for facet in _order(facets, shares)
    )


def landscape(shape: Shape, center_of_mass: FloatArray) -> Landscape:
    """Chart the heights of a shape's center of mass over all ways down; see stable_poses."""
    facets = _facets(shape.hull, center_of_mass)
    order = _order(facets, _shares(shape.hull, center_of_mass, facets))
    place = np.zeros(len(facets.normals), np.int64)
    place[order] = np.arange(len(order))
    return Landscape(
        facets.normals,
        facets.offsets,
        place[_roll(facets)],
        _barriers(shape.hull, facets),
        facets.edges,
    )


def _shares(hull: Surface, center: FloatArray, facets: _Facets) -> FloatArray:
    """Share of all directions from the center that roll to each facet, (f,)."""
    solid_angles = np.bincount(facets.of_triangle, _solid_angles(hull.triangles - center))
    return np.bincount(_roll(facets), solid_angles, len(solid_angles)) / (4 * np.pi)


def _order(facets: _Facets, shares: FloatArray) -> list[int]:
    """List the stable facets, most probable first."""
    stable = np.flatnonzero(_roll(facets) == np.arange(len(shares)))
    return sorted(stable.tolist(), key=lambda facet: -shares[facet])


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
    if merged_offsets.min() <= 0.0:
        raise ValueError(
            "center_of_mass: expected a point inside the convex hull, got one "
            f"{-merged_offsets.min():g} m outside of it"
        )
    start, end, here, there = _edges(hull, of_triangle)
    corner = hull.vertices[start] - center
    along = hull.vertices[end] - hull.vertices[start]
    outward = np.cross(along, merged[here])
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    return _Facets(
        of_triangle,
        merged,
        merged_offsets,
        center,
        np.column_stack((start, end, here, there)),
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
    order = np.lexsort((facets.beyond, facets.edges[:, 2]))
    last = np.searchsorted(facets.edges[order, 2], np.arange(count), side="right") - 1
    worst = order[last]
    rolls_to = np.where(facets.beyond[worst] > 0.0, facets.edges[worst, 3], np.arange(count))
    while True:
        further = rolls_to[rolls_to]
        if (further == rolls_to).all():
            return rolls_to
        rolls_to = further


def _barriers(hull: Surface, facets: _Facets) -> FloatArray:
    """Height at which each facet's ways join those to another stable pose, (f,) [m].

    Flood the landscape: facets join over their edges in the order of the edges' heights, and a lake
    that reaches a second pose has risen to the barrier of every facet in it.
    """
    owner = np.arange(len(facets.normals))
    lakes = {facet: [facet] for facet in owner.tolist()}
    pose = np.where(_roll(facets) == owner, owner, NO_POSE)
    barriers = np.full(len(owner), np.inf)
    heights = _crests(hull, facets)
    for edge in np.argsort(heights, kind="stable"):
        a, b = owner[facets.edges[edge, 2:]].tolist()
        if a == b:
            continue
        together = max(pose[a], pose[b])
        if min(pose[a], pose[b]) != NO_POSE and pose[a] != pose[b]:
            together = SEVERAL
        if together == SEVERAL:
            for lake in (a, b):
                if pose[lake] != SEVERAL:
                    barriers[lakes[lake]] = heights[edge]
        lakes[a] += lakes.pop(b)
        owner[lakes[a]] = a
        pose[a] = together
    return barriers


def _crests(hull: Surface, facets: _Facets) -> FloatArray:
    """Greatest height on the way over each edge, from facet to facet, (e,) [m]."""
    start, end, here, there = facets.edges.T
    along = hull.vertices[end] - hull.vertices[start]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    corner = hull.vertices[start] - facets.center
    foot = corner - np.einsum("ei,ei->e", corner, along)[:, None] * along

    def side(facet: IntArray) -> FloatArray:
        cross = np.cross(facets.normals[facet], foot)
        return np.asarray(np.einsum("ei,ei->e", cross, along))

    is_over = side(here) * side(there) < 0.0
    ends = np.maximum(facets.offsets[here], facets.offsets[there])
    return np.where(is_over, np.linalg.norm(foot, axis=1), ends)


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
