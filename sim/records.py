"""A batch on disk: a directory of Parquet files of `block_throws` throws each, and whose it is."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from hashlib import sha256
from importlib import metadata
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

import meshes
from sim.block import LARGEST_BLOCK, RecordsError, decode_block
from sim.configuration import MAX_PIGS
from sim.device import STARTS
from sim.regular_file import FileError, read_regular_file
from sim.throw import Landings

_LEAST_BLOCK = 250
_FEW_BLOCKS = 400
_MOST_THROWS = 10**9
IDENTITY_FILE = "batch.json"
BLOCK_PATTERN = "throws-*.parquet"

_ENTRIES: dict[str, tuple[type, str]] = {
    "seed": (int, "a whole number"),
    "pigs": (int, "a whole number"),
    **dict.fromkeys(("pig.name", "pig.digest", "device.name", "engine.name"), (str, "text")),
    "conditions": (list, "a list of heights and starts"),
}
"""Of every batch's configuration."""


@dataclass(frozen=True)
class RecordedBatch:
    """A batch read back.

    Attributes:
        configuration: Of the run, as `Configuration.as_dict` gave it.
        versions: Of what computed it.
        throws: That the run was to have.
        landings: Of all blocks finished so far, in order of the throws' indices.
    """

    configuration: dict[str, Any]
    versions: dict[str, str]
    throws: int
    landings: Landings


