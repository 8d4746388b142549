"""The whole line on a toy: parameters, journal, evidence, predictions, records, the command."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomllib
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from toy_simulator import SHARES, ToySimulator, toy_box

import meshes
from calibration import simulator as simulator_module
from calibration.calibrate import Plan, Study
from calibration.cli import command
from calibration.evidence import judge, refitted_deviances
from calibration.fit import Stage, search
from calibration.joint import Joint
from calibration.journal import JOURNAL_FILE, Journal
from calibration.likelihood import two_sample_deviance
from calibration.models import MODELS
from calibration.observed import Observed, published
from calibration.parameters import LEAST_ROOM, Parameters
from calibration.predictions import mean_points, predict
from calibration.record import to_toml
from calibration.recovery import Recovery, least_inside, plant
from calibration.sensitivity import UNCHANGED, Answer
from calibration.simulator import Progress, Recipe, Simulator
from calibration.sources import FRESH, REFERENCE, SEARCH, fresh_seed, sources_from
from calibration.spacing import fit_spacing
from calibration.tally import Tally
from meshes.mass_model import ExponentialDensity
from sim import cli, records
from sim.calibrated import calibration_record
from sim.configuration import configure
from sim.crew import BatchError
from sim.device import KERN_2006
from sim.pig import load_pig
from sim.position import POSITIONS
from sim.setting import SETTINGS
from sim.throw import Thrower

BASE = configure(seed=5, pig="uniform")
PIG = BASE.pig
PARAMETERS = Parameters.of(MODELS["density"](PIG.shape, PIG.mass_properties.mass), BASE)
LINEAR = 3
PLAN = Plan(
    search=Stage(SEARCH, 400, 1600, 6, 0.3),
    reference=Stage(REFERENCE, 4000, 4000, 1, 0.5, is_around=False),
    probe_throws=400,
    most_terms=0,
    fresh_throws=4000,
    change_throws=0,
    spacing_throws=0,
)
WHOLE_PLAN = replace(PLAN, most_terms=1, change_throws=400, spacing_throws=400)


def toy_pig(seed: int) -> ToySimulator:
    """A simulator over all of a pig's parameters, in which the density's matter."""
    toy = ToySimulator.random(LINEAR, seed)
    every = len(PARAMETERS.names)
    linear = np.zeros((len(SHARES), every))
    linear[:, :LINEAR] = toy.linear
    quadratic = np.zeros((len(SHARES), every, every))
    quadratic[:, :LINEAR, :LINEAR] = toy.quadratic
    return ToySimulator(linear, quadratic, {})


def test_parameters_reach_the_configuration() -> None:
    start = PARAMETERS.box(BASE).start
    same = PARAMETERS.configuration(BASE, start)
    assert same.contact == BASE.contact
    assert same.device == BASE.device
    assert same.conditions == BASE.conditions
    for name, setting in SETTINGS.items():
        theta = start.copy()
        theta[PARAMETERS.index(name)] += setting.step
        changed = PARAMETERS.configuration(BASE, theta)
        assert setting.read(changed) == pytest.approx(setting.read(BASE) + setting.step)
        others = [other for other in SETTINGS if other != name]
        assert all(SETTINGS[o].read(changed) == SETTINGS[o].read(BASE) for o in others)
    theta = start.copy()
    theta[0] = 0.5
    heavy_front = PARAMETERS.configuration(BASE, theta).pig.mass_properties
    assert heavy_front.center_of_mass[0] > PIG.mass_properties.center_of_mass[0] + 1e-4
    with pytest.raises(ValueError, match="unknown parameter 'gravity': expected x, y, z"):
        PARAMETERS.index("gravity")


def test_lopsided_pigs_get_the_room_they_need() -> None:
    theta = PARAMETERS.box(BASE).start
    theta[:LINEAR] = 3.0
    theta[PARAMETERS.index("spacing")] = 0.042
    spaced = PARAMETERS.configuration(BASE, theta)
    assert spaced.device.spacing == LEAST_ROOM * spaced.pig.reach > 0.045
    theta[:LINEAR] = 0.1
    assert PARAMETERS.configuration(BASE, theta).device.spacing == 0.042


def test_spacings_tried_leave_room_for_a_lopsided_pig() -> None:
    toy: Any = toy_pig(3)
    study = Study(published(), PARAMETERS, BASE, toy, WHOLE_PLAN, 1)
    theta = PARAMETERS.box(BASE).start
    _, usual = study._set_spacing(theta)
    assert usual is not None
    assert usual.tried == (0.05 - 0.008, 0.05, 0.05 + 0.012)
    theta[:LINEAR] = 3.0
    _, spaced = study._set_spacing(theta)
    assert spaced is not None
    reach = PARAMETERS.configuration(BASE, theta).pig.reach
    assert spaced.tried[0] == pytest.approx(LEAST_ROOM * reach)
    assert np.diff(spaced.tried) == pytest.approx([0.008, 0.012])


def test_settings_without_a_leaf_are_those_of_contact_and_height() -> None:
    drop = configure(seed=5, pig="uniform", device="drop")
    parameters = Parameters.of(MODELS["density"](PIG.shape, PIG.mass_properties.mass), drop)
    assert parameters.settings == ("restitution", "friction", "bounce_speed", "height")
    theta = parameters.box(drop).start
    theta[parameters.index("height")] = 0.2
    assert parameters.configuration(drop, theta).conditions[0].height == pytest.approx(0.2)


def test_fresh_seeds_are_nowhere_in_the_fit() -> None:
    sources = sources_from(BASE)
    fresh = {sources[name].seed for name in FRESH}
    others = {one.seed for name, one in sources.items() if name not in FRESH}
    assert len(fresh) == len(FRESH)
    assert not fresh & others
    assert fresh_seed(5, 0) != fresh_seed(6, 0)
    assert all(sources[name].engine == BASE.engine for name in FRESH)


def test_journal_survives_and_refuses_damage(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append({"theta": [0.1, 1 / 3]}, {"counts": [1, 2]})
    journal.append({"theta": [0.2, 1 / 3]}, {"counts": [3, 4]})
    again = Journal(tmp_path)
    assert again.find({"theta": [0.1, 1 / 3]}) == {"counts": [1, 2]}
    assert again.find({"theta": [0.1, 0.3333333333]}) is None
    path = tmp_path / JOURNAL_FILE
    written = path.read_text()
    for content in ("", "{", "{}", "3", "[" * 100000):
        path.write_text(content)
        with pytest.raises(BatchError, match="expected JSON, as a calibration writes it"):
            Journal(tmp_path)
    edited = (
        "[1]",
        '[{"key": 1}]',
        written.replace("[3, 4]", "[3, 5]"),
        written.replace("0.2", "0.3"),
    )
    for content in edited:
        path.write_text(content)
        with pytest.raises(
            BatchError, match=r"entry \d is not as it was written; delete that file"
        ):
            Journal(tmp_path)


GOOD_TALLY = toy_pig(1).tally(PARAMETERS.box(BASE).start, SEARCH, range(8)).as_dict()


@pytest.mark.parametrize(
    "kept",
    [
        {},
        [],
        {**GOOD_TALLY, "more": 1},
        {**GOOD_TALLY, "failed": [0, 0, 0]},
        {**GOOD_TALLY, "failed": [0, 0, 0, -1]},
        {**GOOD_TALLY, "failed": [0, 0, 0, 0.5]},
        {**GOOD_TALLY, "failed": [0, 0, 0, 2**64]},
        {**GOOD_TALLY, "failed": [0, 0, 0, "1"]},
        {**GOOD_TALLY, "failed": [[0], [0, 0]]},
        {**GOOD_TALLY, "pairs": {}},
        {**GOOD_TALLY, "touches": [[0, 0, 0]] * 4},
        {**GOOD_TALLY, "failed": [9, 0, 0, 0]},
        {**GOOD_TALLY, "positions": [[2**62] * 7] * 4},
        {**GOOD_TALLY, "pairs": [[9] * 7] * 7},
    ],
)
def test_journal_of_impossible_counts_is_refused(kept: Any) -> None:
    assert Tally.of(GOOD_TALLY, 4, 8).as_dict() == GOOD_TALLY
    theta = PARAMETERS.box(BASE).start
    journal = Journal(None)
    journal.append({"source": SEARCH, "theta": theta.tolist(), "throws": [0, 8]}, kept)
    sources = {SEARCH: replace(BASE, pigs=1)}
    with (
        simulator_module.simulator(Recipe(PARAMETERS, sources), journal, 1) as simulator,
        pytest.raises(BatchError, match="delete that file to begin anew"),
    ):
        simulator.tally(theta, SEARCH, range(8))


def test_simulator_throws_once_what_it_is_asked_twice(tmp_path: Path) -> None:
    alone = {SEARCH: replace(BASE, pigs=1)}
    theta = PARAMETERS.box(BASE).start
    recipe = Recipe(PARAMETERS, alone)
    with simulator_module.simulator(recipe, Journal(tmp_path), 1) as simulator:
        first = simulator.tally(theta, SEARCH, range(8))
        assert simulator.thrown == 8
        assert simulator.tally(theta, SEARCH, range(8)).as_dict() == first.as_dict()
        assert simulator.thrown == 8
        parts = [simulator.tally(theta, SEARCH, r) for r in (range(4), range(4, 8))]
    assert (parts[0] + parts[1]).as_dict() == first.as_dict()
    with simulator_module.simulator(recipe, Journal(tmp_path), 1) as simulator:
        assert simulator.tally(theta, SEARCH, range(8)).as_dict() == first.as_dict()
        assert simulator.thrown == 0


def fitted_toy(seed: int) -> tuple[ToySimulator, Joint, np.ndarray, np.ndarray]:
    toy = ToySimulator.random(2, seed)
    truth = np.array([0.3, -0.2])
    observed = np.random.default_rng(seed).multinomial(11954, toy.probabilities(truth))
    found = search(toy_box(2), toy, observed.astype(float), [PLAN.search], seed)
    return toy, Joint(found.surrogate, observed.astype(float)), found.theta, observed


def test_refitted_bootstrap_has_the_degrees_of_freedom_left() -> None:
    """Seven cells, two parameters: mean 6 - 2, a little more for two samples, less for rare."""
    _, joint, theta, observed = fitted_toy(3)
    rng = np.random.default_rng(4)
    drawn = refitted_deviances(joint, theta, observed, np.full(7, 1e6 / 7), rng, 2000)
    assert drawn.mean() == pytest.approx(4.0, abs=0.6)


def test_what_changes_nothing_moves_the_answer_by_chance_alone() -> None:
    """A search of few pigs: far from its optimum the surrogate would allow anything."""
    toy, truth = ToySimulator.random(2, 14), np.array([0.3, -0.2])
    observed = np.random.default_rng(14).multinomial(11954, toy.probabilities(truth)).astype(float)
    found = search(toy_box(2), toy, observed, [Stage(SEARCH, 200, 400, 8, 0.3)], 14)
    samples = [one.sample for one in found.candidates]
    usual = toy.tally(found.theta, SEARCH, range(4000)).counts
    answer = Answer(found.theta, toy_box(2), found.surrogate.scale, samples, observed, usual, 1)
    unchanged = answer.vary(UNCHANGED, toy(found.theta, "again", range(4000)))
    joint = Joint(found.surrogate, observed)
    deviation = np.sqrt(np.diag(np.linalg.inv(joint.information(found.theta))))
    assert (np.abs(unchanged.theta - found.theta) < 4 * deviation).all()


def test_evidence_passes_the_truth_and_fails_another() -> None:
    toy, joint, theta, observed = fitted_toy(6)
    table = Observed(dict(zip(POSITIONS, observed.tolist(), strict=True)), "toy")
    good = judge(table, toy.tally(theta, "fresh", range(40000)), joint, theta, 1)
    assert 0.001 < good.p_value <= good.p_value_as_given + 0.02
    assert good.total_variation < 0.02
    bad = judge(table, toy.tally(theta + 0.3, "fresh", range(40000)), joint, theta, 1)
    words = "; ".join(bad.shortfalls)
    assert "p is below 0.05" in words
    assert "total variation is above 0.01" in words
    outside = [one.position for one in bad.positions if not one.is_inside]
    assert set(outside) >= {"side_no_dot", "side_dot"}
    assert "95 % interval: side, no dot and side, dot" in words
    assert bad.p_value < 0.001
    assert "touching" not in words
    told = replace(table, throws=6000, touching=23)
    apart = judge(told, toy.tally(theta, "fresh", range(40000)), joint, theta, 1)
    assert apart.shortfalls[-1] == "touching rate outside the table's 95 % interval"


def test_predictions_of_independent_pigs() -> None:
    toy = ToySimulator.random(2, 8)
    found = predict(toy.tally(np.zeros(2), "", range(8000)), KERN_2006, 9)
    assert found.dependence_p_value > 0.01
    assert found.differences_p_value > 0.01
    assert sum(found.pairs.values()) == 8000
    assert [one.start for one in found.conditions] == ["forward", "backward", "forward", "mixed"]


def test_dependent_pigs_are_found_out() -> None:
    pairs = np.diag([40, 30, 20, 10, 0, 0, 0])
    touches = np.array([[100, 0, 0]])
    positions = pairs.sum(axis=0)[None] * 2
    found = predict(Tally(positions, touches, np.zeros(1), pairs), KERN_2006[:1], 1)
    assert found.dependence_p_value == pytest.approx(1 / 2000)
    assert found.pairs["side_no_dot side_no_dot"] == 40


def test_mean_points_of_known_throws() -> None:
    """Two razorbacks 20, razorback and trotter 10, sider 1, pig out 0: the rulebook's values."""
    pairs = np.zeros((7, 7), int)
    index = {name: i for i, name in enumerate(POSITIONS)}
    pairs[index["razorback"], index["razorback"]] = 1
    pairs[index["razorback"], index["trotter"]] = 1
    pairs[index["side_dot"], index["side_dot"]] = 1
    pairs[index["side_dot"], index["side_no_dot"]] = 1
    pairs[index["other"], index["trotter"]] = 5
    touches = np.array([[9, 1, 0]])  # an Oinker scores nothing
    found = mean_points(Tally(np.zeros((1, 7)), touches, np.zeros(1), pairs))
    assert found == pytest.approx((20 + 10 + 1 + 0 + 0) / 5)


