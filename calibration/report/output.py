"""Where a page is written: in a new file, or in place of an older report."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from calibration.report.page import MARK


def check_place(path: Path) -> None:
    """Refuse a place that holds anything but an older report.

    Raises:
        ValueError: In one line that says what is there.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise ValueError(
                f"{path}: there is no directory {path.parent}; make it first"
            ) from None
        return
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise ValueError(f"{path}: is there and no regular file; give another --out FILE")
    if not _is_report(path):
        raise ValueError(f"{path}: is there and no report of ours; give another --out FILE")


def _is_report(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK.encode()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None


def write_page(path: Path, page: str) -> None:
    """Write a page whole or not at all, where `check_place` allows.

    Raises:
        ValueError: In one line, if the system refuses.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        file = partial.open("x", encoding="utf-8")
        try:
            with file:
                file.write(page)
            check_place(path)
            partial.replace(path)
        finally:
            with suppress(FileNotFoundError):
                partial.unlink()
    except OSError as error:
        raise ValueError(f"{path}: cannot write it: {error.strerror}") from None
