"""What a validation measures, what it expects, and what it says of the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

PASSED, FAILED, SHOWN = "passed", "failed", "shown"


@dataclass(frozen=True)
class Check:
    """One quantity, measured beside expected.

    Attributes:
        quantity: What was measured, with its unit.
        measured: The value found.
        expected: The value from theory or publication.
        tolerance: Largest difference that passes, same unit.
        source: Of the expected value, or how the tolerance was set.
        is_target: Whether a miss fails; else the distance is only shown.
    """

    quantity: str
    measured: float
    expected: float
    tolerance: float
    source: str
    is_target: bool = True

    @property
    def verdict(self) -> str:
        """Say PASSED, FAILED, or SHOWN for a miss of what no throw is bound to reach."""
        if abs(self.measured - self.expected) <= self.tolerance:  # False for nan
            return PASSED
        return FAILED if self.is_target else SHOWN


@dataclass(frozen=True)
class Case:
    """A validation case.

    Attributes:
        name: Short, for `--only`.
        group: "closed form", "symmetry", "convergence", "geometry" or "published".
        is_long: Whether it takes more than some seconds.
        run: Measure; the argument is the number of worker processes.
    """

    name: str
    group: str
    is_long: bool
    run: Callable[[int], list[Check]]