def test_spacing_is_where_the_fitted_rate_is_the_published_one() -> None:
    tried = (0.044, 0.050, 0.056)
    rates = [1 / (1 + np.exp(-(np.log(0.004) - 300 * (s - 0.049)))) for s in tried]
    found = fit_spacing(tried, [10**7] * 3, [round(1e7 * rate) for rate in rates], 23, 6000)
    assert found.spacing == pytest.approx(0.049 + np.log(0.004 / (23 / 5977)) / 300, abs=2e-5)
    assert found.low < found.spacing < found.high
    untold = fit_spacing(tried, [100] * 3, [0, 1, 2], 23, 6000)
    assert (untold.spacing, untold.low, untold.high) == pytest.approx((0.050, 0.044, 0.056))


def test_recovery_of_planted_truths() -> None:
    toy = ToySimulator.random(2, 50)
    recovery = Recovery(
        toy_box(2), toy, Stage("toy", 400, 1600, 10, 0.25), 11954 // 2, lambda t: np.append(t, 0.0)
    )
    truths = plant(toy_box(2), lambda theta: float(np.exp(np.abs(theta).max())), 6, 51)
    found = recovery.recover(truths, 52)
    assert sum(one.is_inside for one in found) >= least_inside(6)
    assert least_inside(20) == 17
    assert all(np.abs(one.found - one.planted).max() < 0.5 for one in found)


