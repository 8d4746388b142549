"""What the data leave open: intervals and regions by likelihood, and directions they do not see.

References:
    Wilks, S. S. (1938), Annals of Mathematical Statistics 9: 60-62: the fall of the deviance from
    the truth to the optimum is chi-square, so a region keeps all points within its quantile.
    Pawitan, Y. (2001), In All Likelihood, Oxford University Press, section 3.4: the interval of a
    function of the parameters is its range over that region with 1 degree of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.stats import chi2

from calibration.joint import Joint

CONFIDENCE = 0.95
_LEVEL = 0.001
"""Of the test that shares move along a direction: noise alone gives every slope some length."""

Function = Callable[[np.ndarray], float]


def extent(
    joint: Joint, theta: np.ndarray, low: np.ndarray, high: np.ndarray, function: Function
) -> tuple[float, float]:
    """Give the 95 % interval of a function of the parameters.

    Args:
        joint: Deviance of the parameters.
        theta: Its optimum, shape (p,).
        low: Bounds, shape (p,).
        high: Bounds, shape (p,).
        function: Such as one parameter, or a coordinate of the center of mass.

    Returns:
        Its least and greatest value where the deviance is within 3.84 of the optimum's.
    """
    joint = joint.known_as_at(theta)
    limit = joint.deviance(theta) + float(chi2.ppf(CONFIDENCE, 1))
    deviations = np.sqrt(np.diag(np.linalg.pinv(joint.information(theta))))
    unit = np.minimum(deviations, high - low)
    here = function(theta)
    slope = _gradient(lambda v: function(v * unit), theta / unit)
    size = max(float(np.linalg.norm(slope)), 1e-300)
    ends = []
    for sign in (-1.0, 1.0):
        start = np.clip(theta + sign * unit * slope / size, low, high)
        found = minimize(
            lambda v, sign=sign: -sign * (function(v * unit) - here) / size,
            start / unit,
            method="SLSQP",
            bounds=np.column_stack((low, high)) / unit[:, None],
            constraints={"type": "ineq", "fun": lambda v: limit - joint.deviance(v * unit)},
            options={"maxiter": 60, "ftol": 1e-4},
        )
        ends.append(function(np.clip(found.x * unit, low, high)))
    return min(here, *ends), max(here, *ends)


def excess(joint: Joint, optimum: np.ndarray, theta: np.ndarray) -> float:
    """Give the deviance of parameters beyond the optimum's."""
    joint = joint.known_as_at(optimum)
    return joint.deviance(theta) - joint.deviance(optimum)


def is_in_region(joint: Joint, optimum: np.ndarray, theta: np.ndarray) -> bool:
    """Tell whether parameters lie in the 95 % region around the optimum."""
    return excess(joint, optimum, theta) <= float(chi2.ppf(CONFIDENCE, len(theta)))


@dataclass(frozen=True, eq=False)
class Direction:
    """A combination of the parameters, in units of their first steps.

    Attributes:
        weights: Unit vector, shape (p,).
        deviation: How well the data tell it, one standard deviation.
        is_seen: Whether two deviations to either side lie within the bounds of the parameters, and
            the simulated shares move along it beyond chance.
    """

    weights: np.ndarray
    deviation: float
    is_seen: bool


def directions(
    joint: Joint, theta: np.ndarray, low: np.ndarray, high: np.ndarray, scale: np.ndarray
) -> list[Direction]:
    """List the principal directions of the information, best seen first.

    The singular values of the observed log-shares' derivatives, each in units of its chance, are
    the inverse deviations.
    """
    information = joint.information(theta) * np.outer(scale, scale)
    values, vectors = np.linalg.eigh(information)
    found = []
    for value, weights in sorted(zip(values, vectors.T, strict=True), key=lambda pair: -pair[0]):
        deviation = float(1 / np.sqrt(max(value, 1e-12)))
        room = float(np.min((high - low) / scale / np.maximum(np.abs(weights), 1e-12)))
        movement = joint.surrogate.movement(theta, weights * scale)
        is_moving = bool(chi2.sf(movement, len(joint.counts) - 1) < _LEVEL)
        found.append(Direction(weights, deviation, is_moving and 4 * deviation < room))
    return found


def correlation(joint: Joint, theta: np.ndarray) -> np.ndarray:
    """Give the correlation of the parameters, shape (p, p)."""
    covariance = np.linalg.pinv(joint.information(theta))
    deviation = np.sqrt(np.diag(covariance))
    return np.asarray(covariance / np.outer(deviation, deviation))


def _gradient(function: Function, at: np.ndarray, step: float = 1e-3) -> np.ndarray:
    moves = step * np.eye(len(at))
    return np.array([(function(at + move) - function(at - move)) / (2 * step) for move in moves])
