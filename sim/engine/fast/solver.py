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
        mobility: Inverse of the leaf's inertia [1/(kg m^2)]; 0 for what stands still.
        speed: Of the leaf [rad/s].
    """

    restitution: float
    friction: float
    bounce_speed: float
    push: float
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
    rows.target[count] = bounce - point[GAP] * surface.push
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
    if count == 1:
        _solve_one(rows, mass, mobility, most, tolerance)
        return
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
def _solve_one(rows: Rows, mass: Mass, mobility: float, most: int, tolerance: float) -> None:
    """Find the impulse of a single contact, the commonest case: at once if it sticks.

    The impulse that gives all three wanted speeds is where the iterations of a contact that sticks
    would end, so it stands if it pushes and lies in the cone of friction. Else they are done as by
    `solve`, but in registers.
    """
    inverse_mass = 1.0 / mass.mass
    xx = _response(rows, inverse_mass, mobility, 0, 0)
    xy = _response(rows, inverse_mass, mobility, 0, 1)
    xz = _response(rows, inverse_mass, mobility, 0, 2)
    yy = _response(rows, inverse_mass, mobility, 1, 1)
    yz = _response(rows, inverse_mass, mobility, 1, 2)
    zz = _response(rows, inverse_mass, mobility, 2, 2)
    u, v, w = rows.speed[0], rows.speed[1], rows.speed[2]
    target, friction = rows.target[0], rows.friction[0]
    x, y, z = _stick(xx, xy, xz, yy, yz, zz, target - u, -v, -w)
    if x >= 0.0 and y * y + z * z <= friction * friction * x * x:
        rows.impulse[0], rows.impulse[1], rows.impulse[2] = x, y, z
        return
    over_x, over_y, over_z = 1.0 / xx, 1.0 / yy, 1.0 / zz
    x, y, z = 0.0, 0.0, 0.0
    for _ in range(most):
        before_u, before_v, before_w = u, v, w
        after = max(x + (target - u) * over_x, 0.0)
        gain = after - x
        u, v, w, x = u + gain * xx, v + gain * xy, w + gain * xz, after
        a, b = y - v * over_y, z - w * over_z
        limit, size2 = friction * x, a * a + b * b
        if size2 > limit * limit:
            scale = limit / sqrt(size2)
            a, b = a * scale, b * scale
        gain = a - y
        u, v, w, y = u + gain * xy, v + gain * yy, w + gain * yz, a
        gain = b - z
        u, v, w, z = u + gain * xz, v + gain * yz, w + gain * zz, b
        change = max(abs(u - before_u), abs(v - before_v), abs(w - before_w))
        if change <= tolerance:
            break
    rows.impulse[0], rows.impulse[1], rows.impulse[2] = x, y, z


@compiled
def _stick(
    xx: float,
    xy: float,
    xz: float,
    yy: float,
    yz: float,
    zz: float,
    p: float,
    q: float,
    r: float,
) -> Three:
    """Solve for the impulse that changes three speeds by (p, q, r), by Cramer's rule."""
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    scale = 1.0 / (xx * a + xy * b + xz * c)
    return (
        (a * p + b * q + c * r) * scale,
        (b * p + d * q + e * r) * scale,
        (c * p + e * q + f * r) * scale,
    )


@compiled
def _respond(rows: Rows, count: int, mass: Mass, mobility: float) -> None:
    """Write what every impulse does to the speed along every row."""
    response, lines = rows.response, 3 * count
    inverse_mass, first = 1.0 / mass.mass, 0
    while first < count:
        last = first + 1
        while last < count and rows.body[last] == rows.body[first]:
            last += 1
        for i in range(3 * first, 3 * last):
            for j in range(i, 3 * last):
                response[i, j] = response[j, i] = _response(rows, inverse_mass, mobility, i, j)
            for j in range(3 * last, lines):
                response[i, j] = response[j, i] = mobility * rows.lever[i] * rows.lever[j]
            rows.inertia[i] = 1.0 / response[i, i]
        first = last


@inlined
def _response(rows: Rows, inverse_mass: float, mobility: float, i: int, j: int) -> float:
    """Speed along row j that an impulse along row i of the same pig gives [1/kg]."""
    along, arm, turn = rows.along, rows.arm, rows.turn
    way = along[0, i] * along[0, j] + along[1, i] * along[1, j] + along[2, i] * along[2, j]
    roll = arm[0, i] * turn[0, j] + arm[1, i] * turn[1, j] + arm[2, i] * turn[2, j]
    return inverse_mass * way + roll + mobility * rows.lever[i] * rows.lever[j]


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
