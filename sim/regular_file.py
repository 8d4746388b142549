"""Regular files, read whole; a pipe or a device in their place could keep us waiting forever."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MOST_BYTES = 100_000_000


class FileError(ValueError):
    """A file cannot be read; the message is one line that says which and why."""


def read_regular_file(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a regular file.

    Args:
        path: Of the file.
        most_bytes: A larger file is refused.

    Raises:
        FileError: If it cannot be read, is none, or is too large.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileError(f"{path}: expected a regular file")
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if len(content) > most_bytes:
        raise FileError(f"{path}: expected a file of at most {most_bytes:,} bytes")
    return content


def read_regular_text(path: Path, most_bytes: int) -> str:
    """Read a regular file of text in UTF-8, with or without a byte order mark.

    Args:
        path: Of the file.
        most_bytes: A larger file is refused.

    Raises:
        FileError: If it cannot be read, is none, is too large, or is no such text.
    """
    try:
        return read_regular_file(path, most_bytes).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{path}: expected text in UTF-8") from None


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
