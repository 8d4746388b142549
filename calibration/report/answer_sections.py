"""The answer of a calibration, as sections of a page: density, parameters, the way of the fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.report import charts, fit_charts
from calibration.report.cells import (
    count,
    decimal,
    decimal_range,
    millimeters,
    millimeters_range,
    small,
    text,
    word,
)
from calibration.report.charts import Dot, Series
from calibration.report.page import Cell, Figure, Section, Table
from sim.words import plain

_AXES = ("x, to the snout", "y, to the left", "z, to the back")


def density_section(report: Mapping[str, Any]) -> Section:
    """Draw the density, and the center of mass in it."""
    density, slices, center = report["density"], report["slices"], report["center_of_mass"]
    table = _center_table(report)
    inertia = Table(
        "Inertia about the center of mass, g mm²",
        ("pig axis", "x", "y", "z"),
        [
            (text(axis), *(Cell(f"{1e9 * value:.2f}", value) for value in row))
            for axis, row in zip("xyz", report["configuration"]["pig"]["inertia"], strict=True)
        ],
    )
    finding = (
        f"The densest part of the pig is {density['ratio']:.2f} times as dense as the lightest; "
        f"the density differs from a uniform one by {density['nats']:.3g} nats."
    )
    if not slices:
        note = "No slices: they need the model density, and the shape of pig that was fitted."
        return Section("Density", "density", [finding, note], tables=[table, inertia])
    figure = Figure(
        fit_charts.slice_map("slices", slices, center["value"], center["uniform"]),
        "Slices through the pig's center of mass from the side, from above and from the front, "
        "tinted by density, with the fitted and the uniform center of mass.",
        "Slices through the center of mass, before the pig's outline. Red is denser than the mean, "
        f"blue lighter, up to a factor of {_deepest(slices):.2f}. The snout points right; the "
        "front view has the pig's left at its right.",
        table,
    )
    return Section("Density", "density", [finding], [figure], [inertia])


def _center_table(report: Mapping[str, Any]) -> Table:
    center, shift = report["center_of_mass"], report["density"]["shift"]
    columns = (center["value"], center["low"], center["high"], center["uniform"], shift)
    return Table(
        "Center of mass, mm, pig frame",
        ("axis", "fitted", "95 %", "uniform", "shift"),
        [
            (
                text(axis),
                millimeters(fitted),
                millimeters_range((low, high)),
                millimeters(uniform),
                shift_cell(shift),
            )
            for axis, fitted, low, high, uniform, shift in zip(_AXES, *columns, strict=True)
        ],
    )


def shift_cell(shift: float) -> Cell:
    """Write how far the center of mass moves, in millimeters; the cell keeps meters."""
    return Cell(f"{1e3 * shift:+.3f}", shift)


def _deepest(slices: Sequence[Mapping[str, Any]]) -> float:
    values = [value for one in slices for row in one["density"] for value in row if value]
    return float(max(max(values), 1 / min(values)))


def parameter_section(report: Mapping[str, Any]) -> Section:
    """List the parameters, their intervals and how they hang together."""
    parameters = report["parameters"]
    used = parameters["in_use"]
    names = [plain(one["name"]) for one in used]
    table = Table(
        "Parameters in use",
        ("parameter", "value", "95 %", "at a bound"),
        [
            (
                word(one["name"]),
                small(one["value"]),
                decimal_range((one["low"], one["high"]), 4),
                text("yes" if one["is_at_bound"] else "no"),
            )
            for one in used
        ],
    )
    series = [Series("fitted", [Dot(one["value"], one["low"], one["high"]) for one in used])]
    figure = Figure(
        charts.dots("parameters", names, series, "value", scale=1.0, zero=0.0),
        "Dot plot of every parameter in use with its 95 % interval.",
        "Dots are the fitted values, lines their 95 % intervals. At 0, a term of the density has "
        "no effect.",
        table,
        is_open=True,
    )
    figures = [figure]
    if len(names) > 1:
        figures.append(_correlation_figure(names, parameters["correlation"]))
    findings = [f"Meaning and units: {parameters['about']}.", *report["identifiability"]]
    return Section("Parameters", "parameters", findings, figures)


def _correlation_figure(names: Sequence[str], correlation: Sequence[Sequence[float]]) -> Figure:
    table = Table(
        "Correlation of the parameters",
        ("parameter", "with", "correlation"),
        [
            (text(names[i]), text(names[k]), decimal(correlation[i][k], 3))
            for i in range(len(names))
            for k in range(i)
        ],
        texts=2,
    )
    texts = [[f"{value:.2f}" for value in row] for row in correlation]
    return Figure(
        charts.cross_table("correlation", names, texts, correlation, ("", "")),
        "Table of the correlations between the parameters, tinted by size.",
        "Red: if the truth of one is higher than found, so is the other's; blue: the other way.",
        table,
    )


def path_section(report: Mapping[str, Any]) -> Section:
    """Draw the way of the fit."""
    path = report["path"]
    names = report["parameters"]["names"]
    table = Table(
        "Candidates in the order thrown",
        ("candidate", "round", "source", "pigs", "misfit", "best before", *map(plain, names)),
        [
            (
                count(number + 1),
                count(one["round"]),
                text(one["source"]),
                count(one["pigs"]),
                decimal(one["deviance"], 1),
                decimal(one["best"], 1),
                *(small(value) for value in one["theta"]),
            )
            for number, one in enumerate(path)
        ],
        texts=0,
    )
    verdict = (
        "It ended by itself: the steps became small beside what the table leaves open."
        if report["fit"]["is_converged"]
        else "It ended because its rounds were used up, before the steps became small."
    )
    figure = Figure(
        fit_charts.fit_path("path", path),
        "Plot of the misfit of every candidate in the order thrown, with the best known before.",
        "Every dot is one candidate, thrown anew; its misfit holds the chance of its own throws "
        "besides.",
        table,
    )
    return Section("The way of the fit", "path", [f"{len(path):,} candidates. {verdict}"], [figure])
