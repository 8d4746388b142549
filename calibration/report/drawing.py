"""Drawings as SVG that takes its colors from the page, so that it follows light and dark.

Matplotlib draws in stand-in colors; in the SVG each becomes a CSS variable of the page. Text stays
text, in the page's font.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, MUTED, LINE, PAPER = "#010101", "#010102", "#010103", "#010104"
SERIES = ("#010105", "#010106", "#010107", "#010108")
MARKERS = ("o", "D", "s", "^")
"""Series differ in shape too, for who cannot tell the colors apart."""

_VARIABLES = {
    INK: "var(--ink, #1b1b1f)",
    MUTED: "var(--muted, #5a5a63)",
    LINE: "var(--line, #d8d8d4)",
    PAPER: "var(--paper, #ffffff)",
    **dict(
        zip(
            SERIES,
            (
                "var(--one, #b0354f)",
                "var(--two, #1f6a8c)",
                "var(--three, #7a6a10)",
                "var(--four, #5b4aa0)",
            ),
            strict=True,
        )
    ),
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 11.0,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.titlecolor": INK,
    "axes.titlesize": 11.0,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 10.0,
}
WIDTH = 5.4
"""Of a drawing [inches of 72 units]: 390 units, so that 11 units are read on a phone too."""


def draw(name: str, height: float, paint: Callable[[Axes], None]) -> str:
    """Draw on one pair of axes.

    Args:
        name: Unique in the page: it begins the SVG's internal names.
        height: [inches of 72 units]; the width is WIDTH.
        paint: Draws on the axes.

    Returns:
        An `svg` element to be placed in a page.
    """
    with rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        paint(axes)
        sink = io.StringIO()
        figure.savefig(
            sink, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    return _follow_page(sink.getvalue(), name)


def _follow_page(svg: str, name: str) -> str:
    """Cut an SVG file down to its element; take colors and font from the page."""
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = re.sub(r' (width|height)="[\d.]+pt"', "", element, count=2)
    element = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", element)
    element = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{name}-", element)
    return re.sub("|".join(_VARIABLES), lambda found: _VARIABLES[found[0]], element)
