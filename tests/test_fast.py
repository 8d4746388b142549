"""Throws by the fast engine: exactness, early ends, hand-over, agreement with the reference."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fast_bench import at, engine, releases, uniform_contact
from workbench import orientations, solid, standard

from meshes.shape import convex_hull
from meshes.solids import CornerTetrahedron, Cuboid
from meshes.stable import stable_poses
from sim.big_pig import big_fast_engine, big_scale
from sim.configuration import ENGINES, configure
from sim.contact import Contact
from sim.device import Drop, Releases, TrapDoor
from sim.engine import RestingStates
from sim.engine.fast.compiled import SOURCES, compiling_once
from sim.engine.fast.encounter import Encounter, EncounterEngine
from sim.engine.fast.engine import FastEngine
from sim.engine.fast.meeting import distance
from sim.engine.fast.motion import energy_height
from sim.engine.fast.scene import state_of
from sim.engine.fast.settings import FastSettings
from sim.engine.flight import Motion
from sim.position import POSITIONS, down_in_pig
from sim.rest import AT_REST, DIVERGED, ESCAPED, TIMED_OUT, RestRule
from sim.throw import Thrower

STATES = ("status", "translation", "quat_xyzw", "rest_time")


def thrower(**words: Any) -> Thrower:
    return Thrower(configure(**{"engine": "fast", "seed": 3} | words))


def same(a: RestingStates, b: RestingStates, rows: slice = slice(None)) -> bool:
    return all(
        np.array_equal(getattr(a, name)[rows], getattr(b, name), equal_nan=name == "rest_time")
        for name in STATES
    )


@pytest.mark.parametrize("device", ["kern2006", "drop", "hand"])
@pytest.mark.parametrize("pigs", [1, 2])
def test_throw_depends_on_its_index_alone(device: str, pigs: int) -> None:
    """Together, backward, and one by one by another engine: bit for bit."""
    one, other = thrower(device=device, pigs=pigs), thrower(device=device, pigs=pigs)
    throws = range(12)
    together = one.engine.settle(one.releases(throws))
    backward = one.engine.settle(one.releases(throws[::-1]))
    assert same(backward, one.engine.settle(one.releases(throws[::-1])))
    assert np.array_equal(backward.translation[::-1], together.translation)
    for index in (7, 0, 11):
        alone = other.engine.settle(other.releases([index]))
        assert same(together, alone, slice(index, index + 1))


def test_pigs_rest_on_the_table_in_a_stable_pose() -> None:
    found = thrower(device="drop", pigs=1).throw(range(200))
    assert (found.status == AT_REST).mean() > 0.99
    named = found.position[:, 0] != "other"
    lowest = (found.quat_xyzw[:, 0], found.translation[:, 0])
    shape, _ = standard()
    for quat, place in zip(*(each[named][:40] for each in lowest), strict=True):
        height = place[2] + (rotation(quat) @ shape.hull.vertices.T)[2].min()
        assert abs(height) < 2e-6
    assert (found.rest_time[:, 0] > 0.1).all()


def rotation(quat: np.ndarray) -> np.ndarray:
    x, y, z, w = quat
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        )
    )


@pytest.mark.parametrize("device", ["drop", "kern2006"])
def test_pig_sure_of_its_pose_ends_in_it(device: str) -> None:
    """1,000 throws go on to rest; of 30,000 once measured none ended in another pose."""
    thrown = thrower(device=device, pigs=1)
    started = thrown.releases(range(1000))
    early = thrown.engine.settle(started)
    assert isinstance(thrown.engine, FastEngine)
    thrown.engine.basins = thrown.engine.basins._replace(top=0.0)
    late = thrown.engine.settle(started)
    shape, mass_properties = standard()
    downs = np.array([pose.down for pose in stable_poses(shape, mass_properties.center_of_mass)])
    poses = [(down_in_pig(ends.quat_xyzw[:, 0]) @ downs.T).argmax(axis=1) for ends in (early, late)]
    both = (early.status == AT_REST) & (late.status == AT_REST)
    assert both.mean() > 0.99
    np.testing.assert_array_equal(poses[0][both], poses[1][both])
    assert np.nanmean(late.rest_time) > np.nanmean(early.rest_time) + 0.02


def test_pig_that_can_still_slide_to_the_leaf_is_not_sure_of_its_pose() -> None:
    """A cube slides 64 mm by friction 0.05 to its stop, and the leaf hangs 45 mm ahead of it."""
    device, size = TrapDoor(), 0.02
    thrown = engine(
        solid(Cuboid((size, size, size)).surface()),
        device=device,
        contact=uniform_contact(0.0, 0.05),
    )
    face = -device.leaf_length / 2
    start = at(thrown, (face + size / 2 + 0.045, 0.0, size / 2), velocity=(-0.25, 0.0, 0.0))
    opened = replace(releases([[start]], thrown, 0.1), leaf_angle=np.array([device.open_angle]))
    ends = thrown.settle(opened)
    assert ends.status[0] == AT_REST
    assert ends.translation[0, 0, 0] == pytest.approx(face + size / 2, abs=0.001)


def test_pose_is_kept_where_and_as_the_pig_lies() -> None:
    """A cube that lies turned by 0.3 rad about the vertical stays so."""
    body = solid(Cuboid((0.02, 0.02, 0.02)).surface())
    thrown = engine(body)
    start = at(thrown, (0.1, -0.2, 0.0101), (0.0, 0.0, np.sin(0.15), np.cos(0.15)))
    ends = thrown.settle(releases([[start]], thrown))
    np.testing.assert_allclose(ends.translation[0, 0], (0.1, -0.2, 0.01), atol=1e-5)
    turned = abs(ends.quat_xyzw[0, 0] @ (0.0, 0.0, np.sin(0.15), np.cos(0.15)))
    assert turned == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("start", "status"),
    [
        (Motion.of((2.9, 0, 0.05), (0, 0, 0, 1), (30, 0, 0), (0, 0, 0)), ESCAPED),
        (Motion.of((0, 0, 0.05), (0, 0, 0, 1), (0, 0, -200), (0, 0, 0)), ESCAPED),
        (Motion.of((0, 0, 0.05), (0, 0, 0, 1), (0, 0, 0), (3e5, 2e5, 0)), DIVERGED),
        (Motion.of((0, 0, 0.9), (0, 0, 0, 1), (0, 0, 0), (1, 0, 0)), TIMED_OUT),
    ],
)
def test_failed_throw_is_data(start: Motion, status: str) -> None:
    thrown = engine(rest=RestRule(max_time=0.4))
    ends = thrown.settle(releases([[start]], thrown, height=0.05))
    assert ends.status.tolist() == [status]
    assert np.isfinite(ends.translation).all()
    assert np.isfinite(ends.quat_xyzw).all()


class Noted(EncounterEngine):
    """Keeps what it is given and how it leaves it."""

    def meet(
        self, releases: Releases, row: int, is_parted: Callable[[list[Motion]], bool]
    ) -> Encounter:
        end = super().meet(releases, row, is_parted)
        self.seen = [*getattr(self, "seen", []), (releases, row, end)]
        return end


def test_pigs_that_meet_are_handed_over_as_they_are_and_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two pigs that fly at each other: up to the first meeting they fly freely.

    They leave it apart, going apart, with the momentum and about the energy that they came with.
    """
    monkeypatch.setattr("sim.engine.fast.engine.EncounterEngine", Noted)
    thrown = engine()
    turn, spin = orientations(2, 0), (20.0, -10.0, 5.0)
    starts = [
        Motion.of((x, 0, 0.4), q, (-np.sign(x) * 0.5, 0, 0), spin)
        for x, q in zip((-0.05, 0.05), turn, strict=True)
    ]
    ends = thrown.settle(releases([starts], thrown))
    assert ends.handed_over is not None
    assert ends.handed_over.tolist() == [True]
    assert ends.status.tolist() == [AT_REST]
    assert isinstance(thrown.reference, Noted)
    given, row, end = thrown.reference.seen[0]
    time = given.time[row]
    assert 0.05 < time < 0.1
    np.testing.assert_allclose(given.velocity[row, :, 2], -9.80665 * time, rtol=1e-9)
    np.testing.assert_allclose(given.velocity[row, :, 0], (0.5, -0.5))
    assert end.status is None
    states = np.array([state_of(thrown.mass, motion) for motion in end.motions])
    assert distance(thrown.hull, states[0], states[1]) > FastSettings().near
    assert (states[1] - states[0])[:3] @ (states[1] - states[0])[7:10] > 0.0
    np.testing.assert_allclose(states[:, 7:10].sum(axis=0)[:2], 0.0, atol=1e-6)
    assert states[:, 9].sum() == pytest.approx(-2 * 9.80665 * end.time, rel=1e-3)


