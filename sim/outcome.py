"""What `pigs throw` says of a batch: one JSON object, or tables beside the published counts."""

from __future__ import annotations

from typing import Any

from sim.batch import Batch
from sim.interval import wilson_interval
from sim.published import KERN_2006
from sim.summary import Summary
from sim.text_table import format_table, percent, percent_range


def outcome_json(
    batch: Batch, seed: int, engine: str, configuration: dict[str, Any]
) -> dict[str, Any]:
    """Gather a batch's outcome under the keys that machines read."""
    summary = batch.summary
    return {
        "throws": summary.throws,
        "seed": seed,
        "engine": engine,
        "positions": dict(summary.positions),
        "oinker": summary.touches["oinker"],
        "piggyback": summary.touches["piggyback"],
        "status": dict(summary.statuses),
        "throws_per_second": batch.throws_per_second,
        "handed_over": summary.handed_over_share,
        "frequencies": {
            position: {"share": summary.share(position), "interval": summary.interval(position)}
            for position in summary.positions
        },
        "score": _score_json(summary),
        "configuration": configuration,
    }


def _score_json(summary: Summary) -> dict[str, Any] | None:
    if not summary.scores:
        return None
    shares = {name: count / summary.throws for name, count in summary.scores.items()}
    return {"mean_points": summary.mean_points, "shares": shares}


def outcome_text(batch: Batch, heading: str) -> str:
    """Write a batch's outcome as tables."""
    summary = batch.summary
    tables = [heading, _positions_table(summary), _touching_table(summary), _status_table(summary)]
    if summary.scores:
        tables.append(_score_table(summary))
    if share := summary.handed_over_share:
        tables.append(
            f"{percent(share)} of throws handed to PyBullet: their pigs came near each other"
        )
    speed = batch.throws_per_second
    tables.append(f"{speed:.1f} throws per second" if speed else "all throws were there already")
    return "\n\n".join(tables)


def _positions_table(summary: Summary) -> str:
    rows = []
    for position, pigs in summary.positions.items():
        is_published = position in KERN_2006.counts
        rows.append(
            (
                position,
                f"{pigs:,}",
                percent(summary.share(position)),
                percent_range(summary.interval(position) if summary.counted_pigs else None),
                percent(KERN_2006.share(position) if is_published else None),
                percent_range(KERN_2006.interval(position) if is_published else None),
            )
        )
    header = ("position", "pigs", "share", "95 % interval", "published", "95 % interval")
    note = "pigs of touching throws are not counted, here or in the published table"
    return f"{format_table(header, rows)}\n{note}"


def _touching_table(summary: Summary) -> str:
    rows = [
        (name, f"{count:,}", *_rate(count, summary.throws), "-", "-")
        for name, count in (
            ("oinker", summary.touches["oinker"]),
            ("piggyback", summary.touches["piggyback"]),
        )
    ]
    published = (percent(KERN_2006.touching_share()), percent_range(KERN_2006.touching_interval()))
    both = summary.touching
    rows.append(("touching", f"{both:,}", *_rate(both, summary.throws), *published))
    header = ("touching", "throws", "share", "95 % interval", "published", "95 % interval")
    note = f"published: {KERN_2006.touching} of {KERN_2006.throws:,} throws of two pigs touching"
    return f"{format_table(header, rows)}\n{note}; {KERN_2006.source}"


def _status_table(summary: Summary) -> str:
    rows = [
        (status, f"{throws:,}", percent(throws / summary.throws))
        for status, throws in summary.statuses.items()
    ]
    return format_table(("status", "throws", "share"), rows)


def _score_table(summary: Summary) -> str:
    rows = [
        (name, f"{throws:,}", *_rate(throws, summary.throws))
        for name, throws in summary.scores.items()
    ]
    table = format_table(("score", "throws", "share", "95 % interval"), rows)
    mean = summary.mean_points
    if mean is None:
        return table
    return f"{table}\nmean points per throw: {mean:.3f} (a throw with an other is thrown again)"


def _rate(count: int, total: int) -> tuple[str, str]:
    return percent(count / total), percent_range(wilson_interval(count, total))
