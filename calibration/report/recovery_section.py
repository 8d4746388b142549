"""Whether planted densities were found again, as a section of a calibration's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibration.report import fit_charts
from calibration.report.cells import decimal, millimeters, text
from calibration.report.page import Figure, Section, Table

_AXES = ("x", "y", "z")


def recovery_section(recovery: Mapping[str, Any] | None) -> Section | None:
    """Show planted and found centers of mass, and where far starts ended."""
    if recovery is None:
        return None
    planted, restarts = recovery["planted"], recovery["restarts"]
    same = sum(one["is_same"] for one in restarts)
    findings = [
        f"{recovery['inside']} of {len(planted)} planted densities lie in the 95 % region that was "
        f"found from {recovery['pigs']:,} of their pigs; with regions that hold the truth as often "
        f"as they say, at least {recovery['least_inside']} do but for chance.",
        f"{same} of {len(restarts)} searches of the table from far starts ended at the same "
        "optimum.",
    ]
    figure = Figure(
        fit_charts.recovered("recovery", planted),
        "Scatter plots of the found against the planted center of mass, along every axis.",
        "On the line, the center of mass was found where it had been planted. Every table was "
        "thrown with seeds of its own and searched for from the uniform pig.",
        _planted_table(planted),
        is_open=True,
    )
    return Section("Recovery", "recovery", findings, [figure], tables=[_restart_table(restarts)])


def _planted_table(planted: list[Mapping[str, Any]]) -> Table:
    return Table(
        "Planted and found centers of mass",
        (
            *(f"planted {axis}, mm" for axis in _AXES),
            *(f"found {axis}, mm" for axis in _AXES),
            "excess G²",
            "inside",
        ),
        [
            (
                *(millimeters(value) for value in one["planted_center"]),
                *(millimeters(value) for value in one["found_center"]),
                decimal(one["excess"], 2),
                text("yes" if one["is_inside"] else "no"),
            )
            for one in planted
        ],
        texts=0,
    )


def _restart_table(restarts: list[Mapping[str, Any]]) -> Table:
    return Table(
        "Far starts",
        ("started at", "ended at", "excess G²", "the same"),
        [
            (
                text(_vector(one["start"])),
                text(_vector(one["found"])),
                decimal(one["excess"], 2),
                text("yes" if one["is_same"] else "no"),
            )
            for one in restarts
        ],
        texts=2,
    )


def _vector(theta: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in theta)
