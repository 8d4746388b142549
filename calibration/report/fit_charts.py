"""Drawings that only a calibration needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter

from calibration.report.charts import UNIT_SQUARE
from calibration.report.drawing import INK, LINE, MARKERS, MUTED, SERIES, draw
from calibration.report.slices import VIEWS

_GAP = 0.004
"""Between two slices [m]."""


def fit_path(name: str, candidates: Sequence[Mapping[str, Any]]) -> str:
    """Draw the misfit of every candidate in the order thrown, and the best one known before it."""
    sources = list(dict.fromkeys(one["source"] for one in candidates))

    def paint(axes: Axes) -> None:
        for number, source in enumerate(sources):
            at = [k for k, one in enumerate(candidates) if one["source"] == source]
            axes.plot(
                np.array(at) + 1,
                [candidates[k]["deviance"] for k in at],
                linestyle="",
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
                color=SERIES[number % len(SERIES)],
                label=f"a candidate, {source}",
            )
        known = [(k + 1, one["best"]) for k, one in enumerate(candidates) if one["best"]]
        if known:
            axes.plot(*zip(*known, strict=True), color=MUTED, drawstyle="steps-post", label="best")
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_xlabel("candidate")
        axes.set_ylabel("misfit to the table, G²")
        axes.grid(axis="y")
        axes.figure.legend(loc="outside upper left", ncols=2)

    return draw(name, 3.6, paint)


def recovered(name: str, planted: Sequence[Mapping[str, Any]]) -> str:
    """Draw the found against the planted center of mass [m], one marker for each axis."""
    truths, found = (
        1e3 * np.array([one[f"{key}_center"] for one in planted]) for key in ("planted", "found")
    )
    truths, found = truths - truths.mean(axis=0), found - truths.mean(axis=0)

    def paint(axes: Axes) -> None:
        for axis, word in enumerate("xyz"):
            axes.plot(
                truths[:, axis],
                found[:, axis],
                linestyle="",
                marker=MARKERS[axis],
                markersize=5,
                color=SERIES[axis],
                label=word,
            )
        axes.axline((0, 0), slope=1, color=MUTED, linewidth=1)
        axes.set_xlabel("planted, mm from the mean of the planted")
        axes.set_ylabel("found, mm")
        axes.grid()
        axes.figure.legend(loc="outside upper left", ncols=3)

    return draw(name, 4.0, paint)


def slice_map(
    name: str,
    slices: Sequence[Mapping[str, Any]],
    fitted: Sequence[float],
    uniform: Sequence[float],
) -> str:
    """Draw slices as a drawing of three views, with two centers of mass [m]."""
    each = {one["view"]: one for one in slices}
    deepest = max(
        abs(np.log(value)) for one in slices for row in one["density"] for value in row if value
    )
    origins = _origins(each)

    def paint(axes: Axes) -> None:
        for view, one in each.items():
            outline = [1e3 * (np.array(part) + origins[view]) for part in one["outline"]]
            axes.add_collection(PolyCollection(outline, facecolors=LINE, linewidths=0))
            axes.add_collection(_cells(one, origins[view], max(deepest, 1e-6)))
            _mark(axes, view, 1e3 * origins[view], fitted, uniform)
            left, low = 1e3 * (np.array(one["corner"]) + origins[view])
            axes.text(left, low - 0.6, view, color=MUTED, va="top", fontsize=10)
        axes.set_aspect("equal")
        axes.autoscale_view()
        axes.set_axis_off()
        axes.figure.legend(loc="outside upper left", ncols=2)

    return draw(name, 5.0, paint)


def _mark(
    axes: Axes, view: str, origin: np.ndarray, fitted: Sequence[float], uniform: Sequence[float]
) -> None:
    """Mark both centers of mass in a view; name them in the first one."""
    across, up = VIEWS[view]
    for center, marker, word in ((uniform, "o", "uniform"), (fitted, "P", "fitted")):
        axes.plot(
            origin[0] + 1e3 * center[across],
            origin[1] + 1e3 * center[up],
            linestyle="",
            marker=marker,
            markersize=7,
            fillstyle="none",
            color=INK,
            label=f"center of mass, {word}" if view == "side" else None,
        )


def _origins(each: Mapping[str, Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """Put the side view above the top view, and the front view at its right [m]."""
    side, top, front = (each[view] for view in ("side", "top", "front"))
    down = side["corner"][1] - _GAP - _extent(top)[1] - top["corner"][1]
    right = side["corner"][0] + _extent(side)[0] + _GAP - front["corner"][0]
    return {"side": np.zeros(2), "top": np.array((0.0, down)), "front": np.array((right, 0.0))}


def _extent(one: Mapping[str, Any]) -> tuple[float, float]:
    return len(one["density"][0]) * one["cell"], len(one["density"]) * one["cell"]


def _cells(one: Mapping[str, Any], origin: np.ndarray, deepest: float) -> PolyCollection:
    """Tint cells: one color for denser than the mean, the other for lighter."""
    table = np.array(one["density"], dtype=np.float64)
    inside = np.argwhere(np.isfinite(table))
    corners = inside[:, ::-1][:, None, :] + UNIT_SQUARE
    places = 1e3 * (np.array(one["corner"]) + origin + one["cell"] * corners)
    depths = np.log(table[tuple(inside.T)]) / deepest
    colors = [
        (*to_rgb(SERIES[0] if depth > 0 else SERIES[1]), 0.12 + 0.8 * abs(depth))
        for depth in depths.tolist()
    ]
    return PolyCollection(places, facecolors=colors, linewidths=0)
