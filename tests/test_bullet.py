"""The engine as a whole: symmetry, geometry as oracle, convergence, and what it must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from scipy.stats import chi2_contingency, chisquare
from workbench import Bench, bench, lowest, orientations, solid, standard

from meshes.shape import ConvexPart, Shape
from meshes.solids import Cuboid
from meshes.stable import StablePose, stable_poses
from sim.configuration import configure
from sim.contact import Contact, PairContact
from sim.device import Releases, TrapDoor
from sim.engine.bullet import BulletSettings
from sim.engine.bullet_scene import Scene
from sim.engine.course import Course
from sim.engine.flight import GRAVITY, Motion, Vector, fall, fly
from sim.engine.world import Box
from sim.position import OTHER, POSITIONS, name_pose
from sim.rest import AT_REST, RestRule
from sim.throw import Thrower

CUBE = solid(Cuboid((0.012, 0.012, 0.012)).surface())
DULL = Contact(pig_table=PairContact(0.01, 0.8), pig_pig=PairContact(0.01, 0.8), bounce_speed=1.0)
MIRROR = np.diag((1.0, -1.0, 1.0))


# Symmetry.


def faces_down(thrown: Bench, count: int, seed: int) -> np.ndarray:
    """Which face of a cube each drop ends on, 0 to 5."""
    faces = []
    for quat in orientations(count, seed):
        end = thrown.settle(thrown.at((0.0, 0.0, 0.08), quat))
        assert end.status == AT_REST
        down = -Rotation.from_quat(end.quat_xyzw[0, 0]).as_matrix()[2]
        axis = int(np.abs(down).argmax())
        assert abs(down[axis]) > 0.9999
        faces.append(2 * axis + (down[axis] > 0))
    return np.bincount(faces, minlength=6)


def test_cube_lands_on_each_face_one_time_in_six() -> None:
    """300 drops of uniform orientation; false alarms 1 in 1,000 (the seed is fixed)."""
    assert chisquare(faces_down(bench(CUBE), 300, seed=1)).pvalue > 1e-3


def test_loaded_cube_lands_on_its_heavy_face_more_often() -> None:
    """Its center of mass 2 mm toward -z: 265 of 720 drops end on that face, 120 were chance."""
    shape, properties = CUBE
    loaded = shape, replace(properties, center_of_mass=np.array((0.0, 0.0, -0.002)))
    counts = faces_down(bench(loaded), 240, seed=2)
    assert chisquare(counts).pvalue < 1e-6
    assert counts.argmax() == 4


def state(thrown: Bench, motion: Motion) -> tuple[np.ndarray, Rotation, np.ndarray]:
    translation, quat = thrown.pose(motion)
    return translation, Rotation.from_quat(quat), np.array(motion.velocity)


def start_of(thrown: Bench, quat: np.ndarray, at: np.ndarray | None = None) -> Motion:
    place = np.array((0.0, 0.0, 0.05 - lowest(thrown.shape, quat)))
    return thrown.at(place if at is None else place + at, quat)


def test_yaw_and_translation_change_nothing() -> None:
    """Through the first bounces of 12 pigs, 0.12 s: median 3e-14 m, tolerance 0.02 mm.

    Bullet finds one contact point a step; which one first hangs on the heading in one of twelve.
    """
    pig = bench(standard())
    yaw, shift = Rotation.from_euler("z", 0.7), np.array((0.3, -0.2, 0.0))
    errors = []
    for quat in orientations(12, seed=3):
        plain = state(pig, pig.last(start_of(pig, quat), 0.12))
        turned_quat = (yaw * Rotation.from_quat(quat)).as_quat()
        turned = state(pig, pig.last(start_of(pig, turned_quat, shift), 0.12))
        moved = np.linalg.norm(turned[0] - yaw.apply(plain[0]) - shift)
        errors.append((moved, (turned[1] * (yaw * plain[1]).inv()).magnitude()))
    assert (np.median(errors, axis=0) < (2e-5, 0.005)).all()


def test_mirrored_pig_thrown_in_the_mirror_moves_as_the_mirror_image() -> None:
    """Through the first bounce of 8 pigs, median to 10 um: contact order breaks it at times."""
    shape, _ = standard()
    parts = [ConvexPart(part.name, part.vertices * (1, -1, 1)) for part in shape.parts]
    pig, image = bench(standard()), bench(mirrored_body(parts))
    errors = []
    for quat in orientations(8, seed=4):
        turn = Rotation.from_quat(quat).as_matrix()
        image_quat = Rotation.from_matrix(MIRROR @ turn @ MIRROR).as_quat()
        plain = state(pig, pig.last(start_of(pig, quat), 0.12))
        other = state(image, image.last(start_of(image, image_quat), 0.12))
        errors.append(np.linalg.norm(other[0] - MIRROR @ plain[0]))
    assert np.median(errors) < 1e-5


def mirrored_body(parts: list[ConvexPart]) -> Any:
    """The mirror image's mass properties are the image of the mass properties."""
    properties = standard()[1]
    mirrored = replace(
        properties,
        center_of_mass=MIRROR @ properties.center_of_mass,
        inertia=MIRROR @ properties.inertia @ MIRROR,
    )
    return Shape.from_parts("mirrored", parts), mirrored


