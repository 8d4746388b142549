"""The pigs' spacing in the device, such that they touch as often as the real ones did.

The touching rate falls with the spacing: log-odds = a + b (spacing - middle), fitted by maximum
likelihood to throws at a few spacings; then the spacing is where the rate is the published one.

References:
    McCullagh, P., Nelder, J. A. (1989), Generalized Linear Models, 2nd ed., chapter 4 (logistic
    regression) and section 4.4 (inverse prediction of the dose).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.interval import wilson_interval

_NEWTON_STEPS = 50


@dataclass(frozen=True)
class SpacingFit:
    """What spacing the published touching rate asks for.

    Attributes:
        spacing: [m], within the spacings tried.
        low: Lower end [m] of the range of spacings whose fitted rate lies in the published 95 %
            interval, within those tried.
        high: Upper end [m].
        tried: Spacings [m].
        throws: At each.
        touching: Throws that touched, at each.
    """

    spacing: float
    low: float
    high: float
    tried: tuple[float, ...]
    throws: tuple[int, ...]
    touching: tuple[int, ...]


def fit_spacing(
    tried: Sequence[float],
    throws: Sequence[int],
    touching: Sequence[int],
    published_touching: int,
    published_throws: int,
) -> SpacingFit:
    """Solve for the spacing.

    Args:
        tried: Spacings [m], at least two.
        throws: Made at each.
        touching: Of them, that touched.
        published_touching: Throws of the experiment that touched.
        published_throws: All throws of the experiment.

    Returns:
        The fit; if the rate does not fall with the spacing, nothing is told: the middle spacing,
        and all of the range tried.
    """
    middle = float(np.mean(tried))
    unit = float(np.ptp(tried)) / 2
    intercept, slope = _logistic((np.array(tried) - middle) / unit, throws, touching)
    least, most = wilson_interval(published_touching, published_throws)
    rates = (published_touching / published_throws, most, least)

    def spacing_at(rate: float) -> float:
        at = middle + unit * (np.log(rate / (1 - rate)) - intercept) / slope
        return float(np.clip(at, min(tried), max(tried)))

    spacing, low, high = middle, min(tried), max(tried)
    if slope < 0:
        spacing, low, high = (spacing_at(rate) for rate in rates)
    return SpacingFit(spacing, low, high, tuple(tried), tuple(throws), tuple(touching))


def _logistic(x: np.ndarray, throws: Sequence[int], touching: Sequence[int]) -> np.ndarray:
    """Fit intercept and slope of the log-odds; half a throw either way keeps them finite."""
    hits = np.array(touching) + 0.5 / len(x)
    total = np.array(throws) + 1.0 / len(x)
    design = np.column_stack((np.ones_like(x), x))
    rate = hits.sum() / total.sum()
    found = np.array([np.log(rate / (1 - rate)), 0.0])
    for _ in range(_NEWTON_STEPS):
        p = 1 / (1 + np.exp(-design @ found))
        information = design.T @ (design * (total * p * (1 - p))[:, None])
        step = np.linalg.solve(information, design.T @ (hits - total * p))
        found = found + step
        if np.abs(step).max() < 1e-10:
            break
    return found