@cache
def _sources() -> str:
    """Digest the code of shapes, devices and engines: it may change where no version does."""
    digest = sha256()
    for room in (Path(meshes.__file__).parent, Path(__file__).parent):
        for pattern in ("*.py", "engine/**/*.py"):
            for path in sorted(room.glob(pattern)):
                digest.update(path.relative_to(room.parent).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Name the versions of what decides a throw's bits."""
    found = {"python": platform.python_version(), "sources": _sources()}
    for package in ("pig-throw", "numpy", "scipy", "pybullet", "numba", "mujoco"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def block_throws(throws: int) -> int:
    """Choose how many of a batch's throws a file holds, but for the last one.

    A short batch loses little when it is stopped, a long one does not scatter into millions of
    files.
    """
    return min(max(-(-throws // _FEW_BLOCKS), _LEAST_BLOCK), LARGEST_BLOCK)


def block_name(block: int) -> str:
    """Name the file of a block of throws."""
    return f"throws-{block:06d}.parquet"


def block_range(block: int, throws: int) -> range:
    """Give the throws that a block of a batch of so many throws holds."""
    size = block_throws(throws)
    return range(block * size, min((block + 1) * size, throws))


def check_throws(landings: Landings, throws: range, configuration: dict[str, Any]) -> None:
    """Refuse landings that are not those of these throws of a run.

    Raises:
        RecordsError: If throws, pigs, heights or starts are others.
    """
    if not np.array_equal(landings.index, throws):
        raise RecordsError(f"expected throws {throws.start} to {throws.stop - 1}, each once")
    pigs, conditions = configuration["pigs"], configuration["conditions"]
    if landings.position.shape[1] != pigs:
        raise RecordsError(f"expected {pigs} rows for every throw")
    taken = landings.index % len(conditions)
    for name in ("height", "start"):
        planned = np.array([condition[name] for condition in conditions])[taken]
        if (getattr(landings, name) != planned).any():
            raise RecordsError(f"expected every {name} to be the one that {IDENTITY_FILE} gives")


def read_block(path: Path, identity: dict[str, Any]) -> Landings:
    """Read the landings of one file.

    Args:
        path: Of the file.
        identity: Of the run that the file must belong to.

    Raises:
        RecordsError: If it cannot be read, is not a block, is damaged, or is of another run.
    """
    content = read_file(path)
    try:
        return decode_block(content, identity)
    except RecordsError as error:
        raise RecordsError(f"{path}: {error}") from None


def read_file(path: Path) -> bytes:
    """Read a file of a batch.

    Raises:
        RecordsError: If it cannot be read, or is no regular file.
    """
    try:
        return read_regular_file(path)
    except FileError as error:
        raise RecordsError(str(error)) from None


def concatenate(blocks: Sequence[Landings]) -> Landings:
    """Join landings of throws of equally many pigs, in the order given."""
    return Landings(
        **{
            field.name: np.concatenate([getattr(block, field.name) for block in blocks])
            for field in fields(Landings)
        }
    )


def read_identity(directory: Path) -> dict[str, Any]:
    """Read what a batch's directory says of its run.

    Raises:
        RecordsError: If it holds no batch, or a damaged one.
    """
    path = directory / IDENTITY_FILE
    if not os.path.lexists(path):
        raise RecordsError(f"{directory}: holds no batch (no {IDENTITY_FILE})")
    content = read_file(path)
    try:
        identity = json.loads(content)
        json.dumps(identity, allow_nan=False)
    except (ValueError, RecursionError):
        raise RecordsError(f"{path}: expected JSON, as a batch writes it") from None
    kinds = {"configuration": dict, "throws": int, "versions": dict}
    if (
        not isinstance(identity, dict)
        or identity.keys() != kinds.keys()
        or not all(isinstance(identity[key], kind) for key, kind in kinds.items())
    ):
        raise RecordsError(f"{path}: expected configuration, throws and versions")
    if isinstance(identity["throws"], bool) or not 1 <= identity["throws"] <= _MOST_THROWS:
        raise RecordsError(f"{path}: expected throws to be from 1 to {_MOST_THROWS:,}")
    return identity


def _check_configuration(configuration: dict[str, Any]) -> None:
    for entry, (kind, words) in _ENTRIES.items():
        value: Any = configuration
        for key in entry.split("."):
            if not isinstance(value, dict) or key not in value:
                raise RecordsError(f"its configuration lacks {entry}")
            value = value[key]
        if type(value) is not kind:
            raise RecordsError(f"expected {entry} of its configuration to be {words}")
    if not 1 <= configuration["pigs"] <= MAX_PIGS:
        raise RecordsError(f"expected pigs of its configuration to be from 1 to {MAX_PIGS}")
    conditions = configuration["conditions"]
    if not conditions or not all(map(_is_condition, conditions)):
        raise RecordsError("expected conditions of its configuration to be heights and starts")


def _is_condition(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"height", "start"}
        and isinstance(value["height"], (int, float))
        and 0.0 < value["height"] < inf
        and value["start"] in (*STARTS, "random")
    )


def read_batch(directory: Path) -> RecordedBatch:
    """Read all blocks that a batch has finished.

    Raises:
        RecordsError: If the directory holds no batch, none of its blocks, a damaged one, or a file
            that is named as a block and is none of this batch.
    """
    identity = read_identity(directory)
    configuration, throws = identity["configuration"], identity["throws"]
    if "calibration" in configuration:
        raise RecordsError(
            f"{directory}: is a calibration, which keeps no throws; see it with 'pigs report', and "
            "record throws with 'pigs throw --out DIR'"
        )
    try:
        _check_configuration(configuration)
    except RecordsError as error:
        raise RecordsError(f"{directory / IDENTITY_FILE}: {error}") from None
    blocks = []
    for path in sorted(directory.glob(BLOCK_PATTERN)):
        expected = _range_of(path, throws)
        landings = read_block(path, identity)
        try:
            check_throws(landings, expected, configuration)
        except RecordsError as error:
            raise RecordsError(f"{path}: {error}") from None
        blocks.append(landings)
    if not blocks:
        raise RecordsError(f"{directory}: holds no finished block yet")
    return RecordedBatch(**identity, landings=concatenate(blocks))


def _range_of(path: Path, throws: int) -> range:
    """Find the throws of a block by its file's name."""
    number = re.fullmatch("throws-([0-9]{6}).parquet", path.name)
    expected = block_range(int(number[1]), throws) if number else range(0)
    if not expected:
        raise RecordsError(
            f"{path}: is no block of this batch of {throws:,} throws; move it elsewhere"
        )
    return expected
