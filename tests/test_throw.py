"""The main line: throws as pure functions of their index, pigs that lie, and failures as data."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from workbench import standard

from meshes.stable import stable_poses
from sim.configuration import MAX_PIGS, Configuration, configure
from sim.contact import Contact, PairContact
from sim.device import Drop, TrapDoor
from sim.engine.bullet import BulletSettings
from sim.engine.bullet_scene import Scene
from sim.engine.flight import Motion
from sim.position import OTHER, POSITIONS, PositionNamer
from sim.rest import AT_REST, DIVERGED, ESCAPED, STATUSES, TIMED_OUT, RestRule
from sim.throw import Landings, Lying, Thrower
from sim.touch import TOUCHES

TWO = configure(seed=7)
CROWD = replace(configure(seed=7, pigs=4), device=TrapDoor(spacing=0.033))
DROP = configure(seed=7, device="drop")
HAND = configure(seed=7, device="hand")
KNOBS = tuple(field.name for field in fields(Landings))


def rows(landings: Landings, *indices: int) -> list[Any]:
    """Every value of some throws: bytes of numbers, texts as they are."""
    found = [int(np.flatnonzero(landings.index == index)[0]) for index in indices]
    picked = [getattr(landings, name)[found] for name in KNOBS]
    return [each.tolist() if each.dtype.kind == "U" else each.tobytes() for each in picked]


# Exactness.


@pytest.mark.parametrize(
    "configuration", [TWO, CROWD, DROP, HAND], ids=["two", "crowd", "drop", "hand"]
)
def test_throws_are_the_same_in_any_order_and_grouping(configuration: Configuration) -> None:
    together = Thrower(configuration).throw(range(6))
    thrower = Thrower(configuration)
    assert rows(thrower.throw([4, 1, 5]), 4, 1, 5) == rows(together, 4, 1, 5)
    for index in (0, 3):
        assert rows(thrower.throw([index]), index) == rows(together, index)
    assert rows(thrower.throw(np.array([2, 2])), 2, 2) == rows(together, 2, 2)


def throw_rows(configuration: Configuration, indices: list[int]) -> list[Any]:
    return rows(Thrower(configuration).throw(indices), *indices)


def test_throws_are_the_same_in_two_spawned_processes() -> None:
    tasks = [(CROWD, [0, 1]), (CROWD, [2, 3]), (DROP, [1, 0])]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.starmap(throw_rows, tasks) == [throw_rows(*task) for task in tasks]


def test_another_seed_makes_other_throws() -> None:
    ends = {
        Thrower(replace(TWO, seed=seed)).throw(range(4)).translation.tobytes() for seed in range(3)
    }
    assert len(ends) == 3


@pytest.mark.parametrize("pigs", range(1, MAX_PIGS + 1))
def test_landings_have_the_shape_of_the_throw(pigs: int) -> None:
    landings = Thrower(replace(DROP, pigs=pigs, seed=1)).throw(range(2))
    assert landings.status.tolist() == [AT_REST] * 2
    expected: dict[str, tuple[int, ...]] = {"translation": (2, pigs, 3), "quat_xyzw": (2, pigs, 4)}
    for name in KNOBS:
        per_throw = name in ("index", "height", "start", "status", "handed_over")
        shape = expected.get(name, (2,) if per_throw else (2, pigs))
        assert getattr(landings, name).shape == shape, name
        assert not getattr(landings, name).flags.writeable
    assert set(landings.position.ravel()) <= set(POSITIONS)
    assert set(landings.touch.ravel()) <= set(TOUCHES)
    np.testing.assert_allclose(np.linalg.norm(landings.quat_xyzw, axis=2), 1.0)
    assert (landings.rest_time > 0).all()


def test_resting_pigs_lie_on_the_table_in_the_pose_that_names_them() -> None:
    """Of 40 pigs every lowest vertex is within 0.03 mm of the table, tolerance 0.05 mm."""
    landings = Thrower(DROP).throw(range(20))
    hull = standard()[0].hull.vertices
    alone = landings.touch == "none"
    turns = Rotation.from_quat(landings.quat_xyzw[alone]).as_matrix()
    low = (turns @ hull.T)[:, 2].min(axis=1) + landings.translation[alone][:, 2]
    named = landings.position[alone] != OTHER
    assert named.sum() > 30
    assert np.abs(low[named]).max() < 5e-5
    namer = PositionNamer(stable_poses(standard()[0], standard()[1].center_of_mass))
    names, margins = namer.name(landings.quat_xyzw[alone])
    assert (names == landings.position[alone]).all()
    np.testing.assert_allclose(margins, landings.margin[alone])


# Pigs that lie.


def standing(*places: tuple[float, float]) -> Lying:
    """Pigs standing on their feet at x, y [m]."""
    lowest = standard()[0].hull.vertices[:, 2].min()
    return Lying(
        np.array([(x, y, -lowest) for x, y in places]),
        np.tile((0.0, 0.0, 0.0, 1.0), (len(places), 1)),
    )


def test_lying_pigs_follow_the_thrown_and_stay_unless_hit() -> None:
    """Half a meter away: less than 0.05 mm and 0.1 degrees moved by the end of the throw."""
    lying = standing((0.5, 0.0), (0.5, 0.1), (-0.6, 0.1))
    landings = Thrower(TWO).throw(range(3), lying)
    assert landings.position.shape == (3, 5)
    assert (landings.position[:, 2:] == "trotter").all()
    moved = np.linalg.norm(landings.translation[:, 2:] - lying.translation, axis=2)
    assert moved.max() < 5e-5
    turned = Rotation.from_quat(landings.quat_xyzw[:, 2:].reshape(-1, 4)).magnitude()
    assert turned.max() < np.radians(0.1)


def test_lying_pigs_out_of_reach_do_not_change_the_throw() -> None:
    """Until the first impacts are over, 0.2 s, the thrown pigs are where they are without them.

    While a pig lies there the others are looked at oftener, so rounding differs, and every impact
    magnifies it.
    """
    short = replace(DROP, rest=RestRule(max_time=0.2))
    alone = Thrower(short).throw(range(12))
    beside = Thrower(short).throw(range(12), standing((0.9, 0.9)))
    assert (alone.translation[..., 2].min(axis=0) < 0.03).all()
    np.testing.assert_allclose(beside.translation[:, :2], alone.translation, atol=1e-5)


def test_lying_pigs_are_knocked_over_when_hit() -> None:
    """A pig dropped where one stands misses it at times, as its body is not over its origin."""
    single = replace(DROP, pigs=1)
    landings = Thrower(single).throw(range(6), standing((0.0, 0.0)))
    moved = np.linalg.norm(landings.translation[:, 1, :2], axis=1)
    assert (moved > 0.002).sum() >= 2
    assert (landings.position[:, 1] != "trotter").any()


def test_leaf_is_as_wide_as_the_pigs_it_holds_and_not_those_that_lie() -> None:
    """Throwing two of four: while the leaf swings, the thrown pair moves as in a throw of two."""
    short = replace(TWO, rest=RestRule(window=0.05, max_time=0.1))
    far = standing((0.9, 0.9), (0.9, -0.9))
    pair = Thrower(short).throw([0])
    with_far = Thrower(short).throw([0], far)
    np.testing.assert_allclose(with_far.translation[:, :2], pair.translation, atol=1e-6)


# Failures are data.


def test_throw_that_runs_out_of_time_is_counted_as_other() -> None:
    landings = Thrower(replace(TWO, rest=RestRule(max_time=0.2))).throw(range(5))
    assert landings.status.tolist() == [TIMED_OUT] * 5
    assert (landings.position == OTHER).all()
    assert (landings.touch == "none").all()
    assert np.isnan(landings.rest_time).all()
    assert np.isfinite(landings.translation).all()
    assert landings.index.tolist() == [0, 1, 2, 3, 4]


def test_pig_that_leaves_the_table_has_escaped() -> None:
    tiny = replace(TWO, engine=BulletSettings(table_radius=0.03))
    landings = Thrower(tiny).throw(range(5))
    assert landings.status.tolist() == [ESCAPED] * 5
    assert (landings.position == OTHER).all()
    far = np.linalg.norm(landings.translation[:, :, :2], axis=2).max(axis=1)
    assert (far > 0.02).all()


def diverging(damage: Callable[[Motion], Motion], after: int) -> Callable[[Scene, int], Motion]:
    """A reading of a scene's pigs that is damaged once, after so many sound ones."""
    readings = 0

    def read(scene: Scene, pig: int) -> Motion:
        nonlocal readings
        readings += 1
        sound = original(scene, pig)
        return damage(sound) if readings == after else sound

    original = Scene.motion
    return read


