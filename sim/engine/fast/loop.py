"""Throws from release to the end, one after another, in compiled code.

A pig that nothing can touch leaps: its free flight is exact (sim.engine.flight), and the time until
its lowest vertex can come near the table, or it near the leaf, is bounded from below; the leap ends
on the grid of time steps. Whatever is left, and every contact, goes step by step.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from sim.engine.fast.basin import UNDECIDED
from sim.engine.fast.bounds import fall_time, time_above, time_to_reach
from sim.engine.fast.compiled import compiled
from sim.engine.fast.leaf import OPEN, box_distance, leaf_frame
from sim.engine.fast.meeting import time_apart
from sim.engine.fast.motion import VELOCITY, energy_height, fly
from sim.engine.fast.outcome import AT_REST, MET, RUNNING, Ends, World, copy_state, judge
from sim.engine.fast.step import Scene, step
from sim.engine.flight import GRAVITY

INFINITE = 1 << 30
"""More steps than any throw has."""


class Starts(NamedTuple):
    """How n throws start, and where they are left.

    Attributes:
        states: (n, k, 13) see motion.
        leaves: (n, 3) see leaf.
        heights: (n,) of release [m].
        times: (n,) since the release [s].
    """

    states: np.ndarray
    leaves: np.ndarray
    heights: np.ndarray
    times: np.ndarray


@compiled
def throw(world: World, scene: Scene, ends: Ends, height: float, time: float) -> None:
    """Run one throw, from the states and the leaf in `scene`, until it ends or pigs meet.

    Args:
        world: Of all throws.
        scene: Holds the start; holds the end.
        ends: Written.
        height: Of release [m].
        time: Of the start, since the release [s].
    """
    pigs = len(scene.states)
    for pig in range(pigs):
        ends.status[pig], ends.time[pig] = RUNNING, time
        ends.still_since[pig], ends.pose[pig] = inf, UNDECIDED
    _fall_with_leaf(world, scene, ends, height)
    while _goes_on(ends):
        apart = INFINITE if pigs == 1 else _steps_apart(world, scene)
        if apart == 0:
            ends.status[:] = MET
            break
        until = _latest(ends) + apart * world.rules.time_step
        for pig in range(pigs):
            while ends.status[pig] == RUNNING and ends.time[pig] < until:
                advance(world, scene, ends, height, pig, until)
        if _is_over(world, scene, ends):
            ends.status[:] = AT_REST


@compiled
def _goes_on(ends: Ends) -> bool:
    """Whether a pig still moves, and none has failed."""
    is_running = False
    for status in ends.status:
        if status > AT_REST:
            return False
        is_running = is_running or status == RUNNING
    return is_running


@compiled
def _fall_with_leaf(world: World, scene: Scene, ends: Ends, height: float) -> None:
    """Step all pigs together while the leaf swings, since it feels them all."""
    pigs = len(scene.states)
    while world.door.exists == 1 and scene.leaf[OPEN] == 0.0:
        if ends.time[0] >= world.rules.max_time:
            break
        if pigs > 1 and _steps_apart(world, scene) == 0:
            break
        step(world.hull, world.mass, world.rules, world.door, scene, height, 0, pigs)
        for pig in range(pigs):
            ends.time[pig] += world.rules.time_step


@compiled
def _steps_apart(world: World, scene: Scene) -> int:
    """Count the steps for which pigs surely do not meet; 0 if two are so near that they may touch.

    Else at least 1: an engine that looks at contacts step by step sees no earlier meeting either.
    """
    time = time_apart(world.hull, world.mass, scene.states, world.rules.near)
    if time == 0.0:
        return 0
    return max(1, int(min(time / world.rules.time_step, INFINITE)))


@compiled
def _latest(ends: Ends) -> float:
    """Time up to which all pigs that still move have come [s]."""
    time = 0.0
    for pig in range(len(ends.status)):
        if ends.status[pig] == RUNNING:
            time = max(time, ends.time[pig])
    return time


@compiled
def _is_over(world: World, scene: Scene, ends: Ends) -> bool:
    """Whether every pig is at rest or sure of its pose, and none can reach another any more.

    A pig that is sure of its pose slides no farther than friction lets its energy take it, and
    turns about its center within its radius.
    """
    pigs, friction = len(ends.status), world.rules.table_friction
    for i in range(pigs):
        if ends.status[i] != AT_REST and ends.pose[i] == UNDECIDED:
            return False
        for j in range(i):
            way = 0.0
            for pig in (i, j):
                if ends.status[pig] == RUNNING:
                    lift = energy_height(world.mass, scene.states[pig])
                    lift -= world.basins.heights[ends.pose[pig]]
                    way += lift / max(friction, 1e-9) + world.hull.radius
            x = scene.states[i, 0] - scene.states[j, 0]
            y = scene.states[i, 1] - scene.states[j, 1]
            if sqrt(x * x + y * y) < 2.0 * world.hull.radius + way:
                return False
    return True


@compiled
def advance(world: World, scene: Scene, ends: Ends, height: float, pig: int, until: float) -> None:
    """Leap, at most `until` a time [s], if the pig surely flies for a step or more; else step."""
    rules, state = world.rules, scene.states[pig]
    free = min(free_time(world, scene, height, pig), until - ends.time[pig])
    steps = int(free / rules.time_step)
    if steps >= 1:
        duration = steps * rules.time_step
        fly(world.mass, state, duration)
    else:
        duration = rules.time_step
        step(world.hull, world.mass, rules, world.door, scene, height, pig, pig + 1)
    ends.time[pig] += duration
    judge(world, scene, ends, height, pig)


@compiled
def free_time(world: World, scene: Scene, height: float, pig: int) -> float:
    """Bound from below the time in which the pig touches nothing [s]; see flight_bounds."""
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
def throw_all(
    world: World,
    scene: Scene,
    ends: Ends,
    starts: Starts,
    status: np.ndarray,
    rest_time: np.ndarray,
    pose: np.ndarray,
) -> None:
    """Run n throws of k pigs.

    Args:
        world: Of all throws.
        scene: Room to work in.
        ends: Room to work in.
        starts: Of the throws; hold the last states.
        status: (n, k) written.
        rest_time: (n, k) when each pig came to rest, or was sure of its pose [s]; written.
        pose: (n, k) written.
    """
    for one in range(len(starts.states)):
        for pig in range(len(scene.states)):
            copy_state(starts.states[one], scene.states, pig)
            copy_state(starts.states[one], scene.sound, pig)
        scene.counts[:] = 0
        scene.hints[:] = 0
        for i in range(3):
            scene.leaf[i] = starts.leaves[one, i]
        throw(world, scene, ends, starts.heights[one], starts.times[one])
        for i in range(3):
            starts.leaves[one, i] = scene.leaf[i]
        for pig in range(len(scene.states)):
            copy_state(scene.states, starts.states[one], pig)
            is_sure = ends.pose[pig] != UNDECIDED
            rest_time[one, pig] = ends.sure_since[pig] if is_sure else ends.still_since[pig]
            status[one, pig], pose[one, pig] = ends.status[pig], ends.pose[pig]
            starts.times[one] = max(starts.times[one], ends.time[pig])
