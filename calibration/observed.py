"""The table that a calibration aims at: how many pigs were seen in each position."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sim.interval import wilson_interval
from sim.position import POSITIONS
from sim.published import KERN_2006
from sim.regular_file import read_regular_text
from sim.toml_text import parse_toml

MOST_BYTES = 20_000
"""Of a table: seven positions need far less, and deep TOML keys cost the square of their length."""
MOST_PIGS = 10**12

_TOLD = ("throws", "touching")


@dataclass(frozen=True)
class Observed:
    """Counted pigs by position; pigs of touching throws are not among them.

    Attributes:
        counts: Of every one of POSITIONS, in their order. `other` is 0 unless the table counts it.
        source: Where the counts come from.
        throws: Throws of two pigs that gave them, touching ones included; None if not told.
        touching: Throws that ended with the pigs touching; told if `throws` is.
    """

    counts: Mapping[str, int]
    source: str
    throws: int | None = None
    touching: int | None = None

    def __post_init__(self) -> None:
        """Freeze the counts; refuse a table that no fit could use."""
        counts = dict.fromkeys(POSITIONS, 0)
        for position, count in self.counts.items():
            if position not in counts:
                raise ValueError(f"unknown position '{position}': expected {', '.join(POSITIONS)}")
            if not 0 <= count <= MOST_PIGS:
                raise ValueError(f"count of {position}: expected from 0 to {MOST_PIGS:,} pigs")
            counts[position] = count
        filled = [position for position, count in counts.items() if count]
        if not filled:
            raise ValueError("counts: expected at least one pig, all are 0")
        if len(filled) == 1:
            raise ValueError(
                f"counts: expected pigs in two positions or more, got {filled[0]} alone: "
                "no mass distribution can be told from that"
            )
        object.__setattr__(self, "counts", MappingProxyType(counts))
        self._check_throws()

    def _check_throws(self) -> None:
        if self.throws is None and self.touching is None:
            return
        if self.throws is None or self.touching is None:
            raise ValueError("throws and touching: expected both or none")
        if not 0 <= self.touching <= self.throws <= MOST_PIGS:
            raise ValueError(
                "throws and touching: expected 0 or more, and no more touching than there are, "
                f"got {self.throws} and {self.touching}"
            )
        apart = 2 * (self.throws - self.touching)
        if self.pigs != apart:
            raise ValueError(
                f"counts: expected {apart} pigs, two of each of the throws that did not touch, "
                f"got {self.pigs}"
            )

    @property
    def vector(self) -> np.ndarray:
        """Counts in the order of POSITIONS, shape (7,)."""
        return np.array(list(self.counts.values()), dtype=np.float64)

    @property
    def pigs(self) -> int:
        """Pigs counted."""
        return sum(self.counts.values())

    def interval(self, position: str) -> tuple[float, float]:
        """Give the 95 % Wilson interval of the share."""
        return wilson_interval(self.counts[position], self.pigs)

    def as_dict(self) -> dict[str, Any]:
        """Write as plain JSON values; what is not told is left out."""
        told = {key: getattr(self, key) for key in _TOLD if getattr(self, key) is not None}
        return {"source": self.source, **told, "counts": dict(self.counts)}

    def touching_interval(self) -> tuple[float, float] | None:
        """Give the 95 % Wilson interval of the share of throws that touch, if it is told."""
        if self.throws is None or self.touching is None:
            return None
        return wilson_interval(self.touching, self.throws)


def published() -> Observed:
    """Give the published table."""
    return Observed(KERN_2006.counts, KERN_2006.source, KERN_2006.throws, KERN_2006.touching)


def read_observed(path: Path) -> Observed:
    """Read a table from a file.

    CSV has the header `position,count` and may begin with comment lines `# source: ...`; TOML has
    `source = "..."` and a table `[counts]` of position = count. Both may tell how many throws of
    two pigs these were and how many of them ended touching: `# throws: 6000`, `# touching: 23`, or
    `throws = 6000`, `touching = 23`.

    Raises:
        ValueError: In one line, for a file that is no such table.
    """
    text = read_regular_text(path, MOST_BYTES)
    try:
        if path.suffix.lower() == ".toml":
            return _from_toml(text, str(path))
        return _from_csv(text, str(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _from_toml(text: str, name: str) -> Observed:
    table = parse_toml(text)
    counts = table.get("counts")
    if not isinstance(counts, dict):
        raise ValueError("expected a table [counts] of position = count")
    source = table.get("source", name)
    if not isinstance(source, str):
        raise ValueError('expected source = "..." to be text')
    told = {key: table[key] for key in _TOLD if key in table}
    return _observed(counts.items(), source, told)


def _from_csv(text: str, name: str) -> Observed:
    labels: dict[str, str] = {}
    lines = []
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            label, _, value = line.lstrip("# ").partition(":")
            if value.strip():
                labels[label.strip()] = value.strip()
        elif line.strip():
            lines.append(line)
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO("\n".join(lines)))]
    except csv.Error as error:
        raise ValueError(f"not readable as CSV: {error}") from None
    if not rows or rows[0] != ["position", "count"]:
        raise ValueError("expected the header 'position,count'")
    for row in rows[1:]:
        if len(row) != 2:
            raise ValueError(f"expected rows of a position and a count, got '{','.join(row)}'")
    told = {key: labels[key] for key in _TOLD if key in labels}
    counts = ((position, count) for position, count in rows[1:])
    return _observed(counts, labels.get("source", name), told)


def _observed(rows: Iterable[tuple[str, Any]], source: str, told: Mapping[str, Any]) -> Observed:
    counts: dict[str, int] = {}
    for position, count in rows:
        if position in counts:
            raise ValueError(f"position {position} is given twice")
        counts[position] = _whole(f"count of {position}", "pigs", count)
    return Observed(
        counts, source, **{key: _whole(key, "throws", value) for key, value in told.items()}
    )


def _whole(what: str, unit: str, count: Any) -> int:
    """Read a count; 12.0 is refused as 12.5 is, since a table of shares would look like that."""
    problem = f"{what}: expected a whole number of {unit}"
    if isinstance(count, int) and not isinstance(count, bool):
        return count
    if not isinstance(count, str) or not count.lstrip("-").isascii():
        raise ValueError(problem)
    if not count.removeprefix("-").isdigit() or len(count) > math.ceil(math.log10(MOST_PIGS)) + 2:
        raise ValueError(problem)
    return int(count)