def test_pig_that_is_sure_of_its_pose_stays_in_its_circle() -> None:
    """Followed on to rest, none of 300 goes as far as its energy and friction would let it."""
    thrown = thrower(device="drop", pigs=1)
    fast = thrown.engine
    assert isinstance(fast, FastEngine)
    starts = fast._starts(thrown.releases(range(300)))
    _, pose, _ = fast._run(starts, 1)
    sure = pose[:, 0] >= 0
    assert sure.mean() > 0.99
    before = starts.states[sure, 0]
    lift = [energy_height(fast.mass, state) for state in before] - fast.basins.heights[
        pose[sure, 0]
    ]
    fast.basins = fast.basins._replace(top=0.0)
    fast._run(starts, 1)
    gone = np.linalg.norm(starts.states[sure, 0, :2] - before[:, :2], axis=1)
    assert (gone < lift / Contact().pig_table.friction + fast.body.radius).all()
    assert gone.max() > 0.002


def test_pigs_far_apart_are_not_handed_over() -> None:
    usual = configure(engine="fast", device="drop", seed=1)
    found = Thrower(replace(usual, device=Drop(spacing=1.5))).throw(range(100))
    assert found.handed_over.tolist() == [0] * 100
    assert (found.touch == "none").all()


def test_share_handed_over_is_told() -> None:
    """About one pair in seven."""
    found = thrower(pigs=2).throw(range(60))
    assert 0 < found.handed_over.sum() < 30


