"""Files of a batch that are there either whole or not at all, whatever ends the process."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from sim.crew import BatchError

PARTIAL = ".partial"


def partial_of(path: Path, writer: str = "") -> Path:
    """Name the file that becomes `path` when it is whole.

    Args:
        path: Of the whole file.
        writer: Tells apart who may write the same file at the same time.
    """
    return path.with_name(path.name + writer + PARTIAL)


def write_whole(path: Path, content: bytes, writer: str = "") -> None:
    """Write a file whole or not at all.

    Raises:
        BatchError: In one line: the disk is full or fails, or something is in the way.
    """
    partial = partial_of(path, writer)
    remove_leftover(partial)
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    except FileExistsError:
        raise BatchError(
            f"{partial}: is in the way; move it elsewhere and continue with --resume"
        ) from None
    except OSError as error:
        raise _unwritten(path, error) from None
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
        _write_name(path.parent)
    except OSError as error:
        remove_leftover(partial)
        raise _unwritten(path, error) from None


def _write_name(directory: Path) -> None:
    """Have a new name outlast a power failure."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems have no such call
            os.fsync(handle)
    finally:
        os.close(handle)


def _unwritten(path: Path, error: OSError) -> BatchError:
    return BatchError(
        f"{path}: cannot write it: {error.strerror}; "
        "finished blocks are kept, continue with --resume"
    )


def remove_leftover(partial: Path) -> None:
    """Remove what a killed run had half written; anything that a run does not write stays."""
    with suppress(OSError):
        if stat.S_ISREG(partial.lstat().st_mode):
            partial.unlink()
