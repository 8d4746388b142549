"""The compiler: numba, as this engine wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba

Compiled = TypeVar("Compiled", bound=Callable[..., object])


def compiled(function: Compiled) -> Compiled:
    """Compile a function when it is first called, and keep the result for later processes.

    Beside the source, or in the user's cache directory where that is read-only; where neither can
    be written every process compiles anew. No fast-math: sums keep their order, so that every
    processor gives the same bits.
    """
    try:
        return numba.njit(function, cache=True, error_model="numpy", _nrt=False)
    except RuntimeError:  # numba finds no place for its cache
        return numba.njit(function, error_model="numpy", _nrt=False)