# Geometry as oracle.


def resting_in(pose: StablePose, tilt: np.ndarray) -> np.ndarray:
    lay = Rotation.align_vectors([(0.0, 0.0, -1.0)], [pose.down])[0]
    return (Rotation.from_rotvec(tilt) * lay).as_quat()


def brink(pose: StablePose, center: np.ndarray) -> float:
    """Least angle that turns the center of mass over an edge of its support [rad]."""
    foot = center + pose.height * pose.down
    x = pose.support[0] - foot - (pose.support[0] - foot) @ pose.down * pose.down
    x /= np.linalg.norm(x)
    plane = np.column_stack((x, np.cross(pose.down, x)))
    corners = (pose.support - foot) @ plane
    hull = ConvexHull(corners)
    return float(np.arctan(-hull.equations[:, 2].max() / pose.height))


def rocked(pig: Bench) -> Iterator[tuple[StablePose, Motion]]:
    """Every pose worth the name, tilted in four directions by a fifth of the way to its brink.

    Not where that lifts the pig over its lowest saddle, beyond a narrow support's long side.
    """
    center = pig.mass_properties.center_of_mass
    for pose in stable_poses(pig.shape, center):
        if pose.probability < 0.02 or brink(pose, center) < np.radians(4.0):
            continue
        for heading in np.arange(4) * np.pi / 2:
            axis = np.array((np.cos(heading), np.sin(heading), 0.0))
            quat = resting_in(pose, brink(pose, center) / 5 * axis)
            start = pig.at((0.0, 0.0, 1e-5 - lowest(pig.shape, quat)), quat)
            if start.position[2] < pose.barrier - 2e-5:
                yield pose, start


def down_of(pig: Bench, motion: Motion) -> np.ndarray:
    return -state(pig, motion)[1].as_matrix()[2]


def angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arccos(np.clip(a @ b, -1, 1)))


def test_pig_rocked_within_the_brink_comes_back() -> None:
    """1.5 s later within 0.02 degrees of the pose, tolerance 0.3.

    All positions but the leaning jowler, whose brinks are nearer than 4 degrees.
    """
    pig = bench(standard(), contact=DULL)
    poses = list(rocked(pig))
    named = {name_pose(pose.carrying, pose.down) for pose, _ in poses}
    assert named >= set(POSITIONS) - {OTHER, "leaning_jowler"}
    for pose, start in poses:
        assert angle(down_of(pig, pig.last(start, 1.5)), pose.down) < np.radians(0.3), pose.carrying


def test_pig_called_at_rest_stays_when_let_go_again() -> None:
    """What the rule of rest calls at rest is in balance: half a second later within 0.5 degrees.

    A pig that turns round near its brink is slower than the rule's thresholds for 0.1 s.
    """
    pig = bench(standard(), contact=DULL)
    for pose, start in rocked(pig):
        end = pig.settle(start)
        assert end.status == AT_REST
        resting = pig.at(end.translation[0, 0], end.quat_xyzw[0, 0])
        later = down_of(pig, pig.last(resting, 0.5))
        assert angle(later, down_of(pig, resting)) < np.radians(0.5), pose.carrying


