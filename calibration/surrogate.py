"""A smooth model of the positions' probabilities over the parameters, fitted to all throws so far.

A multinomial logit whose log-shares are quadratic in the parameters: with u = (theta - center) /
scale, log(p_j / p_ref) = b_j . f, f = (1, u_i, u_i u_k, one indicator for every source of throws
but the reference). An indicator is a constant offset of the log-shares, by which another engine, or
pigs thrown alone, differ; the predictions are those of the reference source. Samples far from
the center count less, so that the quadratic need hold only nearby.

References:
    McCullagh, P., Nelder, J. A. (1989), Generalized Linear Models, 2nd ed., section 5.2 (logits of
    several categories) and 2.5 (Newton's method on the likelihood).
    Conn, A. R., Scheinberg, K., Vicente, L. N. (2009), Introduction to Derivative-Free
    Optimization, chapter 4 (regression models on sampled points), 10 (trust regions).
    Firth, D. (1993), "Bias reduction of maximum likelihood estimates", Biometrika 80: 27-38. Our
    half a pig for every position keeps the estimates finite where one was never seen, as his
    penalty does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.likelihood import deviance

_PRIOR_DEVIATION = {"linear": 2.0, "quadratic": 0.5, "offset": 0.3}
"""Standard deviation of a Gaussian prior on coefficients [log-share per unit of u]: so wide that
it matters only where the samples say nothing."""

_INTERCEPT_DEVIATION = 30.0
_PSEUDO_PIGS = 0.5
_REACH = 1.5
"""A sample's weight is exp(-d^2 / 2) with d its greatest |u| over this."""

_NEWTON_STEPS = 60


@dataclass(frozen=True, eq=False)
class Sample:
    """Simulated counts at one point.

    Attributes:
        theta: Parameters, shape (p,).
        source: What threw them, such as "fast alone".
        counts: Pigs by position, shape (k,).
    """

    theta: np.ndarray
    source: str
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A fitted model of log-shares.

    Attributes:
        center: Of the region where it holds, shape (p,).
        scale: Half-widths of that region, shape (p,).
        offsets: Sources whose offset was fitted; all but the reference.
        reference: Index of the position that log-shares are taken against.
        coefficients: Shape (k - 1, q).
        covariance: Of the coefficients, flattened, from the simulated counts' own chance.
    """

    center: np.ndarray
    scale: np.ndarray
    offsets: tuple[str, ...]
    reference: int
    coefficients: np.ndarray
    covariance: np.ndarray

    def logits(self, theta: np.ndarray, source: str | None = None) -> np.ndarray:
        """Predict log-shares against the reference position, shape (k - 1,)."""
        return np.asarray(self.coefficients @ self._feature(theta, source))

    def logit_covariance(self, theta: np.ndarray, source: str | None = None) -> np.ndarray:
        """Give the covariance of the predicted log-shares, shape (k - 1, k - 1)."""
        k, q = self.coefficients.shape
        feature = self._feature(theta, source)
        blocks = self.covariance.reshape(k, q, k, q)
        return np.asarray(np.tensordot(feature, blocks @ feature, axes=(0, 1)))

    def probabilities(self, theta: np.ndarray, source: str | None = None) -> np.ndarray:
        """Predict the positions' probabilities, shape (k,)."""
        return shares_of(self.logits(theta, source), self.reference)

    def jacobian(self, theta: np.ndarray) -> np.ndarray:
        """Derivatives of the log-shares by the parameters, shape (k - 1, p)."""
        return np.asarray(self.coefficients @ self._feature_slopes(theta))

    def movement(self, theta: np.ndarray, along: np.ndarray) -> float:
        """Test whether the log-shares move along a direction, beyond simulated chance.

        Returns:
            Squared length of their derivative in units of its covariance: chi-square with k - 1
            degrees of freedom if they do not.
        """
        k, q = self.coefficients.shape
        slope = self._feature_slopes(theta) @ along
        blocks = self.covariance.reshape(k, q, k, q)
        covariance = np.tensordot(slope, blocks @ slope, axes=(0, 1))
        moved = self.coefficients @ slope
        return float(moved @ np.linalg.solve(covariance, moved))

    def _feature_slopes(self, theta: np.ndarray) -> np.ndarray:
        """Derivatives of the features by the parameters, shape (q, p)."""
        u = (theta - self.center) / self.scale
        p = len(u)
        slopes = np.zeros((self.coefficients.shape[1], p))
        slopes[1 : p + 1] = np.eye(p)
        for row, (i, k) in enumerate(zip(*np.triu_indices(p), strict=True), start=p + 1):
            slopes[row, i] += u[k]
            slopes[row, k] += u[i]
        return np.asarray(slopes / self.scale)

    def lack_of_fit(self, samples: Sequence[Sample]) -> tuple[float, float]:
        """Sum the deviances of the samples within the region; also their degrees of freedom.

        The fit takes as many of them as the trace of its hat matrix over these samples: fewer than
        there are coefficients, as samples outside and the prior settle some of them (Hastie, T.,
        Tibshirani, R., Friedman, J., 2009, The Elements of Statistical Learning, section 7.6).
        """
        total, freedom = 0.0, 0.0
        for one in samples:
            if self._distance(one.theta) > 1.0 + 1e-9:
                continue
            probabilities = self.probabilities(one.theta, one.source)
            total += float(deviance(one.counts, probabilities))
            shares = np.delete(probabilities, self.reference)
            weight = one.counts.sum() * (np.diag(shares) - np.outer(shares, shares))
            taken = np.trace(self.logit_covariance(one.theta, one.source) @ weight)
            freedom += len(shares) - float(taken)
        return total, max(freedom, 0.0)

    def _distance(self, theta: np.ndarray) -> float:
        return float(np.abs((theta - self.center) / self.scale).max())

    def _feature(self, theta: np.ndarray, source: str | None) -> np.ndarray:
        return _features((theta - self.center) / self.scale, source, self.offsets)


