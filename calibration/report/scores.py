"""What the throws of a batch score, beside what published pigs would."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np
from scipy.stats import norm

from calibration.report.frequencies import rate
from sim.game.score import SCORE_NAMES, score
from sim.game.source import LandingTable
from sim.published import KERN_2006
from sim.summary import SCORED_PIGS, worst_touch
from sim.throw import Landings

_Worth = tuple[str, int]
"""Name of a score and its points."""

NORMAL_QUANTILE = float(norm.ppf(0.975))


def scores(landings: Landings) -> dict[str, Any] | None:
    """Count throws by score and points; None unless throws are of two pigs.

    `other` has no score in the rulebook, so such throws are in no mean: they are thrown again.
    """
    if landings.position.shape[1] != SCORED_PIGS:
        return None
    counts = Counter[_Worth]()
    first, second = np.sort(landings.position, axis=1).T.tolist()
    touch = worst_touch(landings.touch).tolist()
    for (a, b, touched), throws in Counter(zip(first, second, touch, strict=True)).items():
        worth = score(a, b, touched)
        counts[worth.name, worth.points] += throws
    published = _published()
    throws = len(landings.index)
    rows = [
        {
            "score": name,
            "points": points,
            "throws": counts[name, points],
            **rate(counts[name, points], throws),
            "published_share": published.get((name, points), 0.0),
        }
        for name, points in sorted(counts | published, key=_rank)
    ]
    by_points = Counter[int]()
    for (name, points), count in counts.items():
        by_points[points] += count if name != "other" else 0
    return {
        "rows": rows,
        "counting_throws": by_points.total(),
        "points": _points(by_points, published),
        **_mean(by_points),
        "published_mean_points": sum(points * share for (_, points), share in published.items()),
    }


def _points(by_points: Counter[int], published: dict[_Worth, float]) -> list[dict[str, Any]]:
    """Give the chance of every number of points, of throws that count."""
    expected = dict.fromkeys((points for _, points in published), 0.0)
    for (_, points), share in published.items():
        expected[points] += share
    return [
        {
            "points": points,
            "throws": by_points[points],
            **rate(by_points[points], by_points.total()),
            "published_share": expected.get(points, 0.0),
        }
        for points in sorted(by_points.keys() | expected)
    ]


def _mean(by_points: Counter[int]) -> dict[str, Any]:
    """Give the mean with its normal 95 % interval; a single throw has none."""
    points = np.array(list(by_points))
    weights = np.array(list(by_points.values()), dtype=np.float64)
    counting = int(weights.sum())
    if counting < 2:
        mean = float(points @ weights) if counting else None
        return {"mean_points": mean, "mean_points_interval": None, "standard_error": None}
    mean = float(points @ weights / counting)
    variance = float(weights @ (points - mean) ** 2 / (counting - 1))
    error = sqrt(variance / counting)
    return {
        "mean_points": mean,
        "mean_points_interval": [mean - NORMAL_QUANTILE * error, mean + NORMAL_QUANTILE * error],
        "standard_error": error,
    }


def _published() -> dict[_Worth, float]:
    """Give the chances of every score by the published shares, pigs independent of each other."""
    table = LandingTable.published(KERN_2006)
    chances: dict[_Worth, float] = {}
    for landing, probability in zip(table.landings, table.probabilities.tolist(), strict=True):
        worth = score(*landing.positions, landing.touch)
        key = worth.name, worth.points
        chances[key] = chances.get(key, 0.0) + probability
    return chances


def _rank(worth: _Worth) -> tuple[int, int]:
    return SCORE_NAMES.index(worth[0]), worth[1]
