"""The resting poses of a body without named positions, as a section of a page."""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees
from typing import Any

from calibration.report.cells import count, decimal, share, share_range
from calibration.report.charts import Series
from calibration.report.page import Cell, Section, Table
from calibration.report.share_figure import share_dot, share_figure
from sim.position import RESTING_ANGLE

_TITLE, _NAME = "Resting poses", "poses"


def pose_section(poses: Mapping[str, Any]) -> Section:
    """Set the poses beside each other, with the shares of the pigs that rest in them."""
    rows = poses["rows"]
    note = (
        "This body has no ears and feet to name its positions by, so its poses are numbered, the "
        f"most frequent first. Pigs that lie within {degrees(RESTING_ANGLE):.0f}° of each other, "
        "but for their heading, are in one pose; those of touching throws are not counted. Down is "
        "the direction of the table in the axes of the body's file."
    )
    if not rows:
        return Section(_TITLE, _NAME, ["No throw came to rest without touching.", note])
    first = rows[0]
    finding = (
        f"{first['pigs']:,} of {poses['pigs']:,} pigs ({share(first['share']).text}, 95 % interval "
        f"{share_range(first['interval']).text}) rest in the most frequent pose; "
        f"{len(rows)} pose{'s are' if len(rows) > 1 else ' is'} listed."
    )
    if poses["elsewhere"]:
        finding += f" {poses['elsewhere']:,} pigs rest in others, each rarer."
    table = Table(
        "Pigs by their resting pose",
        ("pose", "pigs", "share", "95 %", "down x", "down y", "down z"),
        [
            (
                Cell(f"pose {row['pose']}", row["pose"]),
                count(row["pigs"]),
                share(row["share"]),
                share_range(row["interval"]),
                *(decimal(part, 3) for part in row["down"]),
            )
            for row in rows
        ],
    )
    names = [f"pose {row['pose']}" for row in rows]
    series = [Series("this batch", [share_dot(row) for row in rows])]
    figure = share_figure("pose-shares", names, series, table, is_open=True)
    return Section(_TITLE, _NAME, [finding, note], [figure])
