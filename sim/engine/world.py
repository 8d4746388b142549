"""What a throw is stepped in, and the bounds of how: see Course."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Protocol

from sim.engine.flight import GRAVITY, Motion, Vector


@dataclass(frozen=True)
class Box:
    """An obstacle at rest, by its axis-aligned bounds in the world [m]."""

    low: Vector
    high: Vector

    def time_clear(self, motion: Motion, margin: float) -> float:
        """Bound from below the time before a flying center comes within `margin` [m] of it [s].

        The center is near only when it is near along every axis, so the last axis decides.
        """
        return max(
            _closing_time(low - margin - at, at - margin - high, rate, pull)
            for low, high, at, rate, pull in zip(
                self.low,
                self.high,
                motion.position,
                motion.velocity,
                (0.0, 0.0, GRAVITY),
                strict=True,
            )
        )


def _closing_time(below: float, above: float, rate: float, pull: float) -> float:
    """Time until a coordinate reaches an interval from `below` or `above` it, or 0 within [s]."""
    if above > 0.0:
        root = sqrt(rate * rate + 2.0 * pull * above)
        return 2.0 * above / (root - rate) if root > rate else inf
    if below > 0.0:
        room = rate * rate - 2.0 * pull * below
        return 2.0 * below / (rate + sqrt(room)) if rate > 0.0 and room >= 0.0 else inf
    return 0.0


class World(Protocol):
    """The pigs of one throw in an engine, by number; all values SI."""

    def motions(self) -> list[Motion]:
        """Read every pig's state."""
        ...

    def motion(self, pig: int) -> Motion:
        """Read one pig's state."""
        ...

    def set_motion(self, pig: int, motion: Motion) -> None:
        """Write one pig's state."""
        ...

    def park(self, pig: int) -> None:
        """Put a pig where it touches nothing, until its state is written again."""
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
        start: Time since the release at which the throw starts [s].
    """

    time_step: float
    check_interval: float
    table_radius: float
    clearance: float
    height: float
    start: float
