"""The cases of other bodies: their statistics, and small runs of what the long ones run large."""

from __future__ import annotations

import json

import numpy as np
import pytest

from meshes.solids import Cuboid
from sim.cli import run
from sim.pig import load_pig
from sim.validate import cases, other_bodies, quasi_static
from sim.validate.bench import solid
from sim.validate.cases import BULLET
from sim.validate.check import PASSED, Case, Check, Rig
from sim.validate.other_bodies import SHARES, over_dispersion, scaled_deviance

MANY = 10**9


def test_budden1980_scatters_more_than_chance() -> None:
    """Chi-square of 12 about the smooth curve is 44.5: 3.7 a degree, chance gives 1.0 +- 0.4."""
    assert over_dispersion() == pytest.approx(3.71, abs=0.01)


def test_deviance_is_zero_at_the_published_shares_and_grows_from_there() -> None:
    assert scaled_deviance(SHARES, MANY, 1.0) == pytest.approx(0.0, abs=1e-3)
    off = [scaled_deviance(np.clip(SHARES + by, 0.0, 1.0), MANY, 3.7) for by in (0.02, 0.05)]
    assert 1.0 < off[0] < off[1]


def test_deviance_is_in_units_of_its_scatter() -> None:
    """Shares drawn about the published ones, by chance alone: chi-square of 15, mean 15 +- 0.2."""
    rng = np.random.default_rng(0)
    draws = rng.binomial(2000, SHARES, (800, 15)) / 2000
    found = [scaled_deviance(shares, 2000, 0.0) for shares in draws]
    assert np.mean(found) == pytest.approx(15.0, abs=1.0)


def test_flat_cuboid_lies_on_its_large_faces() -> None:
    """At x/y = 0.2 nearly every throw shows a square, at 5 none."""
    manner, rig = other_bodies.BY_HAND, Rig(engine="fast")
    flat, tall = (other_bodies.square_share(ratio, manner, 40, rig) for ratio in (0.2, 5.0))
    assert flat > 0.9
    assert tall < 0.1


@pytest.mark.parametrize("damping", [4, 0])
def test_creeping_pigs_end_where_geometry_says(damping: int) -> None:
    """Of 300, 98.7 % do when damped, 85 % when not: of 60, 57 or more tell the two apart."""
    foretold, found = quasi_static.creep(load_pig("uniform"), 60, damping, Rig())
    assert ((foretold == found).sum() >= 57) == bool(damping)


def test_creeping_cuboids_end_where_geometry_says() -> None:
    cuboid = solid("cuboid", Cuboid((0.010, 0.014, 0.020)).surface())
    foretold, found = quasi_static.creep(cuboid, 40, 4, Rig())
    assert (foretold == found).sum() >= 39


def test_case_that_an_engine_cannot_run_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check = Check("x", 1.0, 1.0, 0.1, "theory")
    stepped = Case("stepped", "closed form", False, lambda _: [check], BULLET)
    absent = Case("absent", "second engine", False, lambda _: [check], BULLET, "no_such_package")
    monkeypatch.setattr(cases, "CASES", (stepped, absent))
    assert run(["validate", "--engine", "fast", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["cases"] == []
    assert report["left_out"]["stepped"] == "not for engine fast"
    assert run(["validate"]) == 0
    out = capsys.readouterr().out
    assert "absent left out: needs no_such_package" in out
    assert PASSED in out


def test_what_mujoco_misses_is_shown_and_does_not_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    miss = Case(
        "miss", "closed form", False, lambda _: [Check("x", 2.0, 1.0, 0.1, "")], ("mujoco",)
    )
    monkeypatch.setattr(cases, "CASES", (miss,))
    assert run(["validate", "--engine", "mujoco"]) == 0
    assert "0 of 1 checks passed, 0 failed, 1 missed and shown" in capsys.readouterr().out


def test_unknown_engine_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--engine", "ode"]) == 2
    assert "expected bullet, fast, mujoco" in capsys.readouterr().err
