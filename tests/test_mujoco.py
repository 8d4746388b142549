"""The second engine: what its contacts do, what it refuses, and that a throw stands alone."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from math import atan2, exp, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshes.solids import Cuboid
from sim.cli import run
from sim.configuration import Configuration, configure
from sim.engine.mujoco_settings import MujocoSettings
from sim.throw import Thrower, engine_of
from sim.validate.bench import Bench, contact, solid
from sim.validate.closed_form import effective_restitution

mujoco_engine = pytest.importorskip("sim.engine.mujoco")

CUBE = solid("cube", Cuboid((0.020, 0.020, 0.020)).surface())


def dropped() -> Configuration:
    return configure(device="drop", pigs=1, engine="mujoco", seed=5)


@given(st.floats(0.14, 0.99))
def test_damping_gives_the_restitution(restitution: float) -> None:
    """Follow half a swing of x'' + 2 z x' + x = 0 from x' = -1 to where the force ends."""
    z = mujoco_engine.damping_ratio(restitution)
    rate = sqrt(1 - z * z)
    time = (pi - atan2(2 * z * rate, 1 - 2 * z * z)) / rate  # where 2 z x' + x = 0
    speed = exp(-z * time) * (z * np.sin(rate * time) / rate - np.cos(rate * time))
    assert speed == pytest.approx(restitution, abs=1e-9)


def test_perfect_bounce_is_undamped() -> None:
    assert mujoco_engine.damping_ratio(1.0) == 0.0
    assert mujoco_engine.damping_ratio(0.0) == pytest.approx(1.0)


@pytest.mark.parametrize("restitution", [0.3, 0.7])
def test_cube_rebounds_by_its_restitution(restitution: float) -> None:
    """Corners, from 50 mm, without friction."""
    bench = Bench(CUBE, contact(restitution, 0.0), MujocoSettings(steps_per_check=1))
    assert effective_restitution(bench, 0.050) == pytest.approx(restitution, abs=0.04)


def test_throw_does_not_depend_on_those_before() -> None:
    together = Thrower(dropped()).throw(range(4))
    alone = Thrower(dropped()).throw([3])
    np.testing.assert_array_equal(together.translation[3:], alone.translation)
    np.testing.assert_array_equal(together.quat_xyzw[3:], alone.quat_xyzw)


def test_pose_is_that_of_the_pig() -> None:
    """A pig at rest has its lowest point on the table, in its own frame."""
    ends = Thrower(dropped()).throw(range(3))
    hull = dropped().pig.shape.hull.vertices
    for translation, quat in zip(ends.translation[:, 0], ends.quat_xyzw[:, 0], strict=True):
        turn = np.array(quat)
        x, y, z, w = turn
        down = np.array((2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
        assert translation[2] + (hull @ down).min() == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("options", [["--device", "kern2006"], ["--device", "drop"]])
def test_pairs_and_the_trap_door_are_refused_in_one_line(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["throw", "-n", "1", "--engine", "mujoco", *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "--pigs 1 --device drop" in error


def test_missing_mujoco_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sim.engine.mujoco", None)
    arguments = ["throw", "-n", "1", "--engine", "mujoco", "--pigs", "1", "--device", "drop"]
    assert run([*arguments, "--workers", "1"]) == 2
    assert "pip install 'pig-throw[mujoco]'" in capsys.readouterr().err


@pytest.mark.parametrize("knob", [field.name for field in fields(MujocoSettings)])
def test_impossible_setting_is_refused(knob: str) -> None:
    with pytest.raises(ValueError, match=f"engine {knob} must be above 0"):
        MujocoSettings(**{knob: 0.0})


def test_hard_constraint_is_refused() -> None:
    with pytest.raises(ValueError, match="impedance must be below 1"):
        MujocoSettings(impedance=1.0)


@pytest.mark.parametrize(
    "knob",
    [
        {"contact_time": 1 / 512},
        {"stick_rate": 500.0},
        {"time_step": 1 / 8192},
        {"impedance": 0.9},
    ],
)
def test_setting_changes_a_throw(knob: dict[str, float]) -> None:
    usual = dropped()
    other = replace(usual, engine=MujocoSettings(**knob))
    ends = [Thrower(each).throw([0]).translation for each in (usual, other)]
    assert (ends[0] != ends[1]).any()


@pytest.mark.parametrize("pair", [contact(0.4, 0.6), contact(0.7, 0.3)])
def test_contact_changes_a_throw(pair: object) -> None:
    usual = replace(dropped(), contact=contact(0.7, 0.6))
    ends = [Thrower(each).throw([0]).translation for each in (usual, replace(usual, contact=pair))]
    assert (ends[0] != ends[1]).any()


def test_engine_is_the_one_asked_for() -> None:
    assert engine_of(dropped()).name == "mujoco"


def test_throw_that_ends_when_decided_ends_in_the_same_position() -> None:
    usual = dropped()
    early = replace(usual, rest=replace(usual.rest, ends_when_decided=True))
    ends = [Thrower(each).throw(range(6)).position for each in (usual, early)]
    np.testing.assert_array_equal(*ends)