NAN = float("nan")


@pytest.mark.parametrize(
    "damage",
    [
        lambda motion: replace(motion, position=(NAN, NAN, NAN)),
        lambda motion: replace(motion, velocity=(0.0, 0.0, NAN)),
        lambda motion: replace(motion, spin=(NAN, 0.0, 0.0)),
        lambda motion: replace(motion, quat_xyzw=(NAN, NAN, NAN, NAN)),
        lambda motion: replace(motion, velocity=(float("inf"), 0.0, 0.0)),
        lambda motion: replace(motion, velocity=(0.0, 50.0, 0.0)),
    ],
    ids=["position", "velocity", "spin", "orientation", "infinite", "energy"],
)
def test_throw_that_diverges_is_data(
    damage: Callable[[Motion], Motion], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The damaged throw is DIVERGED, and the next one of the same thrower is as ever."""
    thrower = Thrower(TWO)
    sound = thrower.throw([1])
    monkeypatch.setattr(Scene, "motion", diverging(damage, after=20))
    broken = thrower.throw([0, 1])
    assert broken.status.tolist() == [DIVERGED, AT_REST]
    assert (broken.position[0] == OTHER).all()
    assert (broken.touch[0] == "none").all()
    assert rows(broken, 1) == rows(sound, 1)


def test_statuses_are_the_known_ones() -> None:
    assert set(STATUSES) == {AT_REST, TIMED_OUT, ESCAPED, DIVERGED}


# Every knob matters.


def ends(configuration: Configuration) -> bytes:
    landings = Thrower(configuration).throw(range(6))
    return b"".join(getattr(landings, name).tobytes() for name in ("status", "translation"))


@pytest.mark.parametrize("pair", ["pig_table", "pig_leaf", "pig_pig"])
@pytest.mark.parametrize("value", [{"restitution": 0.55}, {"friction": 0.45}], ids=["e", "mu"])
def test_every_contact_value_matters(pair: str, value: dict[str, float]) -> None:
    changed = replace(Contact(), **{pair: replace(getattr(Contact(), pair), **value)})
    assert ends(replace(CROWD, contact=changed)) != ends(CROWD)


def test_bounce_speed_matters() -> None:
    assert ends(replace(TWO, contact=Contact(bounce_speed=0.3))) != ends(TWO)


@pytest.mark.parametrize(
    "knob",
    [
        {"scale": 50.0},
        {"time_step": 1 / 1024},
        {"steps_per_check": 2},
        {"solver_iterations": 3},
        {"contact_erp": 0.1},
        {"contact_breaking": 0.001},
        {"table_radius": 0.05},
        {"clearance": 0.005},
    ],
    ids=lambda knob: next(iter(knob)),
)
def test_every_engine_setting_matters(knob: dict[str, Any]) -> None:
    assert ends(replace(CROWD, engine=BulletSettings(**knob))) != ends(CROWD)


@pytest.mark.parametrize(
    "knob",
    [{"speed": 2e-4}, {"spin": 0.002}, {"window": 0.3}, {"max_time": 0.5}],
    ids=lambda knob: next(iter(knob)),
)
def test_every_threshold_of_rest_matters(knob: dict[str, float]) -> None:
    def rests(configuration: Configuration) -> bytes:
        landings = Thrower(configuration).throw(range(4))
        return landings.status.tobytes() + landings.rest_time.tobytes() + ends(configuration)

    assert rests(replace(TWO, rest=replace(RestRule(), **knob))) != rests(TWO)


@pytest.mark.parametrize("knob", ["speed", "spin", "window", "max_time"])
@pytest.mark.parametrize("value", [0.0, -1.0, NAN])
def test_rest_rule_without_a_threshold_is_refused(knob: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"rest {knob} must be above 0"):
        RestRule(**{knob: value})


def test_window_longer_than_the_time_is_refused() -> None:
    with pytest.raises(ValueError, match="max_time must be longer than the window"):
        RestRule(window=1.0, max_time=0.5)


def test_nearer_pigs_touch_more_often() -> None:
    """Eight pigs dropped with dull contacts touch oftener 33 mm apart than 90 mm."""
    dull = Contact(pig_table=PairContact(0.1, 0.9), pig_pig=PairContact(0.1, 0.9))

    def touching(spacing: float) -> int:
        near = replace(DROP, pigs=8, device=Drop(spacing), contact=dull, seed=2)
        return int((Thrower(near).throw(range(25)).touch != "none").any(axis=1).sum())

    assert touching(0.033) > touching(0.090) + 2
