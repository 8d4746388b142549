"""The landings of a block as the bytes of a Parquet file, and back: one row per pig.

Columns: `throw` (index in the run, from 0), `pig` (from 0), `height` [m], `start`, `status`,
`position`, `touch`, `x y z` (translation of the pig frame [m], world frame), `qx qy qz qw`
(orientation as quat_xyzw, world_from_pig), `rest_time` [s], `margin` to the next position [rad].
Rows are sorted by throw, then pig. Poses keep every bit, so that a throw can be compared with its
replay; `rest_time` and `margin` are rounded to single precision. Every page has a checksum, and the
file's metadata hold the run's whole configuration. Of a throw that failed a pose may be anything.
"""

from __future__ import annotations

import io
import json
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sim.configuration import MAX_PIGS
from sim.device import STARTS
from sim.position import OTHER, POSITIONS
from sim.rest import AT_REST, STATUSES
from sim.throw import Landings
from sim.touch import TOUCHES

LARGEST_BLOCK = 10_000
"""Throws in a file."""

_MOST_BYTES = 100_000_000
"""Of a file's columns, unpacked; the largest block of eight pigs has 8 MB."""

_WORDS = pa.dictionary(pa.int32(), pa.string())
_FLOAT = pa.float64()
_SINGLE = pa.float32()
_TRANSLATION = ("x", "y", "z")
_ORIENTATION = ("qx", "qy", "qz", "qw")
_UNITS = {"height": "m", "rest_time": "s", "margin": "rad", **dict.fromkeys(_TRANSLATION, "m")}
_TYPES = {
    "throw": pa.int64(),
    "pig": pa.int32(),
    "height": _FLOAT,
    **dict.fromkeys(("start", "status", "position", "touch"), _WORDS),
    **dict.fromkeys((*_TRANSLATION, *_ORIENTATION), _FLOAT),
    **dict.fromkeys(("rest_time", "margin"), _SINGLE),
}
_REPEATED = ["height", *(name for name, kind in _TYPES.items() if kind == _WORDS)]
_ENCODINGS = {
    **dict.fromkeys(("throw", "pig"), "DELTA_BINARY_PACKED"),
    **dict.fromkeys((*_TRANSLATION, *_ORIENTATION, "rest_time", "margin"), "BYTE_STREAM_SPLIT"),
}
SCHEMA = pa.schema(
    [
        pa.field(name, kind, metadata={"unit": _UNITS[name]} if name in _UNITS else None)
        for name, kind in _TYPES.items()
    ]
)
_KNOWN = {
    "start": (*STARTS, "random"),
    "status": STATUSES,
    "position": POSITIONS,
    "touch": TOUCHES,
}

FARTHEST = 1000.0
"""From the device that a pig can come to rest [m]; far beyond any table."""

UNIT_ERROR = 1e-6
"""Of a quaternion's length; it is written to 16 digits."""

_RANGES = {
    **dict.fromkeys(_TRANSLATION, (-FARTHEST, FARTHEST)),
    "rest_time": (0.0, inf),
    "margin": (-float(np.float32(np.pi)), float(np.float32(np.pi))),
}
"""Of pigs at rest."""


class RecordsError(ValueError):
    """A file or directory is not what a batch writes; the message says which and why."""


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
    pq.write_table(
        table,
        sink,
        compression="zstd",
        use_dictionary=_REPEATED,
        column_encoding=_ENCODINGS,
        write_statistics=False,
        write_page_checksum=True,
    )
    return sink.getvalue()


def _metadata(identity: dict[str, Any]) -> dict[bytes, bytes]:
    return {
        key.encode(): json.dumps(identity[key]).encode() for key in ("configuration", "versions")
    }


def _column(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    if kind == _WORDS:
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, kind)


def decode_block(content: bytes, identity: dict[str, Any]) -> Landings:
    """Read the landings in a file's bytes.

    Args:
        content: Of the file.
        identity: Of the run that the file must belong to.

    Raises:
        RecordsError: If they are not a block, are damaged, or are of another run.
    """
    try:
        return _decoded(content, identity)
    except RecordsError:
        raise
    except Exception as error:  # of damaged bytes PyArrow and NumPy raise whatever they meet
        raise RecordsError(f"not readable as Parquet: {_first_line(error)}") from None


def _decoded(content: bytes, identity: dict[str, Any]) -> Landings:
    source = pa.BufferReader(content)
    file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)
    if not file.schema_arrow.equals(SCHEMA):
        raise RecordsError(f"expected the columns {', '.join(SCHEMA.names)}")
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    if sum(group.total_byte_size for group in groups) > _MOST_BYTES:
        raise RecordsError(f"expected at most {_MOST_BYTES:,} bytes of columns")
    if file.metadata.num_rows > MAX_PIGS * LARGEST_BLOCK:
        raise RecordsError(f"expected at most {MAX_PIGS * LARGEST_BLOCK:,} rows")
    table = file.read(use_threads=False)  # a thread still starting would abort a process that exits
    table.validate(full=True)
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
    for name in ("throw", "height", "start", "status"):
        rows = columns[name].reshape(-1, pigs)
        if (rows != rows[:, :1]).any():
            raise RecordsError(f"expected the pigs of a throw to have the same {name}")
    _check_numbers(columns)
    landings = _landings(columns, pigs)
    _check_words(landings)
    return landings


def _check_numbers(columns: dict[str, np.ndarray]) -> None:
    """Refuse numbers that no pig at rest has; a time that nobody took is nan."""
    is_done = columns["status"] == AT_REST
    for name, (low, high) in _RANGES.items():
        values = columns[name]
        is_sound = (low <= values) & (values <= high) & (values < inf)
        if name == "rest_time":
            is_sound |= np.isnan(values)
        unsound = np.flatnonzero(is_done & ~is_sound)
        if len(unsound):
            first = unsound[0]
            expected = f"from {low:g} to {high:g}" if high < inf else f"{low:g} or more"
            raise RecordsError(
                f"expected {name} of a pig at rest to be {expected} {_UNITS[name]}, got "
                f"{values[first]:g} in throw {columns['throw'][first]}"
            )
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm([columns[name] for name in _ORIENTATION], axis=0)
    unsound = np.flatnonzero(is_done & ~(np.abs(lengths - 1.0) <= UNIT_ERROR))
    if len(unsound):
        raise RecordsError(
            f"expected {' '.join(_ORIENTATION)} of a pig at rest to be a unit quaternion, got one "
            f"of length {lengths[unsound[0]]:g} in throw {columns['throw'][unsound[0]]}"
        )


def _check_words(landings: Landings) -> None:
    """Refuse words that contradict each other."""
    touches = landings.touch != "none"
    failed = landings.status != AT_REST
    if (landings.position[failed] != OTHER).any():
        raise RecordsError(f"expected position to be {OTHER} in a throw that failed")
    if touches[failed].any():
        raise RecordsError("expected touch to be none in a throw that failed")
    if (touches.sum(axis=1) == 1).any():
        raise RecordsError("expected touch of no pig or of two or more in a throw, got one alone")


def _values(column: pa.ChunkedArray) -> np.ndarray:
    if column.type == _WORDS:
        words = pa.concat_arrays(column.unify_dictionaries().chunks)
        return np.array(words.dictionary.to_pylist(), dtype=np.str_)[words.indices.to_numpy()]
    values = column.to_numpy()
    return values.astype(np.float64) if column.type == _SINGLE else values


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


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
