"""The directory of a batch: whose run it holds, which blocks are finished, nothing overwritten."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.block import RecordsError, decode_block, encode_block
from sim.crew import BatchError
from sim.records import (
    BLOCK_PATTERN,
    IDENTITY_FILE,
    block_name,
    block_throws,
    check_throws,
    read_file,
    read_identity,
)
from sim.throw import Landings
from sim.whole_file import PARTIAL, remove_leftover, write_whole

_DAMAGED = ".damaged"
_SHOWN_DIFFERENCES = 6
_SEND = "leave --shared out, so that results are sent home"

_PATIENCE = 60.0
"""For a file that another machine has written [s]; network file systems may hide it so long."""


class DamagedBlock(Exception):
    """A finished block is not what this run has written; the message says why."""


@dataclass(frozen=True)
class BatchDirectory:
    """An open, locked directory that belongs to one run; a block is a file of its throws.

    Attributes:
        path: Of the directory.
        identity: Configuration, number of throws and versions, as `batch.json` has them.
    """

    path: Path
    identity: dict[str, Any]

    def has(self, start: int) -> bool:
        """Tell whether the block that begins with this throw is there, whole or damaged."""
        return os.path.lexists(self._place(start))

    def read(self, throws: range) -> Landings:
        """Read a finished block.

        Raises:
            BatchError: If the file cannot be read.
            DamagedBlock: If it is not this run's block of these throws, as its checksums have it.
        """
        try:
            content = read_file(self._place(throws.start))
        except RecordsError as error:
            raise BatchError(f"{error}; move it elsewhere and continue with --resume") from None
        try:
            landings = decode_block(content, self.identity)
            check_throws(landings, throws, self.identity["configuration"])
        except RecordsError as error:
            raise DamagedBlock(str(error)) from None
        return landings

    def set_aside(self, start: int, damage: DamagedBlock) -> str:
        """Rename a damaged block, so that it can be thrown again; say so in a line."""
        path = self._place(start)
        kept = path.with_name(path.name + _DAMAGED)
        if os.path.lexists(kept):
            raise BatchError(
                f"{path}: {damage}; {kept.name} is in the way, move it elsewhere and continue "
                "with --resume"
            )
        path.rename(kept)
        return f"{path}: {damage}; kept as {kept.name}, its throws are thrown again"

    def write(self, landings: Landings, writer: str = "") -> None:
        """Write a block so that it is there either whole or not at all.

        Args:
            landings: Of all its throws.
            writer: Tells apart who may write the same block at the same time.
        """
        path = self._place(int(landings.index[0]))
        write_whole(path, encode_block(landings, self.identity), writer)

    def deliver(self, landings: Landings) -> None:
        """Write a block from a worker, on another machine perhaps."""
        try:
            is_same = read_identity(self.path) == self.identity
        except RecordsError as error:
            raise BatchError(f"a worker does not see the batch: {error}; {_SEND}") from None
        if not is_same:
            raise BatchError(f"{self.path}: a worker sees another batch there; {_SEND}")
        self.write(landings, f".{socket.gethostname()}-{os.getpid()}")

    def read_delivered(self, throws: range) -> Landings:
        """Read a block that a worker says it has written; a network may show it late."""
        deadline = time.monotonic() + _PATIENCE
        while not self.has(throws.start):
            if time.monotonic() > deadline:
                raise BatchError(
                    f"{self._place(throws.start)}: a worker wrote it, but it is not here; {_SEND}"
                )
            time.sleep(_PATIENCE / 100)
        try:
            return self.read(throws)
        except DamagedBlock as damage:
            raise BatchError(
                f"{self._place(throws.start)}: damaged as a worker wrote it: {damage}; "
                "continue with --resume"
            ) from None

    def _place(self, start: int) -> Path:
        return self.path / block_name(start // block_throws(self.identity["throws"]))


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
            for leftover in path.glob(BLOCK_PATTERN + ".*" + PARTIAL):
                remove_leftover(leftover)
        else:
            content = (json.dumps(identity, indent=2) + "\n").encode()
            _make_empty(path, content)
            write_whole(path / IDENTITY_FILE, content)
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
        remove_leftover(entry)


def _is_beginning(entry: Path, content: bytes) -> bool:
    if entry.name != IDENTITY_FILE + PARTIAL or entry.is_symlink():
        return False
    try:
        return content.startswith(read_file(entry))
    except RecordsError:
        return False


def _check_same(path: Path, identity: dict[str, Any], resume: bool) -> None:
    try:
        there = read_identity(path)
    except RecordsError as error:
        raise BatchError(f"{error}; give a new directory") from None
    found = differences(there, identity)
    if found:
        shown = ", ".join(found[:_SHOWN_DIFFERENCES])
        more = len(found) - _SHOWN_DIFFERENCES
        shown += f" and {more} more" if more > 0 else ""
        raise BatchError(f"{path}: holds another run ({shown}); give a new directory")
    if not resume:
        raise BatchError(f"{path}: already holds this run; continue it with --resume")


def differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """Name what differs between two runs, JSON-able both, each with its value there and here."""
    old, new = flat(there), flat(here)
    keys = [key for key in (new | old) if old.get(key) != new.get(key)]
    return [f"{key} {old.get(key, 'absent')} there, {new.get(key, 'absent')} here" for key in keys]


def flat(value: Any) -> dict[str, Any]:
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
