"""Exact free flight: ballistic center of mass, torque-free rotation, and when it surely ends.

Bullet integrates the gyroscopic term with an explicit Euler step: at 100 rad/s and 1 kHz a pig's
rotational energy grows by 14 % in half a second. While a pig can touch nothing its motion is known,
so the engine takes it from here, and skips the steps altogether when every moving pig flies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, sqrt

import numpy as np

from meshes.density import MassProperties

GRAVITY = 9.80665  # standard gravity [m/s^2]
MAX_TURN = 0.3  # largest rotation per step of `turn_once` [rad]; local error about 5e-7 rad


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

    The center of mass follows its parabola exactly; the orientation takes steps of `turn_once`, of
    at most MAX_TURN if all the energy were about the easiest axis.

    Args:
        motion: State at the start.
        moments: Principal moments of inertia [kg m^2].
        duration: Time to advance [s], >= 0.
    """
    own = _principal_from_world(motion.quat_xyzw, motion.spin)
    momentum = _world_from_principal(motion.quat_xyzw, _scaled(own, moments))
    inverse = (1.0 / moments[0], 1.0 / moments[1], 1.0 / moments[2])
    twice_energy = sum(moment * rate * rate for moment, rate in zip(moments, own, strict=True))
    steps = max(1, ceil(sqrt(twice_energy / min(moments)) * duration / MAX_TURN))
    quat = motion.quat_xyzw
    for _ in range(steps):
        quat = turn_once(quat, momentum, inverse, duration / steps)
    spin = _world_from_principal(quat, _scaled(_principal_from_world(quat, momentum), inverse))
    flown = fall(motion, duration)
    return Motion(flown.position, quat, flown.velocity, spin)


def fall(motion: Motion, duration: float) -> Motion:
    """Advance the center of mass alone of a body that nothing touches, by a time [s]."""
    (px, py, pz), (vx, vy, vz) = motion.position, motion.velocity
    sunk = pz + vz * duration - 0.5 * GRAVITY * duration * duration
    return Motion(
        (px + vx * duration, py + vy * duration, sunk),
        motion.quat_xyzw,
        (vx, vy, vz - GRAVITY * duration),
        motion.spin,
    )


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


def _greatest_spin2(own: Vector, moments: Vector) -> float:
    """Bound the squared spin of a free body [rad^2/s^2], by its energy and angular momentum.

    Both are sums over the axes, of shares p_i = L_i^2 / L^2 with a_i = 1 / I_i: 2 T / L^2 is the
    mean of the a_i and w^2 / L^2 that of their squares, which no shares put above the chord of the
    parabola from the least a_i to the greatest.

    Args:
        own: Spin in principal axes [rad/s].
        moments: Principal moments of inertia [kg m^2].
    """
    x, y, z = _scaled(own, moments)
    twice_energy = x * own[0] + y * own[1] + z * own[2]
    low, high = min(moments), max(moments)
    return max(0.0, ((low + high) * twice_energy - x * x - y * y - z * z) / (low * high))


