"""What the fitted pig says of things that were not fitted. Printed, never tuned to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.likelihood import bootstrap_p_value, deviance
from calibration.tally import Tally
from sim.device import Condition
from sim.game.score import score
from sim.position import POSITIONS
from sim.touch import TOUCHES

_REPLICATES = 1999


@dataclass(frozen=True)
class ConditionPrediction:
    """Shares under one height and start.

    Attributes:
        height: Of release [m].
        start: Which way the pigs face.
        pigs: Counted.
        shares: By position.
        touching: Share of throws that end touching.
    """

    height: float
    start: str
    pigs: int
    shares: dict[str, float]
    touching: float


@dataclass(frozen=True)
class Predictions:
    """What follows from the fitted pig.

    Attributes:
        conditions: Each height and start alone.
        differences: G^2 of the hypothesis that all conditions share their probabilities.
        differences_p_value: Of that, by parametric bootstrap.
        pairs: Throws by both pigs' positions, first name before second in POSITIONS.
        dependence: G^2 of the hypothesis that two pigs of a throw land independently, given the
            shares of all conditions together.
        dependence_p_value: Of that, by parametric bootstrap.
        points: Expected score of a throw, standard rules, `other` thrown again.
    """

    conditions: tuple[ConditionPrediction, ...]
    differences: float
    differences_p_value: float
    pairs: dict[str, int]
    dependence: float
    dependence_p_value: float
    points: float


def predict(fresh: Tally, conditions: Sequence[Condition], seed: int) -> Predictions:
    """Read the predictions off throws of two pigs.

    Args:
        fresh: Throws at the fitted parameters.
        conditions: That were thrown in turn.
        seed: Of the bootstraps.
    """
    rng = np.random.default_rng(seed)
    differences, differences_p = _independence(fresh.positions, rng)
    dependence, dependence_p = _independence(fresh.pairs, rng)
    both = fresh.pairs + fresh.pairs.T - np.diag(np.diag(fresh.pairs))
    return Predictions(
        conditions=tuple(
            ConditionPrediction(
                one.height,
                one.start,
                int(row.sum()),
                dict(zip(POSITIONS, (row / row.sum()).tolist(), strict=True)),
                float(touches[1:].sum() / touches.sum()),
            )
            for one, row, touches in zip(conditions, fresh.positions, fresh.touches, strict=True)
        ),
        differences=differences,
        differences_p_value=differences_p,
        pairs={
            f"{POSITIONS[i]} {POSITIONS[j]}": int(both[i, j])
            for i, j in zip(*np.triu_indices(len(POSITIONS)), strict=True)
        },
        dependence=dependence,
        dependence_p_value=dependence_p,
        points=mean_points(fresh),
    )


def mean_points(fresh: Tally) -> float:
    """Score every throw of two pigs by the standard rules; those with `other` are thrown again."""
    points, throws = 0.0, 0
    for i, j in np.argwhere(fresh.pairs):
        worth = score(POSITIONS[i], POSITIONS[j], "none")
        if worth.name != "other":
            points += worth.points * fresh.pairs[i, j]
            throws += fresh.pairs[i, j]
    for touch, count in zip(TOUCHES[1:], fresh.touches.sum(axis=0)[1:], strict=True):
        points += score(POSITIONS[0], POSITIONS[0], touch).points * count
        throws += count
    return float(points / throws)


def _independence(table: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """G^2 of independence of a table's rows and columns, and its p by parametric bootstrap.

    References:
        Agresti, A. (2013), Categorical Data Analysis, 3rd ed., section 3.2.
    """
    found = _table_deviance(table)
    total = int(table.sum())
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)).ravel() / total**2
    drawn = rng.multinomial(total, expected, _REPLICATES).reshape(-1, *table.shape)
    return found, bootstrap_p_value(found, np.array([_table_deviance(one) for one in drawn]))


def _table_deviance(table: np.ndarray) -> float:
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total**2
    return float(deviance(table.ravel().astype(np.float64), expected.ravel()))
