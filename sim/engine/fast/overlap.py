"""The shortest way to part a convex hull from a box that it overlaps, over all their features.

By the separating axes of two convex polyhedra: the least overlap is along a face normal of the
one or the other, or across a pair of edges whose arcs of normals cross.

References:
    Gottschalk, S., Lin, M. C., Manocha, D. (1996), "OBBTree: a hierarchical structure for rapid
    interference detection", SIGGRAPH '96, 171-180, section 5.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from sim.engine.fast.compiled import compiled
from sim.engine.fast.hull import Hull
from sim.engine.fast.manifold import GAP, NORMAL
from sim.engine.fast.motion import Nine, Three

PARALLEL = 1e-6
"""Edges whose directions have a smaller sine part no hull that face normals do not."""


@compiled
def part(hull: Hull, half: Three, center: Three, turned: Nine, point: np.ndarray) -> bool:
    """Improve on the best face of the box by the hull's faces and by pairs of edges.

    Args:
        hull: Of the pig.
        half: Half sizes of the box [m].
        center: Of the hull, from the middle of the box, in its axes [m].
        turned: Box from principal.
        point: Holds the contact at the best face of the box; written if there is a better one.

    Returns:
        False if an axis parts them.
    """
    for f in range(len(hull.planes)):
        plane = hull.planes[f]
        u = _turned(turned, -plane[0], -plane[1], -plane[2])
        gap = _dot(u, center) - plane[3] - _reach(half, u)
        if gap > point[GAP]:
            point[GAP] = gap
            _write(point, u, _corner(half, u))
    for e in range(len(hull.edges)):
        _part_edge(hull, e, half, center, turned, point)
    _to_principal(center, turned, point)
    return bool(point[GAP] <= 0.0)


@compiled
def _part_edge(
    hull: Hull, e: int, half: Three, center: Three, turned: Nine, point: np.ndarray
) -> None:
    """Try one edge of the hull against the three directions of the box's edges."""
    a, b = hull.vertices[hull.edges[e, 0]], hull.vertices[hull.edges[e, 1]]
    left, right = hull.planes[hull.edges[e, 2]], hull.planes[hull.edges[e, 3]]
    along = _turned(turned, b[0] - a[0], b[1] - a[1], b[2] - a[2])
    length = sqrt(_dot(along, along))
    along = (along[0] / length, along[1] / length, along[2] / length)
    n1 = _turned(turned, left[0], left[1], left[2])
    n2 = _turned(turned, right[0], right[1], right[2])
    start = _turned(turned, a[0], a[1], a[2])
    start = (start[0] + center[0], start[1] + center[1], start[2] + center[2])
    for axis in range(3):
        u = _cross_axis(along, axis)
        size = sqrt(_dot(u, u))
        if size < PARALLEL:
            continue
        for sign in (1.0 / size, -1.0 / size):
            w = (sign * u[0], sign * u[1], sign * u[2])
            if not _in_arc(n1, n2, w):
                continue
            gap = _dot(w, start) - _reach(half, w)
            if gap > point[GAP]:
                point[GAP] = gap
                _write(point, w, _on_edge(half, w, axis, start, along))


@compiled
def _in_arc(n1: Three, n2: Three, u: Three) -> bool:
    """Whether -u, square to their edge, lies on the arc between two normals."""
    middle = (n1[0] + n2[0], n1[1] + n2[1], n1[2] + n2[2])
    return -_dot(u, middle) >= _dot(n1, middle)


@compiled
def _on_edge(half: Three, u: Three, axis: int, start: Three, along: Three) -> Three:
    """Point of the box's edge along `axis` that is nearest to the line start + t along."""
    corner = _corner(half, u)
    gap = (start[0] - corner[0], start[1] - corner[1], start[2] - corner[2])
    cosine = along[axis]
    t = (gap[axis] - cosine * _dot(gap, along)) / (1.0 - cosine * cosine)
    at = min(max(corner[axis] + t, -half[axis]), half[axis])
    return (
        at if axis == 0 else corner[0],
        at if axis == 1 else corner[1],
        at if axis == 2 else corner[2],
    )


@compiled
def _write(point: np.ndarray, normal: Three, on_box: Three) -> None:
    for i in range(3):
        point[3 + i] = on_box[i]
        point[NORMAL + i] = normal[i]


@compiled
def _to_principal(center: Three, turned: Nine, point: np.ndarray) -> None:
    """Write where the hull's own point lies: beyond the box's by the gap along the normal."""
    x = point[3] + point[GAP] * point[NORMAL] - center[0]
    y = point[4] + point[GAP] * point[NORMAL + 1] - center[1]
    z = point[5] + point[GAP] * point[NORMAL + 2] - center[2]
    point[0] = turned[0] * x + turned[3] * y + turned[6] * z
    point[1] = turned[1] * x + turned[4] * y + turned[7] * z
    point[2] = turned[2] * x + turned[5] * y + turned[8] * z


@compiled
def _dot(a: Three, b: Three) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def _reach(half: Three, u: Three) -> float:
    """How far the box reaches along a direction [m]."""
    return half[0] * abs(u[0]) + half[1] * abs(u[1]) + half[2] * abs(u[2])


@compiled
def _corner(half: Three, u: Three) -> Three:
    """Corner of the box that is farthest along a direction."""
    return (
        half[0] if u[0] >= 0.0 else -half[0],
        half[1] if u[1] >= 0.0 else -half[1],
        half[2] if u[2] >= 0.0 else -half[2],
    )


@compiled
def _turned(m: Nine, x: float, y: float, z: float) -> Three:
    return (
        m[0] * x + m[1] * y + m[2] * z,
        m[3] * x + m[4] * y + m[5] * z,
        m[6] * x + m[7] * y + m[8] * z,
    )


@compiled
def _cross_axis(a: Three, axis: int) -> Three:
    """Cross product of a direction with an axis of the box."""
    if axis == 0:
        return (0.0, a[2], -a[1])
    if axis == 1:
        return (-a[2], 0.0, a[0])
    return (a[1], -a[0], 0.0)
