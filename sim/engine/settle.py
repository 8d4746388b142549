"""One throw from release to rest, whatever engine does the contacts."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, isfinite, sqrt
from typing import Protocol

import numpy as np

from sim.engine.flight import (
    GRAVITY,
    Body,
    Motion,
    fly,
    greatest_speed,
    time_above_table,
    time_apart,
    time_to_reach,
)
from sim.rest import AT_REST, DIVERGED, ESCAPED, TIMED_OUT, RestRule

GREATEST_GAIN = 10.0  # a pig with this many times the energy released has DIVERGED


@dataclass(frozen=True)
class Box:
    """An obstacle at rest, by its axis-aligned bounds in the world [m]."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    def distance(self, point: tuple[float, float, float]) -> float:
        """Distance of a point from the box [m], 0 inside."""
        return sqrt(
            sum(
                max(low - x, 0.0, x - high) ** 2
                for low, x, high in zip(self.low, point, self.high, strict=True)
            )
        )


class World(Protocol):
    """The pigs of one throw in an engine; all values SI."""

    def motions(self) -> list[Motion]:
        """Read every pig's state."""
        ...

    def set_motion(self, pig: int, motion: Motion) -> None:
        """Write one pig's state."""
        ...

    def step(self) -> None:
        """Advance by one check interval, contacts included."""
        ...

    def obstacle(self) -> Box | None:
        """Where the leaf hangs, once it is at rest; None without one."""
        ...

    def is_swinging(self) -> bool:
        """Whether the leaf still moves."""
        ...


@dataclass(frozen=True)
class Limits:
    """How a throw is stepped and when it is given up.

    Attributes:
        time_step: [s].
        check_interval: Time between two looks at the pigs [s], a multiple of the step.
        table_radius: Pigs farther from the device's middle have escaped [m].
        clearance: Distance at which free flight hands over to contact [m].
        height: Of release [m].
    """

    time_step: float
    check_interval: float
    table_radius: float
    clearance: float
    height: float


def settle(
    world: World, body: Body, rest: RestRule, limits: Limits
) -> tuple[str, list[Motion], np.ndarray]:
    """Run one throw until it rests, times out, escapes or diverges.

    Returns:
        Status, each pig's last state (of a throw that diverged: the last sound one), and when each
        came to rest for good, (k,) [s], nan if not.
    """
    time = 0.0
    motions = sound = world.motions()
    still_since = [inf] * len(motions)
    while True:
        status = _failure(motions, body, limits)
        if status is None:
            still_since = [
                min(since, time) if _is_still(motion, rest) else inf
                for since, motion in zip(still_since, motions, strict=True)
            ]
            rested = [time - since >= rest.window for since in still_since]
            if all(rested) and not world.is_swinging():
                status = AT_REST
            elif time >= rest.max_time:
                status = TIMED_OUT
        if status is not None:
            times = np.array(still_since)
            last = sound if status == DIVERGED else motions
            return status, last, np.where(np.isfinite(times), times, np.nan)
        sound = motions
        time += advance(world, motions, rested, body, limits)
        motions = world.motions()


def advance(
    world: World, motions: list[Motion], rested: list[bool], body: Body, limits: Limits
) -> float:
    """Leap if every moving pig flies, else step; flying pigs follow their exact motion."""
    free = _free_times(world, motions, rested, body, limits)
    moving = [pig for pig, is_rested in enumerate(rested) if not is_rested]
    leap = min((free[pig] for pig in moving), default=0.0)
    if leap >= 2 * limits.check_interval:
        duration = int(leap / limits.time_step) * limits.time_step
        for pig in moving:
            world.set_motion(pig, fly(motions[pig], body.moments, duration))
        return duration
    world.step()
    for pig in moving:
        if free[pig] >= limits.check_interval:
            world.set_motion(pig, fly(motions[pig], body.moments, limits.check_interval))
    return limits.check_interval


def _free_times(
    world: World, motions: list[Motion], rested: list[bool], body: Body, limits: Limits
) -> list[float]:
    """For how long each pig surely touches nothing [s]; pigs at rest count as obstacles."""
    if world.is_swinging():
        return [0.0] * len(motions)
    obstacle = world.obstacle()
    above = [
        0.0 if is_rested else time_above_table(motion, body, limits.clearance)
        for motion, is_rested in zip(motions, rested, strict=True)
    ]
    free = list(above)
    for pig, motion in enumerate(motions):
        if free[pig] and obstacle:
            room = obstacle.distance(motion.position) - body.radius - limits.clearance
            free[pig] = min(free[pig], time_to_reach(room, _norm(motion.velocity)))
        for other, neighbor in enumerate(motions):
            if other != pig and free[pig]:
                both = min(above[pig], above[other])
                free[pig] = min(free[pig], _time_from(motion, neighbor, both, body, limits))
    return free


def _time_from(a: Motion, b: Motion, both_fly: float, body: Body, limits: Limits) -> float:
    """Bound from below the time until two pigs' bounding spheres meet [s].

    While both fly the answer is exact; whatever they hit, neither covers half of the gap faster
    than with all its energy in translation.
    """
    reach = 2 * body.radius + limits.clearance
    gap = sqrt(sum((p - q) ** 2 for p, q in zip(a.position, b.position, strict=True))) - reach
    speed = max(greatest_speed(a, body), greatest_speed(b, body))
    return max(time_to_reach(gap / 2, speed), min(both_fly, time_apart(a, b, reach)))


def _is_still(motion: Motion, rest: RestRule) -> bool:
    return _norm(motion.velocity) < rest.speed and _norm(motion.spin) < rest.spin


def _failure(motions: list[Motion], body: Body, limits: Limits) -> str | None:
    greatest = GREATEST_GAIN * GRAVITY * (limits.height + 2 * body.radius)
    for motion in motions:
        x, y, z = motion.position
        energy = GRAVITY * z + 0.5 * greatest_speed(motion, body) ** 2
        if not (isfinite(energy + sum(motion.quat_xyzw)) and energy < greatest):
            return DIVERGED
        if hypot(x, y) > limits.table_radius or z < 0.0:
            return ESCAPED
    return None


def _norm(vector: tuple[float, float, float]) -> float:
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
