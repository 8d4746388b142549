"""How a pig of a throw is doing: whether it has failed, rests, or is sure of where it will."""

from __future__ import annotations

from math import sin
from typing import NamedTuple

import numpy as np

from sim.engine.fast.basin import UNDECIDED, Basins, decided
from sim.engine.fast.compiled import compiled, inlined
from sim.engine.fast.hull import Hull, lowest
from sim.engine.fast.leaf import Door, box_distance, leaf_frame
from sim.engine.fast.motion import (
    QUAT,
    STATE,
    Mass,
    energy_height,
    matrix,
)
from sim.engine.fast.step import LEAF, TABLE, Rules, Scene

RUNNING, AT_REST, TIMED_OUT, ESCAPED, DIVERGED, MET = -1, 0, 1, 2, 3, 4
"""Status of a pig: its place in sim.rest.STATUSES, or that it still moves, or is near another."""

GREATEST_GAIN = 10.0
"""A pig with this many times the energy released has DIVERGED."""

LOOK = 1.0 / 256.0
"""Time between two looks at whether a pig lies still [s], as the reference engine looks."""

ENERGY_SLACK = 1e-5
"""Height [m] by which a barrier must exceed the energy: the correction of depth pushes too."""


class Ends(NamedTuple):
    """How the pigs of a throw are doing.

    Attributes:
        status: (k,).
        time: (k,) since the release [s].
        still_since: (k,) [s]; since then it has stayed within the rule's distances of where it was.
        still_at: (k, 7) position and orientation then, as in the state.
        pose: (k,) stable pose in which it is sure to end, or UNDECIDED.
        sure_since: (k,) [s]; of no meaning before.
    """

    status: np.ndarray
    time: np.ndarray
    still_since: np.ndarray
    still_at: np.ndarray
    pose: np.ndarray
    sure_since: np.ndarray


def no_ends(pigs: int) -> Ends:
    """Make room for a throw."""
    return Ends(
        np.zeros(pigs, np.int64),
        np.zeros(pigs),
        np.zeros(pigs),
        np.zeros((pigs, 7)),
        np.zeros(pigs, np.int64),
        np.zeros(pigs),
    )


class World(NamedTuple):
    """All that stays the same from throw to throw."""

    hull: Hull
    mass: Mass
    basins: Basins
    rules: Rules
    door: Door


@inlined
def judge(world: World, scene: Scene, ends: Ends, height: float, pig: int) -> None:
    """See whether the pig is done, lost, or sure of where it will end."""
    rules, state, time = world.rules, scene.states[pig], ends.time[pig]
    if state[2] < 0.0 or state[0] ** 2 + state[1] ** 2 > rules.table_radius**2:
        ends.status[pig] = ESCAPED
        return
    if scene.counts[pig, TABLE] + scene.counts[pig, LEAF] > 0:  # else the energy is what it was
        energy = energy_height(world.mass, state)
        if not energy < GREATEST_GAIN * (height + 2 * world.hull.radius):
            ends.status[pig] = DIVERGED
            copy_state(scene.sound, scene.states, pig)
            return
        if ends.pose[pig] == UNDECIDED and energy < world.basins.top:
            ends.pose[pig] = sure_pose(world, scene, height, pig, energy)
            ends.sure_since[pig] = time
            if ends.pose[pig] != UNDECIDED and len(ends.status) == 1:
                ends.status[pig] = AT_REST
                return
    copy_state(scene.states, scene.sound, pig)
    if time >= rules.max_time:
        ends.status[pig] = TIMED_OUT
    if time % LOOK != 0.0:
        return
    if has_moved(world, ends.still_at[pig], state):
        ends.still_since[pig] = time
        for i in range(7):
            ends.still_at[pig, i] = state[i]
    elif time - ends.still_since[pig] >= rules.rest_window:
        ends.status[pig] = AT_REST


@compiled
def copy_state(source: np.ndarray, target: np.ndarray, pig: int) -> None:
    """Copy one pig's state."""
    for i in range(STATE):
        target[pig, i] = source[pig, i]


@compiled
def has_moved(world: World, before: np.ndarray, state: np.ndarray) -> bool:
    """Whether a pig has come or turned further than one at rest may."""
    way2, cosine = 0.0, 0.0
    for i in range(3):
        way2 += (state[i] - before[i]) ** 2
    for i in range(QUAT, QUAT + 4):
        cosine += state[i] * before[i]
    if way2 > world.rules.rest_way**2:
        return True
    return bool(1.0 - cosine * cosine > sin(world.rules.rest_turn / 2) ** 2)


@compiled
def sure_pose(world: World, scene: Scene, height: float, pig: int, energy: float) -> int:
    """Find the stable pose that the pig is sure to end in, if the leaf is out of its reach.

    The leaf is, if its edge hangs above all that the pig can reach, or so far away that friction
    ends a slide before; the pig turns about its center, and its center about a point, within a
    radius each.
    """
    hull, state, hints = world.hull, scene.states[pig], scene.hints[pig]
    if world.door.exists == 1:
        frame = leaf_frame(world.door, scene.leaf, height)
        lowest_edge = height - world.door.length * frame[3]
        distance = box_distance(world.door, frame, state[0], state[1], state[2])
        way = energy / max(world.rules.table_friction, 1e-9) + hull.radius
        if lowest_edge < energy + hull.radius and distance < way + hull.radius:
            return UNDECIDED
    r = matrix(state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3])
    hints[0] = lowest(hull, r[6], r[7], r[8], hints[0])
    v = hull.vertices[hints[0]]
    depth = max(0.0, -(state[2] + r[6] * v[0] + r[7] * v[1] + r[8] * v[2]))
    limit = energy + depth + ENERGY_SLACK
    return decided(world.basins, hull, -r[6], -r[7], -r[8], hints[0], limit)
