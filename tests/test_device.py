"""Devices: where pigs start, what chance they draw from, and how the leaf falls."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import kstest
from workbench import Scene, bench, lowest, standard

from sim.configuration import Configuration, configure
from sim.device import (
    INCH,
    KERN_2006,
    MAX_HEIGHT,
    Condition,
    Device,
    Drop,
    Hand,
    Placement,
    Releases,
    TrapDoor,
    release,
    uniform_orientations,
)
from sim.engine import bullet_world
from sim.engine.bullet import BulletSettings
from sim.engine.flight import GRAVITY
from sim.engine.world import Limits
from sim.throw import Thrower

HULL = standard()[0].hull.vertices
FALSE_ALARM = 1e-3  # of every statistical test here; seeds are fixed, so a failure is no chance
CHECK = BulletSettings().time_step * BulletSettings().steps_per_check


def placed(device: Device, start: str, pigs: int = 2, seed: int = 0, n: int = 200) -> Releases:
    return release(device, (Condition(0.2, start),), pigs, HULL, seed, range(n))


def headings(releases: Releases) -> np.ndarray:
    """Angle of the snout from +x [rad], (n, k)."""
    snout = Rotation.from_quat(releases.quat_xyzw.reshape(-1, 4)).as_matrix()[:, :, 0]
    return np.arctan2(snout[:, 1], snout[:, 0]).reshape(releases.quat_xyzw.shape[:2])


# Trap door.


@pytest.mark.parametrize(
    ("start", "facing"),
    [("forward", [0.0] * 5), ("backward", [pi] * 5), ("mixed", [0.0, pi, 0.0, pi, 0.0])],
)
def test_pigs_face_as_the_start_says_within_the_jitter(start: str, facing: list[float]) -> None:
    door = TrapDoor()
    off = np.angle(np.exp(1j * (headings(placed(door, start, pigs=5)) - facing)))
    assert np.abs(off).max() <= door.yaw_jitter + 1e-12
    assert kstest(off.ravel() / door.yaw_jitter, "uniform", (-1, 2)).pvalue > FALSE_ALARM


def test_pigs_stand_in_a_row_within_the_jitter() -> None:
    door = TrapDoor(spacing=0.04, jitter=0.005)
    releases = placed(door, "forward", pigs=4)
    off = releases.translation[:, :, :2].copy()
    off[:, :, 1] -= np.array([-0.06, -0.02, 0.02, 0.06])
    assert np.abs(off).max() <= 0.005
    for axis in range(2):
        assert kstest(off[:, :, axis].ravel() / 0.005, "uniform", (-1, 2)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("start", ["forward", "backward", "mixed"])
def test_pigs_stand_on_their_feet_on_the_leaf(start: str) -> None:
    releases = placed(TrapDoor(), start)
    for translation, quat in zip(
        releases.translation.reshape(-1, 3), releases.quat_xyzw.reshape(-1, 4), strict=True
    ):
        up = Rotation.from_quat(quat).as_matrix()[:, 2]
        np.testing.assert_allclose(up, (0.0, 0.0, 1.0), atol=1e-12)
        assert translation[2] + lowest(standard()[0], quat) == pytest.approx(0.2, abs=1e-12)
    assert not releases.velocity.any()
    assert not releases.spin.any()


def test_without_jitter_pigs_stand_where_they_should() -> None:
    releases = placed(TrapDoor(jitter=0.0, yaw_jitter=0.0), "mixed", n=3)
    expected = [(0.0, -0.025, 0.2), (0.0, 0.025, 0.2)]
    np.testing.assert_allclose(releases.translation, [expected] * 3, atol=1e-12)


def test_published_mix_is_four_equal_blocks() -> None:
    """Of any 400 throws in a row each condition has 100, and throw i has condition i mod 4."""
    releases = release(TrapDoor(), KERN_2006, 2, HULL, 0, range(37, 437))
    chosen = list(zip(releases.height.tolist(), releases.start.tolist(), strict=True))
    for number, condition in enumerate(KERN_2006):
        assert chosen.count((condition.height, condition.start)) == 100
        at = [chosen[row] for row in range(400) if (row + 37) % 4 == number]
        assert set(at) == {(condition.height, condition.start)}
    assert sorted({c.height for c in KERN_2006}) == [5 * INCH, 8 * INCH]
    stood = releases.translation[:, :, 2] + HULL[:, 2].min()
    np.testing.assert_allclose(stood, np.repeat(releases.height[:, None], 2, axis=1), atol=1e-9)


# Drop and hand.


@pytest.mark.parametrize("device", [Drop(spacing=0.03), Hand(spacing=0.03)], ids=["drop", "hand"])
def test_lowest_points_hang_at_the_height_in_a_row(device: Device) -> None:
    releases = placed(device, "random", pigs=3, n=50)
    np.testing.assert_allclose(
        releases.translation[:, :, :2], [[(0, -0.03), (0, 0), (0, 0.03)]] * 50
    )
    for row in range(50):
        for pig in range(3):
            low = lowest(standard()[0], releases.quat_xyzw[row, pig])
            assert releases.translation[row, pig, 2] + low == pytest.approx(0.2, abs=1e-12)


def rotation_angle_distribution(angle: np.ndarray) -> np.ndarray:
    """Of a uniform rotation: density (1 - cos) / pi on [0, pi]."""
    return (angle - np.sin(angle)) / pi


@pytest.mark.parametrize("device", [Drop(), Hand()], ids=["drop", "hand"])
def test_orientations_are_uniform(device: Device) -> None:
    """Angle of rotation, axis and every image axis by Kolmogorov-Smirnov, 3,000 pigs.

    A draw from a cube of quaternions, normalized, fails the first at p < 1e-9.
    """
    quats = placed(device, "random", pigs=3, n=1000).quat_xyzw.reshape(-1, 4)
    turns = Rotation.from_quat(quats)
    vectors = turns.as_rotvec()
    angles = np.linalg.norm(vectors, axis=1)
    assert kstest(angles, rotation_angle_distribution).pvalue > FALSE_ALARM
    for component in (vectors / angles[:, None]).T:
        assert kstest(component, "uniform", (-1, 2)).pvalue > FALSE_ALARM
    for image in turns.as_matrix().reshape(-1, 9).T:
        assert kstest(image, "uniform", (-1, 2)).pvalue > FALSE_ALARM
    cube = np.random.default_rng(0).uniform(-1, 1, (3000, 4))
    assert kstest(Rotation.from_quat(cube).magnitude(), rotation_angle_distribution).pvalue < 1e-3


def test_unit_quaternions() -> None:
    quats = uniform_orientations(1000, np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(quats, axis=1), 1.0, rtol=1e-12)


def test_hand_throws_within_its_ranges() -> None:
    hand = Hand(speed=(0.5, 1.5), elevation=(-0.4, 0.3), heading=0.2, spin=(10.0, 30.0))
    releases = placed(hand, "random", pigs=3, n=700)
    velocity = releases.velocity.reshape(-1, 3)
    speed = np.linalg.norm(velocity, axis=1)
    spin = releases.spin.reshape(-1, 3)
    rate = np.linalg.norm(spin, axis=1)
    drawn = {
        (0.5, 1.5): speed,
        (-0.4, 0.3): np.arcsin(velocity[:, 2] / speed),
        (-0.2, 0.2): np.arctan2(velocity[:, 1], velocity[:, 0]),
        (10.0, 30.0): rate,
        (-1.0, 1.0): spin[:, 2] / rate,
    }
    for (low, high), values in drawn.items():
        assert low <= values.min() < values.max() <= high
        assert kstest(values, "uniform", (low, high - low)).pvalue > FALSE_ALARM


# Chance.


def fields_of(releases: Releases, row: int) -> list[bytes]:
    names = ("index", "height", "start", "translation", "quat_xyzw", "velocity", "spin")
    return [getattr(releases, name)[row].tobytes() for name in names]


@pytest.mark.parametrize("device", [TrapDoor(), Drop(), Hand()], ids=["door", "drop", "hand"])
def test_release_depends_on_seed_and_index_alone(device: Device) -> None:
    conditions = KERN_2006 if isinstance(device, TrapDoor) else (Condition(0.1, "random"),)
    together = release(device, conditions, 2, HULL, 5, range(30))
    for index in (0, 7, 29):
        alone = release(device, conditions, 2, HULL, 5, [index])
        assert fields_of(alone, 0) == fields_of(together, index)
    order = [11, 3, 29, 3]
    shuffled = release(device, conditions, 2, HULL, 5, order)
    for row, index in enumerate(order):
        assert fields_of(shuffled, row) == fields_of(together, index)
    others = release(device, conditions, 2, HULL, 6, range(30))
    poses = {together.quat_xyzw[row].tobytes() for row in range(30)}
    poses |= {others.quat_xyzw[row].tobytes() for row in range(30)}
    assert len(poses) == 60


# The leaf.


def swing(door: TrapDoor) -> list[tuple[float, float, float]]:
    """Time [s], angle [rad] and speed [rad/s] of the empty leaf until the catch takes it."""
    pig = bench(standard(), device=door)

    def watch(scene: Scene, _: Limits) -> list[tuple[float, float, float]]:
        seen, time = [], 0.0
        while scene.is_swinging() and time < 1.0:
            angle, speed = scene._client.getJointState(scene._leaf.body, bullet_world.HINGE)[:2]
            seen.append((time, angle, speed))
            scene.step()
            time += CHECK
        return [*seen, (time, np.nan, np.nan)]

    return pig.stage([pig.at((0.0, 0.0, 5.0))], watch, height=1.0)


@pytest.mark.parametrize("door", [TrapDoor(), TrapDoor(leaf_length=0.2, leaf_mass=0.5)])
def test_leaf_falls_as_a_plate_on_its_edge(door: TrapDoor) -> None:
    """Speed sqrt(3 g sin(angle) / L) on the way: within 1.5 %, tolerance 3 %.

    The closed form is that of a thin plate, started level; thickness and step make the rest.
    """
    for _, angle, speed in swing(door)[:-1]:
        if angle > 0.3:
            assert speed == pytest.approx(
                sqrt(3 * GRAVITY * sin(angle) / door.leaf_length), rel=0.03
            )


def test_leaf_is_open_after_the_closed_form_time() -> None:
    """Integral of d(angle) / speed from level to pi/2; the catch looks once a check."""
    door = TrapDoor()
    root = (np.arange(20_000) + 0.5) / 20_000 * sqrt(pi / 2)  # angle = root^2, dense at the start
    rate = np.sqrt(3 * GRAVITY * np.sin(root**2) / door.leaf_length)
    expected = float((2 * root / rate).mean() * sqrt(pi / 2))
    assert swing(door)[-1][0] == pytest.approx(expected, abs=2 * CHECK)


def leaf_bounds(door: TrapDoor, angle: float) -> np.ndarray:
    """Lowest and highest corner of the leaf of one pig, at 0.5 m, that far below level, (2, 3)."""
    corners = np.array(
        [(x, y, z) for x in (0, door.leaf_length) for y in (-0.035, 0.035) for z in (0, -0.003)]
    )
    corners = corners @ Rotation.from_euler("y", angle).as_matrix().T
    corners += (-door.leaf_length / 2, 0.0, 0.5)
    return np.array((corners.min(axis=0), corners.max(axis=0)))


def bounds_of(scene: Scene) -> np.ndarray:
    """The same of the shape that pigs meet in the engine."""
    link = bullet_world.HINGE if scene.is_swinging() else bullet_world.BASE
    return np.array(scene._client.getAABB(scene._leaf.body, link)) / BulletSettings().scale


def test_leaf_is_under_the_pigs_from_its_hinge_to_its_edge() -> None:
    """Closed and on its way. A link's shape lies in its joint's frame, not at its center of mass:

    left there, it would begin half its length beyond the hinge and end under the pigs' middle.
    """
    door = TrapDoor()
    pig = bench(standard(), device=door)

    def watch(scene: Scene, _: Limits) -> list[tuple[float, np.ndarray]]:
        seen = []
        for _ in range(5):
            seen.append((scene.swing()[0], bounds_of(scene)))
            for _ in range(6):
                scene.step()
        return seen

    for angle, bounds in pig.stage([pig.at((0.0, 0.0, 5.0))], watch, height=0.5):
        np.testing.assert_allclose(bounds, leaf_bounds(door, angle), atol=0.002)  # a step old


@pytest.mark.parametrize("angle", [0.5, pi / 2, 2.0, 3.0])
def test_catch_holds_the_leaf_at_its_open_angle(angle: float) -> None:
    """The leaf hangs exactly there, still 0.5 s later, whatever the pigs do."""
    door = TrapDoor(open_angle=angle)
    pig = bench(standard(), device=door)

    def watch(scene: Scene, _: Limits) -> list[Any]:
        seen = []
        for _ in range(200):
            scene.step()
            if not scene.is_swinging():
                seen.append(bounds_of(scene))
        return [seen, scene.obstacle()]

    stand = pig.at((0.0, 0.0, 0.5 - HULL[:, 2].min()))
    seen, box = pig.stage([stand], watch, height=0.5)
    assert len({bounds.tobytes() for bounds in seen}) == 1
    np.testing.assert_allclose(seen[0], leaf_bounds(door, angle), atol=2e-5)
    np.testing.assert_allclose((box.low, box.high), leaf_bounds(door, angle), atol=1e-9)


def test_closed_leaf_carries_no_weight_by_itself() -> None:
    """It falls from the first step on: a pig on it is 1 mm down before 20 ms have passed."""
    door = TrapDoor()
    pig = bench(standard(), device=door)
    stand = pig.at((0.02, 0.0, 0.5 - HULL[:, 2].min()))
    end = pig.last(stand, 0.03, height=0.5)
    assert stand.position[2] - end.position[2] > 0.001


# Every knob matters; what cannot be is refused.


def landings_of(configuration: Configuration) -> bytes:
    landings = Thrower(configuration).throw(range(4))
    return landings.translation.tobytes() + landings.quat_xyzw.tobytes()


USUAL = configure(seed=3, pigs=2)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("leaf_length", 0.11),
        ("leaf_thickness", 0.004),
        ("leaf_mass", 0.03),
        ("edge", 0.003),
        ("open_angle", 1.2),
        ("spacing", 0.045),
        ("jitter", 0.001),
        ("yaw_jitter", radians(1.0)),
    ],
)
def test_every_knob_of_the_trap_door_matters(knob: str, value: float) -> None:
    changed = replace(USUAL, device=replace(TrapDoor(), **{knob: value}))
    assert landings_of(changed) != landings_of(USUAL)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("speed", (1.0, 3.0)),
        ("elevation", (0.0, 0.1)),
        ("heading", 0.1),
        ("spin", (0.0, 5.0)),
        ("spacing", 0.06),
    ],
)
def test_every_knob_of_the_hand_matters(knob: str, value: Any) -> None:
    thrown = configure(seed=3, pigs=2, device="hand")
    assert landings_of(replace(thrown, device=replace(Hand(), **{knob: value}))) != landings_of(
        thrown
    )


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["leaf_length", "leaf_thickness", "leaf_mass", "edge", "spacing"])
def test_trap_door_without_extent_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be above 0"):
        TrapDoor(**{name: value})


@pytest.mark.parametrize("value", [-0.001, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["jitter", "yaw_jitter"])
def test_negative_jitter_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be 0 or more"):
        TrapDoor(**{name: value})


@pytest.mark.parametrize("value", [0.0, -0.1, 3.2, float("nan"), pi])
def test_open_angle_out_of_range_is_refused(value: float) -> None:
    """A leaf that falls from level never swings as far as pi: every throw would time out."""
    with pytest.raises(ValueError, match="open_angle must lie in"):
        TrapDoor(open_angle=value)


@pytest.mark.parametrize("value", [0.0, -0.1, MAX_HEIGHT + 0.1, float("nan"), float("inf")])
def test_height_out_of_range_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="height must be above 0 and at most"):
        Condition(value, "forward")


@pytest.mark.parametrize(
    "ranges",
    [
        {"speed": (2.0, 1.0)},
        {"speed": (-1.0, 1.0)},
        {"spin": (-1.0, 1.0)},
        {"spin": (0.0, float("inf"))},
        {"elevation": (-2.0, 0.0)},
        {"elevation": (0.0, float("nan"))},
        {"heading": -0.1},
        {"spacing": 0.0},
    ],
)
def test_impossible_hand_is_refused(ranges: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(ranges))):
        Hand(**ranges)


@pytest.mark.parametrize(
    ("device", "start"), [(TrapDoor(), "sideways"), (TrapDoor(), "random"), (Drop(), "forward")]
)
def test_start_that_the_device_does_not_know_is_refused(device: Device, start: str) -> None:
    with pytest.raises(ValueError, match="start"):
        replace(USUAL, device=device, conditions=(Condition(0.2, start),))


@pytest.mark.parametrize("height", [0.05, 0.09])
def test_trap_door_too_low_for_its_leaf_is_refused(height: float) -> None:
    """A leaf of 92 mm cannot swing open 50 mm above the table: every throw would time out."""
    with pytest.raises(ValueError, match="leaf"):
        replace(USUAL, conditions=(Condition(height, "forward"),))


def test_placements_are_those_of_every_throw_alone() -> None:
    """Of as many pigs as asked, and bit for bit."""
    rng = np.random.default_rng(0)
    for device in (TrapDoor(), Drop(), Hand()):
        starts = ("forward", "mixed") if isinstance(device, TrapDoor) else ("random", "random")
        conditions = [
            Condition(height, start) for height, start in zip((0.2, 0.3), starts, strict=True)
        ]
        for pigs in (1, 2, 8):
            drawn = np.array([device.draw(pigs, rng) for _ in conditions])
            placement = device.place(conditions, drawn, HULL)
            assert isinstance(placement, Placement)
            assert placement.quat_xyzw.shape == (2, pigs, 4)
            for row, condition in enumerate(conditions):
                alone = device.place([condition], drawn[row : row + 1], HULL)
                for name, values in vars(alone).items():
                    together = getattr(placement, name)[row : row + 1]
                    assert together.shape[:2] == (1, pigs)
                    np.testing.assert_array_equal(values, together)


def leaf_width_by_hand(door: TrapDoor, pigs: int) -> float:
    rows = placed(replace(door, jitter=0.0), "forward", pigs=pigs, n=1).translation[0, :, 1]
    return float(rows.max() - rows.min()) + 2 * door.edge


@pytest.mark.parametrize("pigs", [1, 2, 8])
def test_leaf_reaches_an_edge_beyond_the_outermost_pigs(pigs: int) -> None:
    door = TrapDoor()
    assert door.leaf_width(pigs) == pytest.approx(leaf_width_by_hand(door, pigs))


def test_open_leaf_comes_down_on_no_pig() -> None:
    """One that bounced below it would be held between leaf and table, and never come to rest."""
    assert USUAL.pig.reach < min(one.height for one in KERN_2006) - TrapDoor().leaf_length