@pytest.mark.parametrize("device", ["drop", "kern2006"])
def test_frequencies_are_those_of_the_reference(device: str) -> None:
    """150 pigs of the reference beside 3,000: chi-square, false alarm 0.0005 a device."""
    from scipy.stats import chi2_contingency

    usual = configure(device=device, pigs=1, seed=11)
    reference = Thrower(replace(usual, rest=replace(usual.rest, ends_when_decided=True)))
    fast = thrower(device=device, pigs=1, seed=11)
    groups = [POSITIONS[:1], POSITIONS[1:2], POSITIONS[2:3], POSITIONS[3:]]
    table = [
        [np.isin(found.position, group).sum() for group in groups]
        for found in (reference.throw(range(150)), fast.throw(range(3000)))
    ]
    assert chi2_contingency(np.array(table)).pvalue > 0.0005


def test_fair_solids_are_fair() -> None:
    """3,000 cubes and regular tetrahedra: chi-square, false alarm 0.0005 each."""
    from scipy.stats import chisquare

    corners = np.array(((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)), float)
    for surface, faces in (
        (Cuboid((0.016, 0.016, 0.016)).surface(), np.vstack((np.eye(3), -np.eye(3)))),
        (convex_hull(0.008 * corners), -corners / np.sqrt(3)),
    ):
        thrown = engine(solid(surface))
        starts = [
            [Motion.of((0, 0, 0.127), quat, (0, 0, 0), (0, 0, 0))] for quat in orientations(3000, 5)
        ]
        ends = thrown.settle(releases(starts, thrown, height=0.127))
        down = (down_in_pig(ends.quat_xyzw[:, 0]) @ faces.T).argmax(axis=1)
        assert chisquare(np.bincount(down, minlength=len(faces))).pvalue > 0.0005


