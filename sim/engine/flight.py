"""Exact free flight: ballistic center of mass, torque-free rotation, and when it surely ends.

Bullet integrates the gyroscopic term with an explicit Euler step: at 100 rad/s and 1 kHz a pig's
rotational energy grows by 14 % in half a second. While a pig can touch nothing its motion is known,
so the engine replaces Bullet's result by this one, and skips the steps altogether when every
moving pig flies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt

import numpy as np

GRAVITY = 9.80665  # standard gravity [m/s^2]
MAX_TURN = 0.2  # largest rotation per Runge-Kutta step [rad]; local error about 3e-6 rad


@dataclass(frozen=True)
class Motion:
    """State of one rigid body, principal axes at its center of mass.

    Attributes:
        position: Center of mass in the world [m].
        quat_xyzw: Orientation world_from_principal, unit.
        velocity: Of the center of mass [m/s].
        spin: Angular velocity in world axes [rad/s].
    """

    position: tuple[float, float, float]
    quat_xyzw: tuple[float, float, float, float]
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]

    @classmethod
    def of(
        cls,
        position: Sequence[float] | np.ndarray,
        quat_xyzw: Sequence[float] | np.ndarray,
        velocity: Sequence[float] | np.ndarray,
        spin: Sequence[float] | np.ndarray,
    ) -> Motion:
        """Write a motion from any sequences of numbers."""
        (x, y, z), (i, j, k, w) = map(float, position), map(float, quat_xyzw)
        (vx, vy, vz), (sx, sy, sz) = map(float, velocity), map(float, spin)
        return cls((x, y, z), (i, j, k, w), (vx, vy, vz), (sx, sy, sz))


def fly(motion: Motion, moments: tuple[float, float, float], duration: float) -> Motion:
    """Advance a body that nothing touches.

    The center of mass follows its parabola exactly. The orientation obeys
    dq/dt = omega(q) q / 2 with omega = R I^-1 R^T L and the angular momentum L constant in the
    world, so L is conserved by construction; fourth-order Runge-Kutta, at most MAX_TURN a step.

    Args:
        motion: State at the start.
        moments: Principal moments of inertia [kg m^2].
        duration: Time to advance [s], >= 0.
    """
    px, py, pz = motion.position
    vx, vy, vz = motion.velocity
    position = (
        px + vx * duration,
        py + vy * duration,
        pz + vz * duration - 0.5 * GRAVITY * duration * duration,
    )
    velocity = (vx, vy, vz - GRAVITY * duration)
    momentum = _world_from_principal(
        motion.quat_xyzw, _scaled(_principal_from_world(motion.quat_xyzw, motion.spin), moments)
    )
    inverse = (1.0 / moments[0], 1.0 / moments[1], 1.0 / moments[2])
    turn = sqrt(sum(m * m for m in momentum)) * max(inverse) * duration
    steps = max(1, ceil(turn / MAX_TURN))
    quat = motion.quat_xyzw
    for _ in range(steps):
        quat = _turn(quat, momentum, inverse, duration / steps)
    spin = _spin(quat, momentum, inverse)
    return Motion(position, quat, velocity, spin)


Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def _scaled(vector: Vector, factors: Vector) -> Vector:
    return (vector[0] * factors[0], vector[1] * factors[1], vector[2] * factors[2])


def _world_from_principal(quat: Quaternion, vector: Vector) -> Vector:
    x, y, z, w = quat
    vx, vy, vz = vector
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def _principal_from_world(quat: Quaternion, vector: Vector) -> Vector:
    x, y, z, w = quat
    return _world_from_principal((-x, -y, -z, w), vector)


def _spin(quat: Quaternion, momentum: Vector, inverse: Vector) -> Vector:
    return _world_from_principal(quat, _scaled(_principal_from_world(quat, momentum), inverse))


def _rate(quat: Quaternion, momentum: Vector, inverse: Vector) -> Quaternion:
    """Time derivative of the quaternion under a constant angular momentum."""
    x, y, z, w = quat
    ox, oy, oz = _spin(quat, momentum, inverse)
    return (
        0.5 * (ox * w + oy * z - oz * y),
        0.5 * (oy * w + oz * x - ox * z),
        0.5 * (oz * w + ox * y - oy * x),
        -0.5 * (ox * x + oy * y + oz * z),
    )


def _turn(quat: Quaternion, momentum: Vector, inverse: Vector, step: float) -> Quaternion:
    def moved(rate: Quaternion, fraction: float) -> Quaternion:
        h = fraction * step
        return (
            quat[0] + h * rate[0],
            quat[1] + h * rate[1],
            quat[2] + h * rate[2],
            quat[3] + h * rate[3],
        )

    k1 = _rate(quat, momentum, inverse)
    k2 = _rate(moved(k1, 0.5), momentum, inverse)
    k3 = _rate(moved(k2, 0.5), momentum, inverse)
    k4 = _rate(moved(k3, 1.0), momentum, inverse)
    x, y, z, w = (
        q + step / 6.0 * (a + 2 * b + 2 * c + d)
        for q, a, b, c, d in zip(quat, k1, k2, k3, k4, strict=True)
    )
    norm = sqrt(x * x + y * y + z * z + w * w)
    return (x / norm, y / norm, z / norm, w / norm)


@dataclass(frozen=True)
class Body:
    """What the bounds on free flight need to know of a pig.

    Attributes:
        vertices: Hull vertices in principal axes about the center of mass, (v, 3) [m].
        radius: Largest distance of a vertex from the center of mass [m].
        mass: [kg].
        moments: Principal moments of inertia [kg m^2].
    """

    vertices: np.ndarray
    radius: float
    mass: float
    moments: tuple[float, float, float]


def lowest_point(motion: Motion, vertices: np.ndarray) -> float:
    """Height of the body's lowest hull vertex above the table [m]."""
    x, y, z, w = motion.quat_xyzw
    down = np.array((2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
    return motion.position[2] + float((vertices @ down).min())


def time_above_table(motion: Motion, body: Body, clearance: float) -> float:
    """Bound from below the time before any vertex comes within `clearance` of the table [s].

    High up: the center of mass is on its parabola and every vertex within `radius` of it. Lower
    down: the lowest vertex sinks no faster than the parabola plus radius times the largest
    possible spin, |L| / smallest moment.
    """
    rise = motion.velocity[2]
    by_center = _fall_time(motion.position[2] - body.radius - clearance, rise)
    if by_center > 0.0:
        return by_center
    momentum = _scaled(_principal_from_world(motion.quat_xyzw, motion.spin), body.moments)
    spin = sqrt(sum(m * m for m in momentum)) / min(body.moments)
    gap = lowest_point(motion, body.vertices) - clearance
    return _fall_time(gap, rise - spin * body.radius)


def time_apart(a: Motion, b: Motion, reach: float) -> float:
    """Time until two flying centers come within `reach`; both fall alike, so exact [s]."""
    gap = [q - p for p, q in zip(a.position, b.position, strict=True)]
    rate = [q - p for p, q in zip(a.velocity, b.velocity, strict=True)]
    distance2 = sum(g * g for g in gap) - reach * reach
    closing = -sum(g * r for g, r in zip(gap, rate, strict=True))
    if distance2 <= 0.0:
        return 0.0
    speed2 = sum(r * r for r in rate)
    discriminant = closing * closing - speed2 * distance2
    if closing <= 0.0 or discriminant < 0.0:
        return inf
    return distance2 / (closing + sqrt(discriminant))


def time_to_reach(distance: float, speed: float) -> float:
    """Bound from below the time to cover `distance` [m] at `speed` [m/s] and falling freely [s]."""
    return _fall_time(distance, -speed)


def greatest_speed(motion: Motion, body: Body) -> float:
    """Bound the speed of the center of mass if all kinetic energy were translation [m/s]."""
    turning = max(body.moments) * sum(spin * spin for spin in motion.spin)
    return sqrt(sum(v * v for v in motion.velocity) + turning / body.mass)


def _fall_time(gap: float, rise: float) -> float:
    """Solve gap + rise t - g t^2 / 2 = 0 for the later root; 0 when the gap is used up."""
    if gap <= 0.0:
        return 0.0
    root = sqrt(rise * rise + 2.0 * GRAVITY * gap)
    return 2.0 * gap / (root - rise) if rise < 0.0 else (rise + root) / GRAVITY
