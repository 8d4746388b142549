"""The comparison of two batches as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.report import charts
from calibration.report.batch_page import run_words, unlike_notes
from calibration.report.cells import (
    count,
    decimal,
    decimal_range,
    p_text,
    points,
    points_range,
    quantile_name,
    share,
    share_range,
    test_text,
    text,
    word,
)
from calibration.report.charts import Dot, Series
from calibration.report.page import Cell, Figure, Page, Section, Table
from calibration.report.share_figure import published_dot, share_dot, share_figure
from calibration.report.words import EARLY, short_name, throws_in_words
from sim.words import plain

_NOTE = (
    "Differences are B less A, in percentage points. Each interval holds the true difference in 95 "
    "of 100 cases by itself; among eight, one that leaves zero out by chance alone is no surprise, "
    "so judge by the test above first."
)


def comparison_page(report: dict[str, Any]) -> Page:
    """Lay a comparison out."""
    a, b = report["a"], report["b"]
    test, ends = report["test"], {row["name"]: row for row in report["endings"]}
    mean = report["points"]
    return Page(
        title="Two batches compared",
        subtitle=f"A is {_run(a)}. B is {_run(b)}.",
        tiles=[
            *([("p of the positions", p_text(test))] if test else []),
            ("touching, B less A", f"{points(ends['touching']['difference']).text} %-points"),
            *([("points a throw, B less A", f"{mean['difference']:+.3f}")] if mean else []),
        ],
        sections=[
            _position_section(report),
            _ending_section(report["endings"]),
            *([_score_section(mean)] if mean else []),
            *([_time_section(report["rest_time"])] if report["rest_time"] else []),
            _difference_section(report),
        ],
        data=report,
        notes=[
            *_condition_notes(report["conditions"]),
            *unlike_notes([("A", a["run"]), ("B", b["run"])]),
        ],
    )


def _condition_notes(conditions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which conditions A and B do not share."""
    if not conditions:
        return []
    said = [
        f"{row['name']} (see What differs)"
        if row["a"] is None
        else f"{row['name']} (A: {row['a']}, B: {row['b']})"
        for row in conditions
    ]
    return [
        f"A and B were not thrown under the same conditions: {', '.join(said)}. Where they land "
        "unlike, any of these may be why."
    ]


def _run(side: Mapping[str, Any]) -> str:
    run = side["run"]
    return f"{short_name(side['name'])}: {throws_in_words(run['throws'])}, {run_words(run)}"


def _position_section(report: Mapping[str, Any]) -> Section:
    rows, test = report["positions"], report["test"]
    words = ["The pigs of A and B do not lie in two positions or more: nothing to compare."]
    if test:
        words = [test["sentence"], test_text(test), _NOTE]
    if report["agreement"] is not None:
        words.append(_agreement_words(report["agreement"]))
    table = _counted_table("Positions of the pigs", "position", "pigs", rows)
    if not test:
        return Section("Positions", "positions", words, tables=[table])
    shown = [row for row in rows if row["a"]["count"] or row["b"]["count"]]
    names = [row["name"] for row in shown]
    series = [
        Series("A", [share_dot(row["a"]) for row in shown]),
        Series("B", [share_dot(row["b"]) for row in shown]),
        Series("published", [published_dot(row) for row in shown]),
    ]
    shares = share_figure("shares", names, series, _published_table(rows))
    return Section("Positions", "positions", words, [_difference_figure(shown, table), shares])


def _difference_figure(rows: Sequence[Mapping[str, Any]], table: Table) -> Figure:
    return Figure(
        charts.dots(
            "differences",
            [plain(row["name"]) for row in rows],
            [
                Series(
                    "B less A",
                    [Dot(row["difference"], *row["difference_interval"]) for row in rows],
                )
            ],
            "difference B less A, percentage points",
            zero=0.0,
        ),
        "Dot plot of the difference of every position's share, B less A, with 95 % intervals, "
        "around a line at zero.",
        "Where an interval crosses the line at zero, chance alone allows the difference.",
        table,
        is_open=True,
    )


