"""How numbers are written in a report's tables; every cell keeps the number itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import degrees
from typing import Any

from calibration.report.page import Cell, Table
from sim.standard_streams import printable
from sim.text_table import percent, percent_range
from sim.words import plain

_NOTHING = Cell("-")
Interval = Sequence[float]


def text(words: object) -> Cell:
    """Write words."""
    return Cell(printable(str(words)))


def word(name: str) -> Cell:
    """Write a name of the records."""
    return Cell(plain(name))


def count(number: int | None) -> Cell:
    """Write a whole number."""
    return _NOTHING if number is None else Cell(f"{number:,}", number)


def share(value: float | None) -> Cell:
    """Write a share as a percentage."""
    return _NOTHING if value is None else Cell(percent(value), value)


def share_range(interval: Interval | None) -> Cell:
    """Write an interval of shares; it sorts by its lower end."""
    if interval is None:
        return _NOTHING
    low, high = interval
    return Cell(percent_range((low, high)), low)


def share_within(value: float, interval: Interval) -> Cell:
    """Write a share in percent with half the width of its interval."""
    low, high = interval
    return Cell(f"{100 * value:.1f} ± {50 * (high - low):.1f}", value)


def points(value: float | None, digits: int = 2) -> Cell:
    """Write a difference of shares in percentage points."""
    return _NOTHING if value is None else Cell(f"{100 * value:+.{digits}f}", value)


def points_range(interval: Interval | None) -> Cell:
    """Write an interval of differences; it sorts by its lower end."""
    if interval is None:
        return _NOTHING
    low, high = interval
    return Cell(f"{100 * low:+.2f} to {100 * high:+.2f}", low)


def decimal(value: float | None, digits: int = 2) -> Cell:
    """Write a number with so many decimals."""
    return _NOTHING if value is None else Cell(f"{value:,.{digits}f}", value)


def decimal_range(interval: Interval | None, digits: int = 2) -> Cell:
    """Write an interval of numbers; it sorts by its lower end."""
    if interval is None:
        return _NOTHING
    low, high = interval
    return Cell(f"{low:.{digits}f} to {high:.{digits}f}", low)


def angle(radians: float | None) -> Cell:
    """Write an angle in degrees; the cell keeps radians."""
    return _NOTHING if radians is None else Cell(f"{degrees(radians):.2f}°", radians)


def p_text(test: Mapping[str, Any]) -> str:
    """Write a test's p value, no finer than its replicates tell."""
    smallest = 1 / (test["replicates"] + 1)
    return f"at most {smallest:.1g}" if test["p_value"] <= smallest else f"{test['p_value']:.2g}"


def test_text(test: Mapping[str, Any]) -> str:
    """Write the numbers behind the sentence of a test."""
    freedom = test["degrees_of_freedom"]
    return (
        f"G² = {test['deviance']:.1f} with {freedom} degree{'s' * (freedom != 1)} of freedom, "
        f"p = {p_text(test)} from "
        f"{test['replicates']:,} simulated tables."
    )


def quantile_table(
    caption: str, unit: str, rows: Sequence[Mapping[str, float]], scale: float, digits: int
) -> Table:
    """Write quantiles; the cells keep the values unscaled."""
    cells = [
        (
            Cell(quantile_name(row["share"]), row["share"]),
            Cell(f"{scale * row['value']:.{digits}f}", row["value"]),
        )
        for row in rows
    ]
    return Table(caption, ("quantile", unit), cells)


def quantile_name(share_below: float) -> str:
    """Name a quantile by the share of values below it."""
    named = {0.0: "least", 0.5: "median", 1.0: "greatest"}
    return named.get(share_below, f"{100 * share_below:g} % are below")


def small(value: float | None) -> Cell:
    """Write a number with four significant digits."""
    return _NOTHING if value is None else Cell(f"{value:.4g}", value)


def millimeters(length: float) -> Cell:
    """Write a length in millimeters; the cell keeps meters."""
    return Cell(f"{1e3 * length:.3f}", length)


def millimeters_range(interval: Interval | None) -> Cell:
    """Write an interval of lengths in millimeters; it sorts by its lower end."""
    if interval is None:
        return _NOTHING
    low, high = interval
    return Cell(f"{1e3 * low:.3f} to {1e3 * high:.3f}", low)
