"""Which pigs of a throw must go on together, and for how long none can meet another.

A pig that is sure of its pose waits where that became sure: all that it still does happens within
a circle about it. While others stay out of the circle it need not be followed, and once every pig
waits or rests, each out of the others' circles, no two will ever meet. A pig whose circle another
could enter is brought up to the other's time first.
"""

from __future__ import annotations

from math import inf, sqrt

from sim.engine.fast.basin import UNDECIDED
from sim.engine.fast.bounds import fall_time, free_time
from sim.engine.fast.compiled import compiled
from sim.engine.fast.meeting import are_near, time_apart, top_speed
from sim.engine.fast.motion import energy_height
from sim.engine.fast.outcome import AT_REST, RUNNING, Ends, World
from sim.engine.fast.step import Scene
from sim.engine.flight import GRAVITY

INFINITE = 1 << 30
"""More steps than any throw has."""


@compiled
def are_any_near(world: World, scene: Scene) -> bool:
    """Whether any two pigs are so near that they may touch."""
    for i in range(len(scene.states)):
        for j in range(i):
            if are_near(world.hull, scene.states[i], scene.states[j], world.rules.near):
                return True
    return False


@compiled
def is_awake(world: World, scene: Scene, ends: Ends, pig: int) -> bool:
    """Whether a pig must be followed: it may end in several poses, or another is in its circle."""
    if ends.status[pig] != RUNNING:
        return False
    if ends.pose[pig] == UNDECIDED:
        return True
    for other in range(len(ends.status)):
        if other != pig and _room(world, scene, ends, pig, other) <= 0.0:
            return True
    return False


@compiled
def steps_apart(world: World, scene: Scene, ends: Ends, height: float) -> int:
    """Count the steps for which pigs surely do not meet; 0 if two are so near that they may touch.

    Else at least 1: an engine that looks at contacts step by step sees no earlier meeting either.
    """
    soonest = inf
    for i in range(len(ends.status)):
        for j in range(i):
            soonest = min(soonest, _time_apart(world, scene, ends, height, i, j))
    if soonest == 0.0:
        return 0
    return max(1, int(min(soonest / world.rules.time_step, INFINITE)))


@compiled
def _time_apart(world: World, scene: Scene, ends: Ends, height: float, i: int, j: int) -> float:
    """Bound from below the time until two pigs meet [s]; a pig outside a circle, until it is in."""
    one, other = scene.states[i], scene.states[j]
    i_waits, j_waits = _is_settled(ends, i), _is_settled(ends, j)
    if i_waits or j_waits:
        room = _room(world, scene, ends, i, j)
        if room > 0.0:
            if i_waits and j_waits:
                return inf
            return fall_time(room, -top_speed(world.mass, other if i_waits else one), GRAVITY)
    flight = 0.0
    if not i_waits and not j_waits:
        flight = min(free_time(world, scene, height, i), free_time(world, scene, height, j))
    return time_apart(world.hull, world.mass, one, other, world.rules.near, flight)


@compiled
def _is_settled(ends: Ends, pig: int) -> bool:
    return bool(ends.status[pig] == AT_REST or ends.pose[pig] != UNDECIDED)


@compiled
def _room(world: World, scene: Scene, ends: Ends, i: int, j: int) -> float:
    """Gap between the circles of two pigs [m]; that of a pig that may end anywhere is its ball's.

    A pig that is sure of its pose slides no farther than friction lets its energy take it, and
    turns about its center within its radius; its center moves by less than that as it turns.
    """
    way = 2.0 * world.hull.radius + world.rules.near
    for pig in (i, j):
        if ends.status[pig] == RUNNING and ends.pose[pig] != UNDECIDED:
            lift = energy_height(world.mass, scene.states[pig])
            lift -= world.basins.heights[ends.pose[pig]]
            way += lift / max(world.rules.table_friction, 1e-9) + world.hull.radius
    x = scene.states[i, 0] - scene.states[j, 0]
    y = scene.states[i, 1] - scene.states[j, 1]
    return sqrt(x * x + y * y) - way
