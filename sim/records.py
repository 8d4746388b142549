"""A batch on disk: a directory of Parquet files of `block_throws` throws each, and whose it is."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import meshes
from sim.block import LARGEST_BLOCK, RecordsError, decode_block
from sim.regular_file import FileError, read_regular_file
from sim.throw import Landings

_LEAST_BLOCK = 250
_FEW_BLOCKS = 400
IDENTITY_FILE = "batch.json"
BLOCK_PATTERN = "throws-*.parquet"


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
