"""Whether the two pigs of a throw land independently of each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.report.frequencies import condition_rows
from calibration.report.independence import REPLICATES, expected_counts, independence
from calibration.report.words import SIGNIFICANT, chances
from sim.position import POSITIONS
from sim.rest import AT_REST
from sim.summary import SCORED_PIGS, worst_touch
from sim.throw import Landings


def two_pigs(landings: Landings, rng: np.random.Generator) -> dict[str, Any] | None:
    """Cross the positions of both pigs, beside what independent pigs would give.

    Of throws at rest without touching. Expected counts are those of independent pigs within each
    height and start, so that what the pigs of a throw have in common by being released together
    does not look like an influence of one on the other. None unless throws are of two pigs.
    """
    if landings.position.shape[1] != SCORED_PIGS:
        return None
    apart = (landings.status == AT_REST) & (worst_touch(landings.touch) == "none")
    tables = [
        _cross(landings, apart & (landings.height == key["height"]) & _starts(landings, key))
        for key, _ in condition_rows(landings)
    ]
    test = independence(tables, rng)
    counts = np.sum(tables, axis=0)
    expected = np.sum([expected_counts(table) for table in tables], axis=0)
    often = chances(test.p_value, REPLICATES)
    verdict = (
        "Too few pigs in different positions to tell whether two of a throw land independently."
        if not test.degrees_of_freedom
        else "The two pigs of a throw do not seem to land independently: independent pigs would "
        f"give a table at least as uneven in {often}, and this page makes several such tests."
        if test.p_value < SIGNIFICANT
        else "The two pigs of a throw land independently as far as this batch can tell: "
        f"independent pigs would give a table at least as uneven in {often}."
    )
    return {
        "throws": int(apart.sum()),
        "positions": list(POSITIONS),
        "counts": counts.tolist(),
        "expected": expected.tolist(),
        "deviance": test.deviance,
        "degrees_of_freedom": test.degrees_of_freedom,
        "p_value": test.p_value,
        "replicates": REPLICATES,
        "sentence": verdict,
    }


def _starts(landings: Landings, key: dict[str, Any]) -> np.ndarray:
    return landings.start == key["start"]


def _cross(landings: Landings, chosen: np.ndarray) -> np.ndarray:
    """Count pairs: rows the first pig's position, columns the second's, (7, 7)."""
    first, second = landings.position[chosen].T
    table = np.zeros((len(POSITIONS), len(POSITIONS)), dtype=np.int64)
    np.add.at(table, (_numbers(first), _numbers(second)), 1)
    return table


def _numbers(positions: np.ndarray) -> np.ndarray:
    order = np.argsort(POSITIONS)
    return order[np.searchsorted(np.array(POSITIONS)[order], positions)]
