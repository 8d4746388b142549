"""What releases the pigs: the trap door of the published experiment, a bare drop, a hand.

Kern (2006) describes a trap door over a standardized surface, the release heights and which way
the pigs faced; nothing else about it is published. Every other number here is an assumption, made
once, named, and recorded with the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, pi, radians

import numpy as np
from scipy.spatial.transform import Rotation

INCH = 0.0254  # [m]
MAX_HEIGHT = 2.0
"""Of release [m]; from 5 m up, 3 % of pigs are fast enough to pass through the table in a step."""

STARTS = ("forward", "backward", "mixed")


@dataclass(frozen=True)
class Condition:
    """Height of release [m] and which way the pigs face; elsewhere the start is "random"."""

    height: float
    start: str

    def __post_init__(self) -> None:
        if not (isfinite(self.height) and 0.0 < self.height <= MAX_HEIGHT):
            raise ValueError(
                f"height must be above 0 and at most {MAX_HEIGHT:g} m, got {self.height:g} m"
            )


# Four equal blocks of 1,500 throws (Kern 2006).
KERN_2006 = (
    Condition(5 * INCH, "forward"),
    Condition(5 * INCH, "backward"),
    Condition(8 * INCH, "forward"),
    Condition(8 * INCH, "mixed"),
)


@dataclass(frozen=True)
class Placement:
    """How n throws of k pigs leave a device.

    Attributes:
        translation: (n, k, 3) [m] world_from_pig.
        quat_xyzw: (n, k, 4) world_from_pig.
        velocity: Of the center of mass, (n, k, 3) [m/s].
        spin: World axes, (n, k, 3) [rad/s].
    """

    translation: np.ndarray
    quat_xyzw: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


@dataclass(frozen=True)
class TrapDoor:
    """A single leaf on a hinge, level when closed, that falls by its own weight.

    The hinge lies along y at x = -leaf_length / 2, the leaf's middle is over the world's origin.
    "forward" faces +x, away from the hinge (assumption). The height of release is that of the
    leaf's upper face, where the pigs stand on their four feet in a row along y.

    Attributes:
        leaf_length: From the hinge to the free edge [m], assumption: open, it leaves 35 mm below
            it at the lower of the published heights, more than a pig is long, so that it comes
            down on none that bounces there.
        leaf_thickness: [m], assumption; twice that of the sheet, so that nothing passes through it
            in a step.
        leaf_mass: [kg], assumption; a sheet of 92 x 120 x 1.5 mm of aluminum.
        edge: Leaf beyond the outermost pigs' centers along y [m], assumption.
        open_angle: Where a catch stops and holds the leaf [rad], assumption.
        spacing: Between neighboring pigs' centers [m], assumption; sets the touching rate.
        jitter: Half-width of the uniform placement error along x and y [m], assumption.
        yaw_jitter: Half-width of the uniform error of heading [rad], assumption.
    """

    leaf_length: float = 0.092
    leaf_thickness: float = 0.003
    leaf_mass: float = 0.045
    edge: float = 0.035
    open_angle: float = pi / 2
    spacing: float = 0.050
    jitter: float = 0.003
    yaw_jitter: float = radians(5.0)

    def __post_init__(self) -> None:
        _require_positive(self, "leaf_length", "leaf_thickness", "leaf_mass", "edge", "spacing")
        _require_nonnegative(self, "jitter", "yaw_jitter")
        if not 0.0 < self.open_angle < pi:
            raise ValueError(
                "open_angle must lie in (0, pi) rad; at pi the leaf would be upright again; "
                f"got {self.open_angle}"
            )

    def leaf_width(self, pigs: int) -> float:
        """Length of the leaf along the hinge that holds a row of pigs [m]."""
        return (pigs - 1) * self.spacing + 2 * self.edge

    def draw(self, pigs: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the errors of one throw: heading [rad], x and y [m], (k, 3)."""
        drawn = np.empty((pigs, 3))
        drawn[:, 0] = rng.uniform(-self.yaw_jitter, self.yaw_jitter, pigs)
        drawn[:, 1:] = rng.uniform(-self.jitter, self.jitter, (pigs, 2))
        return drawn

    def place(
        self, conditions: Sequence[Condition], drawn: np.ndarray, hull: np.ndarray
    ) -> Placement:
        """Stand pigs on the closed leaf, at rest: one condition and (k, 3) drawn each throw."""
        throws, pigs, _ = drawn.shape
        ways = {
            "forward": np.zeros(pigs, bool),
            "backward": np.ones(pigs, bool),
            "mixed": np.arange(pigs) % 2 == 1,
        }
        backward = np.array([ways[condition.start] for condition in conditions])
        yaw = np.where(backward, pi, 0.0) + drawn[..., 0]
        translation = np.zeros((throws, pigs, 3))
        translation[..., 1] = _row(pigs, self.spacing)
        translation[..., :2] += drawn[..., 1:]
        translation[..., 2] = _heights(conditions) - hull[:, 2].min()
        turn = Rotation.from_rotvec(yaw.reshape(-1, 1) * (0.0, 0.0, 1.0))
        still = np.zeros((2, throws, pigs, 3))
        return Placement(translation, turn.as_quat().reshape(throws, pigs, 4), *still)