def turn_once(quat: Quaternion, momentum: Vector, inverse: Vector, duration: float) -> Quaternion:
    """Turn a body that nothing touches, for a time in which it turns little.

    The orientation q obeys dq/dt = q s / 2 with the spin s = m / I in principal axes, where m, the
    angular momentum L seen from the body, obeys dm/dt = m x s; L stays as it is in the world, and
    so is conserved by construction. With the derivatives s1, s2 and s3 of s, in a time h the body
    turns by the vector of the Magnus expansion, to fourth order

        h s + h^2 s1 / 2 + h^3 s2 / 6 + h^4 s3 / 24 + h^3 s x s1 / 12 + h^4 s x s2 / 24,

    and the sine and cosine of its half are taken from their series. Written out: the fast engine
    has it compiled.

    Args:
        quat: Orientation world_from_principal, unit, xyzw.
        momentum: Angular momentum about the center of mass, world axes [kg m^2/s].
        inverse: Of the principal moments of inertia [1/(kg m^2)].
        duration: [s].

    References:
        Iserles, A., Munthe-Kaas, H. Z., Norsett, S. P., Zanna, A. (2000), "Lie-group methods", Acta
        Numerica 9: 215-365, section 4.
    """
    x, y, z, w = quat
    lx, ly, lz = momentum
    i, j, k = inverse
    tx, ty, tz = 2.0 * (z * ly - y * lz), 2.0 * (x * lz - z * lx), 2.0 * (y * lx - x * ly)
    a = lx + w * tx + z * ty - y * tz
    b = ly + w * ty + x * tz - z * tx
    c = lz + w * tz + y * tx - x * ty
    sx, sy, sz = a * i, b * j, c * k

    a1, b1, c1 = b * sz - c * sy, c * sx - a * sz, a * sy - b * sx
    sx1, sy1, sz1 = a1 * i, b1 * j, c1 * k

    a2 = b1 * sz - c1 * sy + b * sz1 - c * sy1
    b2 = c1 * sx - a1 * sz + c * sx1 - a * sz1
    c2 = a1 * sy - b1 * sx + a * sy1 - b * sx1
    sx2, sy2, sz2 = a2 * i, b2 * j, c2 * k

    sx3 = i * (b2 * sz - c2 * sy + 2.0 * (b1 * sz1 - c1 * sy1) + b * sz2 - c * sy2)
    sy3 = j * (c2 * sx - a2 * sz + 2.0 * (c1 * sx1 - a1 * sz1) + c * sx2 - a * sz2)
    sz3 = k * (a2 * sy - b2 * sx + 2.0 * (a1 * sy1 - b1 * sx1) + a * sy2 - b * sx2)

    h = duration
    half, third, fourth, twelfth = h / 2.0, h / 3.0, h / 4.0, h * h / 12.0
    ux, uy, uz = sx1 + half * sx2, sy1 + half * sy2, sz1 + half * sz2
    tx = sx + half * (sx1 + third * (sx2 + fourth * sx3)) + twelfth * (sy * uz - sz * uy)
    ty = sy + half * (sy1 + third * (sy2 + fourth * sy3)) + twelfth * (sz * ux - sx * uz)
    tz = sz + half * (sz1 + third * (sz2 + fourth * sz3)) + twelfth * (sx * uy - sy * ux)

    angle2 = h * h * (tx * tx + ty * ty + tz * tz)
    cosine = 1.0 - angle2 * (1 / 8 - angle2 * (1 / 384 - angle2 / 46080))
    sine = h * (0.5 - angle2 * (1 / 48 - angle2 * (1 / 3840 - angle2 / 645120)))
    tx, ty, tz = sine * tx, sine * ty, sine * tz
    p = x * cosine + w * tx + y * tz - z * ty
    q = y * cosine + w * ty + z * tx - x * tz
    r = z * cosine + w * tz + x * ty - y * tx
    s = w * cosine - x * tx - y * ty - z * tz
    shrink = 1.0 / sqrt(p * p + q * q + r * r + s * s)
    return p * shrink, q * shrink, r * shrink, s * shrink


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

    @classmethod
    def of(cls, vertices: np.ndarray, mass_properties: MassProperties) -> Body:
        """Take a hull's vertices, (v, 3) [m], from the pig's frame into principal axes."""
        moments, axes = mass_properties.principal()
        turned = (vertices - mass_properties.center_of_mass) @ axes
        a, b, c = moments.tolist()
        radius = float(np.linalg.norm(turned, axis=1).max())
        return cls(turned, radius, mass_properties.mass, (a, b, c))

    @cached_property
    def columns(self) -> np.ndarray:
        """Coordinates of the vertices, axis by axis, (3, v) [m]."""
        return np.ascontiguousarray(self.vertices.T)

    @cached_property
    def distances(self) -> np.ndarray:
        """Of the vertices from the center of mass, (v,) [m]."""
        return np.linalg.norm(self.vertices, axis=1)

    @cached_property
    def gyration2(self) -> float:
        """Square of the largest radius of gyration [m^2]."""
        return max(self.moments) / self.mass

    @cached_property
    def unsteadiness(self) -> float:
        """Bound w^2 + |dw/dt| of a free body as a multiple of its greatest w^2.

        Euler's equations dw_1/dt = (I_2 - I_3) / I_1 w_2 w_3 and so on, each coefficient at most c,
        give |dw/dt|^2 <= c^2 (w_1^2 w_2^2 + w_2^2 w_3^2 + w_3^2 w_1^2) <= c^2 w^4 / 3.
        """
        a, b, c = self.moments
        return 1.0 + max(abs(b - c) / a, abs(c - a) / b, abs(a - b) / c) / sqrt(3.0)


