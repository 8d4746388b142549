"""The trap door's leaf: how it swings, and where a convex hull meets it.

The leaf's frame lies in the hinge: x along the leaf's upper face to its free edge, y along the
hinge, z out of the upper face. Its box is 0..length, +- half_width, -thickness..0.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from sim.engine.fast.compiled import compiled
from sim.engine.fast.hull import Hull, lowest
from sim.engine.fast.manifold import GAP, NORMAL, world_point
from sim.engine.fast.motion import Four, Nine, Three
from sim.engine.fast.overlap import part
from sim.engine.flight import GRAVITY

UPPER = 4
"""Side of the box: 2 axis, or 2 axis + 1 for the face at the axis's lower end."""

ANGLE, SPEED, OPEN = 0, 1, 2
"""Of the row that holds a leaf's state: [rad], [rad/s], and 1 once the catch holds it."""


class Door(NamedTuple):
    """A leaf on its hinge; `exists` is 0 over a bare table.

    Attributes:
        exists: 1 if there is a leaf.
        length: From the hinge to the free edge [m].
        half_width: Along the hinge [m].
        thickness: [m].
        mass: [kg].
        inertia: About the hinge [kg m^2].
        open_angle: Where the catch takes it [rad].
    """

    exists: int
    length: float
    half_width: float
    thickness: float
    mass: float
    inertia: float
    open_angle: float


@compiled
def leaf_frame(door: Door, leaf: np.ndarray, height: float) -> Four:
    """Frame of the leaf whose upper face is at `height` [m] when closed; see manifold."""
    return -0.5 * door.length, height, cos(leaf[ANGLE]), sin(leaf[ANGLE])


@compiled
def weigh_down(door: Door, leaf: np.ndarray, duration: float) -> None:
    """Let the leaf's weight act on its speed."""
    arm = 0.5 * (door.length * cos(leaf[ANGLE]) - door.thickness * sin(leaf[ANGLE]))
    leaf[SPEED] += duration * door.mass * GRAVITY * arm / door.inertia


@compiled
def swing(door: Door, leaf: np.ndarray, duration: float) -> None:
    """Move the leaf; the catch takes it where it is open, the hinge stops it where it is closed."""
    leaf[ANGLE] += duration * leaf[SPEED]
    if leaf[ANGLE] < 0.0:
        leaf[ANGLE], leaf[SPEED] = 0.0, max(leaf[SPEED], 0.0)
    if leaf[ANGLE] >= door.open_angle:
        leaf[ANGLE], leaf[SPEED], leaf[OPEN] = door.open_angle, 0.0, 1.0


def box_bounds(door: Door, leaf: np.ndarray, height: float) -> tuple[Three, Three]:
    """Lowest and highest coordinates of the leaf [m]."""
    frame = leaf_frame(door, leaf, height)
    corners = np.array(
        [
            world_point(frame, x, y, z)
            for x in (0.0, door.length)
            for y in (-door.half_width, door.half_width)
            for z in (-door.thickness, 0.0)
        ]
    )
    low, high = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


@compiled
def box_distance(door: Door, frame: Four, x: float, y: float, z: float) -> float:
    """Distance of a world point from the leaf's box [m], 0 inside."""
    u, v, w = in_leaf(frame, x, y, z)
    across = max(-u, 0.0, u - door.length)
    along = max(abs(v) - door.half_width, 0.0)
    off = max(w, 0.0, -door.thickness - w)
    return sqrt(across * across + along * along + off * off)


@compiled
def in_leaf(frame: Four, x: float, y: float, z: float) -> Three:
    """Turn a world point into the leaf's frame."""
    ox, oz, c, s = frame
    dx, dz = x - ox, z - oz
    return c * dx - s * dz, y, s * dx + c * dz


