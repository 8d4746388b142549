"""The likelihood of the parameters given both samples: pigs observed, and pigs simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import xlogy

from calibration.likelihood import deviance
from calibration.surrogate import Surrogate

_NEWTON_STEPS = 50


@dataclass(frozen=True, eq=False)
class Joint:
    """Deviance of parameters, the surrogate's own uncertainty maximized over.

    The surrogate's coefficients are parameters too, known from the simulated counts. Maximizing
    the joint likelihood over them, with the simulated one taken to second order, leaves the log-
    shares eta free about their prediction: D(theta) = min over eta of deviance(n, eta) + (eta -
    prediction)' C^-1 (eta - prediction). This is Barlow & Beeston's (1993) maximization over the
    simulator's probabilities, with the smooth model's covariance C in place of separate counts.

    Attributes:
        surrogate: Of the simulated counts.
        counts: Observed, shape (k,).
        covariance: C, shape (k - 1, k - 1); None takes the surrogate's at each theta.
    """

    surrogate: Surrogate
    counts: np.ndarray
    covariance: np.ndarray | None = None

    def known_as_at(self, theta: np.ndarray) -> Joint:
        """Take C everywhere as it is at theta.

        Regions around an optimum need that: with C of each point, the deviance falls again where
        so little was thrown that anything is possible there.
        """
        return replace(self, covariance=self.surrogate.logit_covariance(theta))

    def deviance(self, theta: np.ndarray) -> float:
        """Give D(theta)."""
        known = self.covariance
        covariance = self.surrogate.logit_covariance(theta) if known is None else known
        return self._at(self.surrogate.logits(theta), covariance)

    def misfit(self, theta: np.ndarray) -> float:
        """Give the deviance of the observed counts from the predictions, taken as exact."""
        return float(deviance(self.counts, self.surrogate.probabilities(theta)))

    def _at(self, predicted: np.ndarray, covariance: np.ndarray) -> float:
        """Minimize over the log-shares, by Newton's method."""
        reference, total = self.surrogate.reference, self.counts.sum()
        counts = np.delete(self.counts, reference)
        trust = np.linalg.inv(covariance)

        def look(eta: np.ndarray) -> tuple[float, np.ndarray]:
            """Half the deviance but for what eta does not change, and the shares."""
            top = max(0.0, float(eta.max()))
            powers = np.exp(eta - top)
            whole = float(powers.sum()) + np.exp(-top)
            away = eta - predicted
            loss = total * (top + np.log(whole)) - counts @ eta + 0.5 * away @ trust @ away
            return float(loss), powers / whole

        eta = predicted
        here, shares = look(eta)
        for _ in range(_NEWTON_STEPS):
            slope = counts - total * shares - trust @ (eta - predicted)
            curvature = total * (np.diag(shares) - np.outer(shares, shares)) + trust
            step = np.linalg.solve(curvature, slope)
            there, moved = look(eta + step)
            while there > here + 1e-9 and np.abs(step).max() > 1e-12:
                step = step / 2
                there, moved = look(eta + step)
            eta, gain, here, shares = eta + step, here - there, there, moved
            if gain < 1e-9:
                break
        saturated = float(xlogy(self.counts, self.counts / total).sum())
        return 2.0 * (here + saturated)

    def information(self, theta: np.ndarray, *, exact_simulator: bool = False) -> np.ndarray:
        """Fisher information of the parameters, shape (p, p).

        The observed log-shares have the covariance of a multinomial sample, W^-1, the predicted
        ones C: information J' (W^-1 + C)^-1 J, J the predictions' derivatives.

        Args:
            theta: Where.
            exact_simulator: As if infinitely many pigs had been simulated, C = 0.
        """
        shares = self.surrogate.probabilities(theta)
        shares = np.delete(shares, self.surrogate.reference)
        total = self.counts.sum()
        spread = total * (np.diag(shares) - np.outer(shares, shares))
        if not exact_simulator:
            both = np.linalg.inv(spread) + self.surrogate.logit_covariance(theta)
            spread = np.linalg.inv(both)
        slopes = self.surrogate.jacobian(theta)
        return np.asarray(slopes.T @ spread @ slopes)

    def simulation_share(self, theta: np.ndarray) -> float:
        """Say how much of the parameters' variance comes from simulating finitely many pigs."""
        exact = self.information(theta, exact_simulator=True)
        both = self.information(theta)
        share = np.linalg.solve(both, exact)
        return float(np.trace(share)) / len(share) - 1.0

    def minimize(
        self,
        low: np.ndarray,
        high: np.ndarray,
        starts: Sequence[np.ndarray],
        *,
        exact_simulator: bool = False,
        held: dict[int, float] | None = None,
    ) -> tuple[np.ndarray, float]:
        """Find the parameters of least deviance in a box, from several starts.

        Args:
            low: Shape (p,).
            high: Shape (p,).
            starts: Each shape (p,).
            exact_simulator: Take the surrogate at its word. A search does: where it has thrown
                little, the joint deviance is small because anything is possible there.
            held: Values of parameters that are not moved.

        Returns:
            Parameters and their deviance.
        """
        low, high = low.copy(), high.copy()
        for index, value in (held or {}).items():
            low[index] = high[index] = value
        scale = self.surrogate.scale
        misfit = self.misfit if exact_simulator else self.deviance
        found = [
            minimize(
                lambda u: misfit(u * scale),
                np.clip(start, low, high) / scale,
                method="L-BFGS-B",
                bounds=np.column_stack((low, high)) / scale[:, None],
            )
            for start in starts
        ]
        best = min(found, key=lambda one: float(one.fun))
        return np.clip(best.x * scale, low, high), float(best.fun)
