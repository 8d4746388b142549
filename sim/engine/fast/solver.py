"""Impulses of all contacts of a step: Newton's restitution, Coulomb's cone, Gauss-Seidel.

Each contact wants its normal speed to be what its restitution and the correction of its depth ask
for, by a push only; and its slip to be zero, by an impulse within the cone of friction. The
projected Gauss-Seidel method takes them in turn, all pushes, then all frictions, until no speed
changes, as Bullet's solver does.

References:
    Catto, E. (2005), "Iterative dynamics with temporal coherence", Game Developers Conference.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from sim.engine.fast.compiled import compiled, inlined
from sim.engine.fast.manifold import GAP
from sim.engine.fast.motion import MOMENTUM, VELOCITY, Mass, Nine, Three, inverse_inertia_times

VECTOR = 12
"""Lines that are taken at once: those of four contacts, so that loops have a fixed length."""


class Rows(NamedTuple):
    """Contacts of one step, room for c of them.

    A contact has three rows, one after the other: along its normal and two tangents.

    Attributes:
        body: (c,) which pig.
        along: (3, 3 c) directions, world axes.
        arm: (3, 3 c) arm from the center of mass x direction [m].
        turn: (3, 3 c) inverse inertia times `arm`.
        lever: (3 c,) speed of the surface along the direction per speed of the leaf [m].
        speed: (3 c,) of the point from the surface, after the impulses as they are [m/s].
        before: (3 c,) that speed an iteration earlier [m/s].
        impulse: (3 c,) [N s].
        target: (c,) wanted normal speed [m/s].
        friction: (c,) Coulomb coefficient.
        response: (3 c, 3 c) speed along each row that an impulse along each row gives [1/kg].
        inertia: (3 c,) inverse of its diagonal [kg].
    """

    body: np.ndarray
    along: np.ndarray
    arm: np.ndarray
    turn: np.ndarray
    lever: np.ndarray
    speed: np.ndarray
    before: np.ndarray
    impulse: np.ndarray
    target: np.ndarray
    friction: np.ndarray
    response: np.ndarray
    inertia: np.ndarray


def room_for(contacts: int) -> Rows:
    """Make room for contacts."""
    lines = 3 * contacts
    along, arm, turn = np.zeros((3, 3, lines))
    lever, speed, before, impulse, inertia = np.zeros((5, lines))
    target, friction = np.zeros((2, contacts))
    return Rows(
        body=np.zeros(contacts, np.int64),
        along=along,
        arm=arm,
        turn=turn,
        lever=lever,
        speed=speed,
        before=before,
        impulse=impulse,
        target=target,
        friction=friction,
        response=np.zeros((lines, lines)),
        inertia=inertia,
    )


class Surface(NamedTuple):
    """What a contact needs to know of the table or the leaf.

    Attributes:
        restitution: Of the pair.
        friction: Of the pair.
        bounce_speed: Approach speed below which nothing rebounds [m/s].
        push: Speed per depth at which a penetration is undone [1/s].
        close: Speed per gap at which a gap closes in one step [1/s].
        mobility: Inverse of the leaf's inertia [1/(kg m^2)]; 0 for what stands still.
        speed: Of the leaf [rad/s].
    """

    restitution: float
    friction: float
    bounce_speed: float
    push: float
    close: float
    mobility: float
    speed: float


@compiled
def add_contact(
    rows: Rows,
    count: int,
    body: int,
    mass: Mass,
    state: np.ndarray,
    r: Nine,
    spin: Three,
    arm: Three,
    normal: Three,
    hinge_arm: Three,
    point: np.ndarray,
    surface: Surface,
) -> int:
    """Write one contact.

    Args:
        rows: Where to.
        count: Contacts there already.
        body: Which pig.
        mass: Of the pig.
        state: Of the pig.
        r: World from principal.
        spin: Of the pig [rad/s].
        arm: From the center of mass to the point [m].
        normal: Away from the surface.
        hinge_arm: From the hinge to the point [m].
        point: Its row in the manifold.
        surface: Which is touched.

    Returns:
        How many contacts there are.
    """
    rows.body[count] = body
    u, v, w = state[VELOCITY], state[VELOCITY + 1], state[VELOCITY + 2]
    first = 3 * count
    _write_directions(rows.along, first, normal)
    for row in range(first, first + 3):
        x, y, z = rows.along[0, row], rows.along[1, row], rows.along[2, row]
        a, b, c = arm[1] * z - arm[2] * y, arm[2] * x - arm[0] * z, arm[0] * y - arm[1] * x
        rows.arm[0, row], rows.arm[1, row], rows.arm[2, row] = a, b, c
        lever = x * hinge_arm[2] - z * hinge_arm[0]
        rows.lever[row] = lever
        own = u * x + v * y + w * z + spin[0] * a + spin[1] * b + spin[2] * c
        rows.speed[row] = own - lever * surface.speed
        a, b, c = inverse_inertia_times(mass, r, a, b, c)
        rows.turn[0, row], rows.turn[1, row], rows.turn[2, row] = a, b, c
    speed = rows.speed[first]
    bounce = -surface.restitution * speed if speed < -surface.bounce_speed else 0.0
    gap = point[GAP]
    rows.target[count] = bounce - gap * (surface.push if gap < 0.0 else surface.close)
    for k in range(3):
        rows.impulse[first + k] = 0.0
    rows.friction[count] = surface.friction
    return count + 1


@compiled
def _write_directions(along: np.ndarray, first: int, normal: Three) -> None:
    """Write the normal and two tangents, all at right angles."""
    x, y, z = normal
    if abs(z) > 0.7:
        size = sqrt(y * y + z * z)
        tx, ty, tz = 0.0, -z / size, y / size
    else:
        size = sqrt(x * x + y * y)
        tx, ty, tz = -y / size, x / size, 0.0
    along[0, first], along[1, first], along[2, first] = x, y, z
    along[0, first + 1], along[1, first + 1], along[2, first + 1] = tx, ty, tz
    along[0, first + 2] = y * tz - z * ty
    along[1, first + 2] = z * tx - x * tz
    along[2, first + 2] = x * ty - y * tx


@compiled
def solve(rows: Rows, count: int, mass: Mass, mobility: float, most: int, tolerance: float) -> None:
    """Find the impulses.

    Args:
        rows: The contacts; holds the impulses.
        count: How many.
        mass: Of every pig.
        mobility: Inverse of the leaf's inertia [1/(kg m^2)]; 0 for what stands still.
        most: Iterations.
        tolerance: The last iteration changes no speed by more than this [m/s]. Impulses of pigs
            that stand on more points than they need may still shift among these, to no effect.
    """
    _respond(rows, count, mass, mobility)
    impulse, speed, inertia = rows.impulse, rows.speed, rows.inertia
    lines = 3 * count
    for _ in range(most):
        for row in range(lines):
            rows.before[row] = speed[row]
        for one in range(count):
            row = 3 * one
            after = max(impulse[row] + (rows.target[one] - speed[row]) * inertia[row], 0.0)
            if after != impulse[row]:
                _push(speed, rows.response, lines, row, after - impulse[row])
                impulse[row] = after
        for one in range(count):
            _rub(impulse, speed, inertia, rows.response, lines, one, rows.friction[one])
        change = 0.0
        for row in range(lines):
            change = max(change, abs(speed[row] - rows.before[row]))
        if change <= tolerance:
            break


@compiled
def _respond(rows: Rows, count: int, mass: Mass, mobility: float) -> None:
    """Write what every impulse does to the speed along every row."""
    inverse_mass, lines = 1.0 / mass.mass, 3 * count
    response, along, arm, turn = rows.response, rows.along, rows.arm, rows.turn
    first = 0
    while first < count:
        last = first + 1
        while last < count and rows.body[last] == rows.body[first]:
            last += 1
        for i in range(3 * first, 3 * last):
            lever = mobility * rows.lever[i]
            for j in range(lines):
                response[i, j] = lever * rows.lever[j]
            for x in range(3):
                a, b = inverse_mass * along[x, i], arm[x, i]
                for j in range(3 * first, 3 * last):
                    response[i, j] += a * along[x, j] + b * turn[x, j]
            rows.inertia[i] = 1.0 / response[i, i]
        first = last


@inlined
def _push(speed: np.ndarray, response: np.ndarray, lines: int, row: int, impulse: float) -> None:
    """Add to every speed what an impulse along a row gives; lines past the last do no harm."""
    for first in range(0, lines, VECTOR):
        for j in range(VECTOR):
            speed[first + j] += impulse * response[row, first + j]


@inlined
def _rub(
    impulse: np.ndarray,
    speed: np.ndarray,
    inertia: np.ndarray,
    response: np.ndarray,
    lines: int,
    one: int,
    friction: float,
) -> None:
    """Update one contact's friction."""
    first, second = 3 * one + 1, 3 * one + 2
    before_a, before_b = impulse[first], impulse[second]
    a = before_a - speed[first] * inertia[first]
    b = before_b - speed[second] * inertia[second]
    limit = friction * impulse[3 * one]
    size2 = a * a + b * b
    if size2 > limit * limit:
        scale = limit / sqrt(size2)
        a, b = a * scale, b * scale
    if a == before_a and b == before_b:
        return
    impulse[first], impulse[second] = a, b
    _push(speed, response, lines, first, a - before_a)
    _push(speed, response, lines, second, b - before_b)


@compiled
def give(rows: Rows, count: int, states: np.ndarray, mass: Mass, mobility: float) -> float:
    """Give the pigs their impulses and the impulses' moments; returns the leaf's gain [rad/s]."""
    gain, inverse_mass = 0.0, 1.0 / mass.mass
    for one in range(count):
        pig = rows.body[one]
        for row in range(3 * one, 3 * one + 3):
            impulse = rows.impulse[row]
            gain -= impulse * rows.lever[row] * mobility
            for i in range(3):
                states[pig, VELOCITY + i] += impulse * inverse_mass * rows.along[i, row]
                states[pig, MOMENTUM + i] += impulse * rows.arm[i, row]
    return gain