@compiled
def meet_leaf(
    hull: Hull,
    door: Door,
    frame: Four,
    state: np.ndarray,
    r: Nine,
    point: np.ndarray,
    hints: np.ndarray,
) -> bool:
    """Find how a hull meets the leaf's box, and write the contact point (see manifold).

    The gap of two convex bodies that overlap is minus the shortest way to part them. The deepest
    vertex beyond a face tells it alone if it lies inside the box nearer to that face than to any
    other: whatever way the hull leaves, that vertex must leave the box, and that is its distance
    from the box's surface. Else the way is the best of all face normals and all pairs of edges
    (overlap.part). Hulls that a face of the box separates meet nowhere; near such a face the
    deepest vertex is noted ahead, if it is over the face.

    Args:
        hull: Of the pig.
        door: The leaf.
        frame: Of the leaf.
        state: Of the pig.
        r: World from principal.
        point: Written, if they meet.
        hints: (6,) vertices where the search for the lowest begins; written.
    """
    half = (0.5 * door.length, door.half_width, 0.5 * door.thickness)
    x, y, z = in_leaf(frame, state[0], state[1], state[2])
    center = (x - half[0], y, z + half[2])
    turned = _leaf_from_principal(frame, r)
    gap = _face_gap(hull, half, center, turned, hints, UPPER)
    if gap > hull.breaking:
        return False
    if _is_proof(hull, half, center, turned, hints, UPPER, gap, point):
        _to_hinge(half, point)
        return True
    face = UPPER
    for side in range(6):
        other = _face_gap(hull, half, center, turned, hints, side)
        if other > gap:
            gap, face = other, side
    if gap > hull.breaking:
        return False
    is_proof = _is_proof(hull, half, center, turned, hints, face, gap, point)
    if not is_proof and (gap > 0.0 or not part(hull, half, center, turned, point)):
        return False
    _to_hinge(half, point)
    return True


@compiled
def _face_gap(
    hull: Hull, half: Three, center: Three, turned: Nine, hints: np.ndarray, side: int
) -> float:
    """Gap between the hull and the plane of a face of the box [m]; finds the nearest vertex."""
    axis, sign = side >> 1, 1.0 - 2.0 * (side & 1)
    a, b, c = turned[3 * axis], turned[3 * axis + 1], turned[3 * axis + 2]
    hints[side] = lowest(hull, sign * a, sign * b, sign * c, hints[side])
    one = hints[side]
    x, y, z = hull.vertices[one, 0], hull.vertices[one, 1], hull.vertices[one, 2]
    return sign * (center[axis] + a * x + b * y + c * z) - half[axis]


@compiled
def _is_proof(
    hull: Hull,
    half: Three,
    center: Three,
    turned: Nine,
    hints: np.ndarray,
    side: int,
    gap: float,
    point: np.ndarray,
) -> bool:
    """Write the contact of a face with its nearest vertex; see whether there is no better one."""
    one = hints[side]
    x, y, z = hull.vertices[one, 0], hull.vertices[one, 1], hull.vertices[one, 2]
    place = (
        center[0] + turned[0] * x + turned[1] * y + turned[2] * z,
        center[1] + turned[3] * x + turned[4] * y + turned[5] * z,
        center[2] + turned[6] * x + turned[7] * y + turned[8] * z,
    )
    axis, sign = side >> 1, 1.0 - 2.0 * (side & 1)
    inside = 1e9
    for i in range(3):
        is_axis = i == axis
        inside = min(inside, half[i] + (sign * place[i] if is_axis else -abs(place[i])))
        point[i] = hull.vertices[one, i]
        point[NORMAL + i] = sign if is_axis else 0.0
        point[3 + i] = sign * half[i] if is_axis else min(max(place[i], -half[i]), half[i])
    point[GAP] = gap
    return inside >= max(0.0, -gap)


@compiled
def _to_hinge(half: Three, point: np.ndarray) -> None:
    """Count a point on the box from the hinge, not from the middle."""
    point[3] += half[0]
    point[5] -= half[2]


@compiled
def _leaf_from_principal(frame: Four, r: Nine) -> Nine:
    _, _, c, s = frame
    return (
        c * r[0] - s * r[6],
        c * r[1] - s * r[7],
        c * r[2] - s * r[8],
        r[3],
        r[4],
        r[5],
        s * r[0] + c * r[6],
        s * r[1] + c * r[7],
        s * r[2] + c * r[8],
    )