def fit_surrogate(
    samples: Sequence[Sample], center: np.ndarray, scale: np.ndarray, reference_source: str
) -> Surrogate:
    """Fit the model by maximum weighted likelihood.

    Args:
        samples: All simulated so far, at least one.
        center: Where it must be right, shape (p,).
        scale: How far around, shape (p,).
        reference_source: Whose probabilities it predicts. If it has no sample yet, the source with
            the most stands in for it.
    """
    sources = sorted({one.source for one in samples})
    if reference_source not in sources:
        pigs = {s: sum(one.counts.sum() for one in samples if one.source == s) for s in sources}
        reference_source = max(sources, key=lambda source: pigs[source])
    offsets = tuple(source for source in sources if source != reference_source)
    u = (np.array([one.theta for one in samples]) - center) / scale
    features = np.array(
        [_features(row, one.source, offsets) for row, one in zip(u, samples, strict=True)]
    )
    weights = np.exp(-0.5 * (np.abs(u).max(axis=1, initial=0.0) / _REACH) ** 2)
    counts = np.array([one.counts for one in samples]) * weights[:, None]
    reference = int(counts.sum(axis=0).argmax())
    counts = counts + _PSEUDO_PIGS * (weights / weights.sum())[:, None]
    precision = _prior_precision(len(center), len(offsets))
    coefficients, information = _maximize(features, counts, reference, precision)
    return Surrogate(center, scale, offsets, reference, coefficients, np.linalg.inv(information))


def shares_of(logits: np.ndarray, reference: int) -> np.ndarray:
    """Turn log-shares against a reference, shape (..., k - 1), to probabilities, (..., k)."""
    full = np.insert(logits, reference, 0.0, axis=-1)
    full = np.exp(full - full.max(axis=-1, keepdims=True))
    return np.asarray(full / full.sum(axis=-1, keepdims=True))


def _features(u: np.ndarray, source: str | None, offsets: tuple[str, ...]) -> np.ndarray:
    i, k = np.triu_indices(len(u))
    return np.concatenate(([1.0], u, u[i] * u[k], [float(source == name) for name in offsets]))


def _prior_precision(p: int, offsets: int) -> np.ndarray:
    deviations = np.concatenate(
        (
            [_INTERCEPT_DEVIATION],
            np.full(p, _PRIOR_DEVIATION["linear"]),
            np.full(p * (p + 1) // 2, _PRIOR_DEVIATION["quadratic"]),
            np.full(offsets, _PRIOR_DEVIATION["offset"]),
        )
    )
    return deviations**-2.0


def _maximize(
    features: np.ndarray, counts: np.ndarray, reference: int, precision: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find the coefficients by Newton's method, and the information about them."""
    free = [j for j in range(counts.shape[1]) if j != reference]
    totals = counts.sum(axis=1)
    pooled = counts.sum(axis=0)
    coefficients = np.zeros((len(free), features.shape[1]))
    coefficients[:, 0] = np.log(pooled[free] / pooled[reference])
    prior = np.tile(precision, len(free))

    def loss(trial: np.ndarray) -> float:
        shares = shares_of(features @ trial.T, reference)
        penalty = 0.5 * float(prior @ trial.ravel() ** 2)
        return penalty - float((counts * np.log(np.maximum(shares, 1e-300))).sum())

    here = loss(coefficients)
    for _ in range(_NEWTON_STEPS):
        shares = shares_of(features @ coefficients.T, reference)[:, free]
        gradient = (counts[:, free] - totals[:, None] * shares).T @ features
        gradient = gradient.ravel() - prior * coefficients.ravel()
        information = _information(features, totals, shares) + np.diag(prior)
        step = np.linalg.solve(information, gradient).reshape(coefficients.shape)
        for halving in range(30):
            trial = coefficients + step / 2**halving
            there = loss(trial)
            if there <= here:
                break
        else:
            break
        coefficients, gain, here = trial, here - there, there
        if gain < 1e-9:
            break
    shares = shares_of(features @ coefficients.T, reference)[:, free]
    return coefficients, _information(features, totals, shares) + np.diag(prior)


def _information(features: np.ndarray, totals: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Fisher information of a multinomial logit, sum n (diag p - p p') x (f f')."""
    each = totals[:, None, None] * (
        shares[:, :, None] * np.eye(shares.shape[1]) - shares[:, :, None] * shares[:, None, :]
    )
    q = features.shape[1]
    blocks = np.einsum("sab,sx,sy->axby", each, features, features, optimize=True)
    return np.asarray(blocks.reshape(shares.shape[1] * q, shares.shape[1] * q))