@pytest.mark.parametrize("spin", [RestRule().spin, 0.15])
def test_cube_that_hesitates_on_its_edge_is_not_at_rest(spin: float) -> None:
    """Tilted by 0.03 degrees it turns by 0.3 degrees in 0.1 s."""
    cube = bench(solid(Cuboid((0.016, 0.016, 0.016)).surface()), rest=RestRule(spin=spin))
    tilt = np.degrees(0.25 * np.pi) + 0.03
    quat = Rotation.from_euler("x", tilt, degrees=True).as_quat()
    end = cube.settle(cube.at((0.0, 0.0, 0.008 * np.sqrt(2) - 1e-5), quat))
    down = np.abs(Rotation.from_quat(end.quat_xyzw[0, 0]).as_matrix()[2]).max()
    assert (down > 0.999) == (spin < 0.15)


def test_sliding_body_tips_over_at_the_closed_form_speed() -> None:
    """A tall brick, 8 mm deep and 24 high, slides at mu > depth / height: it falls on its face.

    On friction below 1/3 it slides upright; above, the moment of friction turns it over.
    """
    for friction, falls in ((0.2, False), (0.6, True)):
        contact = Contact(pig_table=PairContact(0.01, friction), bounce_speed=1.0)
        brick = bench(solid(Cuboid((0.008, 0.02, 0.024)).surface()), contact=contact)
        end = brick.last(brick.at((0.0, 0.0, 0.01201), velocity=(1.2, 0.0, 0.0)), 1.5)
        _, turn, _ = state(brick, end)
        assert (abs(turn.as_matrix()[2, 2]) < 0.5) == falls


def test_resting_pose_is_one_that_geometry_knows() -> None:
    """40 pigs dropped: each within 0.2 degrees of a stable pose, tolerance 0.5."""
    pig = bench(standard())
    poses = stable_poses(pig.shape, pig.mass_properties.center_of_mass)
    downs = np.array([pose.down for pose in poses])
    for quat in orientations(40, seed=5):
        end = pig.settle(start_of(pig, quat))
        assert end.status == AT_REST
        down = -Rotation.from_quat(end.quat_xyzw[0, 0]).as_matrix()[2]
        assert np.arccos(np.clip((downs @ down).max(), -1, 1)) < np.radians(0.5)


# Leaps and handover.


def test_leaping_over_free_flight_changes_nothing_but_the_time_it_takes() -> None:
    """Up to the first impact the exact flight is that of small exact steps: 1e-9 m."""
    pig = bench(standard())
    for quat in orientations(4, seed=6):
        start = pig.at((0.0, 0.0, 0.2), quat, velocity=(0.2, 0.1, 1.0), spin=(20.0, -15.0, 10.0))
        leaped = pig.follow([start], 0.2, flying=True)
        time, (end,) = leaped[-1]
        expected = np.array(start.position) + np.array(start.velocity) * time
        expected[2] -= GRAVITY * time**2 / 2
        np.testing.assert_allclose(end.position, expected, atol=1e-9)
        assert len(leaped) < 30  # 52 checks of 1/256 s without leaps


def test_clearance_of_handover_does_not_move_the_early_motion() -> None:
    """Handing over 0.5 or 5 mm above the table, 0.13 s: median 0.04 mm, tolerance 0.5 mm.

    Bullet's own fall of n steps is longer by g dt^2 n / 2, here some 0.1 mm.
    """

    def after(clearance: float) -> np.ndarray:
        pig = bench(standard(), settings=BulletSettings(clearance=clearance))
        moments = tuple(float(moment) for moment in pig.mass_properties.principal()[0])
        ends = []
        for quat in orientations(9, seed=7):
            seen = pig.follow([start_of(pig, quat)], 0.13, flying=True)
            time, (motion,) = [moment for moment in seen if moment[0] <= 0.13][-1]
            ends.append(fly(motion, moments, 0.13 - time).position)
        return np.array(ends)

    shift = np.linalg.norm(after(0.0005) - after(0.005), axis=1)
    assert np.median(shift) < 0.0005


