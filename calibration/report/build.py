"""From directories to a report: what they hold, its data, and how these are laid out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.journal import JOURNAL_FILE
from calibration.record import JSON_FILE
from calibration.report.batch import batch_report
from calibration.report.batch_page import batch_page
from calibration.report.comparison import comparison_report
from calibration.report.comparison_page import comparison_page
from calibration.report.fit import foreign_entries_refused, read_fit
from calibration.report.fit_page import fit_page
from calibration.report.page import Page
from calibration.report.pictures import render_pictures
from calibration.report.rare import chosen_pigs
from sim.records import IDENTITY_FILE, read_batch


@dataclass(frozen=True)
class Report:
    """What is told.

    Attributes:
        data: Plain JSON values, all that the page says.
        page: Lays the data out; takes longer.
    """

    data: dict[str, Any]
    page: Callable[[], Page]


def build(paths: Sequence[Path]) -> Report:
    """Report on one directory, or compare two.

    Raises:
        ValueError: In one line, for anything that is no whole batch or calibration.
    """
    kinds = [_kind(path) for path in paths]
    if len(paths) == 1:
        return _batch(paths[0]) if kinds[0] == IDENTITY_FILE else _calibration(paths[0])
    for path, kind in zip(paths, kinds, strict=True):
        if kind != IDENTITY_FILE:
            raise ValueError(f"{path}: is a calibration; only batches can be compared")
    if os.path.samefile(*paths):
        raise ValueError(f"{paths[0]}: given twice; give two different batches to compare")
    a, b = (read_batch(path) for path in paths)
    data = comparison_report(a, b, [str(path) for path in paths])
    return Report(data, lambda: comparison_page(data))


def _kind(path: Path) -> str:
    if not path.is_dir():
        problem = "is no directory" if os.path.lexists(path) else "there is no such directory"
        raise ValueError(f"{path}: {problem}; give one that --out of 'pigs throw' has written")
    for name in (JSON_FILE, JOURNAL_FILE, IDENTITY_FILE):
        if os.path.lexists(path / name):
            break
    else:
        raise ValueError(
            f"{path}: holds neither a batch ({IDENTITY_FILE}) nor a calibration ({JSON_FILE})"
        )
    if name == JOURNAL_FILE:
        raise ValueError(f"{path}: its calibration is unfinished; go on with it by --resume")
    return name


def _batch(path: Path) -> Report:
    batch = read_batch(path)
    data = batch_report(batch)

    def page() -> Page:
        pictures, note = render_pictures(batch, chosen_pigs(batch))
        return batch_page(data, pictures, note)

    return Report(data, page)


def _calibration(path: Path) -> Report:
    data = read_fit(path)

    def page() -> Page:
        with foreign_entries_refused(path / JSON_FILE):
            return fit_page(data)

    return Report(data, page)
