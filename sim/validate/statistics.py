"""Counts compared: with known probabilities, and with each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from scipy.stats import chi2

from sim.position import POSITIONS
from sim.throw import Landings
from sim.validate.check import Check

FALSE_ALARM = 0.001
"""Share of sound engines that a chi-square check fails."""

STANDARD_ERRORS = 3.0
"""Largest shift of a frequency; of 7 positions that agree, one is beyond it in 2 % of runs."""


def fair(quantity: str, counts: np.ndarray, probabilities: np.ndarray) -> Check:
    """Compare counts (c,) with known probabilities (c,) by chi-square."""
    expected = counts.sum() * probabilities
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    limit = float(chi2.isf(FALSE_ALARM, freedom))
    source = f"n = {int(counts.sum()):,}, {freedom} degrees of freedom, false alarm {FALSE_ALARM:g}"
    return Check(f"chi-square of {quantity}", statistic, 0.0, limit, source)


def position_counts(landings: Landings) -> np.ndarray:
    """Count the pigs of throws by position, in the order of POSITIONS, (7,)."""
    return np.array([(landings.position == position).sum() for position in POSITIONS])


def same(
    label: str, counts: np.ndarray, reference: np.ndarray, names: Sequence[str] = POSITIONS
) -> list[Check]:
    """Compare the frequencies of two samples, position by position, in joint standard errors."""
    total, other_total = counts.sum(), reference.sum()
    checks = []
    for name, count, other in zip(names, counts, reference, strict=True):
        share, other_share = count / total, other / other_total
        limit = STANDARD_ERRORS * joint_error(count, other, total, other_total)
        source = f"reference, n = {int(total):,} and {int(other_total):,}; {STANDARD_ERRORS:g} s.e."
        checks.append(Check(f"{label}: share of {name}", share, other_share, limit, source))
    return checks


def joint_error(count: float, other: float, total: float, other_total: float) -> float:
    """Standard error of the difference of two shares that are the same."""
    pooled = (count + other) / (total + other_total)
    return sqrt(pooled * (1 - pooled) * (1 / total + 1 / other_total))
