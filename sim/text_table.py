"""Columns of plain text, which pipes, files and screens of any width keep as they are."""

from __future__ import annotations

from collections.abc import Sequence


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Align rows under a header: the first `texts` columns to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = []
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if column < texts else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def percent(share: float | None) -> str:
    """Write a share as a percentage; a dash where there is none."""
    return "-" if share is None else f"{100 * share:.2f} %"


def percent_range(interval: tuple[float, float] | None) -> str:
    """Write an interval of shares as percentages; a dash where there is none."""
    return "-" if interval is None else f"{100 * interval[0]:.2f}-{100 * interval[1]:.2f} %"
