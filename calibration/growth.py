"""Whether the data ask for more terms of the density: likelihood-ratio tests, term by term.

References:
    Wilks, S. S. (1938), "The large-sample distribution of the likelihood ratio for testing
    composite hypotheses", Annals of Mathematical Statistics 9: 60-62.
    Dunn, O. J. (1961), "Multiple comparisons among means", Journal of the American Statistical
    Association 56: 52-64 (Bonferroni's correction for the number of terms tried).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from calibration.fit import Box, Simulate
from calibration.joint import Joint
from calibration.surrogate import Sample, fit_surrogate

LEVEL = 0.05
"""Of all tests of one round together."""


@dataclass(frozen=True)
class TermTest:
    """What one more term would gain.

    Attributes:
        term: Name of the parameter.
        value: Of the term at the better optimum.
        gain: Fall of the deviance; chi-square with 1 degree of freedom if the term is not needed.
        p_value: Of that, not corrected for the number of terms tried.
    """

    term: str
    value: float
    gain: float
    p_value: float


def most_wanted(tests: Sequence[TermTest]) -> str | None:
    """Name the term that gains most, if the data ask for it."""
    best = min(tests, key=lambda test: test.p_value, default=None)
    return best.term if best is not None and best.p_value * len(tests) < LEVEL else None


@dataclass(frozen=True, eq=False)
class Probe:
    """How to look in the direction of a new parameter.

    Attributes:
        box: Of the parameters in use and, last, the new one.
        theta: The optimum without it, shape (p - 1,).
        source: Of the throws.
        throws: Indices of each probe's.
    """

    box: Box
    theta: np.ndarray
    source: str
    throws: range


def probe(probe: Probe, simulate: Simulate, half: np.ndarray, seed: int) -> list[Sample]:
    """Throw at both sides of the optimum along a new parameter, alone and with the others moved.

    Args:
        probe: Where.
        simulate: Takes the parameters in use and the new one, shape (p,).
        half: Half-widths of the region around the optimum, shape (p - 1,).
        seed: Of the directions.
    """
    rng = np.random.default_rng(seed)
    center = np.append(probe.theta, probe.box.start[-1])
    aside = half * rng.choice((-1.0, 1.0), (3, len(half)))
    samples = []
    for sideways in np.concatenate((np.zeros((1, len(half))), aside)):
        for sign in (-1.0, 1.0):
            step = np.append(sign * sideways, sign * probe.box.scale[-1])
            theta = np.clip(center + step, probe.box.low, probe.box.high)
            samples.append(Sample(theta, probe.source, simulate(theta, probe.source, probe.throws)))
    return samples


def judge_term(
    probe: Probe,
    samples: Sequence[Sample],
    half: np.ndarray,
    observed: np.ndarray,
    reference: str,
    term: str,
) -> TermTest:
    """Compare the best fits with and without a term, on one surrogate of both.

    Args:
        probe: Where the term was looked at.
        samples: With the new parameter last; those of the fit without it and those of the probe.
        half: Half-widths of the region around the optimum, shape (p - 1,).
        observed: Counts, shape (k,).
        reference: Source whose probabilities are fitted.
        term: Name of the parameter.
    """
    box = probe.box
    center, span = np.append(probe.theta, box.start[-1]), np.append(half, box.scale[-1])
    surrogate = fit_surrogate(samples, center, span, reference)
    joint = Joint(surrogate, observed).known_as_at(center)
    low, high = np.maximum(box.low, center - span), np.minimum(box.high, center + span)
    _, without = joint.minimize(low, high, [center], held={len(center) - 1: float(center[-1])})
    starts = [np.append(probe.theta, center[-1] + sign * span[-1] / 2) for sign in (-1, 1)]
    theta, best = joint.minimize(low, high, [center, *starts])
    gain = max(0.0, without - best)
    return TermTest(term, float(theta[-1]), gain, float(chi2.sf(gain, 1)))
