"""How the answer moves when a number that was held is another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.fit import Box
from calibration.joint import Joint
from calibration.likelihood import two_sample_deviance, two_sample_test
from calibration.surrogate import Sample, fit_surrogate

UNCHANGED = "none"


@dataclass(frozen=True, eq=False)
class Variation:
    """One change, and what it does.

    Attributes:
        change: In words, such as "restitution + 0.02".
        counts: Simulated at the fitted parameters with the change, shape (k,).
        deviance: G^2 of the observed counts and these.
        p_value: That of the unchanged counts and these as two samples: how easily chance alone
            gives such a difference. Changes share their releases, so it rather is too large.
        theta: Parameters in use, fitted anew with the change, shape (p,).
        refitted: Their joint deviance.
    """

    change: str
    counts: np.ndarray
    deviance: float
    p_value: float
    theta: np.ndarray
    refitted: float


@dataclass(frozen=True, eq=False)
class Answer:
    """A finished fit, as the variations need it.

    Attributes:
        theta: Fitted parameters in use, shape (p,).
        box: Their bounds.
        half: Half-widths of the region in which the surrogate holds, shape (p,).
        samples: Thrown by the fit.
        observed: Counts, shape (k,).
        unchanged: Simulated at the fitted parameters without a change, shape (k,).
        seed: Of bootstraps.
    """

    theta: np.ndarray
    box: Box
    half: np.ndarray
    samples: Sequence[Sample]
    observed: np.ndarray
    unchanged: np.ndarray
    seed: int

    def vary(self, change: str, counts: np.ndarray) -> Variation:
        """Fit the parameters anew with a change.

        The refit keeps the surrogate's slopes and moves its log-shares by what the change did at
        the fitted parameters. All changes are thrown from the same releases, so that differences
        between them are sharper than the shares themselves.

        Args:
            change: In words.
            counts: Simulated at the fitted parameters with the change, shape (k,).
        """
        samples = [*self.samples, Sample(self.theta, change, counts)]
        surrogate = fit_surrogate(samples, self.theta, self.half, change)
        joint = Joint(surrogate, self.observed).known_as_at(self.theta)
        low = np.maximum(self.box.low, self.theta - 3 * self.half)
        high = np.minimum(self.box.high, self.theta + 3 * self.half)
        theta, refitted = joint.minimize(low, high, [self.theta])
        misfit = float(two_sample_deviance(self.observed, counts))
        rng = np.random.default_rng(self.seed)
        p_value = two_sample_test(self.unchanged, counts, rng).p_value
        return Variation(change, counts, misfit, p_value, theta, refitted)
