"""Throws from release to the end, one after another, in compiled code.

A pig that nothing can touch leaps: its free flight is exact (sim.engine.flight), and the time until
its lowest vertex can come near the table, or it near the leaf, is bounded from below; the leap ends
on the grid of time steps. Whatever is left, and every contact, goes step by step.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from sim.engine.fast.basin import UNDECIDED
from sim.engine.fast.bounds import free_time
from sim.engine.fast.company import are_any_near, is_awake, steps_apart
from sim.engine.fast.compiled import compiled, inlined
from sim.engine.fast.leaf import OPEN
from sim.engine.fast.motion import fly
from sim.engine.fast.outcome import AT_REST, MET, RUNNING, Ends, World, copy_state, judge
from sim.engine.fast.step import Scene, step


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
    for pig in range(len(scene.states)):
        ends.status[pig], ends.time[pig] = RUNNING, time
        ends.still_since[pig], ends.pose[pig] = time, UNDECIDED
        for i in range(7):
            ends.still_at[pig, i] = scene.states[pig, i]
    _fall_with_leaf(world, scene, ends, height)
    while _goes_on(ends):
        now = _latest(ends)
        if _catch_up(world, scene, ends, height, now):
            continue
        until = now + steps_apart(world, scene, ends, height) * world.rules.time_step
        if until == now:
            _stop(world, scene, ends, height, now)
            break
        if not _go_on(world, scene, ends, height, until):
            ends.status[:] = AT_REST


@inlined
def _go_on(world: World, scene: Scene, ends: Ends, height: float, until: float) -> bool:
    """Follow every pig that is awake until a time [s] or until it is sure; say if there is one."""
    is_any_awake = False
    for pig in range(len(ends.status)):
        if not is_awake(world, scene, ends, pig):
            continue
        is_any_awake = True
        _follow(world, scene, ends, height, pig, until, ends.pose[pig] == UNDECIDED)
    return is_any_awake


@compiled
def _catch_up(world: World, scene: Scene, ends: Ends, height: float, now: float) -> bool:
    """Bring pigs that are awake but were not up to the others' time [s]; say if there were any."""
    is_any_late = False
    for pig in range(len(ends.status)):
        if ends.time[pig] < now and is_awake(world, scene, ends, pig):
            is_any_late = True
            _follow(world, scene, ends, height, pig, now, False)
    return is_any_late


@compiled
def _follow(
    world: World,
    scene: Scene,
    ends: Ends,
    height: float,
    pig: int,
    until: float,
    is_unsure: bool,
) -> None:
    """Let a pig go on until a time [s], or until it is sure of its pose if it is not yet."""
    while ends.status[pig] == RUNNING and ends.time[pig] < until:
        advance(world, scene, ends, height, pig, until)
        if is_unsure and ends.pose[pig] != UNDECIDED:
            return


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
        if ends.time[0] >= world.rules.max_time or are_any_near(world, scene):
            break
        step(world.hull, world.mass, world.rules, world.door, scene, height, 0, pigs)
        for pig in range(pigs):
            ends.time[pig] += world.rules.time_step


@compiled
def _latest(ends: Ends) -> float:
    """Time up to which the pigs that still move have come [s]."""
    time = 0.0
    for pig in range(len(ends.status)):
        if ends.status[pig] == RUNNING:
            time = max(time, ends.time[pig])
    return time


@compiled
def _stop(world: World, scene: Scene, ends: Ends, height: float, now: float) -> None:
    """Leave a throw whose pigs meet, all of them where they are now."""
    for pig in range(len(ends.status)):
        _follow(world, scene, ends, height, pig, now, False)
    ends.status[:] = MET


@inlined
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
            rest_time[one, pig] = inf
            if ends.pose[pig] != UNDECIDED:
                rest_time[one, pig] = ends.sure_since[pig]
            elif ends.status[pig] == AT_REST:
                rest_time[one, pig] = ends.still_since[pig]
            status[one, pig], pose[one, pig] = ends.status[pig], ends.pose[pig]
            starts.times[one] = max(starts.times[one], ends.time[pig])
