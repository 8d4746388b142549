"""When pigs could meet: the distance between their hulls, and how soon it could be used up.

The fast engine knows no contact between pigs. Two that come near each other are left to an engine
that does, in the state in which they are.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from sim.engine.fast.bounds import fall_time
from sim.engine.fast.compiled import compiled
from sim.engine.fast.hull import Hull, lowest
from sim.engine.fast.motion import (
    MOMENTUM,
    QUAT,
    VELOCITY,
    Mass,
    Nine,
    Three,
    inverse_inertia_times,
    matrix,
)
from sim.engine.flight import GRAVITY

TINY = 1e-12
"""In place of a speed of 0 [m/s]."""

ROUNDS = 30
"""Of the search for the distance between hulls; one that is not found counts as a meeting."""


@compiled
def are_near(hull: Hull, one: np.ndarray, other: np.ndarray, near: float) -> bool:
    """Whether two pigs are within `near` of each other [m]."""
    return _ball_gap(hull, one, other) <= near and distance(hull, one, other) <= near


@compiled
def time_apart(
    hull: Hull, mass: Mass, one: np.ndarray, other: np.ndarray, near: float, flight: float
) -> float:
    """Bound from below the time until two pigs come within `near` of each other [s].

    Whatever they hit, their centers approach at most at the sum of s = sqrt(2 E / m), the speed if
    all kinetic energy E were one of translation, and any points of theirs at most at that times
    sqrt(1 + m R^2 / I_min), since |velocity| + spin R is no more; falling adds g t to s. While both
    fly, their centers part evenly, since both fall alike, and no point moves faster about its
    center than sqrt(2 E' / I_min) R, with E' the energy of rotation, which is conserved.

    Args:
        hull: Of both pigs.
        mass: Of both pigs.
        one: State, see motion.
        other: State at the same time.
        near: [m].
        flight: Time in which neither touches anything [s].

    Returns:
        0 if they are within it already.
    """
    stretch = sqrt(1.0 + mass.mass * hull.radius * hull.radius * mass.inverse_max)
    speed = 0.5 * (top_speed(mass, one) + top_speed(mass, other))
    gap = _ball_gap(hull, one, other) - near
    time = fall_time(0.5 * gap, -speed, GRAVITY)
    apart = 0.0
    if gap < 0.5 * hull.radius:
        apart = distance(hull, one, other) - near
        time = max(time, fall_time(0.5 * apart, -speed * stretch, GRAVITY * stretch))
    if flight > time:
        u = one[VELOCITY] - other[VELOCITY]
        v = one[VELOCITY + 1] - other[VELOCITY + 1]
        w = one[VELOCITY + 2] - other[VELOCITY + 2]
        closing = sqrt(u * u + v * v + w * w)
        turning = hull.radius * (_top_spin(mass, one) + _top_spin(mass, other))
        free = max(gap / max(closing, TINY), apart / max(closing + turning, TINY))
        time = max(time, min(flight, free))
    return time


@compiled
def top_speed(mass: Mass, state: np.ndarray) -> float:
    """Speed of the center of mass if all kinetic energy were its own [m/s]."""
    u, v, w = state[VELOCITY], state[VELOCITY + 1], state[VELOCITY + 2]
    return sqrt(u * u + v * v + w * w + _twice_rotation(mass, state) / mass.mass)


@compiled
def _top_spin(mass: Mass, state: np.ndarray) -> float:
    """Spin if all energy of rotation were about the axis of least inertia [rad/s]."""
    return sqrt(_twice_rotation(mass, state) * mass.inverse_max)


@compiled
def _twice_rotation(mass: Mass, state: np.ndarray) -> float:
    """Twice the energy of rotation [J]."""
    r = matrix(state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3])
    a, b, c = state[MOMENTUM], state[MOMENTUM + 1], state[MOMENTUM + 2]
    ox, oy, oz = inverse_inertia_times(mass, r, a, b, c)
    return ox * a + oy * b + oz * c


@compiled
def _ball_gap(hull: Hull, one: np.ndarray, other: np.ndarray) -> float:
    """Gap between the balls that hold two pigs [m]."""
    x, y, z = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    return sqrt(x * x + y * y + z * z) - 2.0 * hull.radius


@compiled
def distance(hull: Hull, one: np.ndarray, other: np.ndarray) -> float:
    """Bound the distance between two hulls from below [m]; 0 if they may meet.

    The difference of two convex bodies is convex, and its point p nearest to the origin is found by
    walking: of the line from p to the difference's farthest point against p, take the nearest
    point. Any direction on the way bounds the distance from below.

    References:
        Gilbert, E. G. (1966), "An iterative procedure for computing the minimum of a quadratic form
        on a convex set", SIAM Journal on Control 4(1): 61-80.
    """
    a = matrix(one[QUAT], one[QUAT + 1], one[QUAT + 2], one[QUAT + 3])
    b = matrix(other[QUAT], other[QUAT + 1], other[QUAT + 2], other[QUAT + 3])
    x, y, z = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    first = second = 0
    best = 0.0
    for _ in range(ROUNDS):
        size = sqrt(x * x + y * y + z * z)
        if size == 0.0:
            return 0.0
        ux, uy, uz = x / size, y / size, z / size
        first, p = _farthest(hull, one, a, -ux, -uy, -uz, first)
        second, q = _farthest(hull, other, b, ux, uy, uz, second)
        wx, wy, wz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
        best = max(best, ux * wx + uy * wy + uz * wz)
        if best >= 0.99 * size:
            return best
        dx, dy, dz = wx - x, wy - y, wz - z
        length2 = dx * dx + dy * dy + dz * dz
        if length2 == 0.0:
            return best
        t = min(max(-(x * dx + y * dy + z * dz) / length2, 0.0), 1.0)
        x, y, z = x + t * dx, y + t * dy, z + t * dz
    return best


@compiled
def _farthest(
    hull: Hull, state: np.ndarray, r: Nine, x: float, y: float, z: float, start: int
) -> tuple[int, Three]:
    """Find the vertex farthest along a world direction, and where it is."""
    one = lowest(
        hull,
        -(r[0] * x + r[3] * y + r[6] * z),
        -(r[1] * x + r[4] * y + r[7] * z),
        -(r[2] * x + r[5] * y + r[8] * z),
        start,
    )
    a, b, c = hull.vertices[one, 0], hull.vertices[one, 1], hull.vertices[one, 2]
    return one, (
        state[0] + r[0] * a + r[1] * b + r[2] * c,
        state[1] + r[3] * a + r[4] * b + r[5] * c,
        state[2] + r[6] * a + r[7] * b + r[8] * c,
    )
