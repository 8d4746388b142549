"""Confidence interval of a counted share."""

from __future__ import annotations

from math import sqrt

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
