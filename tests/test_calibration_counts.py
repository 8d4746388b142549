"""Tables read from files, tallies of landings, and deviances of counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fake_thrower import fake_landings
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from calibration.likelihood import (
    deviance,
    pool,
    total_variation,
    two_sample_deviance,
    two_sample_test,
)
from calibration.observed import published, read_observed
from calibration.tally import Tally, tally
from sim.interval import wilson_interval
from sim.position import POSITIONS
from sim.published import KERN_2006
from sim.summary import summarize

CSV = """# source: a made-up table
position,count
side_dot,30
razorback, 12
"""
TOML = """source = "a made-up table"
[counts]
side_dot = 30
razorback = 12
"""


@pytest.mark.parametrize(("name", "text"), [("t.csv", CSV), ("t.toml", TOML), ("t.txt", CSV)])
def test_tables_are_read(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    table = read_observed(path)
    assert table.counts["side_dot"] == 30
    assert table.counts["razorback"] == 12
    assert table.pigs == 42
    assert table.source == "a made-up table"
    np.testing.assert_array_equal(table.vector, [0, 30, 12, 0, 0, 0, 0])


TOLD = [
    ("t.csv", f"# throws: 25\n# touching: 4\n{CSV}"),
    ("t.toml", f"throws = 25\ntouching = 4\n{TOML}"),
]


@pytest.mark.parametrize(("name", "text"), TOLD)
def test_tables_may_tell_how_often_pigs_touched(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    table = read_observed(tmp_path / name)
    assert (table.throws, table.touching) == (25, 4)
    assert table.touching_interval() == wilson_interval(4, 25)
    assert table.as_dict()["touching"] == 4
    (tmp_path / name).write_text(CSV if name == "t.csv" else TOML)
    untold = read_observed(tmp_path / name)
    assert untold.touching_interval() is None
    assert untold.as_dict().keys() == {"source", "counts"}


@pytest.mark.parametrize(("name", "text"), TOLD)
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("25", "26", "counts: expected 44 pigs, two of each"),
        ("25", "2.5", "throws: expected a whole number of throws"),
        ("4", "26", "no more touching than there are, got 25 and 26"),
        ("4", "-1", "got 25 and -1"),
        ("25", "9" * 4000, "expected"),
    ],
)
def test_impossible_touching_is_refused(
    tmp_path: Path, name: str, text: str, old: str, new: str, message: str
) -> None:
    (tmp_path / name).write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=message):
        read_observed(tmp_path / name)


def test_touching_comes_with_its_throws(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"# touching: 4\n{CSV}")
    with pytest.raises(ValueError, match="throws and touching: expected both or none"):
        read_observed(tmp_path / "t.csv")


def test_published_table_is_the_default() -> None:
    assert (published().throws, published().touching) == (KERN_2006.throws, KERN_2006.touching)
    assert published().pigs == KERN_2006.pigs == 11954
    assert tuple(published().counts) == POSITIONS
    assert published().interval("trotter") == KERN_2006.interval("trotter")


def test_table_of_the_readme_is_the_published_one(tmp_path: Path) -> None:
    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    block = next(part for part in text.split("```") if "position,count\n" in part)
    (tmp_path / "table.csv").write_text(block)
    told, known = read_observed(tmp_path / "table.csv"), published()
    assert (told.counts, told.throws, told.touching) == (
        known.counts,
        known.throws,
        known.touching,
    )


HEAD = "position,count\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", HEAD + "side_up,3\n", "unknown position 'side_up': expected side_no_dot"),
        ("t.csv", HEAD + "side_dot,-3\nrazorback,2\n", "count of side_dot: expected from 0 to"),
        ("t.csv", HEAD + "side_dot,3.5\nrazorback,2\n", "expected a whole number of pigs"),
        ("t.csv", HEAD + "side_dot,3.0\nrazorback,2\n", "expected a whole number of pigs"),
        ("t.csv", HEAD + "side_dot,--3\nrazorback,2\n", "expected a whole number of pigs"),
        ("t.csv", HEAD + "side_dot,\u0663\nrazorback,2\n", "expected a whole number of pigs"),
        ("t.csv", HEAD + "side_dot," + "9" * 5000 + "\n", "expected a whole number of pigs"),
        ("t.toml", "[counts]\nside_dot = " + "9" * 9000, "TOML: a number with too many digits"),
        ("t.toml", "[counts]\nside_dot = 0x" + "f" * 9000, "side_dot: expected from 0 to 1,000"),
        ("t.toml", "[counts]\nside_dot" + ".a" * 9000 + " = 1", "expected a whole number of pigs"),
        ("t.toml", "counts = " + "[" * 9000, "TOML: lists or tables nested too deep"),
        ("t.csv", HEAD + "side_dot,nan\nrazorback,2\n", "expected a whole number of pigs"),
        ("t.csv", HEAD + "side_dot,0\nrazorback,0\n", "expected at least one pig, all are 0"),
        ("t.csv", HEAD, "expected at least one pig"),
        ("t.csv", HEAD + "side_dot,9\nrazorback,0\n", "got side_dot alone"),
        ("t.csv", HEAD + "side_dot,3\nside_dot,3\n", "position side_dot is given twice"),
        ("t.csv", HEAD + "side_dot,3,4\n", "expected rows of a position and a count"),
        ("t.csv", "side_dot,3\n", "expected the header 'position,count'"),
        ("t.csv", "", "expected the header 'position,count'"),
        ("t.csv", HEAD + "a\x00b,1\n", "unknown position|NUL"),
        ("t.toml", "counts = 3", r"expected a table \[counts\]"),
        ("t.toml", "[counts\n", "not readable as TOML"),
        ("t.toml", "[counts]\nside_dot = 3\nside_dot = 3\n", "not readable as TOML"),
        ("t.toml", "[counts]\nside_dot = 3.5\nrazorback = 2", "expected a whole number of pigs"),
        ("t.toml", "[counts]\nside_dot = true\nrazorback = 2", "expected a whole number of pigs"),
        ("t.toml", "source = 3\n[counts]\nside_dot = 3\nrazorback = 2", "expected source"),
    ],
)
def test_bad_tables_are_refused_in_one_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_observed(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="expected text in UTF-8"):
        read_observed(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"absent.csv: No such file"):
        read_observed(tmp_path / "absent.csv")
    with pytest.raises(ValueError, match="Is a directory"):
        read_observed(tmp_path)


@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["t.csv", "t.toml"]))
def test_any_bytes_are_a_table_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / name
    path.write_bytes(content)
    assert "\n" not in outcome(path)


def outcome(path: Path) -> str:
    """Say how reading a file ends."""
    try:
        return type(read_observed(path)).__name__
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("pigs", [1, 2, 3])
def test_tally_agrees_with_the_summary(pigs: int) -> None:
    landings = fake_landings(range(400), pigs, seed=3)
    counted, summary = tally(landings, 4), summarize(landings)
    assert counted.counts.tolist() == list(summary.positions.values())
    assert counted.throws == 400
    assert counted.touching == summary.touching
    assert counted.failed.sum() == 400 - summary.statuses["at_rest"]
    assert counted.pairs.sum() == (400 - summary.touching if pigs == 2 else 0)


def test_tallies_keep_conditions_apart_and_add_up() -> None:
    landings = fake_landings(range(400), 2, seed=4)
    whole = tally(landings, 4)
    parts = [tally(fake_landings(range(at, at + 100), 2, seed=4), 4) for at in range(0, 400, 100)]
    total = parts[0] + parts[1] + parts[2] + parts[3]
    assert total.as_dict() == whole.as_dict()
    assert Tally(**whole.as_dict()).as_dict() == whole.as_dict()
    odd = tally(fake_landings(range(1, 400, 4), 2, seed=4), 4)
    np.testing.assert_array_equal(odd.positions[1], whole.positions[1])
    assert odd.positions[[0, 2, 3]].sum() == 0


COUNTS = st.lists(st.integers(0, 500), min_size=7, max_size=7).filter(lambda c: sum(c) > 0)


@settings(max_examples=50, deadline=None)
@given(COUNTS, COUNTS)
def test_two_sample_deviance_is_symmetric_and_zero_for_equal_shares(
    a: list[int], b: list[int]
) -> None:
    x, y = np.array(a, float), np.array(b, float)
    assert two_sample_deviance(x, y) == pytest.approx(two_sample_deviance(y, x), abs=1e-8)
    assert two_sample_deviance(x, y) >= 0
    assert two_sample_deviance(x, 3 * x) == pytest.approx(0.0, abs=1e-8)


def test_two_sample_deviance_tends_to_the_deviance_of_known_probabilities() -> None:
    observed = np.array([30.0, 20.0, 7.0, 0.0])
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    known = float(deviance(observed, shares))
    gaps = [known - float(two_sample_deviance(observed, n * shares)) for n in (1e3, 1e5, 1e7)]
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 1e-3


def test_deviance_rises_without_bound_as_a_seen_position_vanishes() -> None:
    observed = np.array([90.0, 10.0])
    values = [float(deviance(observed, np.array([1 - p, p]))) for p in (1e-2, 1e-4, 1e-8, 0.0)]
    assert values == sorted(values)
    assert values[-1] == np.inf
    missed = [float(two_sample_deviance(observed, np.array([n, 0.0]))) for n in (1e2, 1e4, 1e6)]
    assert missed == sorted(missed)
    assert missed[-1] == pytest.approx(20 * np.log(1 + 1e6 / 100), rel=0.05)


def test_deviance_of_two_cells_is_the_textbook_formula() -> None:
    """2 (7 log(7/5) + 3 log(3/5)) for 7 of 10 against one half."""
    got = float(deviance(np.array([7.0, 3.0]), np.array([0.5, 0.5])))
    assert got == pytest.approx(2 * (7 * np.log(1.4) + 3 * np.log(0.6)), rel=1e-12)


def test_pool_and_total_variation() -> None:
    a, b = np.array([3.0, 1.0]), np.array([1.0, 3.0])
    np.testing.assert_allclose(pool(a, b), [0.5, 0.5])
    assert total_variation(a, b) == pytest.approx(0.5)
    assert total_variation(a, 2 * a) == 0.0


def test_bootstrap_p_is_uniform_under_the_null() -> None:
    """200 samples: a Kolmogorov distance over 0.115 has chance 1 % if p is uniform."""
    shares = np.array([0.35, 0.30, 0.22, 0.09, 0.03, 0.01])
    rng = np.random.default_rng(8)
    p_values = [
        two_sample_test(
            rng.multinomial(1200, shares).astype(float),
            rng.multinomial(3000, shares).astype(float),
            rng,
            199,
        ).p_value
        for _ in range(200)
    ]
    ranks = (np.arange(200) + 1) / 200
    assert np.abs(np.sort(p_values) - ranks).max() < 0.115


def test_bootstrap_p_agrees_with_chi_square_where_counts_are_large() -> None:
    rng = np.random.default_rng(9)
    a, b = np.array([4180.0, 3607, 2674, 1057]), np.array([4300.0, 3500, 2650, 1068])
    found = two_sample_test(a, b, rng, 9999)
    assert found.p_value == pytest.approx(chi2.sf(found.deviance, 3), abs=0.02)
