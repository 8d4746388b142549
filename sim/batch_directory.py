"""The directory of a batch: whose run it holds, which blocks are finished, nothing overwritten."""

from __future__ import annotations

import errno
import fcntl
import json
import os
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
        return (self.path / block_name(block)).exists()

    def read(self, block: int, throws: range) -> Landings:
        """Read a finished block; refuse one that does not hold exactly these throws."""
        path = self.path / block_name(block)
        try:
            landings = read_block(path)
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
        identity = {key: self.identity[key] for key in ("configuration", "versions")}
        _write_whole(self.path / block_name(block), encode_block(landings, identity))


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
        if (path / IDENTITY_FILE).exists():
            _check_same(path, identity, resume)
        else:
            _check_empty(path)
            text = json.dumps(identity, indent=2) + "\n"
            _write_whole(path / IDENTITY_FILE, text.encode())
        yield BatchDirectory(path, identity)


def _make(path: Path) -> None:
    if not path.parent.is_dir():
        raise BatchError(f"{path}: there is no directory {path.parent}; make it first")
    try:
        path.mkdir(exist_ok=True)
    except FileExistsError:
        raise BatchError(f"{path}: expected a directory, but it is a file") from None
    except OSError as error:
        raise BatchError(f"{path}: cannot create it: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise BatchError(f"{path}: cannot write in this directory: Permission denied")


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


def _check_empty(path: Path) -> None:
    foreign = sorted(entry.name for entry in path.iterdir() if entry.suffix != _PARTIAL)
    if foreign:
        raise BatchError(
            f"{path}: not empty (holds {foreign[0]}) and no batch; give a new directory"
        )


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


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Name every leaf of nested dicts and lists by its path, such as device.spacing."""
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return {prefix.removeprefix("."): value}
    return {
        path: leaf for key, entry in items for path, leaf in _flat(entry, f"{prefix}.{key}").items()
    }


def _write_whole(path: Path, content: bytes) -> None:
    partial = path.with_name(path.name + _PARTIAL)
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise BatchError(
            f"{path}: cannot write it: {error.strerror}; "
            "finished blocks are kept, continue with --resume"
        ) from None
