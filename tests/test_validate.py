"""The validation cases themselves, and the command that runs them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sim.cli import run
from sim.validate import cases, command
from sim.validate.cases import BULLET, CASES, OURS
from sim.validate.check import FAILED, PASSED, SHOWN, Case, Check, Rig
from sim.validate.statistics import fair, same


def parameters() -> list:
    long = pytest.mark.long
    return [
        pytest.param(case, engine, marks=[long] if case.is_long else [], id=f"{case.name}-{engine}")
        for case in CASES
        for engine in OURS
        if engine in case.engines
    ]


@pytest.mark.parametrize(("case", "engine"), parameters())
def test_case_passes(case: Case, engine: str) -> None:
    for check in case.run(Rig(workers=2, engine=engine)):
        assert check.verdict == PASSED, check


def test_miss_of_a_target_fails_and_any_other_is_shown() -> None:
    check = Check("height [m]", 1.2, 1.0, 0.1, "theory")
    assert check.verdict == FAILED
    assert replace(check, is_target=False).verdict == SHOWN
    assert replace(check, measured=1.05).verdict == PASSED
    assert replace(check, measured=float("nan")).verdict == FAILED


def test_loaded_die_is_not_fair() -> None:
    """One face 20 % too often in 20,000 drops is far beyond chance; the fair one is not."""
    rng = np.random.default_rng(0)
    sixth = np.full(6, 1 / 6)
    loaded = np.array((0.2, 0.16, 0.16, 0.16, 0.16, 0.16))
    assert fair("faces", rng.multinomial(20_000, sixth), sixth).verdict == PASSED
    assert fair("faces", rng.multinomial(20_000, loaded), sixth).verdict == FAILED


def test_shifted_share_is_not_the_same() -> None:
    """A share of 25 % that grows to 27 % is 7 standard errors at 50,000."""
    names = ("a", "b")
    equal = same("x", np.array((12_500, 37_500)), np.array((12_600, 37_400)), names)
    shifted = same("x", np.array((13_500, 36_500)), np.array((12_500, 37_500)), names)
    assert [check.verdict for check in equal] == [PASSED, PASSED]
    assert [check.verdict for check in shifted] == [FAILED, FAILED]


def case_of(measured: float) -> Case:
    """Measure this where 1 is expected."""
    check = Check("x", measured, 1.0, 0.1, "theory")
    return Case("first", "closed form", False, lambda _: [check], BULLET)


def test_failed_check_is_exit_status_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = Case(
        "broken", "closed form", False, lambda _: [Check("x", 2.0, 1.0, 0.1, "theory")], BULLET
    )
    monkeypatch.setattr(cases, "CASES", (broken,))
    assert run(["validate", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["failed"] == 1
    assert report["cases"][0]["checks"][0]["verdict"] == FAILED
    assert run(["validate"]) == 1
    assert "0 of 1 checks passed" in capsys.readouterr().out


def test_what_takes_long_is_shown_as_it_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first case's table is on standard error before the second is run."""

    def second(_: Rig) -> list[Check]:
        assert "first (closed form)" in capsys.readouterr().err
        return []

    first = Case(
        "first", "closed form", False, lambda _: [Check("x", 1.0, 1.0, 0.1, "theory")], BULLET
    )
    monkeypatch.setattr(command, "PATIENCE", 0.0)
    monkeypatch.setattr(
        cases, "CASES", (first, Case("second", "closed form", False, second, BULLET))
    )
    assert run(["validate", "--json"]) == 0
    assert [one["case"] for one in json.loads(capsys.readouterr().out)["cases"]] == [
        "first",
        "second",
    ]


def test_case_that_is_named_twice_is_run_once(capsys):
    assert run(["validate", "--only", "free_fall,free_fall", "--json"]) == 0
    assert [one["case"] for one in json.loads(capsys.readouterr().out)["cases"]] == ["free_fall"]


def test_unknown_case_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--only", "slidng"]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert "sliding" in streams.err
