"""The directory of a batch: whose run it holds, which blocks are finished, nothing overwritten."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.crew import BatchError
from sim.records import (
    IDENTITY_FILE,
    RecordsError,
    block_name,
    encode_block,
    read_block,
    read_file,
    read_identity,
)
from sim.throw import Landings

_PARTIAL = ".partial"
_SHOWN_DIFFERENCES = 6


@dataclass(frozen=True)
class BatchDirectory:
    """An open, locked directory that belongs to one run.

    Attributes:
        path: Of the directory.
        identity: Configuration, number of throws and versions, as `batch.json` has them.
    """

    path: Path
    identity: dict[str, Any]

    def has(self, block: int) -> bool:
        """Tell whether this block is finished."""
        return os.path.lexists(self.path / block_name(block))

    def read(self, block: int, throws: range) -> Landings:
        """Read a finished block; refuse one that does not hold exactly these throws."""
        path = self.path / block_name(block)
        try:
            landings = read_block(path, self.identity)
        except RecordsError as error:
            raise BatchError(f"{error}; delete that file and continue with --resume") from None
        if not np.array_equal(landings.index, throws):
            raise BatchError(
                f"{path}: expected throws {throws.start} to {throws.stop - 1}; "
                "delete that file and continue with --resume"
            )
        return landings

    def write(self, block: int, landings: Landings) -> None:
        """Write a block so that it is there either whole or not at all."""
        path = self.path / block_name(block)
        _remove_leftover(_partial(path))
        _write_whole(path, encode_block(landings, self.identity))


@contextmanager
def open_directory(path: Path, identity: dict[str, Any], resume: bool) -> Iterator[BatchDirectory]:
    """Create a batch's directory, or take up that of the same run, and hold its lock.

    Args:
        path: Created if it is absent; its parent must exist.
        identity: Configuration, number of throws and versions of the run, JSON-able.
        resume: Whether to take up what an earlier, interrupted run has left.

    Raises:
        BatchError: If the directory cannot be written, holds anything else, or is in use.
    """
    identity = json.loads(json.dumps(identity))  # tuples to lists, as a file gives them back
    _make(path)
    with _locked(path):
        if os.path.lexists(path / IDENTITY_FILE):
            _check_same(path, identity, resume)
        else:
            content = (json.dumps(identity, indent=2) + "\n").encode()
            _make_empty(path, content)
            _write_whole(path / IDENTITY_FILE, content)
        yield BatchDirectory(path, identity)


def _make(path: Path) -> None:
    if not path.parent.is_dir():
        raise BatchError(f"{path}: there is no directory {path.parent}; make it first")
    try:
        path.mkdir()
    except FileExistsError:
        if not path.is_dir():
            kind = _kind_of_no_directory(path)
            raise BatchError(f"{path}: expected a directory, but it is {kind}") from None
    except OSError as error:
        raise BatchError(f"{path}: cannot create it: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise BatchError(f"{path}: cannot write in this directory: Permission denied")


def _kind_of_no_directory(path: Path) -> str:
    try:
        path.stat()
    except FileNotFoundError:
        return "a link to nothing"
    except OSError as error:
        return f"a link that leads nowhere: {error.strerror}"
    return "a file"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the directory; the system lets go of the lock however the process ends."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise BatchError(f"{path}: cannot open it: {error.strerror}") from None
    try:
        _lock(path, handle)
        yield
    finally:
        os.close(handle)


def _lock(path: Path, handle: int) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BatchError(f"{path}: another run is writing here; wait for it to end") from None
    except OSError as error:
        # Some network file systems lock no directories; there, the user keeps runs apart.
        if error.errno not in (errno.EBADF, errno.ENOLCK, errno.ENOTSUP):
            raise BatchError(f"{path}: cannot lock it: {error.strerror}") from None


def _make_empty(path: Path, content: bytes) -> None:
    """Refuse a directory that holds anything but the beginning of the file we are to write."""
    for entry in sorted(path.iterdir()):
        if not _is_beginning(entry, content):
            raise BatchError(
                f"{path}: not empty (holds {entry.name}) and no batch; give a new directory"
            )
        _remove_leftover(entry)


def _is_beginning(entry: Path, content: bytes) -> bool:
    if entry.name != IDENTITY_FILE + _PARTIAL or entry.is_symlink():
        return False
    try:
        return content.startswith(read_file(entry))
    except RecordsError:
        return False


def _partial(path: Path) -> Path:
    return path.with_name(path.name + _PARTIAL)


def _remove_leftover(partial: Path) -> None:
    """Remove what a killed run had half written; anything that a run does not write stays."""
    with suppress(OSError):
        if stat.S_ISREG(partial.lstat().st_mode):
            partial.unlink()


def _check_same(path: Path, identity: dict[str, Any], resume: bool) -> None:
    try:
        there = read_identity(path)
    except RecordsError as error:
        raise BatchError(f"{error}; give a new directory") from None
    differences = _differences(there, identity)
    if differences:
        shown = ", ".join(differences[:_SHOWN_DIFFERENCES])
        more = len(differences) - _SHOWN_DIFFERENCES
        shown += f" and {more} more" if more > 0 else ""
        raise BatchError(f"{path}: holds another run ({shown}); give a new directory")
    if not resume:
        raise BatchError(f"{path}: already holds this run; continue it with --resume")


def _differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    old, new = _flat(there), _flat(here)
    keys = [key for key in (new | old) if old.get(key) != new.get(key)]
    return [f"{key} {old.get(key, 'absent')} there, {new.get(key, 'absent')} here" for key in keys]


def _flat(value: Any) -> dict[str, Any]:
    """Name every leaf of nested dicts and lists by its path, such as device.spacing."""
    leaves: dict[str, Any] = {}
    pending = [("", value)]
    while pending:  # a file may nest deeper than calls can
        path, entry = pending.pop()
        if isinstance(entry, (dict, list)) and entry:
            items = entry.items() if isinstance(entry, dict) else enumerate(entry)
            pending += reversed([(f"{path}.{key}", part) for key, part in items])
        else:
            leaves[path.removeprefix(".")] = entry
    return leaves


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file where none is, whole or not at all."""
    partial = _partial(path)
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
    except OSError as error:
        _remove_leftover(partial)
        raise _unwritten(path, error) from None


def _unwritten(path: Path, error: OSError) -> BatchError:
    return BatchError(
        f"{path}: cannot write it: {error.strerror}; "
        "finished blocks are kept, continue with --resume"
    )
