"""One time step of pigs in contact: gravity, contact points, impulses, motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.engine.fast.compiled import compiled, inlined
from sim.engine.fast.hull import Hull, lowest
from sim.engine.fast.leaf import OPEN, SPEED, Door, box_distance, leaf_frame, meet_leaf, weigh_down
from sim.engine.fast.leaf import swing as swing_leaf
from sim.engine.fast.manifold import (
    GAP,
    MOST_POINTS,
    NORMAL,
    POINT,
    add,
    refresh,
    world_direction,
)
from sim.engine.fast.motion import (
    MOMENTUM,
    QUAT,
    STATE,
    VELOCITY,
    Four,
    Mass,
    Nine,
    Three,
    inverse_inertia_times,
    matrix,
    turn,
)
from sim.engine.fast.solver import Rows, Surface, add_contact, give, room_for, solve

TABLE, LEAF = 0, 1
TABLE_FRAME = (0.0, 0.0, 1.0, 0.0)


class Rules(NamedTuple):
    """Numbers of the contact model and of the throw; see Contact, FastSettings and RestRule."""

    time_step: float
    gravity_x: float
    gravity_z: float
    table_restitution: float
    table_friction: float
    leaf_restitution: float
    leaf_friction: float
    bounce_speed: float
    push: float
    iterations: int
    tolerance: float
    clearance: float
    near: float
    table_radius: float
    rest_way: float
    rest_turn: float
    rest_window: float
    max_time: float


class Scene(NamedTuple):
    """The moving parts of one throw of k pigs, and room to work in.

    Attributes:
        states: (k, 13), see motion.
        sound: (k, 13) the last states that were found sound.
        points: (k, 2, 4, 10) contact points with table and leaf, see manifold.
        counts: (k, 2) how many of them.
        hints: (k, 7) vertices where searches begin: one for the table, six for the leaf's faces.
        rows: Contacts of a step.
        leaf: (3,) see leaf.
        point: (10,) a contact point in the making.
    """

    states: np.ndarray
    sound: np.ndarray
    points: np.ndarray
    counts: np.ndarray
    hints: np.ndarray
    rows: Rows
    leaf: np.ndarray
    point: np.ndarray


def empty_scene(pigs: int) -> Scene:
    """Make room for a throw."""
    return Scene(
        states=np.zeros((pigs, STATE)),
        sound=np.zeros((pigs, STATE)),
        points=np.zeros((pigs, 2, MOST_POINTS, POINT)),
        counts=np.zeros((pigs, 2), np.int64),
        hints=np.zeros((pigs, 7), np.int64),
        rows=room_for(2 * MOST_POINTS * pigs),
        leaf=np.zeros(3),
        point=np.zeros(POINT),
    )


@inlined
def step(
    hull: Hull,
    mass: Mass,
    rules: Rules,
    door: Door,
    scene: Scene,
    height: float,
    first: int,
    last: int,
) -> None:
    """Advance the pigs first..last-1, and the leaf if it swings, by one time step.

    As in Bullet: gravity acts on the speeds, contacts are found where the bodies are, impulses
    change the speeds, and the speeds move the bodies, the leaf and pigs without contact too: by a
    parabola these would fall behind a leaf, or a corner, that they have just left.

    Args:
        hull: Of every pig.
        mass: Of every pig.
        rules: Of contact.
        door: The leaf.
        scene: What moves.
        height: Of the device [m].
        first: First pig.
        last: Pig after the last.
    """
    h = rules.time_step
    is_swinging = door.exists == 1 and scene.leaf[OPEN] == 0.0
    if is_swinging:
        weigh_down(door, scene.leaf, h)
    mobility = 1.0 / door.inertia if is_swinging else 0.0
    count = 0
    for pig in range(first, last):
        state = scene.states[pig]
        state[VELOCITY] += h * rules.gravity_x
        state[VELOCITY + 2] += h * rules.gravity_z
        count = _touch(hull, mass, rules, door, scene, height, pig, mobility, count)
    if count:
        solve(scene.rows, count, mass, mobility, rules.iterations, rules.tolerance)
        scene.leaf[SPEED] += give(scene.rows, count, scene.states, mass, mobility)
    for pig in range(first, last):
        state = scene.states[pig]
        for i in range(3):
            state[i] += h * state[VELOCITY + i]
        turn(mass, state, h)
    if is_swinging:
        swing_leaf(door, scene.leaf, h)


@inlined
def _touch(
    hull: Hull,
    mass: Mass,
    rules: Rules,
    door: Door,
    scene: Scene,
    height: float,
    pig: int,
    mobility: float,
    count: int,
) -> int:
    """Find one pig's contact points, and write a contact for each that has no gap."""
    state, counts, reach = scene.states[pig], scene.counts[pig], hull.radius + hull.breaking
    r = matrix(state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3])
    spin = inverse_inertia_times(mass, r, state[MOMENTUM], state[MOMENTUM + 1], state[MOMENTUM + 2])
    if state[2] > reach:
        counts[TABLE] = 0
    else:
        points = scene.points[pig, TABLE]
        counts[TABLE] = refresh(points, counts[TABLE], state, r, TABLE_FRAME, hull.breaking)
        if _meet_table(hull, state, r, scene.point, scene.hints[pig]):
            counts[TABLE] = add(points, counts[TABLE], scene.point, hull.breaking)
        surface = Surface(
            rules.table_restitution,
            rules.table_friction,
            rules.bounce_speed,
            rules.push,
            0.0,
            0.0,
        )
        count = _write(hull, mass, scene, pig, TABLE, r, spin, TABLE_FRAME, surface, count)
    if door.exists == 0:
        return count
    frame = leaf_frame(door, scene.leaf, height)
    if box_distance(door, frame, state[0], state[1], state[2]) > reach:
        counts[LEAF] = 0
        return count
    points = scene.points[pig, LEAF]
    counts[LEAF] = refresh(points, counts[LEAF], state, r, frame, hull.breaking)
    if meet_leaf(hull, door, frame, state, r, scene.point, scene.hints[pig, 1:]):
        counts[LEAF] = add(points, counts[LEAF], scene.point, hull.breaking)
    surface = Surface(
        rules.leaf_restitution,
        rules.leaf_friction,
        rules.bounce_speed,
        rules.push,
        mobility,
        scene.leaf[SPEED],
    )
    return _write(hull, mass, scene, pig, LEAF, r, spin, frame, surface, count)


