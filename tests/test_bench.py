"""The comparison of throughputs: that every contender throws, and that the sums are right."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.bench import command, comparison, contenders
from sim.bench.cases import CASES
from sim.bench.comparison import Run, Throughput, compare, ratios
from sim.bench.contenders import CONTENDERS, Contender
from sim.bench.machine import describe_machine
from sim.bench.measurement import FIRST_BATCH, measure
from sim.cli import run
from sim.refusal import Refusal

HERE = [each for each in CONTENDERS if not each.missing]
JOBS = [(each.name, case) for each in HERE for case in each.cases]


@pytest.mark.parametrize(("contender", "case"), JOBS)
def test_every_contender_throws_in_its_cases(contender: str, case: str) -> None:
    measured = measure(contender, case, seed=0, seconds=0.001)
    assert measured["throws"] >= FIRST_BATCH
    assert measured["cpu_seconds"] > 0


def test_throws_in_a_measurement_are_the_first_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch as large as all before it, after one throw that does not count."""
    seen: list[range] = []
    counted = Contender("counted", "", lambda *_: seen.append, ("single",))
    monkeypatch.setattr(contenders, "CONTENDERS", (counted,))
    throws = measure("counted", "single", seed=0, seconds=0.01)["throws"]
    first, *batches = seen
    assert first == range(1)
    assert batches[0].start == 0
    assert all(a.stop == b.start for a, b in pairwise(batches))
    assert batches[-1].stop == throws


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Compare these alone, in the first case."""
    few = tuple(each for each in CONTENDERS if each.name in names)
    monkeypatch.setattr(comparison, "CONTENDERS", few)
    monkeypatch.setattr(contenders, "CONTENDERS", few)
    monkeypatch.setattr(comparison, "CASES", CASES[:1])


def test_command_compares_in_processes_taken_in_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "bullet", "plain_240hz")
    begun: list[str] = []
    start = comparison._run
    monkeypatch.setattr(
        comparison, "_run", lambda name, *rest: begun.append(name) or start(name, *rest)
    )
    monkeypatch.setattr(command, "QUICK_ROUNDS", 2)
    assert run(["bench", "--quick", "--json", "--seed", "3"]) == 0
    assert begun == ["bullet", "plain_240hz"] * 2
    record = json.loads(capsys.readouterr().out)
    assert record["seed"] == 3
    assert record["machine"]["cores"] >= 1
    single = record["cases"]["single"]
    for figures in single["throughputs"].values():
        assert len(figures["runs"]) == 2
        assert figures["throws_per_second"] > 1.0
        assert figures["start_up"] > 0.01
    assert set(single["ratios"]) == {"bullet", "plain_240hz"}


def test_report_says_what_is_not_installed_and_how_to_have_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, "plain_240hz", "mujoco_rest")
    absent = tuple(
        replace(each, missing="not installed: pip install it") if "mujoco" in each.name else each
        for each in comparison.CONTENDERS
    )
    monkeypatch.setattr(comparison, "CONTENDERS", absent)
    monkeypatch.setattr(contenders, "CONTENDERS", absent)
    assert run(["bench", "--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "mujoco_rest: not installed: pip install it" in lines
    assert sum(line.startswith("plain_240hz ") for line in lines) == 1


def test_mujoco_is_compared_where_it_is_installed() -> None:
    missing = {each.name: each.missing for each in CONTENDERS}
    assert (find_spec("mujoco") is None) == bool(missing["mujoco_rest"])
    assert missing["mujoco_rest"] in ("", "not installed: pip install 'pig-throw[mujoco]'")


def test_process_that_fails_is_named_with_its_last_word() -> None:
    with pytest.raises(Refusal, match="nobody single: its process ended with 1: StopIteration"):
        comparison._run("nobody", "single", 0, 0.1)


@given(st.lists(st.floats(1.0, 1e5), min_size=2, max_size=5))
def test_ratios_are_of_medians_and_each_others_inverse(rates: list[float]) -> None:
    many = [
        Throughput(
            str(number),
            [Run(1000, 1000 / (rate * factor), 0.0, 0.0) for factor in (0.5, 1.0, 3.0)],
        )
        for number, rate in enumerate(rates)
    ]
    times = ratios(many)
    for a, rate in enumerate(rates):
        assert str(a) not in times[str(a)]
        for b, other in enumerate(rates):
            if a != b:
                assert times[str(a)][str(b)] == pytest.approx(rate / other)


def test_progress_counts_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "bullet", "fast")
    monkeypatch.setattr(comparison, "_run", lambda *_: Run(1, 1.0, 1.0, 1.0))
    seen: list[Any] = []
    compare(0, 3, 1.0, lambda *done: seen.append(done))
    assert seen == [(number, 6) for number in range(7)]


def test_machine_names_its_processor_and_versions() -> None:
    machine = describe_machine()
    assert machine["processor"]
    assert {"python", "numpy", "pybullet"} <= set(machine["versions"])