@dataclass(frozen=True)
class Drop:
    """Pigs let go at rest in uniformly random orientations, over the bare table.

    The height is that of each pig's lowest point.

    Attributes:
        spacing: Between neighboring pigs' centers along y [m].
    """

    spacing: float = 0.050

    def __post_init__(self) -> None:
        _require_positive(self, "spacing")

    def draw(self, pigs: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the orientations of one throw, quat_xyzw (k, 4) of any length."""
        return rng.standard_normal((pigs, 4))

    def place(
        self, conditions: Sequence[Condition], drawn: np.ndarray, hull: np.ndarray
    ) -> Placement:
        """Hang pigs over the table, at rest: one condition and (k, 4) drawn each throw."""
        translation, quat = _hang(conditions, self.spacing, drawn, hull)
        return Placement(translation, quat, *np.zeros((2, *translation.shape)))


@dataclass(frozen=True)
class Hand:
    """Pigs thrown by hand along +x over the bare table; every number an assumption.

    Each pig has its own speed, direction, spin and orientation: uniform in the stated ranges,
    spin axes and orientations uniform over all directions. The height is that of each pig's
    lowest point when it leaves the hand.

    Attributes:
        speed: Least and greatest [m/s].
        elevation: Least and greatest angle of the path above the horizontal [rad].
        heading: Half-width of the angle of the path about +x [rad].
        spin: Least and greatest [rad/s].
        spacing: Between neighboring pigs' centers along y [m].
    """

    speed: tuple[float, float] = (1.0, 2.0)
    elevation: tuple[float, float] = (radians(-30.0), radians(10.0))
    heading: float = radians(15.0)
    spin: tuple[float, float] = (20.0, 80.0)
    spacing: float = 0.050

    def __post_init__(self) -> None:
        _require_positive(self, "spacing")
        _require_nonnegative(self, "heading")
        for name in ("speed", "spin", "elevation"):
            low, high = getattr(self, name)
            if not (isfinite(low) and isfinite(high) and low <= high):
                raise ValueError(f"{name} must be a range, least first, got {low}, {high}")
        if min(self.speed[0], self.spin[0]) < 0.0 or max(map(abs, self.elevation)) > pi / 2:
            raise ValueError(
                "speed and spin must be 0 or more, elevation between -pi/2 and pi/2 rad, got "
                f"{self.speed}, {self.spin}, {self.elevation}"
            )

    def draw(self, pigs: int, rng: np.random.Generator) -> np.ndarray:
        """Draw one throw, (k, 10): quat_xyzw of any length, speed, elevation, heading, spin."""
        drawn = np.empty((pigs, 10))
        drawn[:, :4] = rng.standard_normal((pigs, 4))
        drawn[:, 4] = rng.uniform(*self.speed, pigs)
        drawn[:, 5] = rng.uniform(*self.elevation, pigs)
        drawn[:, 6] = rng.uniform(-self.heading, self.heading, pigs)
        axis = rng.standard_normal((pigs, 3))
        axis /= np.linalg.norm(axis, axis=1, keepdims=True)
        drawn[:, 7:] = axis * rng.uniform(*self.spin, (pigs, 1))
        return drawn

    def place(
        self, conditions: Sequence[Condition], drawn: np.ndarray, hull: np.ndarray
    ) -> Placement:
        """Throw pigs from over the origin: one condition and (k, 10) drawn each throw."""
        translation, quat = _hang(conditions, self.spacing, drawn[..., :4], hull)
        speed, elevation, heading = (drawn[..., i].copy() for i in (4, 5, 6))
        along = speed * np.cos(elevation)
        velocity = np.stack(
            (along * np.cos(heading), along * np.sin(heading), speed * np.sin(elevation)), axis=-1
        )
        return Placement(translation, quat, velocity, drawn[..., 7:].copy())


Device = TrapDoor | Drop | Hand


@dataclass(frozen=True)
class Releases:
    """Starts of n throws of k pigs, at the release or in mid-fall.

    Attributes:
        index: (n,) which throw of the seed.
        height: (n,) [m].
        start: (n,) "forward", "backward", "mixed" or "random".
        translation: (n, k, 3) [m] world_from_pig.
        quat_xyzw: (n, k, 4) world_from_pig.
        velocity: Of the center of mass, (n, k, 3) [m/s].
        spin: World axes, (n, k, 3) [rad/s].
        leaf_angle: Of the trap door's leaf below level, (n,) [rad]; 0 at a release.
        leaf_speed: Its rate, (n,) [rad/s]; 0 at a release.
        time: Since the release, (n,) [s].
        thrown: How many of the k pigs the device lets go; the others lie on the table.
    """

    index: np.ndarray
    height: np.ndarray
    start: np.ndarray
    translation: np.ndarray
    quat_xyzw: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    leaf_angle: np.ndarray
    leaf_speed: np.ndarray
    time: np.ndarray
    thrown: int


def release(
    device: Device,
    conditions: Sequence[Condition],
    pigs: int,
    hull: np.ndarray,
    seed: int,
    indices: Sequence[int],
) -> Releases:
    """Draw the starts of throws.

    Throw i draws from child i of the seed's SeedSequence and takes condition i modulo their
    number, so it depends on nothing but (seed, i, parameters) and any n throws are as evenly
    spread over the conditions as can be.

    Args:
        device: What lets go.
        conditions: Heights and starts, taken in turn.
        pigs: Thrown together, 1 to 8.
        hull: Vertices of the pig's hull, pig frame, (v, 3) [m].
        seed: >= 0.
        indices: Throws wanted, any order.
    """
    chosen = [conditions[int(index) % len(conditions)] for index in indices]
    drawn = [device.draw(pigs, _generator(seed, index)) for index in indices]
    placed = device.place(chosen, np.array(drawn), hull)
    throws = len(chosen)
    return Releases(
        index=np.array(indices, np.int64),
        height=np.array([condition.height for condition in chosen]),
        start=np.array([condition.start for condition in chosen]),
        translation=placed.translation,
        quat_xyzw=placed.quat_xyzw,
        velocity=placed.velocity,
        spin=placed.spin,
        leaf_angle=np.zeros(throws),
        leaf_speed=np.zeros(throws),
        time=np.zeros(throws),
        thrown=pigs,
    )


def _generator(seed: int, index: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(index),)))


def uniform_orientations(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw orientations uniform over all rotations, quat_xyzw (n, 4).

    A normalized Gaussian in four dimensions is uniform on the sphere of unit quaternions
    (Marsaglia 1972); a normalized uniform draw from a cube is not.
    """
    return _unit(rng.standard_normal((n, 4)))


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _hang(
    conditions: Sequence[Condition], spacing: float, drawn: np.ndarray, hull: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Place pigs in rows, turned as drawn, lowest points at the height: poses world_from_pig."""
    throws, pigs, _ = drawn.shape
    turn = Rotation.from_quat(_unit(drawn.reshape(-1, 4)))
    lowest = np.array([(matrix @ hull.T)[2].min() for matrix in turn.as_matrix()])
    translation = np.zeros((throws, pigs, 3))
    translation[..., 1] = _row(pigs, spacing)
    translation[..., 2] = _heights(conditions) - lowest.reshape(throws, pigs)
    return translation, turn.as_quat().reshape(throws, pigs, 4)


def _heights(conditions: Sequence[Condition]) -> np.ndarray:
    """Heights of release, (n, 1) [m]."""
    return np.array([[condition.height] for condition in conditions])


def _row(pigs: int, spacing: float) -> np.ndarray:
    return (np.arange(pigs) - (pigs - 1) / 2) * spacing


def _require_positive(device: Device, *names: str) -> None:
    for name in names:
        value = getattr(device, name)
        if not (isfinite(value) and value > 0.0):
            raise ValueError(f"{name} must be above 0, got {value}")


def _require_nonnegative(device: Device, *names: str) -> None:
    for name in names:
        value = getattr(device, name)
        if not (isfinite(value) and value >= 0.0):
            raise ValueError(f"{name} must be 0 or more, got {value}")