def test_far_starts_end_at_the_same_optimum() -> None:
    toy, _, theta, observed = fitted_toy(3)
    recovery = Recovery(toy_box(2), toy, PLAN.search, 100, lambda t: np.append(t, 0.0))
    found = recovery.restart(observed.astype(float), 3)
    assert [one.start.tolist() for one in found] == [[-1.5, -1.5], [1.5, 1.5]]
    assert all(one.is_same for one in found)
    assert all(np.abs(one.found - theta).max() < 0.3 for one in found)


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
        st.one_of(
            st.integers(-(2**62), 2**62),
            st.floats(allow_nan=False, allow_infinity=False),
            st.booleans(),
            st.text(st.characters(codec="ascii", min_codepoint=32), max_size=9),
            st.lists(st.floats(-1e9, 1e9), max_size=3),
            st.dictionaries(
                st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.integers(-9, 9), max_size=3
            ),
        ),
        max_size=6,
    )
)
def test_toml_is_read_back_as_it_was_written(table: dict) -> None:
    kept = {key: value for key, value in table.items() if value != {}}
    assert tomllib.loads(to_toml(table)) == kept


def test_standard_pig_is_the_one_recorded() -> None:
    record, pig = calibration_record(), load_pig("standard")
    assert record["shape"] == pig.shape.digest
    terms = tuple(record["theta"])
    density = ExponentialDensity(pig.shape, record["mass"], terms)
    integrated = density.mass_properties(np.array(list(record["theta"].values())))
    assert pig.mass_properties.mass == record["mass"]
    assert pig.mass_properties.inertia == pytest.approx(integrated.inertia, rel=1e-12)
    assert pig.mass_properties.center_of_mass == pytest.approx(integrated.center_of_mass)
    assert pig.mass_properties.center_of_mass.tolist() == record["center_of_mass"]
    assert configure(pig="standard").device.spacing == record["settings"]["spacing"]
    assert configure(pig="uniform").device.spacing == configure(device="drop").device.spacing