corners = st.tuples(*[st.floats(-1, 1)] * 3)


@settings(max_examples=200, deadline=None)
@given(corners, corners, st.tuples(*[st.floats(0.001, 1)] * 3), st.floats(0.0, 0.3))
def test_flying_center_is_clear_of_a_box_for_as_long_as_promised(
    place: Vector, velocity: Vector, size: Vector, margin: float
) -> None:
    """Until then some axis parts it from the box by the margin; if it ever ends, then no longer."""
    start = Motion(place, (0.0, 0.0, 0.0, 1.0), velocity, (0.0, 0.0, 0.0))
    time = Box((0.0, 0.0, 0.0), size).time_clear(start, margin)

    def gap(at: float) -> float:
        center = np.array(fall(start, at).position)
        return float(np.maximum(-center, center - size).max()) - margin

    for fraction in np.linspace(0.0, 0.999, 30):
        assert gap(fraction * min(time, 10.0)) > -1e-9 or time == 0.0
    if time == 0.0:
        assert gap(0.0) <= 0.0


def test_center_reaches_a_box_in_the_closed_form_time() -> None:
    box, still = Box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), (0.0, 0.0, 0.0)

    def time(place: Vector, velocity: Vector) -> float:
        return box.time_clear(Motion(place, (0.0, 0.0, 0.0, 1.0), velocity, still), 0.1)

    assert time((-0.5, 0.5, 0.5), (2.0, 0.0, 0.0)) == pytest.approx(0.2)
    assert time((0.5, 0.5, 2.1), still) == pytest.approx(np.sqrt(2 / GRAVITY))
    assert time((0.5, 0.5, -0.6), (0.0, 0.0, 5.0)) == pytest.approx(
        (5 - np.sqrt(25 - GRAVITY)) / GRAVITY
    )
    assert time((0.5, 0.5, -0.6), (0.0, 0.0, 3.0)) == np.inf
    assert time((-0.5, 0.5, 0.5), (-1.0, 0.0, 0.0)) == np.inf


# Throws continued from mid-fall.


State = tuple[float, list[Motion], tuple[float, float]]


def states(pigs: Bench, releases: Releases, until: float) -> list[State]:
    """Time [s], motions and the leaf's angle and rate, at every check of a throw."""
    seen: list[State] = []
    with pigs.engine.scene(releases, 0) as (scene, limits):
        course = Course(scene, pigs.engine.body, RestRule(), limits)
        while course.time < until:
            leaf = scene.swing() if scene.is_swinging() else (TrapDoor().open_angle, 0.0)
            seen.append((course.time, course.motions(), leaf))
            course.advance()
    return seen


def two_on_the_leaf(pigs: Bench) -> Releases:
    stand = 0.25 - pigs.shape.hull.vertices[:, 2].min()
    row = [pigs.at((0.01, y, stand)) for y in (-0.025, 0.025)]
    return pigs.release(row, 0.25)


@pytest.mark.parametrize(
    ("cut", "tolerance"), [(0.02, 2e-4), (0.05, 2e-4), (0.1, 1e-12), (0.14, 1e-12), (0.2, 1e-9)]
)
def test_throw_continued_from_mid_fall_goes_on_as_if_never_stopped(
    cut: float, tolerance: float
) -> None:
    """For 20 ms: on the leaf to 0.1 mm and 1 rad/s, in the air exactly.

    Contacts begin anew: Bullet then finds a pig's four feet one by one, in as many steps.
    """
    pigs = bench(standard(), device=TrapDoor())
    seen = states(pigs, two_on_the_leaf(pigs), cut + 0.03)
    start = next(number for number, (time, *_) in enumerate(seen) if time >= cut)
    time, motions, leaf = seen[start]
    continued = pigs.release(motions, 0.25, leaf, time)
    for (at, now, swing), (later, expected, hung) in zip(
        states(pigs, continued, cut + 0.02), seen[start:], strict=False
    ):
        assert at == later
        np.testing.assert_allclose(swing, hung, atol=1e-9 + 50 * tolerance)
        for mine, other in zip(now, expected, strict=True):
            np.testing.assert_allclose(mine.position, other.position, atol=tolerance)
            np.testing.assert_allclose(mine.spin, other.spin, atol=1e-9 + 1e4 * tolerance)


