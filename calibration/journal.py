"""What a calibration has thrown so far, on disk after every candidate.

A calibration is a pure function of its seed and of the counts its throws give. After a kill it is
run again from the start, and finds what it had thrown in the journal: nothing is lost but the
candidate under way, and the result is the same to the bit.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from sim.crew import BatchError
from sim.regular_file import FileError, read_regular_file
from sim.whole_file import write_whole

JOURNAL_FILE = "journal.json"


class Journal:
    """Entries by key, in the order they came; on disk if there is a directory."""

    def __init__(self, directory: Path | None) -> None:
        self._path = None if directory is None else directory / JOURNAL_FILE
        self._entries: list[dict[str, Any]] = []
        self._by_key: dict[str, Any] = {}
        if self._path is not None and os.path.lexists(self._path):
            for entry in _read(self._path):
                self._keep(entry["key"], entry["value"])

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: dict[str, Any]) -> dict[str, Any] | None:
        """Look up what was kept under a key."""
        return self._by_key.get(_canonical(key))

    def append(self, key: dict[str, Any], value: dict[str, Any]) -> None:
        """Keep a value, on disk before this returns."""
        self._keep(key, value)
        if self._path is not None:
            lines = ",\n".join(json.dumps(entry) for entry in self._entries)
            write_whole(self._path, f"[\n{lines}\n]\n".encode())

    def _keep(self, key: dict[str, Any], value: dict[str, Any]) -> None:
        self._entries.append({"key": key, "value": value, "sha256": _digest(key, value)})
        self._by_key[_canonical(key)] = value


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _digest(key: Any, value: Any) -> str:
    return sha256(_canonical([key, value]).encode()).hexdigest()


def _read(path: Path) -> list[dict[str, Any]]:
    remedy = "delete that file to begin anew"
    try:
        entries = json.loads(read_regular_file(path))
    except FileError as error:
        raise BatchError(str(error)) from None
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        raise BatchError(f"{path}: expected JSON, as a calibration writes it; {remedy}")
    for number, entry in enumerate(entries, start=1):
        if not _is_as_written(entry):
            raise BatchError(f"{path}: entry {number} is not as it was written; {remedy}")
    return entries


def _is_as_written(entry: Any) -> bool:
    if not isinstance(entry, dict) or entry.keys() != {"key", "value", "sha256"}:
        return False
    return bool(entry["sha256"] == _digest(entry["key"], entry["value"]))
