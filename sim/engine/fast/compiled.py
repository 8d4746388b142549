"""The compiler: numba, as this engine wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

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
    compiler: Any = numba.njit
    try:
        dispatcher: Compiled = compiler(function, cache=True, **_OPTIONS)
    except RuntimeError:  # numba finds no place for its cache
        dispatcher = compiler(function, **_OPTIONS)
    return dispatcher
