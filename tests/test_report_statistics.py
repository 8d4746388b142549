from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.report.independence import REPLICATES, expected_counts, independence
from calibration.report.words import chances
from sim.interval import newcombe_interval, wilson_interval


@pytest.mark.parametrize(
    ("counts", "interval"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
    ],
)
def test_newcombe1998_table2_method10(counts, interval):
    assert newcombe_interval(*counts) == pytest.approx(interval, abs=5e-5)


samples = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(samples, samples)
def test_difference_interval_holds_the_difference_and_turns_with_it(a, b):
    low, high = newcombe_interval(*a, *b)
    assert -1 - 1e-12 <= low <= a[0] / a[1] - b[0] / b[1] <= high <= 1 + 1e-12
    assert newcombe_interval(*b, *a) == pytest.approx((-high, -low), abs=1e-12)


@given(samples)
def test_difference_from_a_known_zero_has_the_wilson_interval_as_its_limit(a):
    low, high = newcombe_interval(*a, 0, 10**9)
    assert (low, high) == pytest.approx(wilson_interval(*a), abs=1e-6)


def test_difference_from_no_trials_is_unknown():
    assert newcombe_interval(3, 4, 0, 0) == (-1.0, 1.0)


def deviance(table: np.ndarray) -> float:
    expected = expected_counts(table)
    return sum(2 * n * log(n / e) for n, e in zip(table.flat, expected.flat, strict=True) if n)


@pytest.mark.parametrize("table", [[[8, 2], [3, 9]], [[1, 9], [0, 10]], [[30, 12], [14, 25]]])
def test_p_value_of_two_by_two_is_the_exact_one(table):
    table = np.array(table)
    (rows, other_rows), (columns, _) = table.sum(axis=1), table.sum(axis=0)
    total = rows + other_rows
    exact = 0.0
    for first in range(max(0, columns - other_rows), min(rows, columns) + 1):
        one = np.array([[first, rows - first], [columns - first, other_rows - columns + first]])
        chance = comb(rows, first) * comb(other_rows, columns - first) / comb(total, columns)
        exact += chance * (deviance(one) >= deviance(table) - 1e-9)
    found = independence([table], np.random.default_rng(1))
    error = np.sqrt(exact * (1 - exact) / REPLICATES)
    assert found.deviance == pytest.approx(deviance(table))
    assert found.degrees_of_freedom == 1
    assert found.p_value == pytest.approx(exact, abs=4 * error + 1 / REPLICATES)


def test_tables_tested_together_keep_what_their_pigs_have_in_common():
    """In each table rows and columns are independent, but the tables' frequencies differ."""
    tables = [np.array([[900, 90], [90, 9]]), np.array([[9, 90], [90, 900]])]
    rng = np.random.default_rng(1)
    assert independence(tables, rng).p_value > 0.9
    assert independence([tables[0] + tables[1]], rng).p_value == 1 / (REPLICATES + 1)


def test_empty_rows_and_tables_say_nothing():
    table = np.array([[5, 0, 7], [0, 0, 0], [8, 0, 2]])
    filled = table[[0, 2]][:, [0, 2]]
    found = independence([table, np.zeros((3, 3))], np.random.default_rng(1))
    alone = independence([filled], np.random.default_rng(1))
    assert (found.deviance, found.degrees_of_freedom) == (alone.deviance, 1)
    assert found.p_value == alone.p_value


def test_one_row_is_independent_of_anything():
    found = independence([np.array([[5, 7, 9]])], np.random.default_rng(1))
    assert (found.deviance, found.degrees_of_freedom, found.p_value) == (0.0, 0, 1.0)


def test_false_alarms_are_as_many_as_stated():
    """Of 100 independent tables, at p < 0.2, 6 to 36 in all but 1 of 10,000 runs."""
    rng = np.random.default_rng(7)
    shares = np.array([0.7, 0.25, 0.05])
    alarms = 0
    for _ in range(100):
        table = rng.multinomial(60, np.outer(shares, shares).ravel()).reshape(3, 3)
        alarms += independence([table], rng).p_value < 0.2
    assert 6 <= alarms <= 36


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (1 / (REPLICATES + 1), "at most 1 in 10,000 cases"),
        (0.002, "about 1 in 500 cases"),
        (0.34, "about 34 in 100 cases"),
    ],
)
def test_p_values_in_words(p_value, words):
    assert chances(p_value, REPLICATES) == words
