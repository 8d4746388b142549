"""Distances between convex bodies against closed forms; Oinker and Piggyback built by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import lowest, orientations, solid, standard, turned_by

from meshes.shape import ConvexPart, Shape
from meshes.solids import Cuboid
from sim.touch import (
    CARRIED_HEIGHT,
    TOUCHING_DISTANCE,
    TouchJudge,
    TouchRule,
    are_parted,
    convex_distance,
)

BOX = Cuboid((0.02, 0.014, 0.008)).surface().vertices
CUBE = solid(Cuboid((0.01, 0.01, 0.01)).surface())[0]
PIG = standard()[0]
NO_TURN = (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("shift", "distance"),
    [
        ((0.025, 0.003, 0.002), 0.005),  # face to face, overlapping sideways
        ((0.0, -0.015, 0.0), 0.001),
        ((0.023, 0.018, 0.001), np.hypot(0.003, 0.004)),  # edge to edge
        ((-0.02, 0.002, 0.009), np.hypot(0.0, 0.001)),
        ((0.022, 0.017, -0.014), np.sqrt(0.002**2 + 0.003**2 + 0.006**2)),  # corner to corner
        ((0.02, 0.0, 0.0), 0.0),  # faces meet
        ((0.02, 0.014, 0.008), 0.0),  # corners meet
        ((0.01, 0.004, 0.002), 0.0),  # overlap
        ((0.0, 0.0, 0.0), 0.0),  # the same place
    ],
)
def test_distance_between_boxes(shift: tuple[float, float, float], distance: float) -> None:
    for sign in (1, -1):
        assert convex_distance(BOX, BOX + sign * np.array(shift)) == pytest.approx(
            distance, rel=1e-9, abs=1e-12
        )


def test_distance_from_a_corner_to_a_face() -> None:
    """A box stood on its corner over a face that is far larger."""
    plate = Cuboid((0.2, 0.2, 0.002)).surface().vertices
    for quat in orientations(10, seed=1):
        turned = turned_by(Rotation.from_quat(quat), BOX)
        over = turned + np.array((0.0, 0.0, 0.0047 - turned[:, 2].min()))
        assert convex_distance(plate, over) == pytest.approx(0.0037, rel=1e-9)


def test_distance_between_crossed_edges() -> None:
    """Two bars turned by 45 degrees about their axes, one along x, one along y."""
    bar = Cuboid((0.1, 0.01, 0.01)).surface().vertices
    along_x = turned_by(Rotation.from_euler("x", 45, degrees=True), bar)
    along_y = turned_by(Rotation.from_euler("z", 90, degrees=True), along_x)
    apart = 0.01 * np.sqrt(2) + 0.0042
    over = along_y + np.array((0.003, 0.002, apart))
    assert convex_distance(along_x, over) == pytest.approx(0.0042)


def clouds(seed: int, count: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(count, 3)) * 0.01
    return ConvexPart.from_points("cloud", points).vertices


seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(4, 30), st.floats(1e-5, 0.1))
def test_body_and_its_mirror_image_are_twice_the_gap_apart(
    seed: int, count: int, gap: float
) -> None:
    """The corner nearest to the mirror and its image are the nearest points: exact."""
    points = clouds(seed, count)
    normal = orientations(1, seed)[0][:3]
    normal /= np.linalg.norm(normal)
    heights = points @ normal
    mirrored = points - 2 * np.outer(heights - heights.max() - gap, normal)
    assert convex_distance(points, mirrored) == pytest.approx(2 * gap, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(seeds, seeds, st.floats(1e-4, 0.1))
def test_distance_lies_between_a_separating_plane_and_the_nearest_corners(
    one: int, other: int, gap: float
) -> None:
    a, b = clouds(one, 12), clouds(other, 15)
    normal = orientations(1, one ^ other)[0][:3]
    normal /= np.linalg.norm(normal)
    b = b + normal * ((a @ normal).max() - (b @ normal).min() + gap)
    distance = convex_distance(a, b)
    nearest = np.linalg.norm(a[:, None] - b[None, :], axis=2).min()
    assert gap * (1 - 1e-9) <= distance <= nearest * (1 + 1e-9)
    assert convex_distance(b, a) == pytest.approx(distance, rel=1e-7)


@settings(max_examples=60, deadline=None)
@given(seeds, seeds)
def test_bodies_that_share_a_point_inside_are_no_distance_apart(one: int, other: int) -> None:
    a, b = clouds(one, 12), clouds(other, 12)
    assert convex_distance(a - a.mean(axis=0), b - b.mean(axis=0)) == 0.0


def row(*gaps: float) -> np.ndarray:
    """Cubes of 10 mm standing in a row, with gaps [m] between them."""
    x = np.concatenate(([0.0], np.cumsum(0.01 + np.array(gaps))))
    return np.column_stack((x, np.zeros(len(x)), np.full(len(x), 0.005)))


def judged(shape: Shape, translation: np.ndarray, quats: np.ndarray | None = None) -> list[str]:
    turns = np.tile(NO_TURN, (len(translation), 1)) if quats is None else quats
    touch = TouchJudge(shape).judge(np.array(translation), np.array(turns))
    return [str(each) for each in touch]


@pytest.mark.parametrize(
    ("gap", "touch"),
    [
        (TOUCHING_DISTANCE + 1e-7, "none"),
        (TOUCHING_DISTANCE - 1e-7, "oinker"),
        (0.0, "oinker"),
        (-1e-5, "oinker"),
    ],
)
def test_touch_begins_at_the_touching_distance(gap: float, touch: str) -> None:
    assert judged(CUBE, row(gap)) == [touch, touch]


@pytest.mark.parametrize(
    ("lift", "touch"), [(CARRIED_HEIGHT + 1e-7, "piggyback"), (CARRIED_HEIGHT - 1e-7, "oinker")]
)
def test_pig_is_carried_from_the_carried_height_on(lift: float, touch: str) -> None:
    cubes = row(0.0)
    cubes[1, 2] += lift
    assert judged(CUBE, cubes) == [touch, touch]
    assert judged(CUBE, cubes[::-1]) == [touch, touch]


def test_rule_moves_the_thresholds() -> None:
    """Every knob of the rule matters: wider reach makes a touch, a higher bar no piggyback."""
    cubes, turns = row(0.0005), np.tile(NO_TURN, (2, 1))
    far = TouchJudge(CUBE, TouchRule(distance=0.001)).judge(cubes, turns)
    assert far.tolist() == ["oinker", "oinker"]
    cubes = row(0.0)
    cubes[1, 2] += 2 * CARRIED_HEIGHT
    low = TouchJudge(CUBE, TouchRule(carried_height=3 * CARRIED_HEIGHT)).judge(cubes, turns)
    assert low.tolist() == ["oinker", "oinker"]


@pytest.mark.parametrize("name", ["distance", "carried_height"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_rule_without_a_threshold_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"touch {name} must be above 0, got"):
        TouchRule(**{name: value})


def test_lifted_pig_that_touches_none_is_not_carried() -> None:
    cubes = row(0.001)
    cubes[1, 2] += 0.01
    assert judged(CUBE, cubes) == ["none", "none"]


def test_eight_pigs() -> None:
    """Two that touch, one alone, a stack of two with one more against its foot, two apart."""
    near, far = TOUCHING_DISTANCE / 2, 0.003
    cubes = row(near, far, far, near, far, far)
    cubes = np.vstack((cubes, cubes[3] + np.array((-0.0015, 0.0, 0.01))))
    expected = ["oinker", "oinker", "none", "piggyback", "oinker", "none", "none", "piggyback"]
    assert judged(CUBE, cubes) == expected
    order = np.random.default_rng(1).permutation(8)
    assert judged(CUBE, cubes[order]) == [expected[i] for i in order]


def test_one_pig_touches_nobody() -> None:
    assert judged(PIG, np.zeros((1, 3))) == ["none"]


def side_by_side(gap: float) -> np.ndarray:
    """Two standing pigs whose flanks' bounds are a gap apart along y."""
    y = PIG.hull.vertices[:, 1]
    return np.array([(0.0, 0.0, 0.0), (0.0, y.max() - y.min() + gap, 0.0)])


