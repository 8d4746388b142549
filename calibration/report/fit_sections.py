"""What a calibration found besides the fit, as sections of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.report import charts
from calibration.report.answer_sections import shift_cell
from calibration.report.cells import (
    count,
    decimal,
    millimeters,
    share,
    share_range,
    share_within,
    small,
    text,
    word,
)
from calibration.report.charts import Dot, Series
from calibration.report.landing_sections import condition_words
from calibration.report.page import Figure, Section, Table
from calibration.report.share_figure import exact_dot, share_figure
from calibration.report.words import SIGNIFICANT
from sim.interval import wilson_interval
from sim.position import POSITIONS
from sim.words import plain


def term_section(tests: list[list[Mapping[str, Any]]]) -> Section | None:
    """Tell whether the data ask for more terms of the density."""
    if not any(tests):
        return None
    table = Table(
        "Terms that were tried",
        ("term", "round", "value", "gain of G²", "p"),
        [
            (
                text(one["term"]),
                count(number + 1),
                small(one["value"]),
                decimal(one["gain"], 2),
                small(one["p_value"]),
            )
            for number, tried in enumerate(tests)
            for one in tried
        ],
    )
    wanted = [
        best["term"]
        for best, tried in ((min(t, key=lambda one: one["p_value"]), t) for t in tests if t)
        if best["p_value"] * len(tried) < SIGNIFICANT
    ]
    finding = (
        f"The data ask for more than a linear density: {', '.join(wanted)}."
        if wanted
        else "The data ask for no more terms of the density: none gains more than chance."
    )
    note = "A gain counts if its p times the number of terms tried is below 0.05 (Bonferroni)."
    return Section("More terms", "terms", [finding, note], tables=[table])


def sensitivity_section(report: Mapping[str, Any]) -> Section | None:
    """Tell how the answer moves when numbers that were held are others."""
    rows = report["sensitivity"]
    if not rows:
        return None
    figure = Figure(
        charts.dots(
            "sensitivity",
            [plain(row["change"]) for row in rows],
            [
                Series("as fitted", [exact_dot(max(row["deviance"], 1e-2)) for row in rows]),
                Series("fitted anew", [exact_dot(max(row["refitted"], 1e-2)) for row in rows]),
            ],
            "misfit to the table, G² (logarithmic)",
            is_log=True,
            scale=1.0,
        ),
        "Dot plot of the misfit under one change at a time, and under none: with the parameters as "
        "fitted, and fitted anew.",
        f"The misfit of {rows[0]['pigs']:,} pigs thrown alone, under no change and under one at a "
        "time: with the mass as it was fitted, and after it was fitted anew to make up for the "
        "change.",
        _change_table(rows),
    )
    shares = Table(
        "Shares at the fitted parameters, one change at a time, % ± half the 95 % interval",
        ("change", "pigs", *map(plain, POSITIONS)),
        [
            (
                word(row["change"]),
                count(row["pigs"]),
                *(share_within(row["shares"][name], row["intervals"][name]) for name in POSITIONS),
            )
            for row in rows
        ],
    )
    return Section("Sensitivity", "sensitivity", _sensitivity_words(rows), [figure], [shares])


def _sensitivity_words(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which changes are more than chance, and how far the center of mass moves."""
    usual, *changed = rows
    found = sorted(
        (row for row in changed if row["p_value"] * len(changed) < SIGNIFICANT),
        key=lambda row: -row["deviance"],
    )
    if found:
        told = "; ".join(
            f"{plain(row['change'])} (misfit {row['deviance']:.1f}, fitted anew "
            f"{row['refitted']:.1f})"
            for row in found
        )
        first = (
            f"Of {len(changed)} changes, {len(found)} set the shares apart from the unchanged "
            f"pig's (misfit {usual['deviance']:.1f}) by more than chance: {told}."
        )
    else:
        first = (
            f"None of {len(changed)} changes sets the shares apart from the unchanged pig's by "
            "more than chance."
        )
    moved, error, axis, change = max(
        (abs(moved), error, axis, row["change"])
        for row in changed
        for moved, error, axis in zip(row["shift"], row["shift_error"], "xyz", strict=True)
    )
    return [
        first,
        f"The fitted center of mass moves by at most {1e3 * moved:.2f} ± {1e3 * error:.2f} mm "
        f"(standard error; along {axis}, {plain(change)}).",
        "More than chance: p times the number of changes is below 0.05 (Bonferroni). The rows "
        "are thrown from the same releases, so their differences are rather surer than told.",
    ]


