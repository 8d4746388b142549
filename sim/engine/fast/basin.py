"""The end of a throw by energy: a pig that cannot climb out of where it is.

Nothing on a table gives a pig energy, so the height that its center of mass would reach with all of
it only falls. Over the directions of down, every pose the pig can still take lies where the hull's
height is below that; once the piece of that region in which the pig is holds a single stable pose,
the pig ends there, whatever it still does (meshes.stable.Landscape).

Which piece: from its direction the pig could roll about its lowest vertex, straight downhill, until
an edge lies on the table, and along that edge's arc downhill to a facet. All of that way is below
the pig's own height, so the facet is in the same piece, and its barrier is the pig's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from meshes.stable import Landscape
from sim.engine.fast.compiled import compiled
from sim.engine.fast.hull import Hull

UNDECIDED = -1


class Basins(NamedTuple):
    """The landscape in principal axes, ordered by vertex.

    Attributes:
        normals: (f, 3) of facets.
        heights: (p,) of the center of mass in each stable pose [m].
        pose: (f,) stable pose below each facet.
        barriers: (f,) [m].
        first: (v + 1,) where the edges of each vertex begin.
        ends: (e,) vertex at the other end of each edge.
        sides: (e, 2) facets on both sides.
        top: Largest finite barrier [m], or infinite if there is a single pose.
    """

    normals: np.ndarray
    heights: np.ndarray
    pose: np.ndarray
    barriers: np.ndarray
    first: np.ndarray
    ends: np.ndarray
    sides: np.ndarray
    top: float


def basin_tables(
    landscape: Landscape, heights: np.ndarray, pig_from_principal: np.ndarray, vertices: int
) -> Basins:
    """Tabulate a landscape for a hull of as many vertices, and the heights of its poses."""
    edges = landscape.edges[np.argsort(landscape.edges[:, 0], kind="stable")]
    return Basins(
        landscape.normals @ pig_from_principal,
        heights,
        landscape.pose,
        landscape.barriers,
        np.searchsorted(edges[:, 0], np.arange(vertices + 1)).astype(np.int64),
        np.ascontiguousarray(edges[:, 1]),
        np.ascontiguousarray(edges[:, 2:]),
        float(landscape.barriers.max()),
    )


@compiled
def decided(
    basins: Basins, hull: Hull, x: float, y: float, z: float, vertex: int, energy: float
) -> int:
    """Find the stable pose that a pig cannot but end in.

    Args:
        basins: Of the hull.
        hull: Of the pig.
        x: Down in principal axes, unit.
        y: Its second component.
        z: Its third.
        vertex: The lowest, that is the farthest along down.
        energy: Height that the center of mass could reach [m].

    Returns:
        The pose, or UNDECIDED.
    """
    edge = _first_edge(basins, hull, x, y, z, vertex)
    if edge < 0:
        return UNDECIDED
    facet = _downhill(basins, hull, x, y, z, vertex, edge)
    if energy < basins.barriers[facet]:
        return int(basins.pose[facet])
    return UNDECIDED


@compiled
def _first_edge(basins: Basins, hull: Hull, x: float, y: float, z: float, vertex: int) -> int:
    """Find the edge that comes to lie on the table first when the pig rolls downhill.

    Rolling about the vertex v turns down away from v, in their plane: down' = down - t v. The edge
    to w lies on the table when down' (w - v) = 0.
    """
    v = hull.vertices[vertex]
    best, soonest = -1, 1e300
    for edge in range(basins.first[vertex], basins.first[vertex + 1]):
        w = hull.vertices[basins.ends[edge]]
        a, b, c = w[0] - v[0], w[1] - v[1], w[2] - v[2]
        rate = v[0] * a + v[1] * b + v[2] * c
        if rate >= 0.0:
            continue
        t = min(x * a + y * b + z * c, 0.0) / rate
        if t < soonest:
            best, soonest = edge, t
    return best


@compiled
def _downhill(
    basins: Basins, hull: Hull, x: float, y: float, z: float, vertex: int, edge: int
) -> int:
    """Choose the facet that lies downhill along an edge's arc from where the pig comes to it.

    The arc is highest where down points at the foot of the center of mass on the edge's line.
    """
    v, w = hull.vertices[vertex], hull.vertices[basins.ends[edge]]
    a, b, c = w[0] - v[0], w[1] - v[1], w[2] - v[2]
    along = (v[0] * a + v[1] * b + v[2] * c) / (a * a + b * b + c * c)
    fx, fy, fz = v[0] - along * a, v[1] - along * b, v[2] - along * c
    sx, sy, sz = fy * c - fz * b, fz * a - fx * c, fx * b - fy * a
    side = x * sx + y * sy + z * sz
    left, right = basins.sides[edge, 0], basins.sides[edge, 1]
    n, m = basins.normals[left], basins.normals[right]
    of_left = n[0] * sx + n[1] * sy + n[2] * sz
    of_right = m[0] * sx + m[1] * sy + m[2] * sz
    return left if (of_left > of_right) == (side > 0.0) else right