def test_standing_pigs_apart_and_ear_to_ear() -> None:
    """Ear tips are the widest points: 0.1 mm between bounds is 0.1 mm or more between pigs."""
    assert judged(PIG, side_by_side(0.002)) == ["none", "none"]
    assert judged(PIG, side_by_side(-0.001)) == ["oinker", "oinker"]


def test_pigs_whose_hulls_overlap_but_not_their_parts_do_not_touch() -> None:
    """The second pig's snout under the first one's belly level: hulls are no measure of touch."""
    turned = Rotation.from_euler("z", 180, degrees=True).as_quat()
    found_apart = False
    for x in np.arange(0.030, 0.020, -0.0005):
        translation = np.array([(0.0, 0.0, 0.0), (x, 0.0125, 0.0)])
        quats = np.array([NO_TURN, turned])
        hulls = convex_distance(
            PIG.hull.vertices,
            turned_by(Rotation.from_quat(turned), PIG.hull.vertices) + translation[1],
        )
        if hulls == 0.0 and judged(PIG, translation, quats) == ["none", "none"]:
            found_apart = True
    assert found_apart


@pytest.mark.parametrize("yaw", [0.0, 90.0, 200.0])
def test_pig_set_down_on_a_pig_is_a_piggyback(yaw: float) -> None:
    """Lowered upright onto the other's back: carried from 0.1 mm on, by the distance of parts."""
    turn = Rotation.from_euler("z", yaw, degrees=True)
    quats = np.array([NO_TURN, turn.as_quat()])

    def touch(z: float) -> list[str]:
        return judged(PIG, np.array([(0.0, 0.0, 0.0), (0.0, 0.0, z)]), quats)

    low, high = 0.010, 0.04
    assert touch(high) == ["none", "none"]
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if touch(middle) == ["none", "none"] else (middle, high)
    assert touch(low) == ["piggyback", "piggyback"]
    apart = min(
        convex_distance(a.vertices, turned_by(turn, b.vertices) + np.array((0.0, 0.0, high)))
        for a in PIG.parts
        for b in PIG.parts
    )
    assert apart == pytest.approx(TOUCHING_DISTANCE, abs=5e-6)