def test_lopsided_solid_ends_on_its_faces_only() -> None:
    body = solid(CornerTetrahedron((0.012, 0.016, 0.02)).surface())
    thrown = engine(body)
    starts = [[Motion.of((0, 0, 0.1), quat, (0, 0, 0), (0, 0, 0))] for quat in orientations(200, 6)]
    ends = thrown.settle(releases(starts, thrown))
    poses = np.array([pose.down for pose in stable_poses(body[0], body[1].center_of_mass)])
    done = ends.status == AT_REST
    assert done.mean() > 0.99
    cosine = (down_in_pig(ends.quat_xyzw[done, 0]) @ poses.T).max(axis=1)
    assert (cosine > np.cos(np.radians(3.0))).mean() > 0.99


def test_big_pig_is_the_small_one_enlarged() -> None:
    settings = big_fast_engine()
    assert settings.near == pytest.approx(FastSettings().near * big_scale())
    found = thrower(pig="big", pigs=2).throw(range(6))
    assert (found.status == AT_REST).all()


def test_settings_are_checked_and_recorded() -> None:
    assert "fast" in ENGINES
    for wrong in ({"clearance": 0.0}, {"time_step": 0.001}, {"near": -1.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            FastSettings(**wrong)
    recorded = configure(engine="fast").as_dict()["engine"]
    assert recorded["name"] == "fast"
    assert recorded["meeting"]["time_step"] == recorded["time_step"]


def test_other_engines_do_not_wait_for_the_compiler() -> None:
    code = "import sys, sim.throw, sim.configuration; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.long
def test_engine_needs_no_place_for_compiled_code(tmp_path: Path) -> None:
    """Where neither the package nor the user's cache directory can be written."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    script = (
        "from sim.configuration import configure; from sim.throw import Thrower\n"
        "print(Thrower(configure(engine='fast', pigs=1)).throw(range(2)).status)"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(blocked), "HOME": str(blocked)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert "at_rest" in done.stdout, done.stderr


def test_what_was_compiled_from_other_sources_is_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = SimpleNamespace(cache_path=str(tmp_path))
    dispatcher = SimpleNamespace(stats=place, __name__="throw_all")
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    kept = tmp_path / f"loop.throw_all-159.{version}.nbi"
    (tmp_path / SOURCES).write_text("others")
    kept.touch()
    with compiling_once(dispatcher):
        assert not kept.exists()
        assert "compiling the fast engine, once" in capsys.readouterr().err
        kept.touch()
    with compiling_once(dispatcher):
        assert kept.exists()
    assert capsys.readouterr().err == ""


def test_who_waits_for_the_compiler_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dispatcher = SimpleNamespace(
        stats=SimpleNamespace(cache_path=str(tmp_path)), __name__="throw_all"
    )
    with compiling_once(dispatcher):
        capsys.readouterr()
        waiting = Thread(target=lambda: compiling_once(dispatcher).__enter__(), daemon=True)
        waiting.start()
        waiting.join(1.0)
        assert waiting.is_alive()
    waiting.join(10.0)
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("waiting for another process that compiles the fast engine")
    assert "compiling" in second


@pytest.mark.long
def test_one_process_compiles_for_all_that_start_together(tmp_path: Path) -> None:
    """With nothing kept: one of two tells that it compiles, and the next that starts says none."""
    script = (
        "from sim.configuration import configure; from sim.throw import Thrower\n"
        "print(Thrower(configure(engine='fast', pigs=2)).throw(range(2)).status)"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    streams = [process.communicate() for process in [start(), start()]]
    assert all("at_rest" in out for out, _ in streams)
    assert sum(error.count("compiling") for _, error in streams) == 1
    assert start().communicate()[1] == ""
