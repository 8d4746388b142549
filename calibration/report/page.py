"""A report as one HTML file that needs nothing else: no network, no other file.

The same few blocks make every report: sections of text, figures, tables and pictures.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

MARK = "<!doctype html>\n<!-- pigs report -->\n"
"""How every report begins; a file that begins otherwise is not overwritten."""


@dataclass(frozen=True)
class Cell:
    """Of a table.

    Attributes:
        text: Shown.
        value: Of the report's data, by which rows sort; None for text.
    """

    text: str
    value: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows under a header.

    Attributes:
        caption: What the rows are.
        header: Names of the columns.
        rows: Cells, as many as the header has.
        texts: Columns of text, on the left.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    texts: int = 1


@dataclass(frozen=True)
class Figure:
    """A drawing with the numbers behind it.

    Attributes:
        svg: As `charts.svg` gives it.
        alt: What it shows, for who cannot see it.
        caption: How to read it.
        table: The numbers behind it.
        is_open: Whether the table is shown without being asked for.
    """

    svg: str
    alt: str
    caption: str
    table: Table
    is_open: bool = False


@dataclass(frozen=True)
class Picture:
    """A rendered pig.

    Attributes:
        source: The image as a data URI.
        alt: What it shows.
        caption: Which pig it is.
    """

    source: str
    alt: str
    caption: str


@dataclass(frozen=True)
class Gallery:
    """Pictures with a title."""

    title: str
    pictures: Sequence[Picture]


@dataclass(frozen=True)
class Section:
    """A part of a report, shown in this order.

    Attributes:
        title: Of the section.
        name: Unique in the page, for links.
        text: Paragraphs; the first one is the finding.
        figures: Drawings with their numbers.
        galleries: Pictures.
        tables: Tables without a drawing.
        command: A command line, shown after the text.
    """

    title: str
    name: str
    text: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    galleries: Sequence[Gallery] = ()
    command: str | None = None


@dataclass(frozen=True)
class Page:
    """A whole report.

    Attributes:
        title: Of the page.
        subtitle: What it reports on.
        tiles: Numbers to see first: label and text.
        sections: Its parts.
        data: All of the report's data, embedded in the page.
        notes: What must be known before anything else is read.
    """

    title: str
    subtitle: str
    tiles: Sequence[tuple[str, str]]
    sections: Sequence[Section]
    data: dict[str, Any] = field(repr=False)
    notes: Sequence[str] = ()


def render(page: Page) -> str:
    """Write a page as HTML."""
    environment = _environment()
    html = environment.get_template("page.html.jinja").render(
        page=page,
        style=_asset("page.css"),
        script=_asset("page.js"),
        data=as_json(page.data).replace("<", "\\u003c"),
    )
    return MARK + html.encode(errors="backslashreplace").decode()  # a file's name may be no text


def as_json(data: dict[str, Any]) -> str:
    """Write a report's data as one JSON object."""
    return json.dumps(data, allow_nan=False)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("calibration.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _asset(name: str) -> str:
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]