@settings(max_examples=10, deadline=None)
@given(seeds, st.floats(-np.pi, np.pi), st.floats(-5, 5), st.floats(-5, 5))
def test_yaw_and_translation_of_the_table_change_nothing(
    seed: int, yaw: float, x: float, y: float
) -> None:
    quats = orientations(3, seed)
    rng = np.random.default_rng(seed)
    translation = np.column_stack((rng.uniform(-0.02, 0.02, (3, 2)), np.zeros(3)))
    translation[:, 2] = [-lowest(PIG, quat) for quat in quats]
    turn = Rotation.from_euler("z", yaw)
    moved = turn.apply(translation) + np.array((x, y, 0.0))
    turned = (turn * Rotation.from_quat(quats)).as_quat()
    assert judged(PIG, moved, turned) == judged(PIG, translation, quats)


def test_throws_judged_together_are_judged_as_one_by_one() -> None:
    """200 throws of three pigs, from far apart to touching."""
    rng = np.random.default_rng(7)
    judge, lying = TouchJudge(CUBE), orientations(600, 8).reshape(200, 3, 4)
    places = rng.uniform(-1.0, 1.0, (200, 3, 3)) * rng.uniform(0.005, 0.1, (200, 1, 1))
    together = judge.judge_all(places, lying)
    one_by_one = [judge.judge(*throw) for throw in zip(places, lying, strict=True)]
    np.testing.assert_array_equal(together, one_by_one)
    assert 20 < (together != "none").any(axis=1).sum() < 180


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_bodies_shown_to_be_parted_are(seed: int) -> None:
    """Never by their distance or more, nor if they overlap."""
    rng = np.random.default_rng(seed)
    shift = rng.standard_normal(3) * 0.02
    a, b = (rng.standard_normal((n, 3)) * 0.005 for n in (30, 20))
    b += shift
    distance = convex_distance(a, b)
    assert not are_parted(a, b, distance * (1 + 1e-6))
    assert not are_parted(a, a + 1e-4, 0.0)


def test_most_bodies_apart_are_shown_to_be_parted() -> None:
    rng = np.random.default_rng(3)
    shown = []
    for _ in range(200):
        a, b = (rng.standard_normal((n, 3)) * 0.005 for n in (30, 20))
        b += rng.standard_normal(3) * 0.02
        distance = convex_distance(a, b)
        if distance > 0.0:
            shown.append(are_parted(a, b, 0.9 * distance))
    assert np.mean(shown) > 0.9  # 0.94
