"""Two batches side by side: differences B - A with 95 % intervals, as plain JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

import numpy as np

from calibration.likelihood import two_sample_test
from calibration.report.batch import generator
from calibration.report.frequencies import failed_pigs, rate
from calibration.report.independence import REPLICATES
from calibration.report.places import rest_times
from calibration.report.run import differences, run_of, unlike_conditions
from calibration.report.scores import NORMAL_QUANTILE, scores
from calibration.report.words import SIGNIFICANT, chances
from sim.interval import newcombe_interval
from sim.position import OTHER, POSITIONS
from sim.published import KERN_2006
from sim.records import RecordedBatch
from sim.rest import AT_REST
from sim.summary import Summary, summarize
from sim.words import plain

_FAILED = "failed_throws"
"""Instead of a position, of pigs whose throws failed."""

_RELEASE = ("seed", "pigs", "device", "conditions")
"""What the starts of throws depend on, besides the pig's shape."""


def comparison_report(a: RecordedBatch, b: RecordedBatch, names: Sequence[str]) -> dict[str, Any]:
    """Compare two batches; every difference is that of B less that of A.

    Throws of the two count as independent. If both began with the same releases their pigs still
    land apart: a throw is chaotic, and `agreement` tells how far that holds.
    """
    first, second = summarize(a.landings), summarize(b.landings)
    return {
        "kind": "comparison",
        "a": {"name": names[0], "run": run_of(a)},
        "b": {"name": names[1], "run": run_of(b)},
        "positions": _positions(first, second),
        "test": _test(first, second),
        "endings": _endings(first, second),
        "points": _points(a, b),
        "rest_time": _rest_time(a, b),
        "agreement": _agreement(a, b),
        "conditions": unlike_conditions(a.configuration, b.configuration),
        "configuration": differences(a.configuration, b.configuration),
        "versions": differences(a.versions, b.versions),
    }


def counted(key: str, count_a: int, total_a: int, count_b: int, total_b: int) -> dict[str, Any]:
    """Set two counted shares beside each other."""
    is_known = total_a > 0 and total_b > 0
    return {
        "name": key,
        "a": {"count": count_a, **rate(count_a, total_a)},
        "b": {"count": count_b, **rate(count_b, total_b)},
        "difference": count_b / total_b - count_a / total_a if is_known else None,
        "difference_interval": list(newcombe_interval(count_b, total_b, count_a, total_a)),
    }


def _ended(summary: Summary) -> dict[str, int]:
    """Count pigs by position, those of failed throws apart from the others in no position."""
    failed = failed_pigs(summary)
    return {**summary.positions, OTHER: summary.positions[OTHER] - failed, _FAILED: failed}


def _positions(a: Summary, b: Summary) -> list[dict[str, Any]]:
    first, second = _ended(a), _ended(b)
    rows = []
    for position, count in first.items():
        row = counted(position, count, a.counted_pigs, second[position], b.counted_pigs)
        if position in KERN_2006.counts:
            row["published_share"] = KERN_2006.share(position)
            row["published_interval"] = list(KERN_2006.interval(position))
        rows.append(row)
    return rows


def _test(a: Summary, b: Summary) -> dict[str, Any] | None:
    if not (a.counted_pigs and b.counted_pigs):
        return None
    first, second = (np.array(list(_ended(one).values()), dtype=np.float64) for one in (a, b))
    seen = int(((first > 0) | (second > 0)).sum())
    if seen == 1:
        return None
    test = two_sample_test(first, second, generator(), REPLICATES)
    return {
        "deviance": test.deviance,
        "degrees_of_freedom": seen - 1,
        "p_value": test.p_value,
        "replicates": test.replicates,
        "sentence": _sentence(_positions(a, b), test.p_value),
    }


def _sentence(rows: Sequence[dict[str, Any]], p_value: float) -> str:
    often = chances(p_value, REPLICATES)
    if p_value < SIGNIFICANT:
        worst = max(rows, key=lambda row: _clearness(row))
        return (
            "The positions of A and B differ by more than chance: two samples of these sizes from "
            f"one and the same pig would differ at least this much in {often}. What stands out "
            f"most is {plain(worst['name'])}: {100 * worst['a']['share']:.1f} % in A, "
            f"{100 * worst['b']['share']:.1f} % in B."
        )
    greatest = max(abs(end) for row in rows for end in row["difference_interval"])
    return (
        "The positions of A and B agree within chance: two samples of these sizes from one and the "
        f"same pig would differ at least this much in {often}. That is no proof of equality: true "
        f"differences of up to about {100 * greatest:.1f} percentage points could hide here."
    )


def _clearness(row: dict[str, Any]) -> float:
    low, high = row["difference_interval"]
    return float(abs(row["difference"]) / (high - low))


def _endings(a: Summary, b: Summary) -> list[dict[str, Any]]:
    def failed(summary: Summary) -> int:
        return summary.throws - summary.statuses[AT_REST]

    return [
        counted("touching", a.touching, a.throws, b.touching, b.throws),
        counted("piggyback", a.touches["piggyback"], a.throws, b.touches["piggyback"], b.throws),
        counted("failed", failed(a), a.throws, failed(b), b.throws),
    ]


def _points(a: RecordedBatch, b: RecordedBatch) -> dict[str, Any] | None:
    """Compare mean points, with the normal interval of their difference."""
    first, second = scores(a.landings), scores(b.landings)
    if first is None or second is None:
        return None
    errors = first["standard_error"], second["standard_error"]
    if None in errors:
        return None
    difference = second["mean_points"] - first["mean_points"]
    half = NORMAL_QUANTILE * hypot(*errors)
    return {
        "a": first["mean_points"],
        "a_interval": first["mean_points_interval"],
        "b": second["mean_points"],
        "b_interval": second["mean_points_interval"],
        "difference": difference,
        "difference_interval": [difference - half, difference + half],
    }


def _rest_time(a: RecordedBatch, b: RecordedBatch) -> list[dict[str, float]]:
    first, second = rest_times(a.landings), rest_times(b.landings)
    if first is None or second is None:
        return []
    return [
        {"share": x["share"], "a": x["value"], "b": y["value"]}
        for x, y in zip(first["quantiles"], second["quantiles"], strict=True)
    ]


def _agreement(a: RecordedBatch, b: RecordedBatch) -> dict[str, Any] | None:
    """Count pigs of the same release that land in the same position in both batches.

    None unless the releases are the same. `by_chance` is the share expected of pigs that have only
    their frequencies in common.
    """
    first, second = a.configuration, b.configuration
    if any(first[key] != second[key] for key in _RELEASE):
        return None
    if first["pig"]["digest"] != second["pig"]["digest"]:
        return None
    _, here, there = np.intersect1d(a.landings.index, b.landings.index, return_indices=True)
    one, other = a.landings.position[here], b.landings.position[there]
    if not one.size:
        return None
    same = int((one == other).sum())
    by_chance = sum(float((one == p).mean() * (other == p).mean()) for p in POSITIONS)
    return {"pigs": one.size, "same": same, **rate(same, one.size), "by_chance": by_chance}