def test_clock_of_a_continued_throw_runs_from_the_release() -> None:
    """A pig that lies still at 3 s came to rest then; one continued past max_time is given up."""
    pig = bench(standard())
    lying = pig.settle(pig.at((0.0, 0.0, 0.02)))
    still = pig.at(lying.translation[0, 0], lying.quat_xyzw[0, 0])
    end = pig.engine.settle(pig.release([still], 0.2, time=3.0))
    assert end.rest_time[0, 0] == pytest.approx(3.0, abs=0.02)
    late = pig.engine.settle(pig.release([still], 0.2, time=RestRule().max_time))
    assert late.status.tolist() == ["timed_out"]


# The course of a throw: who is stepped, who flies, who sleeps.


class Steps:
    """Counts the steps of a world and who was out of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps, self.parked = 0, set[int]()
        step, park, write = Scene.step, Scene.park, Scene.set_motion

        def count(scene: Scene) -> None:
            self.steps += 1
            step(scene)

        def leave(scene: Scene, pig: int) -> None:
            park(scene, pig)
            self.parked.add(pig)

        def come_back(scene: Scene, pig: int, motion: Motion) -> None:
            self.parked.discard(pig)
            write(scene, pig, motion)

        monkeypatch.setattr(Scene, "step", count)
        monkeypatch.setattr(Scene, "park", leave)
        monkeypatch.setattr(Scene, "set_motion", come_back)


ON_SIDE = Rotation.from_euler("x", -80, degrees=True).as_quat()


def test_pig_flies_exactly_beside_one_that_slides(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.15 m apart: the flyer is out of the world and where its own flight has brought it."""
    steps, pigs = Steps(monkeypatch), bench(standard())
    lying = pigs.settle(pigs.at((0.0, 0.0, 0.02), ON_SIDE))
    sliding = pigs.at(lying.translation[0, 0], lying.quat_xyzw[0, 0], velocity=(0.3, 0.0, 0.0))
    flying = pigs.at((0.0, 0.15, 0.2), velocity=(0.2, 0.1, 1.0), spin=(20.0, -15.0, 10.0))
    moments = pigs.engine.body.moments
    steps.steps = 0
    seen = pigs.follow([sliding, flying], 0.12, flying=True)
    assert steps.steps > 25  # for the one that slides
    assert steps.parked == {1}
    for time, (_, now) in seen:
        expected = fly(flying, moments, time)
        np.testing.assert_allclose(now.position, expected.position, atol=1e-9)
        np.testing.assert_allclose(now.spin, expected.spin, atol=1e-3)


