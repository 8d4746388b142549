"""The kinds of drawings that reports use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from calibration.report.drawing import INK, LINE, MARKERS, MUTED, SERIES, draw

UNIT_SQUARE = np.array(((0, 0), (1, 0), (1, 1), (0, 1)))

MOST_SERIES = len(SERIES)

_SPREAD = {2: 0.3, 3: 0.5, 4: 0.6}
"""Between the first and the last dot of a row, in rows."""

_ROW = 0.42
"""Height of a row of dots [inches]."""


@dataclass(frozen=True)
class Dot:
    """A value with its interval; a value of None has none, and nothing is drawn."""

    value: float | None
    low: float
    high: float


@dataclass(frozen=True)
class Series:
    """Dots of one kind, one for every row; None where there is nothing to compare."""

    name: str
    dots: Sequence[Dot | None]


def dots(
    name: str,
    rows: Sequence[str],
    series: Sequence[Series],
    label: str,
    *,
    is_log: bool = False,
    scale: float = 100.0,
    zero: float | None = None,
    row_label: str | None = None,
) -> str:
    """Draw dots with intervals, row by row.

    Args:
        name: Unique in the page.
        rows: Labels, from the top.
        series: At most four.
        label: Of the axis.
        is_log: Whether the axis is logarithmic; 0 then lies beyond its left end.
        scale: Values are multiplied by it; the default gives percentages.
        row_label: What the rows are.
        zero: Where a line marks that there is no effect, in the values' own unit.
    """

    def paint(axes: Axes) -> None:
        if is_log:
            _log_axis(axes, series, scale)
        for number, one in enumerate(series):
            offset = _offset(number, len(series))
            _paint_dots(axes, one, number, offset, scale)
        if zero is not None:
            axes.axvline(zero * scale, color=MUTED, linewidth=1, zorder=1)
        _label_rows(axes, rows)
        axes.set_xlabel(label)
        axes.set_ylabel(row_label or "")
        if len(series) > 1:
            axes.figure.legend(loc="outside upper left", ncols=2)

    spread = max(1.0, len(series) / 2)
    legend = 0.3 * np.ceil(len(series) / 2) if len(series) > 1 else 0.0
    return draw(name, 0.6 + legend + _ROW * spread * len(rows), paint)


def _label_rows(axes: Axes, rows: Sequence[str]) -> None:
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    for row in range(1, len(rows)):
        axes.axhline(row - 0.5, color=LINE, linewidth=0.6)


def _offset(number: int, count: int) -> float:
    return 0.0 if count == 1 else _SPREAD[count] * (number / (count - 1) - 0.5)


def _paint_dots(axes: Axes, series: Series, number: int, offset: float, scale: float) -> None:
    color, marker = SERIES[number], MARKERS[number]
    left = axes.get_xlim()[0] if axes.get_xscale() == "log" else -np.inf
    places, values = [], []
    for row, dot in enumerate(series.dots):
        if dot is None or dot.value is None:
            continue
        ends = [max(dot.low * scale, left), dot.high * scale]
        axes.plot(ends, [row + offset] * 2, color=color, linewidth=2.2, solid_capstyle="butt")
        if dot.value * scale > left:
            places.append(row + offset)
            values.append(dot.value * scale)
    axes.plot(
        values, places, linestyle="", marker=marker, markersize=6.5, color=color, label=series.name
    )


def _log_axis(axes: Axes, series: Sequence[Series], scale: float) -> None:
    drawn = [dot for one in series for dot in one.dots if dot is not None and dot.value is not None]
    smallest = min((dot.value or dot.high / 3) * scale for dot in drawn)
    lows = [dot.low * scale for dot in drawn if dot.low > 0]
    low = max(min(lows, default=smallest), smallest / 4) / 1.15
    high = max(dot.high for dot in drawn) * scale * 1.15
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    is_wide = high / low > 3e3
    ticks = np.outer(decades, (1,) if is_wide else (1, 2, 5)).ravel()
    axes.xaxis.set_major_locator(FixedLocator(ticks[(ticks >= low) & (ticks <= high)].tolist()))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def bars(name: str, edges: Sequence[float], counts: Sequence[int], labels: tuple[str, str]) -> str:
    """Draw a histogram; `labels` are of the axes across and up."""

    def paint(axes: Axes) -> None:
        axes.stairs(counts, edges, fill=True, color=SERIES[1])
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.grid(axis="y")
        axes.set_axisbelow(True)

    return draw(name, 3.0, paint)


def cell_map(
    name: str,
    corner: Sequence[float],
    cell: float,
    counts: Sequence[Sequence[int]],
    labels: tuple[str, str],
) -> str:
    """Draw counts in square cells, the denser the darker; `counts` has x first [m, drawn in cm]."""
    table = np.array(counts)
    across, up = 100 * np.array(corner)
    side = 100 * cell

    def paint(axes: Axes) -> None:
        cells = np.argwhere(table)
        corners = (across, up) + side * (cells[:, None, :] + UNIT_SQUARE)
        depths = 0.12 + 0.88 * np.log1p(table[tuple(cells.T)]) / np.log1p(table.max())
        colors = [(*to_rgb(SERIES[1]), depth) for depth in depths.tolist()]
        axes.add_collection(PolyCollection(corners, facecolors=colors, linewidths=0))
        axes.axhline(0, color=LINE, linewidth=0.8, zorder=0)
        axes.axvline(0, color=LINE, linewidth=0.8, zorder=0)
        axes.set_xlim(across, across + side * len(table))
        axes.set_ylim(up, up + side * len(table.T))
        axes.set_aspect("equal")
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])

    return draw(name, float(np.clip(4.7 * len(table.T) / len(table) + 0.6, 2.2, 6.0)), paint)


def cross_table(
    name: str,
    words: Sequence[str],
    texts: Sequence[Sequence[str]],
    depths: Sequence[Sequence[float]],
    labels: tuple[str, str],
) -> str:
    """Draw a square table: every cell its text, tinted by a depth from -1 to 1 in two colors."""
    size = len(words)

    def paint(axes: Axes) -> None:
        for row in range(size):
            for column in range(size):
                depth = float(np.clip(depths[row][column], -1, 1))
                color = SERIES[0] if depth > 0 else SERIES[1]
                place = (column - 0.5, row - 0.5)
                tint = Rectangle(place, 1, 1, facecolor=color, alpha=0.6 * abs(depth), linewidth=0)
                axes.add_patch(tint)
                axes.text(
                    column, row, texts[row][column], ha="center", va="center", color=INK, fontsize=9
                )
        axes.set_xlim(-0.5, size - 0.5)
        axes.set_ylim(size - 0.5, -0.5)
        if max(map(len, words)) > 4:
            axes.set_xticks(range(size), words, rotation=35, ha="right", rotation_mode="anchor")
        else:
            axes.set_xticks(range(size), words)
        axes.set_yticks(range(size), words)
        axes.tick_params(length=0, colors=INK)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])

    return draw(name, 0.52 * size + 1.2, paint)
