"""The compiler: numba, as this engine wants it."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba

from sim.engine import flight
from sim.standard_streams import complain

Compiled = TypeVar("Compiled", bound=Callable[..., object])

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
"""No counting of references to arrays, which would take nine tenths of the time; code compiled so
cannot make arrays, and need not."""


def compiled(function: Compiled) -> Compiled:
    """Compile a function when it is first called, and keep the result for later processes.

    Beside the source, or in the user's cache directory where that is read-only; where neither can
    be written every process compiles anew. No fast-math: sums keep their order, so that every
    processor gives the same bits.
    """
    return _compiled(function, _OPTIONS)


def inlined(function: Compiled) -> Compiled:
    """Compile a function into each that calls it.

    A call hands over every field of every array, which takes as long as a short function's work:
    with the functions of each step so joined, a dropped pig takes 0.26 ms where it took 0.54.
    """
    return _compiled(function, _OPTIONS | {"inline": "always"})


def _compiled(function: Compiled, options: dict[str, Any]) -> Compiled:
    compiler: Any = numba.njit
    try:
        dispatcher: Compiled = compiler(function, cache=True, **options)
    except RuntimeError:  # numba finds no place for its cache
        dispatcher = compiler(function, **options)
    return dispatcher


LOCK = "compiling.lock"
"""File beside the kept results that the process which compiles holds."""

SOURCES = "sources.sha256"
"""File beside the kept results that tells from what they were compiled."""

_PYTHON = f"{sys.version_info.major}{sys.version_info.minor}"
_COMPILES = "compiling the fast engine, once; that takes a minute or more"


@contextmanager
def compiling_once(dispatcher: Any) -> Iterator[None]:
    """Let one process compile while others that need the same wait, and then read its result.

    Who compiles, or waits for who does, says so on standard error.

    Args:
        dispatcher: A compiled function; where its result is kept tells where all are.
    """
    if dispatcher.stats.cache_path is None:
        complain(_COMPILES, 0)
        yield
        return
    path = Path(dispatcher.stats.cache_path)
    path.mkdir(parents=True, exist_ok=True)
    with Path(path, LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not _is_kept(dispatcher, path):
                complain("waiting for another process that compiles the fast engine", 0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        _forget_others(path)
        if not _is_kept(dispatcher, path):
            complain(_COMPILES, 0)
        yield


def _is_kept(dispatcher: Any, path: Path) -> bool:
    return any(path.glob(f"*.{dispatcher.__name__}-*.py{_PYTHON}*.nbi"))


def _forget_others(path: Path) -> None:
    """Remove what was compiled from other sources.

    Numba looks at the file of a function alone, not at those of the functions that it calls.
    """
    digest = sha256()
    for source in (*sorted(Path(__file__).parent.glob("*.py")), Path(flight.__file__)):
        digest.update(source.read_bytes())
    stamp = path / SOURCES
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest.hexdigest():
        return
    for kept in path.glob("*.nb[ci]"):
        kept.unlink()
    stamp.write_text(digest.hexdigest(), encoding="ascii")
