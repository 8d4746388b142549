"""Landings as Parquet: one row per pig, the run's whole configuration in the file's metadata.

Columns: `throw` (index in the run, from 0), `pig` (from 0), `height` [m], `start`, `status`,
`position`, `touch`, `x y z` (translation of the pig frame [m], world frame), `qx qy qz qw`
(orientation as quat_xyzw, world_from_pig), `rest_time` [s], `margin` to the next position [rad].
Rows are sorted by throw, then pig. A batch is a directory of such files of `BLOCK_THROWS` throws.
"""

from __future__ import annotations

import io
import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sim.position import POSITIONS
from sim.regular_file import FileError, read_regular_file
from sim.rest import STATUSES
from sim.throw import Landings
from sim.touch import TOUCHES

BLOCK_THROWS = 250
"""Throws in a file, but for the last one of a batch."""

IDENTITY_FILE = "batch.json"
BLOCK_PATTERN = "throws-*.parquet"

_WORDS = pa.dictionary(pa.int32(), pa.string())
_FLOAT = pa.float64()
_TRANSLATION = ("x", "y", "z")
_ORIENTATION = ("qx", "qy", "qz", "qw")
_UNITS = {"height": "m", "rest_time": "s", "margin": "rad", **dict.fromkeys(_TRANSLATION, "m")}
_TYPES = {
    "throw": pa.int64(),
    "pig": pa.int32(),
    "height": _FLOAT,
    **dict.fromkeys(("start", "status", "position", "touch"), _WORDS),
    **dict.fromkeys((*_TRANSLATION, *_ORIENTATION, "rest_time", "margin"), _FLOAT),
}
SCHEMA = pa.schema(
    [
        pa.field(name, kind, metadata={"unit": _UNITS[name]} if name in _UNITS else None)
        for name, kind in _TYPES.items()
    ]
)
_KNOWN = {"status": STATUSES, "position": POSITIONS, "touch": TOUCHES}


class RecordsError(ValueError):
    """A file or directory is not what a batch writes; the message says which and why."""


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


def versions() -> dict[str, str]:
    """Name the versions of what decides a throw's bits."""
    found = {"python": platform.python_version()}
    for package in ("pig-throw", "numpy", "scipy", "pybullet"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def block_name(block: int) -> str:
    """Name the file of a block of throws."""
    return f"throws-{block:06d}.parquet"


def encode_block(landings: Landings, identity: dict[str, Any]) -> bytes:
    """Write landings as the bytes of a Parquet file; the same landings give the same bytes.

    Args:
        landings: Of n throws of k pigs.
        identity: Of the run, JSON-able; the file's metadata have its configuration and versions.
    """
    throws, pigs = landings.position.shape
    each_pig = {"throw": landings.index, "height": landings.height, "start": landings.start}
    each_pig["status"] = landings.status
    columns = {name: np.repeat(values, pigs) for name, values in each_pig.items()}
    columns["pig"] = np.tile(np.arange(pigs), throws)
    for name in ("position", "touch", "rest_time", "margin"):
        columns[name] = getattr(landings, name).ravel()
    columns |= dict(zip(_TRANSLATION, landings.translation.reshape(-1, 3).T, strict=True))
    columns |= dict(zip(_ORIENTATION, landings.quat_xyzw.reshape(-1, 4).T, strict=True))
    arrays = [_column(np.ascontiguousarray(columns[name]), kind) for name, kind in _TYPES.items()]
    table = pa.Table.from_arrays(arrays, schema=SCHEMA.with_metadata(_metadata(identity)))
    sink = io.BytesIO()
    pq.write_table(table, sink, write_page_checksum=True)
    return sink.getvalue()


def _metadata(identity: dict[str, Any]) -> dict[bytes, bytes]:
    return {
        key.encode(): json.dumps(identity[key]).encode() for key in ("configuration", "versions")
    }


def _column(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    if kind == _WORDS:
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, kind)


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
        return _decode_block(content, identity)
    except RecordsError as error:
        raise RecordsError(f"{path}: {error}") from None
    except Exception as error:  # of damaged bytes PyArrow and NumPy raise whatever they meet
        raise RecordsError(f"{path}: not readable as Parquet: {_first_line(error)}") from None


def _decode_block(content: bytes, identity: dict[str, Any]) -> Landings:
    source = pa.BufferReader(content)
    file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)
    table = file.read(use_threads=False)  # a thread still starting would abort a process that exits
    if not table.schema.equals(SCHEMA):
        raise RecordsError(f"expected the columns {', '.join(SCHEMA.names)}")
    if table.schema.metadata != _metadata(identity):
        raise RecordsError("holds throws of another run")
    if any(column.null_count for column in table.columns):
        raise RecordsError("expected a value in every cell")
    columns = {name: _values(table[name]) for name in SCHEMA.names}
    pigs = int(columns["pig"].max()) + 1 if len(table) else 1
    if len(table) % pigs or (columns["pig"].reshape(-1, pigs) != np.arange(pigs)).any():
        raise RecordsError(f"expected {pigs} rows for every throw")
    for name, words in _KNOWN.items():
        if not np.isin(columns[name], words).all():
            raise RecordsError(f"expected {name} to be one of {', '.join(words)}")
    return _landings(columns, pigs)


def read_file(path: Path) -> bytes:
    """Read a file of a batch.

    Raises:
        RecordsError: If it cannot be read, or is no regular file.
    """
    try:
        return read_regular_file(path)
    except FileError as error:
        raise RecordsError(str(error)) from None


def _values(column: pa.ChunkedArray) -> np.ndarray:
    if column.type == _WORDS:
        return np.array(column.to_pylist(), dtype=np.str_)
    return column.to_numpy()


def _landings(columns: dict[str, np.ndarray], pigs: int) -> Landings:
    def each_pig(*names: str) -> np.ndarray:
        return np.stack([columns[name].reshape(-1, pigs) for name in names], axis=-1)

    return Landings(
        index=columns["throw"][::pigs],
        **{name: columns[name][::pigs] for name in ("height", "start", "status")},
        **{
            name: columns[name].reshape(-1, pigs)
            for name in ("position", "touch", "rest_time", "margin")
        },
        translation=each_pig(*_TRANSLATION),
        quat_xyzw=each_pig(*_ORIENTATION),
    )


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
    except (ValueError, RecursionError):
        raise RecordsError(f"{path}: expected JSON, as a batch writes it") from None
    kinds = {"configuration": dict, "throws": int, "versions": dict}
    if (
        not isinstance(identity, dict)
        or identity.keys() != kinds.keys()
        or not all(isinstance(identity[key], kind) for key, kind in kinds.items())
    ):
        raise RecordsError(f"{path}: expected configuration, throws and versions")
    return identity


def read_batch(directory: Path) -> RecordedBatch:
    """Read all blocks that a batch has finished.

    Raises:
        RecordsError: If the directory holds no batch, none of its blocks, or a damaged one.
    """
    identity = read_identity(directory)
    paths = sorted(directory.glob(BLOCK_PATTERN), key=lambda path: (len(path.name), path.name))
    blocks = [read_block(path, identity) for path in paths]
    if not blocks:
        raise RecordsError(f"{directory}: holds no finished block yet")
    return RecordedBatch(**identity, landings=concatenate(blocks))


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