def test_changed_sources_are_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a batch would go on with throws of other physics under the same version's number."""
    here = records.versions()["sources"]
    room = tmp_path / "meshes"
    shutil.copytree(Path(meshes.__file__).parent, room)
    monkeypatch.setattr(meshes, "__file__", str(room / "__init__.py"))
    for is_changed in (False, True):
        if is_changed:
            (room / "anatomy.py").write_text((room / "anatomy.py").read_text() + "#")
        records._sources.cache_clear()
        assert (records.versions()["sources"] != here) is is_changed
    records._sources.cache_clear()


def test_standard_pig_lands_as_the_published_ones() -> None:
    """The uniform pig, which the calibration started from, does not."""
    deviances = {}
    for name in ("standard", "uniform"):
        thrown = Thrower(configure(pig=name, pigs=1, engine="fast", seed=71)).throw(range(3000))
        counts = np.array([(thrown.position == position).sum() for position in POSITIONS])
        deviances[name] = float(two_sample_deviance(published().vector, counts))
    assert deviances["standard"] < chi2.ppf(0.999, len(POSITIONS) - 1) < deviances["uniform"] / 3


@pytest.fixture
def toy_command(monkeypatch: pytest.MonkeyPatch) -> ToySimulator:
    """The command with a toy in place of the engines, and a plan of a few seconds."""
    toy = toy_pig(11)

    class Toy(Simulator):
        def _throw(self, theta: np.ndarray, source: str, throws: range) -> Iterator[Tally]:
            yield toy.tally(theta, source, throws)

    @contextmanager
    def simulator(
        recipe: Recipe, journal: Journal, processes: int, progress: Progress
    ) -> Iterator[Simulator]:
        yield Toy(recipe, None, journal, processes, progress)

    monkeypatch.setattr(simulator_module, "simulator", simulator)
    monkeypatch.setattr(simulator_module, "tally", lambda found, conditions: found)
    monkeypatch.setattr("calibration.calibrate.Plan", lambda fresh_throws: PLAN)
    return toy


