"""Confidence intervals of counted shares and of their differences."""

from __future__ import annotations

from math import hypot, sqrt

_Z = 1.959963984540054
"""Quantile 0.975 of the standard normal: two-sided 95 %."""


def wilson_interval(count: int, total: int) -> tuple[float, float]:
    """Bound the probability behind `count` successes in `total` independent trials, at 95 %.

    Wilson's score interval keeps near its level for the rare positions too, where the normal
    approximation fails, and lies within [0, 1]. Pigs of one throw count as independent: they
    touch in a few throws of a thousand only.

    Args:
        count: Successes, 0..total.
        total: Trials; of none, nothing is known: [0, 1].

    Returns:
        Lower and upper bound of the probability.

    References:
        Wilson, E. B. (1927), "Probable inference, the law of succession, and statistical
        inference", Journal of the American Statistical Association 22, 209-212.
    """
    if not 0 <= count <= total:
        raise ValueError(f"count: expected 0..{total} successes in {total} trials, got {count}")
    if total == 0:
        return 0.0, 1.0
    share, spread = count / total, _Z**2 / total
    center = (share + spread / 2) / (1 + spread)
    half = sqrt(share * (1 - share) * spread + spread**2 / 4) / (1 + spread)
    low = 0.0 if count == 0 else center - half
    high = 1.0 if count == total else center + half
    return low, high


def newcombe_interval(count: int, total: int, other: int, other_total: int) -> tuple[float, float]:
    """Bound the difference of two independent shares, the first minus the other, at 95 %.

    Made of the two Wilson intervals, so that it keeps near its level for rare positions and lies
    within [-1, 1].

    Args:
        count: Successes of the first sample, 0..total.
        total: Its trials.
        other: Successes of the other sample, 0..other_total.
        other_total: Its trials.

    Returns:
        Lower and upper bound of the difference; of samples without trials, [-1, 1].

    References:
        Newcombe, R. G. (1998), "Interval estimation for the difference between independent
        proportions: comparison of eleven methods", Statistics in Medicine 17, 873-890, method 10.
    """
    low, high = wilson_interval(count, total)
    other_low, other_high = wilson_interval(other, other_total)
    if total == 0 or other_total == 0:
        return -1.0, 1.0
    share, other_share = count / total, other / other_total
    difference = share - other_share
    return (
        difference - hypot(share - low, other_high - other_share),
        difference + hypot(high - share, other_share - other_low),
    )
