"""Motion of one rigid body: a row of numbers, and its exact free flight.

A state is a row of 13: position of the center of mass [m] (3), quat_xyzw world_from_principal (4),
velocity [m/s] (3), angular momentum about the center in world axes [kg m^2/s] (3). Momentum in
place of spin, since it is what a free body keeps.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from sim.engine.fast.compiled import compiled, inlined
from sim.engine.flight import GRAVITY, MAX_TURN, turn_once

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
Nine = tuple[float, float, float, float, float, float, float, float, float]

STATE = 13
POSITION, QUAT, VELOCITY, MOMENTUM = 0, 3, 7, 10


class Mass(NamedTuple):
    """What a body's motion depends on.

    Attributes:
        mass: [kg].
        inverse_x: Inverse of the first principal moment [1/(kg m^2)].
        inverse_y: Of the second.
        inverse_z: Of the third.
        inverse_max: The largest of them.
        curving: Factor 1 + c / sqrt(3) of the bound on a free vertex's acceleration; see bounds.
    """

    mass: float
    inverse_x: float
    inverse_y: float
    inverse_z: float
    inverse_max: float
    curving: float


@compiled
def matrix(x: float, y: float, z: float, w: float) -> Nine:
    """Rotation matrix of a unit quaternion, row by row."""
    return (
        1 - 2 * (y * y + z * z),
        2 * (x * y - z * w),
        2 * (x * z + y * w),
        2 * (x * y + z * w),
        1 - 2 * (x * x + z * z),
        2 * (y * z - x * w),
        2 * (x * z - y * w),
        2 * (y * z + x * w),
        1 - 2 * (x * x + y * y),
    )


@compiled
def inverse_inertia_times(mass: Mass, r: Nine, a: float, b: float, c: float) -> Three:
    """Multiply a world vector by the inverse of the inertia in world axes."""
    u = (r[0] * a + r[3] * b + r[6] * c) * mass.inverse_x
    v = (r[1] * a + r[4] * b + r[7] * c) * mass.inverse_y
    w = (r[2] * a + r[5] * b + r[8] * c) * mass.inverse_z
    return (
        r[0] * u + r[1] * v + r[2] * w,
        r[3] * u + r[4] * v + r[5] * w,
        r[6] * u + r[7] * v + r[8] * w,
    )


_turn_once = inlined(turn_once)


@compiled
def turn(mass: Mass, state: np.ndarray, duration: float) -> None:
    """Advance the orientation of a body that nothing touches; see sim.engine.flight.fly."""
    a, b, c = momentum = state[MOMENTUM], state[MOMENTUM + 1], state[MOMENTUM + 2]
    angle = sqrt(a * a + b * b + c * c) * mass.inverse_max * duration
    steps = max(1, ceil(angle / MAX_TURN))
    h = duration / steps
    inverse = (mass.inverse_x, mass.inverse_y, mass.inverse_z)
    quat = (state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3])
    for _ in range(steps):
        quat = _turn_once(quat, momentum, inverse, h)
    state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3] = quat


@compiled
def fly(mass: Mass, state: np.ndarray, duration: float) -> None:
    """Advance a body that nothing touches: parabola, and torque-free rotation."""
    state[0] += state[VELOCITY] * duration
    state[1] += state[VELOCITY + 1] * duration
    state[2] += state[VELOCITY + 2] * duration - 0.5 * GRAVITY * duration * duration
    state[VELOCITY + 2] -= GRAVITY * duration
    turn(mass, state, duration)


@compiled
def energy_height(mass: Mass, state: np.ndarray) -> float:
    """Height at which the center of mass would stand still with all its energy [m]."""
    r = matrix(state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3])
    a, b, c = state[MOMENTUM], state[MOMENTUM + 1], state[MOMENTUM + 2]
    ox, oy, oz = inverse_inertia_times(mass, r, a, b, c)
    u, v, w = state[VELOCITY], state[VELOCITY + 1], state[VELOCITY + 2]
    twice = u * u + v * v + w * w + (ox * a + oy * b + oz * c) / mass.mass
    return state[2] + 0.5 * twice / GRAVITY
