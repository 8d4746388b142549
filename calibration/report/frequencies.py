"""How a batch's pigs and throws ended, beside the published table, with 95 % intervals."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from calibration.likelihood import two_sample_test
from calibration.observed import published
from calibration.report.independence import REPLICATES, independence
from calibration.report.words import SIGNIFICANT, chances
from sim.interval import newcombe_interval, wilson_interval
from sim.position import OTHER, POSITIONS
from sim.published import KERN_2006
from sim.rest import AT_REST
from sim.summary import SCORED_PIGS, Summary, summarize
from sim.throw import Landings
from sim.words import plain


def rate(count: int, total: int) -> dict[str, Any]:
    """Give a count's share and its interval; the share of nothing is None."""
    share = count / total if total else None
    return {"share": share, "interval": list(wilson_interval(count, total))}


def position_rows(summary: Summary) -> list[dict[str, Any]]:
    """Set every position beside its published share."""
    total = summary.counted_pigs
    rows = []
    for position, pigs in summary.positions.items():
        row = {"position": position, "pigs": pigs, **rate(pigs, total)}
        if position in KERN_2006.counts:
            there = KERN_2006.counts[position]
            row["published_pigs"] = there
            row["published_share"] = KERN_2006.share(position)
            row["published_interval"] = list(KERN_2006.interval(position))
            if total:
                row["difference"] = pigs / total - KERN_2006.share(position)
                row["difference_interval"] = list(
                    newcombe_interval(pigs, total, there, KERN_2006.pigs)
                )
        rows.append(row)
    return rows


def failed_pigs(summary: Summary) -> int:
    """Count the pigs among `other` whose throws failed."""
    return summary.pigs * (summary.throws - summary.statuses[AT_REST])


def goodness_of_fit(summary: Summary, rng: np.random.Generator) -> dict[str, Any] | None:
    """Test whether a batch and the published table could be samples of one pig.

    None if no pig lies in a published position, as with a mesh file that has no ears and feet.
    """
    counts = np.array(list(summary.positions.values()), dtype=np.float64)
    if counts[[position in KERN_2006.counts for position in summary.positions]].sum() == 0:
        return None
    test = two_sample_test(published().vector, counts, rng, REPLICATES)
    seen = int(((counts > 0) | (published().vector > 0)).sum())
    return {
        "deviance": test.deviance,
        "degrees_of_freedom": seen - 1,
        "p_value": test.p_value,
        "replicates": test.replicates,
        "sentence": _fit_sentence(summary, test.p_value),
    }


def _fit_sentence(summary: Summary, p_value: float) -> str:
    often = chances(p_value, REPLICATES)
    if p_value < SIGNIFICANT:
        worst = max(POSITIONS, key=lambda position: _misfit(summary, position))
        here = summary.share(worst) or 0.0
        there = published().counts[worst] / KERN_2006.pigs
        return (
            "This batch and the published table differ by more than chance: two samples of these "
            f"sizes from one and the same pig would differ at least this much in {often}. What "
            f"stands out most is {plain(worst)}: {100 * here:.1f} % here, {100 * there:.1f} % "
            f"published.{_failed_words(summary) if worst == OTHER else ''}"
        )
    greatest = max(
        abs(end)
        for row in position_rows(summary)
        if "difference_interval" in row
        for end in row["difference_interval"]
    )
    return (
        "This batch and the published table agree within chance: two samples of these sizes from "
        f"one and the same pig would differ at least this much in {often}. That is no proof of "
        f"equality: true differences of up to about {100 * greatest:.1f} percentage points could "
        "hide here."
    )


def _failed_words(summary: Summary) -> str:
    failed = failed_pigs(summary)
    share = 100 * failed / summary.counted_pigs
    return f" Pigs of throws that failed are {share:.1f} %." if failed else ""


def _misfit(summary: Summary, position: str) -> float:
    """Give the difference to the published share in standard errors."""
    count, total = summary.positions[position], summary.counted_pigs
    there = published().counts[position]
    pooled = (count + there) / (total + KERN_2006.pigs)
    variance = pooled * (1 - pooled) * (1 / total + 1 / KERN_2006.pigs)
    difference = abs(count / total - there / KERN_2006.pigs)
    return difference / sqrt(variance) if variance else 0.0


def touching_rows(summary: Summary, is_pig: bool) -> list[dict[str, Any]]:
    """Count touching throws, of pigs beside the published, which does not set Piggybacks apart."""
    rows: list[dict[str, Any]] = [
        {"touch": touch, "throws": count, **rate(count, summary.throws)}
        for touch, count in (
            ("oinker", summary.touches["oinker"]),
            ("piggyback", summary.touches["piggyback"]),
            ("touching", summary.touching),
        )
    ]
    if is_pig and summary.pigs == SCORED_PIGS:
        rows[-1] |= {
            "published_throws": KERN_2006.touching,
            "published_share": KERN_2006.touching_share(),
            "published_interval": list(KERN_2006.touching_interval()),
            "difference": summary.touching / summary.throws - KERN_2006.touching_share(),
            "difference_interval": list(
                newcombe_interval(
                    summary.touching, summary.throws, KERN_2006.touching, KERN_2006.throws
                )
            ),
        }
    return rows


def status_rows(summary: Summary) -> list[dict[str, Any]]:
    """Count throws by how they ended, failures included."""
    return [
        {"status": status, "throws": throws, **rate(throws, summary.throws)}
        for status, throws in summary.statuses.items()
    ]


def condition_rows(landings: Landings) -> list[tuple[dict[str, Any], Summary]]:
    """Name the heights and starts of a batch, each with the summary of its throws."""
    keys = sorted(set(zip(landings.height.tolist(), landings.start.tolist(), strict=True)))
    rows = []
    for height, start in keys:
        chosen = (landings.height == height) & (landings.start == start)
        rows.append(({"height": height, "start": start}, summarize(select(landings, chosen))))
    return rows


def by_condition(landings: Landings, rng: np.random.Generator) -> dict[str, Any]:
    """Compare the positions between heights and starts."""
    parts = condition_rows(landings)
    rows = [
        {
            **key,
            "throws": summary.throws,
            "touching": {"throws": summary.touching, **rate(summary.touching, summary.throws)},
            "positions": [
                {"position": position, "pigs": pigs, **rate(pigs, summary.counted_pigs)}
                for position, pigs in summary.positions.items()
            ],
        }
        for key, summary in parts
    ]
    table = np.array([list(summary.positions.values()) for _, summary in parts])
    return {"rows": rows, "test": _condition_test(table, rng)}


def _condition_test(table: np.ndarray, rng: np.random.Generator) -> dict[str, Any] | None:
    """Test that all rows have the same shares; None if there is but one row, or one position."""
    test = independence([table], rng)
    if not test.degrees_of_freedom:
        return None
    often = chances(test.p_value, REPLICATES)
    verdict = (
        "How a pig lands depends on height and start: if it did not, these rows would differ this "
        f"much in {often}."
        if test.p_value < SIGNIFICANT
        else "No effect of height and start shows: without any, these rows would differ at least "
        f"this much in {often}."
    )
    return {
        "deviance": test.deviance,
        "degrees_of_freedom": test.degrees_of_freedom,
        "p_value": test.p_value,
        "replicates": REPLICATES,
        "sentence": verdict,
    }


def select(landings: Landings, chosen: np.ndarray) -> Landings:
    """Pick throws by a mask or by indices into the landings."""
    return Landings(**{name: values[chosen] for name, values in vars(landings).items()})
