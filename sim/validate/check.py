"""What a validation measures, what it expects, and what it says of the two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

PASSED, FAILED, SHOWN, READ = "passed", "failed", "shown", "-"


@dataclass(frozen=True)
class Rig:
    """What cases are measured with.

    Attributes:
        workers: Processes that share the throws of a case; changes no result.
        engine: Name of the engine.
    """

    workers: int = 1
    engine: str = "bullet"


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
class Reading:
    """One quantity without a verdict: how far a result moves with what was assumed.

    Attributes:
        quantity: What was measured, with its unit.
        measured: The value found.
        error: Its standard error, same unit.
        source: What was assumed.
    """

    quantity: str
    measured: float
    error: float
    source: str

    verdict = READ


Finding = Check | Reading


@dataclass(frozen=True)
class Case:
    """A validation case.

    Attributes:
        name: Short, for `--only`.
        group: "closed form", "symmetry", "convergence", "geometry" or "published".
        is_long: Whether it takes more than some seconds.
        run: Measure.
        engines: Names of those that it applies to.
        package: That it needs besides; "" for none.
    """

    name: str
    group: str
    is_long: bool
    run: Callable[[Rig], Sequence[Finding]]
    engines: tuple[str, ...]
    package: str = ""

    def hindrance(self, rig: Rig) -> str:
        """Say why it can't be run with a rig; "" if it can."""
        if rig.engine not in self.engines:
            return f"not for engine {rig.engine}"
        if self.package and find_spec(self.package) is None:
            return f"needs {self.package}: pip install 'pig-throw[{self.package}]'"
        return ""
