"""Bounds from below on the time until a free body can touch something.

In free flight a hull vertex x from the center of mass has the height z + r.x, with r the third row
of the rotation matrix, and its vertical acceleration is at most

    A = g + w^2 R (1 + c / sqrt(3))

downward, where R is the hull's radius and w bounds the spin: 2 E = sum I_i w_i^2 is conserved, so
w^2 <= 2 E / I_min. The first term beside g is centripetal. The second comes from Euler's equations,
dw_i/dt = c_i w_j w_k with c_i = (I_j - I_k) / I_i and |c_i| <= c <= 1, whence
|dw/dt|^2 <= c^2 (w_j^2 w_k^2 + ...) <= c^2 w^4 / 3. So until time t every vertex is higher than

    f(t) = z + v t - A t^2 / 2 + min over x of (r + t dr/dt).x

with v the velocity of the center of mass, and nothing touches the table before the root of f.
Every x gives a parabola above f, with a later root; the root of the lowest vertex's parabola at a
time t so is a better bound from above, and iterating ends at the root of f itself.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from sim.engine.fast.compiled import compiled, inlined
from sim.engine.fast.hull import Hull, lowest
from sim.engine.fast.leaf import box_distance, leaf_frame
from sim.engine.fast.motion import (
    MOMENTUM,
    QUAT,
    VELOCITY,
    Mass,
    inverse_inertia_times,
    matrix,
)
from sim.engine.fast.outcome import World
from sim.engine.fast.step import Scene
from sim.engine.flight import GRAVITY

MOST_ROUNDS = 20


@inlined
def time_above(hull: Hull, mass: Mass, state: np.ndarray, above: float, hints: np.ndarray) -> float:
    """Bound from below the time before any vertex sinks to a level [s].

    Args:
        hull: Of the pig.
        mass: Of the pig.
        state: Of the pig, flying.
        above: Height of the center of mass over the level [m].
        hints: The first is a vertex where the search for the lowest begins; written.
    """
    r = matrix(state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3])
    one = lowest(hull, r[6], r[7], r[8], hints[0])
    hints[0] = one
    if above + _dot(hull, one, r[6], r[7], r[8]) <= 0.0:
        return 0.0
    a, b, c = state[MOMENTUM], state[MOMENTUM + 1], state[MOMENTUM + 2]
    ox, oy, oz = inverse_inertia_times(mass, r, a, b, c)
    spin2 = (ox * a + oy * b + oz * c) * mass.inverse_max
    pull = GRAVITY + spin2 * hull.radius * mass.curving
    x, y, z = ox * r[3] - oy * r[0], ox * r[4] - oy * r[1], ox * r[5] - oy * r[2]
    rise = state[VELOCITY + 2]
    time, found = fall_time(above, rise, pull), -1
    for _ in range(MOST_ROUNDS):
        one = lowest(hull, r[6] + time * x, r[7] + time * y, r[8] + time * z, one)
        if one == found:
            return time
        found = one
        gap = above + _dot(hull, one, r[6], r[7], r[8])
        time = fall_time(gap, rise + _dot(hull, one, x, y, z), pull)
    return 0.0


@compiled
def time_to_reach(state: np.ndarray, distance: float) -> float:
    """Bound from below the time in which the center of mass covers a distance [s]."""
    u, v, w = state[VELOCITY], state[VELOCITY + 1], state[VELOCITY + 2]
    return fall_time(distance, -sqrt(u * u + v * v + w * w), GRAVITY)


@inlined
def free_time(world: World, scene: Scene, height: float, pig: int) -> float:
    """Bound from below the time in which the pig touches nothing [s]."""
    clearance, state = world.rules.clearance, scene.states[pig]
    above = state[2] - clearance
    free = fall_time(above - world.hull.radius, state[VELOCITY + 2], GRAVITY)
    free = max(free, time_above(world.hull, world.mass, state, above, scene.hints[pig]))
    if free > 0.0 and world.door.exists == 1:
        frame = leaf_frame(world.door, scene.leaf, height)
        distance = box_distance(world.door, frame, state[0], state[1], state[2])
        free = min(free, time_to_reach(state, distance - world.hull.radius - clearance))
    return free


@compiled
def fall_time(gap: float, rise: float, pull: float) -> float:
    """Solve gap + rise t - pull t^2 / 2 = 0 for the later root [s]; 0 when the gap is used up."""
    if gap <= 0.0:
        return 0.0
    root = sqrt(rise * rise + 2.0 * pull * gap)
    return 2.0 * gap / (root - rise) if rise < 0.0 else (rise + root) / pull


@compiled
def _dot(hull: Hull, one: int, x: float, y: float, z: float) -> float:
    vertices = hull.vertices
    return x * vertices[one, 0] + y * vertices[one, 1] + z * vertices[one, 2]
