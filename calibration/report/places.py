"""When and where the pigs of a batch came to rest."""

from __future__ import annotations

from math import log10
from typing import Any

import numpy as np

from sim.rest import AT_REST
from sim.throw import Landings

_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
_TIME_BINS = 24
_MOST_BINS = 4 * _TIME_BINS
_CELLS = 40
"""Cells along the longer side of the table's map, about."""


def rest_times(landings: Landings) -> dict[str, Any] | None:
    """Tell when pigs came to rest, of throws at rest [s]; None if there are none."""
    times = landings.rest_time[landings.status == AT_REST].ravel()
    times = times[np.isfinite(times)]
    if not len(times):
        return None
    width = _round(float(np.quantile(times, 0.99)) / _TIME_BINS)
    first, last = np.floor(np.array((times.min(), np.quantile(times, 0.995))) / width)
    edges = width * np.arange(first, min(last, first + _MOST_BINS) + 2)
    counts = np.histogram(times, edges)[0]
    return {
        "pigs": len(times),
        "quantiles": _quantiles(times),
        "bin_edges": np.round(edges, 9).tolist(),
        "bin_pigs": counts.tolist(),
        "later": int((times > edges[-1]).sum()),
    }


def resting_places(landings: Landings) -> dict[str, Any] | None:
    """Count pigs at rest by where they lie on the table; None if there are none.

    The cells are square; they hold all but the outermost half percent of the pigs.
    """
    places = landings.translation[landings.status == AT_REST][..., :2].reshape(-1, 2)
    if not len(places):
        return None
    low, high = np.quantile(places, (0.005, 0.995), axis=0)
    cell = _round(max(float((high - low).max()), 1e-3) / _CELLS)
    first = np.floor(low / cell)
    shape = (np.floor(high / cell) - first + 1).astype(int)
    numbers = (np.floor(places / cell) - first).astype(int)
    inside = ((numbers >= 0) & (numbers < shape)).all(axis=1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, tuple(numbers[inside].T), 1)
    return {
        "pigs": len(places),
        "cell": cell,
        "corner": np.round(first * cell, 9).tolist(),
        "cell_pigs": counts.tolist(),
        "outside": int((~inside).sum()),
        "distance_quantiles": _quantiles(np.linalg.norm(places, axis=1)),
        "mean": places.mean(axis=0).tolist(),
    }


def _quantiles(values: np.ndarray) -> list[dict[str, float]]:
    found = np.quantile(values, _QUANTILES).tolist()
    return [
        {"share": share, "value": value} for share, value in zip(_QUANTILES, found, strict=True)
    ]


def _round(width: float) -> float:
    """Round up to 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** np.floor(log10(width)) if width > 0 else 1.0
    return float(next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= width * 0.999))
