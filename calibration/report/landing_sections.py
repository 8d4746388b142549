"""How pigs landed, as sections of a page: positions, both pigs of a throw, scores, conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.report import charts
from calibration.report.cells import (
    count,
    decimal,
    points,
    points_range,
    share,
    share_range,
    test_text,
    text,
    word,
)
from calibration.report.charts import Series
from calibration.report.page import Cell, Figure, Section, Table
from calibration.report.share_figure import exact_dot, published_dot, share_dot, share_figure
from sim.calibrated import is_calibrated
from sim.lengths import METERS_PER_UNIT
from sim.words import plain

_FITTED = (
    "A calibrated pig was fitted to such a table, the standard one in mass, spacing and form to "
    "the published one: its agreement shows that the fit is good, and predicts nothing."
)


def position_section(report: Mapping[str, Any]) -> Section:
    """Set the positions beside the published ones."""
    rows, fit = report["positions"], report["goodness_of_fit"]
    table = Table(
        "Positions; differences in percentage points",
        ("position", "pigs", "share", "95 %", "published", "95 %", "difference", "95 %"),
        [beside_published(row, "position", "pigs") for row in rows],
    )
    words = [fit["sentence"], test_text(fit)] if fit else ["No pig lies in a published position."]
    if fit and is_calibrated(report["run"]["pig"]):
        words.append(_FITTED)
    words.append(
        "Pigs of touching throws are not counted, here or in the published table; pigs of throws "
        f"that failed are other. Published: {report['published']['pigs']:,} pigs, "
        f"{report['published']['source']}."
    )
    if not report["counted_pigs"]:
        return Section("Positions", "positions", words, tables=[table])
    shown = [row for row in rows if row["pigs"] or "published_share" in row]
    series = [
        Series("this batch", [share_dot(row) for row in shown]),
        Series("published", [published_dot(row) for row in shown]),
    ]
    names = [row["position"] for row in shown]
    figure = share_figure("shares", names, series, table, is_open=True)
    return Section("Positions", "positions", words, [figure])


def beside_published(row: Mapping[str, Any], name: str, counted: str) -> tuple[Cell, ...]:
    """Write a counted share beside the published one, where there is one."""
    return (
        word(row[name]),
        count(row[counted]),
        share(row["share"]),
        share_range(row["interval"]),
        share(row.get("published_share")),
        share_range(row.get("published_interval")),
        points(row.get("difference")),
        points_range(row.get("difference_interval")),
    )


def condition_words(row: Mapping[str, Any]) -> str:
    """Name a height and a start."""
    return f"{row['height'] / METERS_PER_UNIT['in']:.3g} in, {row['start']}"


def condition_section(conditions: Mapping[str, Any]) -> Section:
    """Set heights and starts beside each other."""
    rows, test = conditions["rows"], conditions["test"]
    title, name = "Height and start", "conditions"
    table = _condition_table(rows)
    if test is None:
        finding = (
            "All throws had one height and one start."
            if len(rows) == 1
            else "Too few pigs in different positions to tell whether height and start matter."
        )
        return Section(title, name, [finding], tables=[table])
    words = [test["sentence"], test_text(test)]
    by_position = zip(*(row["positions"] for row in rows), strict=True)
    seen = [each for each in by_position if any(one["pigs"] for one in each)]
    if len(rows) > charts.MOST_SERIES or not seen:
        return Section(title, name, words, tables=[table])
    series = [
        Series(condition_words(row), [share_dot(each[number]) for each in seen])
        for number, row in enumerate(rows)
    ]
    positions = [each[0]["position"] for each in seen]
    return Section(title, name, words, [share_figure("by-condition", positions, series, table)])


def _condition_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    positions = [plain(one["position"]) for one in rows[0]["positions"]]
    return Table(
        "Shares of the pigs by height and start",
        ("released", "throws", *positions, "touching"),
        [
            (
                text(condition_words(row)),
                count(row["throws"]),
                *(share(one["share"]) for one in row["positions"]),
                share(row["touching"]["share"]),
            )
            for row in rows
        ],
    )


def pair_section(pairs: Mapping[str, Any] | None) -> Section | None:
    """Cross the positions of both pigs."""
    if pairs is None or not pairs["throws"]:
        return None
    names, counts, expected = pairs["positions"], pairs["counts"], pairs["expected"]
    seen = [k for k in range(len(names)) if sum(counts[k]) or any(row[k] for row in counts)]
    positions = [plain(names[k]) for k in seen]
    texts = [[f"{counts[i][k]:,}\n({expected[i][k]:,.1f})" for k in seen] for i in seen]
    depths = [[_excess(counts[i][k], expected[i][k]) / 4 for k in seen] for i in seen]
    table = Table(
        "Throws by the positions of both pigs",
        ("first pig", "second pig", "throws", "if independent", "standard deviations"),
        [
            (
                word(names[i]),
                word(names[k]),
                count(counts[i][k]),
                decimal(expected[i][k], 1),
                decimal(_excess(counts[i][k], expected[i][k]), 1),
            )
            for i in seen
            for k in seen
        ],
        texts=2,
    )
    figure = Figure(
        charts.cross_table("pairs", positions, texts, depths, ("second pig", "first pig")),
        "Table of the throws by the positions of both pigs, each cell tinted by how far its count "
        "is from that of independent pigs.",
        f"{pairs['throws']:,} throws at rest without touching; in brackets what independent pigs "
        "would give within each height and start. Red: more throws, blue: fewer; full color at "
        "four standard deviations.",
        table,
    )
    words = [pairs["sentence"], *([test_text(pairs)] if pairs["degrees_of_freedom"] else [])]
    return Section("The two pigs", "pairs", words, [figure])


def _excess(count: int, expected: float) -> float:
    """Give Pearson's residual, about a standard normal if the pigs are independent."""
    return (count - expected) / expected**0.5 if expected else 0.0


