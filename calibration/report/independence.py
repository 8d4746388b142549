"""Whether rows and columns of counts are independent, also where cells are small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy
from scipy.stats import random_table

from calibration.likelihood import bootstrap_p_value

REPLICATES = 9999
"""Tables drawn; p values go down to 1 in 10,000."""


@dataclass(frozen=True, eq=False)
class Independence:
    """What a test of independence found.

    Attributes:
        deviance: G^2 of all tables.
        degrees_of_freedom: Of all tables; about the G^2 of independent rows and columns.
        p_value: Share of tables drawn with the same margins that have as great a G^2.
        expected: Counts of independent rows and columns, summed over the tables, (r, c).
    """

    deviance: float
    degrees_of_freedom: int
    p_value: float
    expected: np.ndarray


def independence(tables: Sequence[np.ndarray], rng: np.random.Generator) -> Independence:
    """Test that rows and columns are independent within each of several tables.

    Given its margins, a table of independent rows and columns has a known distribution, whatever
    the probabilities are. Tables are drawn from it, so that rare positions need no chi-square
    approximation. Tables that are tested together but not added up keep what they have in common,
    such as the height of release, from looking like dependence.

    Args:
        tables: Counts, each (r, c); a table without counts says nothing.
        rng: Draws the tables.

    References:
        Agresti, A. (1992), "A survey of exact inference for contingency tables", Statistical
        Science 7(1): 131-153, sections 2 and 4.
        Patefield, W. M. (1981), "Algorithm AS 159: an efficient method of generating random R x C
        tables with given row and column totals", Applied Statistics 30(1): 91-97.
    """
    filled = [_without_empty(np.asarray(table, dtype=np.int64)) for table in tables]
    filled = [table for table in filled if min(table.shape, default=0) > 1]
    drawn = np.zeros(REPLICATES)
    for table in filled:
        margins = random_table(table.sum(axis=1), table.sum(axis=0))
        drawn += _deviance(margins.rvs(REPLICATES, random_state=rng), expected_counts(table))
    found = sum(float(_deviance(table, expected_counts(table))) for table in filled)
    return Independence(
        deviance=found,
        degrees_of_freedom=sum((len(table) - 1) * (len(table.T) - 1) for table in filled),
        p_value=bootstrap_p_value(found, drawn),
        expected=sum((expected_counts(np.asarray(table)) for table in tables), start=np.zeros(())),
    )


def expected_counts(table: np.ndarray) -> np.ndarray:
    """Give the counts of independent rows and columns with the margins of a table."""
    total = max(table.sum(), 1)
    return np.outer(table.sum(axis=1), table.sum(axis=0)) / total


def _deviance(counts: np.ndarray, expected: np.ndarray) -> np.ndarray:
    terms = xlogy(counts, counts) - xlogy(counts, expected)
    return 2.0 * np.maximum(terms.sum(axis=(-2, -1)), 0.0)


def _without_empty(table: np.ndarray) -> np.ndarray:
    return table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
