"""A calibration's report as a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibration.report.answer_sections import density_section, parameter_section, path_section
from calibration.report.cells import share, share_range, text, word
from calibration.report.charts import Series
from calibration.report.fit_sections import (
    prediction_section,
    sensitivity_section,
    spacing_section,
    term_section,
)
from calibration.report.page import Page, Section, Table
from calibration.report.recovery_section import recovery_section
from calibration.report.share_figure import share_dot, share_figure
from sim.batch_directory import flat

_PIGS = {"after": "fitted", "observed": "table", "before": "uniform"}


def fit_page(report: dict[str, Any]) -> Page:
    """Lay a calibration's report out, as `fit_report` gives it."""
    evidence, density = report["evidence"], report["density"]
    sections = [
        evidence_section(report),
        density_section(report),
        parameter_section(report),
        term_section(report["terms"]),
        path_section(report),
        sensitivity_section(report),
        prediction_section(report),
        spacing_section(report),
        recovery_section(report["recovery"]),
        source_section(report),
    ]
    return Page(
        title="A mass distribution fitted to a table of landings",
        subtitle=f"{report['target']['source']}; model {report['model']}, seed {report['seed']}",
        tiles=[
            ("p of fresh throws", f"{evidence['p_value']:.2g}"),
            ("total variation", share(evidence["total_variation"]).text),
            ("parameters", str(len(report["parameters"]["in_use"]))),
            ("greatest density over least", f"{density['ratio']:.2f}"),
            ("unlikeness to uniform, nats", f"{density['nats']:.3g}"),
            ("pigs of the search", f"{report['fit']['pigs']:,}"),
        ],
        sections=[section for section in sections if section is not None],
        data=report,
    )


def evidence_section(report: Mapping[str, Any]) -> Section:
    """Set the fitted pig beside the uniform one and the table."""
    rows, evidence = report["positions"], report["evidence"]
    table = Table(
        "Shares of the pigs: of the fitted one, in the table, and of the uniform one",
        ("position", *(word for name in _PIGS.values() for word in (name, "95 %")), "inside"),
        [
            (
                word(row["position"]),
                *(
                    cell
                    for key in _PIGS
                    for cell in (share(row[key]["share"]), share_range(row[key]["interval"]))
                ),
                text("yes" if row["is_inside"] else "no"),
            )
            for row in rows
        ],
    )
    shown = [row for row in rows if any(row[key]["pigs"] for key in _PIGS)]
    series = [Series(name, [share_dot(row[key]) for row in shown]) for key, name in _PIGS.items()]
    figure = share_figure(
        "evidence",
        [row["position"] for row in shown],
        series,
        table,
        note="Inside: the fitted pig's share lies in the table's interval. The uniform pig is "
        "where the search began, thrown as its candidates were.",
        is_open=True,
    )
    numbers = (
        f"G² = {evidence['deviance']:.1f} between the table and {evidence['pigs']:,} fresh pigs of "
        f"{evidence['throws']:,} throws ({evidence['failed']:,} failed); p = "
        f"{evidence['p_value']:.2g} with the fit allowed for, {evidence['p_value_as_given']:.2g} "
        f"without; total variation {share(evidence['total_variation']).text}."
    )
    findings = [report["finding"], numbers, _touching_words(report["touching"])]
    return Section("Evidence", "evidence", findings, [figure])


def _touching_words(touching: Mapping[str, Any]) -> str:
    observed = touching["observed"]
    told = "the table tells no rate" if observed is None else f"in the table {_rate(observed)}"
    return f"Throws that ended with the pigs touching: {_rate(touching)}; {told}."


def _rate(row: Mapping[str, Any]) -> str:
    return f"{share(row['share']).text} ({share_range(row['interval']).text})"


def source_section(report: Mapping[str, Any]) -> Section:
    """Tell everything that is needed to fit again."""
    tables = [
        Table(
            caption,
            ("entry", "value"),
            [(text(entry), text(value)) for entry, value in flat(report[key]).items()],
            texts=2,
        )
        for caption, key in (("Configuration", "configuration"), ("Versions", "versions"))
    ]
    words = ["This fits it again:"]
    return Section("To run it again", "source", words, tables=tables, command=report["command"])