def score_section(scores: Mapping[str, Any] | None) -> Section | None:
    """Tell what the throws score."""
    if scores is None:
        return None
    note = (
        "Points of the throw alone; a pig out, an Oinker and a Piggyback score 0 and cost more "
        "besides. A throw with an other has no score in the rulebook and is thrown again: it is in "
        "no mean and in no chance of points. Published touching throws are all counted as Oinkers."
    )
    names = Table(
        "Throws by score",
        ("score", "points", "throws", "share", "95 %", "published"),
        [(word(row["score"]), *_point_cells(row)) for row in scores["rows"]],
    )
    figures = [_points_figure(scores["points"])] if scores["counting_throws"] else []
    return Section("Scores", "scores", [_mean_words(scores), note], figures, [names])


def _mean_words(scores: Mapping[str, Any]) -> str:
    mean, interval = scores["mean_points"], scores["mean_points_interval"]
    if mean is None:
        return "No throw counts: in each a pig is other."
    if interval is None:
        return f"The one throw that counts scores {mean:g} points."
    return (
        f"A throw scores {mean:.3f} points on average (95 % interval {interval[0]:.3f} to "
        f"{interval[1]:.3f}); published pigs, landing independently, would score "
        f"{scores['published_mean_points']:.3f}."
    )


def _point_cells(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    return (
        Cell(str(row["points"]), row["points"]),
        count(row["throws"]),
        share(row["share"]),
        share_range(row["interval"]),
        share(row["published_share"]),
    )


def _points_figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    table = Table(
        "Throws by points",
        ("points", "throws", "chance", "95 %", "published"),
        [_point_cells(row) for row in rows],
    )
    return Figure(
        charts.dots(
            "points",
            [str(row["points"]) for row in rows],
            [
                Series("this batch", [share_dot(row) for row in rows]),
                Series("published", [exact_dot(row["published_share"]) for row in rows]),
            ],
            "chance, % (logarithmic)",
            is_log=True,
            row_label="points of a throw",
        ),
        "Dot plot of the chance of every number of points, with 95 % intervals, beside the chance "
        "by the published shares; the numbers are in the table.",
        "The chance of scoring so many points with one throw.",
        table,
    )
