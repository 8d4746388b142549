"""When and where pigs came to rest, as sections of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibration.report import charts
from calibration.report.cells import count, quantile_table
from calibration.report.page import Cell, Figure, Section, Table
from calibration.report.words import EARLY

_CENTIMETERS = 100.0


def time_section(times: Mapping[str, Any] | None) -> Section | None:
    """Tell when pigs came to rest."""
    if times is None:
        return None
    edges, pigs = times["bin_edges"], times["bin_pigs"]
    table = Table(
        "Pigs by the time until they rest",
        ("from, s", "to, s", "pigs"),
        [
            (Cell(f"{low:g}", low), Cell(f"{high:g}", high), count(number))
            for low, high, number in zip(edges[:-1], edges[1:], pigs, strict=True)
        ],
        texts=0,
    )
    middle = next(row["value"] for row in times["quantiles"] if row["share"] == 0.5)
    later = f" {times['later']:,} pigs came to rest later than shown." if times["later"] else ""
    figure = Figure(
        charts.bars("times", edges, pigs, ("time from the release to rest, s", "pigs")),
        "Histogram of the time that pigs took to come to rest; the numbers are in the table.",
        f"{times['pigs']:,} pigs of throws that came to rest.{later}",
        table,
    )
    quantiles = quantile_table("Time to rest", "s", times["quantiles"], 1.0, 2)
    finding = f"Half of the pigs lie still {middle:.2f} s after the release."
    return Section("Time to rest", "times", [finding, EARLY], [figure], [quantiles])


def place_section(places: Mapping[str, Any] | None) -> Section | None:
    """Tell where pigs came to rest."""
    if places is None:
        return None
    counts, cell = np.array(places["cell_pigs"]), places["cell"]
    low = np.array(places["corner"])
    rows = [
        (
            Cell(f"{_CENTIMETERS * (low[0] + column * cell):g}", float(low[0] + column * cell)),
            Cell(f"{_CENTIMETERS * (low[1] + row * cell):g}", float(low[1] + row * cell)),
            count(int(counts[column, row])),
        )
        for column, row in zip(*np.nonzero(counts), strict=True)
    ]
    side = f"{_CENTIMETERS * cell:g} cm"
    table = Table(
        f"Pigs in squares of {side}, by their corner", ("x from, cm", "y from, cm", "pigs"), rows, 0
    )
    outside = f" {places['outside']:,} pigs lie outside of it." if places["outside"] else ""
    labels = ("x, forward, cm", "y, to the left, cm")
    figure = Figure(
        charts.cell_map("places", places["corner"], cell, places["cell_pigs"], labels),
        "Map of the table from above, stronger in color where more pigs came to rest; the counts "
        "are in the table.",
        f"{places['pigs']:,} pigs, seen from above; the device is above the crossing of the lines, "
        f"squares are {side} wide; the stronger the color, the more pigs (logarithmic).{outside}",
        table,
    )
    distances = quantile_table(
        "Distance from below the device", "cm", places["distance_quantiles"], _CENTIMETERS, 1
    )
    middle = next(row["value"] for row in places["distance_quantiles"] if row["share"] == 0.5)
    finding = f"Half of the pigs rest within {_CENTIMETERS * middle:.0f} cm of the device's middle."
    return Section("Where they rest", "places", [finding], [figure], [distances])
