"""The command `pigs report`."""

from __future__ import annotations

from typing import Annotated

import typer

from sim.options import Json, file_name
from sim.refusal import Refusal, refused_input

Directories = Annotated[
    list[str],
    typer.Argument(metavar="DIR [DIR]", help="A batch or a calibration; two batches to compare."),
]
Out = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="The page [default: in the first DIR, report.html or comparison.html]"
    ),
]


def report_command(directories: Directories, out: Out = None, as_json: Json = False) -> str:
    """Put the evidence of a batch or a calibration on one page, or compare two batches.

    The page is one HTML file that needs no network. With --json its figures are printed instead,
    and the page is written only where --out says.

    Example: pigs report throws

    Example: pigs report throws more-throws --out comparison.html
    """
    from calibration.report.build import build
    from calibration.report.output import check_place, write_page
    from calibration.report.page import as_json as json_text
    from calibration.report.page import render

    if len(directories) > 2:
        raise Refusal(f"expected one directory or two to compare, got {len(directories)}")
    paths = [file_name("DIR", directory) for directory in directories]
    usual = "report.html" if len(paths) == 1 else "comparison.html"
    place = paths[0] / usual if out is None else file_name("--out", out)
    with refused_input():
        report = build(paths)
        if as_json and out is None:
            return json_text(report.data)
        check_place(place)
        page = report.page()
        html = render(page)
        write_page(place, html)
    if as_json:
        return json_text(report.data)
    return f"{place}: {page.title}, {len(html.encode()) / 1e6:.1f} MB"
