"""Contact points that last: at most four between a pig and a surface, as Bullet keeps them.

Every step adds the deepest point to those of the steps before, that are kept until they part or
slip by more than `breaking`. A pig that comes down flat so meets the table point by point, and
rests on up to four. A point is a row of 10: on the pig in principal axes (3), on the surface in the
surface's frame (3), the surface's normal in that frame (3), the gap [m]. So normals turn with a
leaf that swings under a standing pig.

A surface's frame is turned about y by an angle with cosine c and sine s, its origin at
(x, 0, z): (x, z, c, s). The table's is the world's: (0, 0, 1, 0).
"""

from __future__ import annotations

import numpy as np

from sim.engine.fast.compiled import compiled
from sim.engine.fast.motion import Four, Nine, Three

MOST_POINTS = 4
POINT = 10
NORMAL, GAP = 6, 9


@compiled
def world_point(frame: Four, x: float, y: float, z: float) -> Three:
    """Turn a point of a surface's frame into the world's."""
    ox, oz, c, s = frame
    return ox + c * x + s * z, y, oz - s * x + c * z


@compiled
def world_direction(frame: Four, x: float, y: float, z: float) -> Three:
    """Turn a direction of a surface's frame into the world's."""
    _, _, c, s = frame
    return c * x + s * z, y, c * z - s * x


@compiled
def refresh(
    points: np.ndarray, count: int, state: np.ndarray, r: Nine, frame: Four, breaking: float
) -> int:
    """Measure every point's gap anew; forget those that parted or slipped.

    Returns:
        How many are left.
    """
    one = count - 1
    while one >= 0:
        p = points[one]
        x = state[0] + r[0] * p[0] + r[1] * p[1] + r[2] * p[2]
        y = state[1] + r[3] * p[0] + r[4] * p[1] + r[5] * p[2]
        z = state[2] + r[6] * p[0] + r[7] * p[1] + r[8] * p[2]
        bx, by, bz = world_point(frame, p[3], p[4], p[5])
        nx, ny, nz = world_direction(frame, p[NORMAL], p[NORMAL + 1], p[NORMAL + 2])
        dx, dy, dz = x - bx, y - by, z - bz
        gap = dx * nx + dy * ny + dz * nz
        slip2 = dx * dx + dy * dy + dz * dz - gap * gap
        p[GAP] = gap
        if gap > breaking or slip2 > breaking * breaking:
            count -= 1
            for i in range(POINT):
                p[i] = points[count, i]
        one -= 1
    return count


@compiled
def add(points: np.ndarray, count: int, point: np.ndarray, breaking: float) -> int:
    """Add a point: in place of one within `breaking` of it on the pig, else beside the others.

    Returns:
        How many there are.
    """
    slot, nearest2 = -1, breaking * breaking
    for one in range(count):
        x, y, z = points[one, 0] - point[0], points[one, 1] - point[1], points[one, 2] - point[2]
        distance2 = x * x + y * y + z * z
        if distance2 < nearest2:
            slot, nearest2 = one, distance2
    if slot < 0:
        slot = count
        if count == MOST_POINTS:
            slot = _least_useful(points, point)
        else:
            count += 1
    for i in range(POINT):
        points[slot, i] = point[i]
    return count


@compiled
def _least_useful(points: np.ndarray, point: np.ndarray) -> int:
    """Choose which of four points a fifth replaces: the widest support is left, the deepest stays.

    The support's area is measured as Bullet does, by the cross product of the diagonal from the
    new point and that of the other two.
    """
    deepest, gap = -1, point[GAP]
    for one in range(MOST_POINTS):
        if points[one, GAP] < gap:
            deepest, gap = one, points[one, GAP]
    best, widest = 0, -1.0
    for one in range(MOST_POINTS):
        if one == deepest:
            continue
        other = 1 if one == 0 else 0
        high = 2 if one == 3 else 3
        low = 1 if one >= 2 else 2
        from_x, from_y, from_z = points[other, 0], points[other, 1], points[other, 2]
        ax, ay, az = point[0] - from_x, point[1] - from_y, point[2] - from_z
        bx = points[high, 0] - points[low, 0]
        by = points[high, 1] - points[low, 1]
        bz = points[high, 2] - points[low, 2]
        x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        area2 = x * x + y * y + z * z
        if area2 > widest:
            best, widest = one, area2
    return best