def table_of(toy: ToySimulator, path: Path, touching: str = "") -> None:
    theta = np.zeros(len(PARAMETERS.names))
    theta[:LINEAR] = 0.3, -0.2, 0.1
    counts = np.random.default_rng(12).multinomial(11954, toy.probabilities(theta))
    rows = [f"{name},{count}" for name, count in zip(POSITIONS, counts, strict=True)]
    path.write_text("\n".join([touching, "position,count", *rows]) + "\n")


def test_command_calibrates_and_writes(
    toy_command: ToySimulator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table_of(toy_command, tmp_path / "table.csv")
    arguments = ["calibrate", "--target", str(tmp_path / "table.csv"), "--seed", "3"]
    out = tmp_path / "fit"
    status = cli.run([*arguments, "--out", str(out), "--json"])
    shown = capsys.readouterr()
    written = json.loads(shown.out)
    assert status == (0 if written["evidence"]["is_passed"] else 1)
    assert "round 1, candidate 1" in shown.err
    assert json.loads((out / "calibration.json").read_text()) == written
    pig = tomllib.loads((out / "calibration.toml").read_text())
    loaded = configure(pig=str(out / "calibration.toml")).as_dict()["pig"]
    recorded = written["configuration"]["pig"]
    assert {**loaded, "name": ""} == {**recorded, "name": ""}
    assert list(pig["theta"])[:LINEAR] == ["x", "y", "z"]
    assert pig["shape"] == PIG.shape.digest
    for row, value in zip(written["parameters"]["in_use"], (0.3, -0.2, 0.1), strict=False):
        assert row["low"] <= min(value, row["value"])
        assert max(value, row["value"]) <= row["high"]
    assert cli.run([*arguments, "--out", str(out)]) == 2
    assert "continue it with --resume" in capsys.readouterr().err

    for name in ("calibration.json", "calibration.toml"):
        (out / name).unlink()
    entries = json.loads((out / JOURNAL_FILE).read_text())
    (out / JOURNAL_FILE).write_text(json.dumps(entries[:17]))
    assert cli.run([*arguments, "--out", str(out), "--resume", "--json"]) == status
    shown = capsys.readouterr()
    assert "resumed: 17 entries of journal.json are not thrown again" in shown.err
    assert json.loads(shown.out) == written

    assert written["recovery"] is None
    assert cli.run([*arguments, "--out", str(out), "--resume", "--recover", "2"]) == status
    shown = capsys.readouterr().out
    assert "expected score of a throw" in shown
    assert "the table tells no rate: the spacing was held" in shown
    assert written["spacing"] is None
    assert "settings" not in pig
    recovery = json.loads((out / "calibration.json").read_text())["recovery"]
    assert f"recovery: {recovery['inside']} of 2 planted densities, 11,954 pigs each" in shown
    assert f"far starts: {sum(one['is_same'] for one in recovery['restarts'])} of 2" in shown
    assert recovery["names"] == ["x", "y", "z"]


@pytest.mark.long
def test_command_tests_terms_and_assumptions(
    toy_command: ToySimulator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("calibration.calibrate.Plan", lambda fresh_throws: WHOLE_PLAN)
    table_of(toy_command, tmp_path / "table.csv", "# throws: 6000\n# touching: 23")
    target = str(tmp_path / "table.csv")
    status = cli.run(["calibrate", "--target", target, "--free", "friction", "--json"])
    written = json.loads(capsys.readouterr().out)
    assert status in (0, 1)
    assert [one["name"] for one in written["parameters"]["in_use"]][:4] == [
        "x",
        "y",
        "z",
        "friction",
    ]
    assert not all(one["is_seen"] for one in written["parameters"]["directions"])
    assert {one["term"] for one in written["terms"][0]} == {"xx", "xy", "xz", "yy", "yz", "zz"}
    assert written["spacing"]["tried"] == pytest.approx([0.042, 0.050, 0.062])
    changes = [one["change"] for one in written["sensitivity"]]
    assert changes[0] == "none"
    assert {"restitution + 0.02", "time step / 2", "engine bullet"} <= set(changes)
    usual, *others = written["sensitivity"]
    assert usual["p_value"] == 1.0
    assert usual["shift_error"] == [0.0, 0.0, 0.0]
    assert all(min(one["shift_error"]) > 0 for one in others)
    assert not any(change.startswith(("friction", "spacing")) for change in changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "--resume: needs the directory"),
        (["--model", "lead"], "--model: expected density, weight, hollow, two-materials"),
        (["--recover", "2", "--model", "weight"], "--recover: plants densities, which --model"),
        (["--recover", "0"], "--recover: "),
        (["--free", "gravity"], "--free: expected some of restitution, friction"),
        (["--free", "friction,friction"], "each once, got 'friction'"),
        (["--seed", "-1"], "--seed: "),
        (["--fresh", "0"], "--fresh: "),
        (["--target", "absent.csv"], "absent.csv: No such file"),
        (["--out", ""], "--out: expected a name"),
        (["--target", ""], "--target: expected a name, got ''"),
        (["--out", "absent/fit"], "there is no directory absent"),
    ],
)
def test_command_refuses_in_one_line(
    toy_command: ToySimulator,
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["calibrate", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_published_table_is_what_a_calibration_aims_at_by_default() -> None:
    assert published().pigs == 11954
    assert command is cli.command