def _agreement_words(agreement: Mapping[str, Any]) -> str:
    return (
        f"Both batches began with the same releases: {share(agreement['share']).text} of "
        f"{agreement['pigs']:,} pigs lie in the same position in both, where "
        f"{share(agreement['by_chance']).text} would by chance. The tests take the batches for "
        "independent; as far as they are not, chance is smaller than said."
    )


def _counted_table(caption: str, what: str, unit: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    header = (
        *(what, f"{unit}, A", "share, A", "95 %", f"{unit}, B", "share, B", "95 %"),
        *("difference", "95 %"),
    )
    return Table(
        caption,
        header,
        [
            (
                word(row["name"]),
                *(
                    cell
                    for side in (row["a"], row["b"])
                    for cell in (
                        count(side["count"]),
                        share(side["share"]),
                        share_range(side["interval"]),
                    )
                ),
                points(row["difference"]),
                points_range(row["difference_interval"]),
            )
            for row in rows
        ],
    )


def _published_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        "Shares beside the published table",
        ("position", "A", "B", "published", "95 %"),
        [
            (
                word(row["name"]),
                share(row["a"]["share"]),
                share(row["b"]["share"]),
                share(row.get("published_share")),
                share_range(row.get("published_interval")),
            )
            for row in rows
        ],
    )


def _ending_section(rows: Sequence[Mapping[str, Any]]) -> Section:
    unlike = [row["name"] for row in rows if not _holds_zero(row["difference_interval"])]
    finding = (
        f"A and B differ in {' and '.join(unlike)} by more than a 95 % interval allows."
        if unlike
        else "A and B agree within chance in how many throws touch and how many fail."
    )
    table = _counted_table("Throws", "ended", "throws", rows)
    return Section("Touching and failures", "endings", [finding], tables=[table])


def _holds_zero(interval: Sequence[float]) -> bool:
    return interval[0] <= 0.0 <= interval[1]


def _score_section(mean: Mapping[str, Any]) -> Section:
    low, high = mean["difference_interval"]
    verdict = "more than chance" if not _holds_zero((low, high)) else "no more than chance"
    finding = (
        f"A throw scores {mean['a']:.3f} points in A and {mean['b']:.3f} in B: a difference of "
        f"{mean['difference']:+.3f} (95 % interval {low:+.3f} to {high:+.3f}), {verdict}."
    )
    rows = [
        (text(side), decimal(mean[key], 3), decimal_range(mean[f"{key}_interval"], 3))
        for side, key in (("A", "a"), ("B", "b"), ("B less A", "difference"))
    ]
    table = Table("Mean points of a throw", ("batch", "points", "95 %"), rows)
    return Section("Scores", "scores", [finding], tables=[table])


def _time_section(rows: Sequence[Mapping[str, float]]) -> Section:
    cells = [
        (Cell(quantile_name(row["share"]), row["share"]), decimal(row["a"]), decimal(row["b"]))
        for row in rows
    ]
    table = Table("Time from the release to rest", ("quantile", "A, s", "B, s"), cells)
    middle = next(row for row in rows if row["share"] == 0.5)
    finding = (
        f"Half of the pigs lie still {middle['a']:.2f} s after the release in A, and "
        f"{middle['b']:.2f} s in B."
    )
    return Section("Time to rest", "times", [finding, EARLY], tables=[table])


def _difference_section(report: Mapping[str, Any]) -> Section:
    rows = [*report["configuration"], *report["versions"]]
    if not rows:
        return Section("What differs", "runs", ["Nothing but the number of throws."])
    table = Table(
        "Entries of the configurations and versions that differ",
        ("entry", "A", "B"),
        [(text(row["entry"]), text(row["a"]), text(row["b"])) for row in rows],
        texts=3,
    )
    finding = f"{len(rows)} entr{'ies differ' if len(rows) > 1 else 'y differs'}."
    return Section("What differs", "runs", [finding], tables=[table])