def test_pig_at_rest_sleeps_until_another_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps its very bits while the other falls beside it; when that hits it, it moves."""
    steps, pigs = Steps(monkeypatch), bench(standard())
    lying = pigs.settle(pigs.at((0.0, 0.0, 0.02), ON_SIDE))
    resting = pigs.at(lying.translation[0, 0], lying.quat_xyzw[0, 0])
    for aside, is_hit in ((0.2, False), (0.0, True)):
        falling = replace(resting, position=(*np.add(resting.position[:2], (0.0, aside)), 1.5))
        seen = pigs.follow([resting, falling], 0.9, flying=True)
        slept = [now[0] for time, now in seen if 0.15 < time < 0.5]
        assert len({motion.position for motion in slept}) <= 1
        way = np.subtract(seen[-1][1][0].position, resting.position)
        assert (np.linalg.norm(way) > 0.002) == is_hit
        assert is_hit or 0 in steps.parked


def test_pigs_meet_in_a_course_as_they_do_step_by_step() -> None:
    """Head on at 2 m/s, falling side by side; the time of the first blow agrees to a check."""
    pigs = bench(standard())
    start = [pigs.at((x, 0.0, 1.0), velocity=(-np.sign(x), 0.0, 0.0)) for x in (-0.1, 0.1)]

    def is_hit(now: list[Motion]) -> bool:
        return now[0].velocity[0] < 0.99

    moments = [pigs.follow(start, 0.2, flying=way, until=is_hit)[-1] for way in (True, False)]
    (flown, after), (stepped, _) = moments
    assert is_hit(after)
    assert flown == pytest.approx(stepped, abs=0.006)


# Throws that end when they are decided.


EARLY = RestRule(ends_when_decided=True)


def test_throw_ended_when_decided_ends_in_the_same_position(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """60 drops: every position the same, in 56 steps a throw in place of 98; laid exactly."""
    steps, dropped = Steps(monkeypatch), configure(device="drop", pigs=1, seed=5)
    late = Thrower(dropped).throw(range(60))
    whole, steps.steps = steps.steps, 0
    early = Thrower(replace(dropped, rest=EARLY)).throw(range(60))
    assert steps.steps < 0.75 * whole
    assert early.position.tolist() == late.position.tolist()
    assert (early.rest_time <= late.rest_time).all()
    assert early.margin.max() > 0.0
    downs = [
        (pose.down, pose.height)
        for pose in stable_poses(dropped.pig.shape, dropped.pig.mass_properties.center_of_mass)
    ]
    center = dropped.pig.mass_properties.center_of_mass
    for translation, quat in zip(early.translation[:, 0], early.quat_xyzw[:, 0], strict=True):
        turn = Rotation.from_quat(quat).as_matrix()
        height = (translation + turn @ center)[2]
        assert any(
            angle(-turn[2], down) < 1e-6 and height == pytest.approx(pose_height, abs=1e-9)
            for down, pose_height in downs
        )


def number_of(pig: Bench, pose: StablePose) -> int:
    poses = stable_poses(pig.shape, pig.mass_properties.center_of_mass)
    return next(number for number, each in enumerate(poses) if (each.down == pose.down).all())


def test_laying_keeps_place_and_heading() -> None:
    pig = bench(standard(), rest=EARLY)
    basins = pig.engine._basins
    for pose, start in rocked(pig):
        laid = basins.lay(start, number_of(pig, pose))
        assert laid.position[:2] == start.position[:2]
        assert angle(down_of(pig, laid), pose.down) < 1e-7
        turned = state(pig, laid)[1] * state(pig, start)[1].inv()
        assert abs(turned.as_rotvec()[2]) < 1e-9


def test_pig_is_decided_only_below_its_barrier() -> None:
    """What drives a pig out of the table counts: without it 5 of 2,000 drops ended wrong."""
    pig = bench(standard(), rest=EARLY)
    basins = pig.engine._basins
    for pose, start in rocked(pig):
        lift = pose.barrier - 3e-5
        if start.position[2] < lift:  # not so tilted that it may roll on
            assert basins.pose_of(start, lift) == number_of(pig, pose)
            x, y, z = start.position
            sunk = replace(start, position=(x, y, z - 5e-5))
            assert basins.pose_of(sunk, lift) is None
        assert basins.pose_of(start, pose.barrier) is None


def test_crest_is_the_greatest_height_on_the_way() -> None:
    pig = bench(standard(), rest=EARLY)
    basins, vertices = pig.engine._basins, pig.engine.body.vertices
    for start, end in np.random.default_rng(2).standard_normal((20, 2, 3)):
        start, end = start / np.linalg.norm(start), end / np.linalg.norm(end)
        turn = angle(start, end)
        way = [
            (np.sin((1 - t) * turn) * start + np.sin(t * turn) * end) / np.sin(turn)
            for t in np.linspace(0.0, 1.0, 400)
        ]
        highest = max((vertices @ down).max() for down in way)
        assert basins._crest(start, end) == pytest.approx(highest, abs=1e-6)


@pytest.mark.parametrize(("gap", "is_early"), [(0.045, False), (0.3, True)])
def test_pigs_that_may_still_meet_run_to_rest(gap: float, is_early: bool) -> None:
    """Two bricks slide at 0.2 m/s, 3.4 mm to go; near each other they are not laid."""
    ends = []
    for rest in (RestRule(), EARLY):
        bricks = bench(solid(Cuboid((0.02, 0.02, 0.006)).surface()), rest=rest)
        start = [
            bricks.at((x, 0.0, 0.00301), velocity=(0.2, 0.0, 0.0)) for x in (-gap / 2, gap / 2)
        ]
        ends.append(bricks.engine.settle(bricks.release(start, 0.1)))
    late, early = ends
    assert late.status.tolist() == early.status.tolist() == [AT_REST]
    assert (early.rest_time < late.rest_time).all() == is_early
    assert (early.translation.tobytes() == late.translation.tobytes()) != is_early


# Convergence.


def drop_counts(throws: int, **knobs: Any) -> np.ndarray:
    dropped = replace(configure(device="drop", pigs=1, seed=21), engine=BulletSettings(**knobs))
    positions = Thrower(dropped).throw(range(throws)).position
    names = ("side_no_dot", "side_dot", "razorback", "trotter")
    counts = [(positions == name).sum() for name in names]
    return np.array([*counts, throws - sum(counts)])


@pytest.mark.long
@pytest.mark.parametrize(
    "knobs", [{"time_step": 1 / 2048}, {"solver_iterations": 100}, {"clearance": 0.002}]
)
def test_finer_numbers_move_frequencies_less_than_chance(knobs: dict[str, Any]) -> None:
    """Two samples of 3,000 drops; false alarms 1 in 1,000."""
    table = np.array([drop_counts(3000), drop_counts(3000, **knobs)])
    assert chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-3


# What is refused.


@pytest.mark.parametrize("knob", [field.name for field in fields(BulletSettings)])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_settings_that_cannot_be_are_refused(knob: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"engine {knob} must be above 0"):
        BulletSettings(**{knob: value})


def test_heavier_pigs_do_not_fall_faster() -> None:
    """Ten times the mass and inertia: bitwise nearly the same throw, to 1e-6 m."""
    shape, properties = standard()
    heavy = replace(properties, mass=10 * properties.mass, inertia=10 * properties.inertia)
    light_pig, heavy_pig = bench((shape, properties)), bench((shape, heavy))
    for quat in orientations(4, seed=8):
        ends = [p.last(start_of(p, quat), 0.12).position for p in (light_pig, heavy_pig)]
        np.testing.assert_allclose(*ends, atol=1e-6)


def test_falling_leaf_does_not_pull_a_pig_down() -> None:
    """A pig on the leaf never falls faster than freely, but for what a tilting leaf pulls."""
    pig = bench(standard(), device=TrapDoor())
    stand = pig.at((0.02, 0.0, 0.5 - standard()[0].hull.vertices[:, 2].min()))
    for time, (now,) in pig.follow([stand], 0.15, height=0.5):
        assert stand.position[2] - now.position[2] <= GRAVITY * time**2 / 2 * 1.05 + 2e-4


def test_rest_needs_both_slowness_and_spinlessness() -> None:
    """A cube spinning on the spot is not at rest before friction has stopped it."""
    contact = Contact(pig_table=PairContact(0.01, 0.05), bounce_speed=1.0)
    cube = bench(CUBE, contact=contact, rest=RestRule(max_time=5.0))
    spinning = cube.at((0.0, 0.0, 0.00601), spin=(0.0, 0.0, 40.0))
    still = cube.at((0.0, 0.0, 0.00601))
    ends = [cube.settle(start, height=0.2) for start in (still, spinning)]
    assert [str(end.status[0]) for end in ends] == [AT_REST, AT_REST]
    assert ends[0].rest_time[0, 0] < 0.05
    assert ends[1].rest_time[0, 0] > 0.2
