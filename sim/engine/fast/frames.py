"""Between the pig's own frame and the principal axes at its center of mass, row by row.

Compiled, so that a row's result has the same bits however many rows there are.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from sim.engine.fast.basin import UNDECIDED
from sim.engine.fast.compiled import compiled
from sim.engine.fast.motion import (
    MOMENTUM,
    POSITION,
    QUAT,
    VELOCITY,
    Four,
    Mass,
    Three,
    inverse_inertia_times,
    matrix,
)


class Frames(NamedTuple):
    """The principal frame in the pig's.

    Attributes:
        quat_xyzw: pig_from_principal.
        center: Of mass, pig frame [m].
        moments: Principal moments of inertia [kg m^2].
        downs: (p, 3) down in every stable pose, principal frame.
        heights: (p,) of the center of mass in every stable pose [m].
    """

    quat_xyzw: Four
    center: Three
    moments: Three
    downs: np.ndarray
    heights: np.ndarray


@compiled
def product(a: Four, b: Four) -> Four:
    """Compose two rotations, the second one first."""
    x, y, z, w = a
    p, q, r, s = b
    return (
        w * p + x * s + y * r - z * q,
        w * q - x * r + y * s + z * p,
        w * r + x * q - y * p + z * s,
        w * s - x * p - y * q - z * r,
    )


@compiled
def to_states(
    frames: Frames,
    translation: np.ndarray,
    quat_xyzw: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    states: np.ndarray,
) -> None:
    """Write states (n, 13) of pigs whose poses are world_from_pig; see motion."""
    for row in range(len(states)):
        state, q, s = states[row], quat_xyzw[row], spin[row]
        turn = (q[0], q[1], q[2], q[3])
        x, y, z, w = product(turn, frames.quat_xyzw)
        scale = 1.0 / sqrt(x * x + y * y + z * z + w * w)
        x, y, z, w = x * scale, y * scale, z * scale, w * scale
        arm = _turned(turn, frames.center)
        r = matrix(x, y, z, w)
        own = (
            (r[0] * s[0] + r[3] * s[1] + r[6] * s[2]) * frames.moments[0],
            (r[1] * s[0] + r[4] * s[1] + r[7] * s[2]) * frames.moments[1],
            (r[2] * s[0] + r[5] * s[1] + r[8] * s[2]) * frames.moments[2],
        )
        momentum = _turned((x, y, z, w), own)
        state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3] = x, y, z, w
        for i in range(3):
            state[POSITION + i] = translation[row, i] + arm[i]
            state[VELOCITY + i] = velocity[row, i]
            state[MOMENTUM + i] = momentum[i]


@compiled
def to_poses(
    frames: Frames,
    mass: Mass,
    states: np.ndarray,
    pose: np.ndarray,
    translation: np.ndarray,
    quat_xyzw: np.ndarray,
    spin: np.ndarray,
) -> None:
    """Write poses world_from_pig and spins (n, ...); a pig that is sure of its pose takes it.

    By the shortest turn that brings the pose's down to the world's, so that its heading stays.
    """
    x, y, z, w = frames.quat_xyzw
    back = (-x, -y, -z, w)
    for row in range(len(states)):
        state = states[row]
        turn = (state[QUAT], state[QUAT + 1], state[QUAT + 2], state[QUAT + 3])
        height = state[POSITION + 2]
        one = pose[row]
        if one != UNDECIDED:
            turn = _lay(turn, frames.downs[one, 0], frames.downs[one, 1], frames.downs[one, 2])
            height = frames.heights[one]
        a, b, c, d = product(turn, back)
        if d < 0.0:
            a, b, c, d = -a, -b, -c, -d
        arm = _turned((a, b, c, d), frames.center)
        translation[row, 0] = state[POSITION] - arm[0]
        translation[row, 1] = state[POSITION + 1] - arm[1]
        translation[row, 2] = height - arm[2]
        quat_xyzw[row, 0], quat_xyzw[row, 1], quat_xyzw[row, 2], quat_xyzw[row, 3] = a, b, c, d
        r = matrix(turn[0], turn[1], turn[2], turn[3])
        spin[row, 0], spin[row, 1], spin[row, 2] = inverse_inertia_times(
            mass, r, state[MOMENTUM], state[MOMENTUM + 1], state[MOMENTUM + 2]
        )


@compiled
def _lay(turn: Four, x: float, y: float, z: float) -> Four:
    """Turn a body so that its direction (x, y, z) points down, by the shortest way."""
    down = _turned(turn, (x, y, z))
    size = sqrt(down[0] * down[0] + down[1] * down[1])
    if size == 0.0:
        return turn
    half = 0.5 * atan2(size, -down[2])
    along = sin(half) / size
    p, q, r, s = product((-down[1] * along, down[0] * along, 0.0, cos(half)), turn)
    scale = 1.0 / sqrt(p * p + q * q + r * r + s * s)
    return p * scale, q * scale, r * scale, s * scale


@compiled
def _turned(quat: Four, vector: Three) -> Three:
    r = matrix(quat[0], quat[1], quat[2], quat[3])
    a, b, c = vector
    return (
        r[0] * a + r[1] * b + r[2] * c,
        r[3] * a + r[4] * b + r[5] * c,
        r[6] * a + r[7] * b + r[8] * c,
    )