def lowest_point(motion: Motion, vertices: np.ndarray) -> float:
    """Height of the body's lowest hull vertex above the table [m]."""
    return motion.position[2] + float(
        (vertices @ np.array(up_in_principal(motion.quat_xyzw))).min()
    )


def lowest_vertex(motion: Motion, vertices: np.ndarray) -> Vector:
    """Which hull vertex is lowest, in principal axes [m]."""
    x, y, z = vertices[(vertices @ np.array(up_in_principal(motion.quat_xyzw))).argmin()].tolist()
    return (x, y, z)


def vertex_height(motion: Motion, vertex: Vector) -> float:
    """Height above the table of a vertex given in principal axes [m]."""
    a, b, c = up_in_principal(motion.quat_xyzw)
    return motion.position[2] + a * vertex[0] + b * vertex[1] + c * vertex[2]


def time_above_table(motion: Motion, body: Body, clearance: float) -> float:
    """Bound from below the time before any vertex comes within `clearance` of the table [s].

    The center of mass is on its parabola and every vertex within `radius` of it. Nearer to the
    table each vertex is followed by itself: at distance r from the center it has its own height
    and vertical speed, and about the center never accelerates by more than r (w^2 + |dw/dt|),
    with w the greatest spin that the rotational energy allows; see Body.unsteadiness.
    """
    rise = motion.velocity[2]
    by_center = _fall_time(motion.position[2] - body.radius - clearance, rise)
    own = _principal_from_world(motion.quat_xyzw, motion.spin)
    up = up_in_principal(motion.quat_xyzw)
    gaps, rises = np.array((up, _cross(up, own))) @ body.columns
    gaps += motion.position[2] - clearance
    if gaps[gaps.argmin()] <= 0.0:
        return by_center
    rises += rise
    falls = body.distances * (body.unsteadiness * _greatest_spin2(own, body.moments))
    falls += GRAVITY
    times = (rises + np.sqrt(rises * rises + 2.0 * falls * gaps)) / falls
    return max(by_center, float(times[times.argmin()]))


def up_in_principal(quat: Quaternion) -> Vector:
    """World's up in principal axes."""
    x, y, z, w = quat
    return (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def time_apart(a: Motion, b: Motion, reach: float) -> float:
    """Time until two flying centers come within `reach`; both fall alike, so exact [s]."""
    (ax, ay, az), (bx, by, bz) = a.position, b.position
    (au, av, aw), (bu, bv, bw) = a.velocity, b.velocity
    x, y, z, u, v, w = bx - ax, by - ay, bz - az, bu - au, bv - av, bw - aw
    distance2 = x * x + y * y + z * z - reach * reach
    closing = -(x * u + y * v + z * w)
    if distance2 <= 0.0:
        return 0.0
    speed2 = u * u + v * v + w * w
    discriminant = closing * closing - speed2 * distance2
    if closing <= 0.0 or discriminant < 0.0:
        return inf
    return distance2 / (closing + sqrt(discriminant))


def time_to_reach(distance: float, speed: float) -> float:
    """Bound from below the time to cover `distance` [m] at `speed` [m/s] and falling freely [s]."""
    return _fall_time(distance, -speed)


def greatest_speed(motion: Motion, body: Body) -> float:
    """Bound the speed of the center of mass if all kinetic energy were translation [m/s]."""
    (vx, vy, vz), (sx, sy, sz) = motion.velocity, motion.spin
    turning = body.gyration2 * (sx * sx + sy * sy + sz * sz)
    return sqrt(vx * vx + vy * vy + vz * vz + turning)


def _fall_time(gap: float, rise: float) -> float:
    """Solve gap + rise t - g t^2 / 2 = 0 for the later root; 0 when the gap is used up."""
    if gap <= 0.0:
        return 0.0
    root = sqrt(rise * rise + 2.0 * GRAVITY * gap)
    return 2.0 * gap / (root - rise) if rise < 0.0 else (rise + root) / GRAVITY
