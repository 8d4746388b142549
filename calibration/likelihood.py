"""How badly counts fit probabilities, or other counts: deviances of multinomial samples.

Everything is a likelihood ratio, so that shares enter as counts and rare positions at their true
weight; pigs of touching throws are outside of all counts, and failed throws are `other`.

References:
    Baker, S., Cousins, R. D. (1984), "Clarification of the use of chi-square and likelihood
    functions in fits to histograms", Nuclear Instruments and Methods in Physics Research 221:
    437-442: the multinomial likelihood ratio, 2 sum n log(n / y).
    Barlow, R., Beeston, C. (1993), "Fitting using finite Monte Carlo samples", Computer Physics
    Communications 77: 219-228: the simulated counts are data as well, with probabilities of their
    own that are maximized over.
    Efron, B., Tibshirani, R. J. (1993), An Introduction to the Bootstrap, chapter 16: the p value
    counts the sample itself among the simulated ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy


def deviance(counts: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Measure the misfit of counts to known probabilities, G^2 = 2 sum n log(n / (N p)).

    It grows without bound as the probability of a position that was seen goes to 0. A position
    never seen costs too: the others' probabilities no longer sum to 1.

    Args:
        counts: Shape (..., k).
        probabilities: Shape (..., k), summing to 1.

    Returns:
        Shape (...), 0 or more.
    """
    total = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        terms = xlogy(counts, counts) - xlogy(counts, total * probabilities)
    return 2.0 * np.maximum(terms.sum(axis=-1), 0.0)


def two_sample_deviance(observed: np.ndarray, simulated: np.ndarray) -> np.ndarray:
    """Measure how unlike two samples are, G^2 of the hypothesis that they share probabilities.

    The unknown probabilities of the simulator are maximized over (Barlow & Beeston 1993), which
    gives the pooled shares (n + m) / (N + M): G^2 is the sum of both samples' deviances from them.
    It needs no correction for empty cells: with m = 0 a cell costs 2 n log(1 + M / N), the more
    the more throws did not show the position.

    Args:
        observed: Counts, shape (..., k).
        simulated: Counts, shape (..., k).

    Returns:
        Shape (...); about chi-square with k - 1 degrees of freedom if the samples are alike.
    """
    pooled = pool(observed, simulated)
    return deviance(observed, pooled) + deviance(simulated, pooled)


def pool(observed: np.ndarray, simulated: np.ndarray) -> np.ndarray:
    """Give the shares of two samples taken together."""
    both = observed + simulated
    return both / both.sum(axis=-1, keepdims=True)


def total_variation(observed: np.ndarray, simulated: np.ndarray) -> float:
    """Half the sum of the differences between two samples' shares, 0 to 1."""
    return 0.5 * float(np.abs(observed / observed.sum() - simulated / simulated.sum()).sum())


@dataclass(frozen=True)
class GoodnessOfFit:
    """Whether two samples could come from the same probabilities.

    Attributes:
        deviance: G^2 of the two samples.
        p_value: Share of bootstrap samples with a greater one.
        replicates: Bootstrap samples.
    """

    deviance: float
    p_value: float
    replicates: int


def two_sample_test(
    observed: np.ndarray, simulated: np.ndarray, rng: np.random.Generator, replicates: int = 9999
) -> GoodnessOfFit:
    """Test that two samples share their probabilities, by parametric bootstrap.

    Both samples are drawn anew from the pooled shares, so that both samples' chance is allowed for
    and rare cells need no chi-square approximation.
    """
    found = float(two_sample_deviance(observed, simulated))
    shares = pool(observed, simulated)
    drawn = two_sample_deviance(
        rng.multinomial(int(observed.sum()), shares, replicates).astype(np.float64),
        rng.multinomial(int(simulated.sum()), shares, replicates).astype(np.float64),
    )
    return GoodnessOfFit(found, bootstrap_p_value(found, drawn), replicates)


def bootstrap_p_value(found: float, drawn: np.ndarray) -> float:
    """Share of drawn deviances that are at least the one found, which itself counts as one."""
    return (1 + int((drawn >= found - 1e-9).sum())) / (1 + len(drawn))
