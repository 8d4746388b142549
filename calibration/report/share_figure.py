"""The figure that reports have most of: shares of positions with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.report import charts
from calibration.report.charts import Dot, Series
from calibration.report.page import Figure, Table
from sim.words import plain


def share_figure(
    name: str,
    positions: Sequence[str],
    series: Sequence[Series],
    table: Table,
    *,
    note: str = "",
    is_open: bool = False,
) -> Figure:
    """Draw shares of positions, beside each other by series.

    Args:
        name: Unique in the page.
        positions: One for every row.
        series: With one dot for every position.
        table: The numbers.
        note: What else the caption must say.
        is_open: Whether the table is shown without being asked for.
    """
    names = ", ".join(one.name for one in series)
    return Figure(
        charts.dots(
            name,
            [plain(position) for position in positions],
            series,
            "share of the pigs, % (logarithmic)",
            is_log=True,
        ),
        f"Dot plot of the share of every position with its 95 % interval: {names}. The numbers are "
        "in the table.",
        f"Dots are shares, lines their 95 % intervals. {note}".strip(),
        table,
        is_open,
    )


def share_dot(row: Mapping[str, Any]) -> Dot:
    """Make a dot of an entry that has a share and its interval."""
    return Dot(row["share"], *row["interval"])


def published_dot(row: Mapping[str, Any]) -> Dot | None:
    """Make a dot of an entry's published share; None for a position that was not published."""
    if "published_share" not in row:
        return None
    return Dot(row["published_share"], *row["published_interval"])


def exact_dot(value: float | None) -> Dot | None:
    """Make a dot of a number that has no interval; None of nothing."""
    return Dot(value, value, value) if value else None
