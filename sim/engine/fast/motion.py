"""Motion of one rigid body: a row of numbers, and its exact free flight.

A state is a row of 13: position of the center of mass [m] (3), quat_xyzw world_from_principal (4),
velocity [m/s] (3), angular momentum about the center in world axes [kg m^2/s] (3). Momentum in
place of spin, since it is what a free body keeps.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from sim.engine.fast.compiled import compiled
from sim.engine.flight import GRAVITY, MAX_TURN

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


@compiled
def _rate(mass: Mass, x: float, y: float, z: float, w: float, a: float, b: float, c: float) -> Four:
    """Time derivative of the quaternion under a constant angular momentum (a, b, c)."""
    r = matrix(x, y, z, w)
    ox, oy, oz = inverse_inertia_times(mass, r, a, b, c)
    return (
        0.5 * (ox * w + oy * z - oz * y),
        0.5 * (oy * w + oz * x - ox * z),
        0.5 * (oz * w + ox * y - oy * x),
        -0.5 * (ox * x + oy * y + oz * z),
    )


@compiled
def turn(mass: Mass, state: np.ndarray, duration: float) -> None:
    """Advance the orientation of a body that nothing touches; see sim.engine.flight.fly."""
    a, b, c = state[MOMENTUM], state[MOMENTUM + 1], state[MOMENTUM + 2]
    angle = sqrt(a * a + b * b + c * c) * mass.inverse_max * duration
    steps = max(1, ceil(angle / MAX_TURN))
    h = duration / steps
    x, y, z, w = state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3]
    for _ in range(steps):
        x1, y1, z1, w1 = _rate(mass, x, y, z, w, a, b, c)
        g = 0.5 * h
        x2, y2, z2, w2 = _rate(mass, x + g * x1, y + g * y1, z + g * z1, w + g * w1, a, b, c)
        x3, y3, z3, w3 = _rate(mass, x + g * x2, y + g * y2, z + g * z2, w + g * w2, a, b, c)
        x4, y4, z4, w4 = _rate(mass, x + h * x3, y + h * y3, z + h * z3, w + h * w3, a, b, c)
        x += h / 6.0 * (x1 + 2 * x2 + 2 * x3 + x4)
        y += h / 6.0 * (y1 + 2 * y2 + 2 * y3 + y4)
        z += h / 6.0 * (z1 + 2 * z2 + 2 * z3 + z4)
        w += h / 6.0 * (w1 + 2 * w2 + 2 * w3 + w4)
        scale = 1.0 / sqrt(x * x + y * y + z * z + w * w)
        x, y, z, w = x * scale, y * scale, z * scale, w * scale
    state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3] = x, y, z, w


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