def _change_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    axes = [head for axis in "xyz" for head in (f"shift {axis}, mm", "s.e.")]
    return Table(
        "What one change at a time does: the misfit, and the fitted center of mass",
        ("change", "misfit as fitted", "p beside unchanged", "misfit fitted anew", *axes),
        [
            (
                word(row["change"]),
                decimal(row["deviance"], 1),
                decimal(row["p_value"], 4),
                decimal(row["refitted"], 1),
                *(
                    cell
                    for moved, error in zip(row["shift"], row["shift_error"], strict=True)
                    for cell in (shift_cell(moved), millimeters(error))
                ),
            )
            for row in rows
        ],
    )


def prediction_section(report: Mapping[str, Any]) -> Section:
    """Tell what follows for things that were not fitted."""
    found = report["predictions"]
    rows, table = found["conditions"], _condition_table(found["conditions"])
    pairs = Table(
        "Throws by both pigs' positions",
        ("positions", "throws"),
        [(text(_pair_words(name)), count(number)) for name, number in found["pairs"].items()],
    )
    words = [
        "None of this was fitted; it is what the fitted pig says.",
        f"Height and start: G² = {found['differences']:.1f}, p = "
        f"{found['differences_p_value']:.2g} for no effect of them. The two pigs: G² = "
        f"{found['dependence']:.1f}, p = {found['dependence_p_value']:.2g} for independence. A "
        f"throw scores {found['points']:.3f} points on average.",
    ]
    if not 1 < len(rows) <= charts.MOST_SERIES:
        return Section("Predictions", "predictions", words, tables=[table, pairs])
    seen = [position for position in POSITIONS if any(row["shares"][position] for row in rows)]
    series = [
        Series(condition_words(row), [_share_dot(row, position) for position in seen])
        for row in rows
    ]
    figure = share_figure("predictions", seen, series, table)
    return Section("Predictions", "predictions", words, [figure], [pairs])


def _condition_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        "Shares under each height and start",
        ("released", "pigs", *map(plain, POSITIONS), "touching"),
        [
            (
                text(condition_words(row)),
                count(row["pigs"]),
                *(share(row["shares"][position]) for position in POSITIONS),
                share(row["touching"]),
            )
            for row in rows
        ],
    )


def _share_dot(row: Mapping[str, Any], position: str) -> Dot:
    share_of = row["shares"][position]
    return Dot(share_of, *wilson_interval(round(share_of * row["pigs"]), row["pigs"]))


def _pair_words(name: str) -> str:
    return " and ".join(plain(position) for position in name.split())


def spacing_section(report: Mapping[str, Any]) -> Section | None:
    """Tell what spacing of the pigs the touching rate asks for."""
    spacing = report["spacing"]
    if spacing is None:
        return None
    low, high = 1e3 * spacing["low"], 1e3 * spacing["high"]
    finding = (
        "By a smooth curve through the spacings tried, the touching rate comes nearest to the "
        f"table's at {1e3 * spacing['spacing']:.1f} mm, and lies in its 95 % "
        f"interval from {low:.1f} to {high:.1f} mm."
    )
    table = Table(
        "Touching throws by spacing",
        ("spacing, mm", "throws", "touching", "share", "95 %"),
        [
            (
                millimeters(tried),
                count(throws),
                count(touching),
                share(rate["share"]),
                share_range(rate["interval"]),
            )
            for tried, throws, touching, rate in zip(
                *(spacing[key] for key in ("tried", "throws", "touching", "rates")), strict=True
            )
        ],
    )
    return Section("Spacing", "spacing", [finding], tables=[table])
