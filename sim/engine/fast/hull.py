"""The convex hull of a body, as tables for the compiled engine; principal axes at its center."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from meshes.shape import Surface
from sim.engine.fast.compiled import compiled


class Hull(NamedTuple):
    """Tables of a convex polyhedron about its center of mass.

    Attributes:
        vertices: (v, 3) [m].
        first: (v + 1,) where the neighbors of each vertex begin in `neighbors`.
        neighbors: (n,) vertices that share an edge with it.
        planes: (f, 4) outward unit normal and offset of every triangle [m].
        edges: (e, 4) start and end vertex, triangle on the left, triangle on the right.
        radius: Largest distance of a vertex from the center [m].
        breaking: Gap at which a contact point is forgotten [m].
    """

    vertices: np.ndarray
    first: np.ndarray
    neighbors: np.ndarray
    planes: np.ndarray
    edges: np.ndarray
    radius: float
    breaking: float


def hull_tables(surface: Surface, vertices: np.ndarray, breaking: float) -> Hull:
    """Tabulate a hull.

    Args:
        surface: Its triangles.
        vertices: Those of the surface, moved to principal axes at the center of mass, (v, 3) [m].
        breaking: Share of the bounding ball's radius at which a contact point is forgotten. The
            ball is Bullet's: that of the axis-aligned box, its center's offset added.
    """
    faces = surface.faces
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    planes = np.column_stack((normals, np.einsum("fi,fi->f", normals, a)))
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    triangle = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(start, kind="stable")
    first = np.searchsorted(start[order], np.arange(len(vertices) + 1))
    across = {(int(s), int(e)): int(t) for s, e, t in zip(start, end, triangle, strict=True)}
    edges = [(s, e, t, across[e, s]) for (s, e), t in across.items() if s < e]
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    ball = np.linalg.norm(high - low) / 2 + np.linalg.norm(high + low) / 2
    return Hull(
        np.ascontiguousarray(vertices),
        first.astype(np.int64),
        end[order].astype(np.int64),
        planes,
        np.array(edges, np.int64),
        float(np.linalg.norm(vertices, axis=1).max()),
        float(breaking * ball),
    )


@compiled
def lowest(hull: Hull, x: float, y: float, z: float, start: int) -> int:
    """Find the vertex farthest against a direction, walking down along edges from `start`.

    On a convex polyhedron every vertex that is not lowest has a lower neighbor, so the walk ends at
    a lowest one.
    """
    vertices = hull.vertices
    best = start
    height = x * vertices[best, 0] + y * vertices[best, 1] + z * vertices[best, 2]
    while True:
        at = best
        for slot in range(hull.first[at], hull.first[at + 1]):
            one = hull.neighbors[slot]
            h = x * vertices[one, 0] + y * vertices[one, 1] + z * vertices[one, 2]
            if h < height:
                height, best = h, one
        if best == at:
            return best