@compiled
def _meet_table(
    hull: Hull, state: np.ndarray, r: Nine, point: np.ndarray, hints: np.ndarray
) -> bool:
    """Write the point of the lowest vertex, if it is near the table."""
    hints[0] = lowest(hull, r[6], r[7], r[8], hints[0])
    v = hull.vertices[hints[0]]
    gap = state[2] + r[6] * v[0] + r[7] * v[1] + r[8] * v[2]
    if gap > hull.breaking:
        return False
    point[0], point[1], point[2] = v[0], v[1], v[2]
    point[3] = state[0] + r[0] * v[0] + r[1] * v[1] + r[2] * v[2]
    point[4] = state[1] + r[3] * v[0] + r[4] * v[1] + r[5] * v[2]
    point[5] = 0.0
    point[NORMAL], point[NORMAL + 1], point[NORMAL + 2] = 0.0, 0.0, 1.0
    point[GAP] = gap
    return True


@compiled
def _write(
    hull: Hull,
    mass: Mass,
    scene: Scene,
    pig: int,
    which: int,
    r: Nine,
    spin: Three,
    frame: Four,
    surface: Surface,
    count: int,
) -> int:
    """Write a contact for every point of a pig on one surface that has no gap.

    As in Bullet, however small the gap is. A point about which a body rolls rises by
    spin^2 arm step^2 / 2, a micrometer at most: were it held, a body that stands on an edge or a
    corner would roll on otherwise than Bullet's, and a block land by 0.8 points oftener on its
    middle faces.
    """
    state = scene.states[pig]
    for one in range(scene.counts[pig, which]):
        p = scene.points[pig, which, one]
        if p[GAP] > 0.0:
            continue
        arm = (
            r[0] * p[0] + r[1] * p[1] + r[2] * p[2],
            r[3] * p[0] + r[4] * p[1] + r[5] * p[2],
            r[6] * p[0] + r[7] * p[1] + r[8] * p[2],
        )
        hinge_arm = (state[0] + arm[0] - frame[0], 0.0, state[2] + arm[2] - frame[1])
        normal = world_direction(frame, p[NORMAL], p[NORMAL + 1], p[NORMAL + 2])
        count = add_contact(
            scene.rows,
            count,
            pig,
            mass,
            state,
            r,
            spin,
            arm,
            normal,
            hinge_arm,
            p,
            surface,
        )
    return count
