"""Positions by their carrying parts: the rulebook's table, mirror images, and invariances."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import orientations, standard

from meshes.density import uniform
from meshes.shape import ConvexPart, Shape
from meshes.stable import stable_poses
from sim.position import (
    OTHER,
    POSITIONS,
    RESTING_ANGLE,
    PositionNamer,
    down_in_pig,
    name_pose,
)

BELLY, BACK, LEFT, RIGHT, NOSE = np.array(
    [(0, 0, -1), (0, 0, 1), (0, 1, 0), (0, -1, 0), (1, 0, 0)], float
)
FEET = ("front_foot_left", "front_foot_right", "hind_foot_left", "hind_foot_right")


def leaning(*parts: float) -> np.ndarray:
    return np.array(parts) / np.linalg.norm(parts)


@pytest.mark.parametrize(
    ("position", "carrying", "down"),
    [
        ("trotter", FEET, BELLY),
        ("snouter", ("snout", "front_foot_left", "front_foot_right"), leaning(0.86, 0, -0.5)),
        ("leaning_jowler", ("snout", "ear_left", "front_foot_left"), leaning(0.7, 0.7, -0.1)),
        ("leaning_jowler", ("snout", "ear_right", "front_foot_right"), leaning(0.7, -0.7, -0.1)),
        ("leaning_jowler", ("head", "ear_left", "front_foot_left"), leaning(0.7, 0.7, -0.1)),
        ("side_dot", ("ear_left", "front_foot_left", "hind_foot_left"), LEFT),
        ("side_dot", ("body", "front_foot_left", "hind_foot_left"), LEFT),
        ("side_dot", ("body", "ear_left", "hind_foot_left"), leaning(-0.2, 0.9, 0.2)),
        ("side_no_dot", ("ear_right", "front_foot_right", "hind_foot_right"), RIGHT),
        ("side_no_dot", ("body", "hind_foot_right"), RIGHT),
        ("razorback", ("body", "ear_left", "ear_right"), BACK),
        ("razorback", ("body",), leaning(0.2, 0.3, 0.9)),
        ("other", ("body", "ear_left"), leaning(-0.5, 0.75, 0.4)),
        ("other", ("snout", "ear_left"), leaning(0.85, 0.3, 0.4)),
        ("other", FEET[:3], BELLY),
        ("other", ("snout", *FEET), NOSE),
        ("other", ("body", "hind_foot_left", "hind_foot_right"), leaning(-0.9, 0, -0.4)),
        ("other", ("body", "ear_left", "ear_right"), LEFT),
        ("other", ("body", "snout"), BACK),
        ("other", ("ear_left", "front_foot_left", "hind_foot_left", "tail_tip"), BACK),
        ("other", ("front_foot_left", "hind_foot_left", "ear_right"), LEFT),
        ("other", (), BELLY),
    ],
)
def test_rulebook(position: str, carrying: tuple[str, ...], down: np.ndarray) -> None:
    assert name_pose(carrying, down) == position
    swapped = {"side_dot": "side_no_dot", "side_no_dot": "side_dot"}
    assert name_pose(mirrored(carrying), down * (1, -1, 1)) == swapped.get(position, position)


def mirrored(carrying: tuple[str, ...]) -> tuple[str, ...]:
    swap = {"_left": "_right", "_right": "_left"}
    return tuple(
        next((name.removesuffix(a) + b for a, b in swap.items() if name.endswith(a)), name)
        for name in carrying
    )


PARTS = ("body", "head", "snout", "ear_left", "ear_right", *FEET)
SUBSETS = [subset for size in range(len(PARTS) + 1) for subset in combinations(PARTS, size)]
DOWNS = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)], float) - 1
DOWNS = np.vstack((DOWNS, DOWNS * (1.0, 0.7, 0.4), DOWNS * (0.3, 0.6, 1.0)))
DOWNS /= np.linalg.norm(DOWNS, axis=1, keepdims=True)


def test_every_subset_of_parts_has_one_name_that_its_mirror_image_mirrors() -> None:
    """512 subsets, 78 directions: no rule comes first by left and right, all names are known."""
    swapped = {"side_dot": "side_no_dot", "side_no_dot": "side_dot"}
    seen = set()
    for subset in SUBSETS:
        image = mirrored(subset)
        for down in DOWNS:
            name = name_pose(subset, down)
            seen.add(name)
            assert name_pose(image, down * (1, -1, 1)) == swapped.get(name, name), (subset, down)
    assert seen == set(POSITIONS)


def test_order_of_the_parts_does_not_matter() -> None:
    for subset in SUBSETS[:: len(SUBSETS) // 40]:
        for down in DOWNS[::7]:
            names = {name_pose(order, down) for order in list(permutations(subset))[:24]}
            assert len(names) == 1


def test_only_feet_of_one_side_make_a_side() -> None:
    """What shows the dot: some foot of the left side, no part of the right, left flank down."""
    for subset in SUBSETS:
        for down in DOWNS:
            if name_pose(subset, down) == "side_dot":
                assert set(subset) & {"front_foot_left", "hind_foot_left"}
                assert not any(part.endswith("_right") for part in subset)
                assert down[1] > 0, (subset, down)


# The standard pig and its mirror image.


def stable_names(shape: Shape) -> list[tuple[str, float]]:
    center = uniform(shape.surface, 1100.0).center_of_mass
    poses = stable_poses(shape, center)
    return sorted((name_pose(p.carrying, p.down), p.probability) for p in poses)


def test_standard_pig_can_rest_in_all_six_positions_and_lean_on_either_jowl() -> None:
    shape, properties = standard()
    poses = stable_poses(shape, properties.center_of_mass)
    named = [(name_pose(pose.carrying, pose.down), pose) for pose in poses]
    assert {name for name, _ in named} >= set(POSITIONS) - {OTHER}
    jowls = {
        side
        for name, pose in named
        for side in ("left", "right")
        if name == "leaning_jowler" and {f"ear_{side}", f"front_foot_{side}"} <= set(pose.carrying)
    }
    assert jowls == {"left", "right"}


def test_dot_is_down_on_the_right_side_and_up_on_the_left() -> None:
    shape, properties = standard()
    assert shape.dot is not None
    for pose in stable_poses(shape, properties.center_of_mass):
        toward_table = float(shape.dot.normal @ pose.down)
        if name_pose(pose.carrying, pose.down) == "side_dot":
            assert toward_table < -0.5
        if name_pose(pose.carrying, pose.down) == "side_no_dot":
            assert toward_table > 0.5


def test_mirrored_pig_swaps_its_sides() -> None:
    shape, _ = standard()
    parts = [
        ConvexPart(mirrored((part.name,))[0], part.vertices * (1, -1, 1)) for part in shape.parts
    ]
    image = stable_names(Shape.from_parts("mirrored", parts))
    swapped = {"side_dot": "side_no_dot", "side_no_dot": "side_dot"}
    expected = sorted((swapped.get(name, name), share) for name, share in stable_names(shape))
    assert [name for name, _ in image] == [name for name, _ in expected]
    np.testing.assert_allclose([s for _, s in image], [s for _, s in expected], atol=1e-6)


# Resting orientations.


POSES = stable_poses(standard()[0], standard()[1].center_of_mass)
NAMER = PositionNamer(POSES)


def resting_in(down: np.ndarray, yaw: float = 0.0, tilt: float = 0.0) -> np.ndarray:
    """Orientation quat_xyzw with `down` at the table, then turned and tilted [rad]."""
    lay = Rotation.align_vectors([(0.0, 0.0, -1.0)], [down])[0]
    turn = Rotation.from_euler("z", yaw)
    return (Rotation.from_rotvec((tilt, 0.0, 0.0)) * turn * lay).as_quat()


def test_each_stable_pose_has_its_own_name_and_the_angle_to_the_next_as_margin() -> None:
    downs = np.array([pose.down for pose in POSES])
    names, margins = NAMER.name(np.array([resting_in(down) for down in downs]))
    angles = np.arccos(np.clip(downs @ downs.T, -1, 1))
    for i, pose in enumerate(POSES):
        assert names[i] == name_pose(pose.carrying, pose.down)
        unlike = NAMER.names != NAMER.names[i]
        assert margins[i] == pytest.approx(angles[i, unlike].min(), abs=1e-6)


@pytest.mark.parametrize(("factor", "is_named"), [(0.99, True), (1.01, False)])
def test_pig_tilted_past_the_resting_angle_rests_in_no_pose(factor: float, is_named: bool) -> None:
    """From every stable pose, tilted in eight directions."""
    for pose in POSES:
        turns = np.array(
            [resting_in(pose.down, yaw, factor * RESTING_ANGLE) for yaw in np.arange(8) * np.pi / 4]
        )
        to_others = np.arccos(
            np.clip(down_in_pig(turns) @ np.array([p.down for p in POSES]).T, -1, 1)
        )
        clear = np.sort(to_others, axis=1)[:, 1] > 1.5 * RESTING_ANGLE
        names, margins = NAMER.name(turns[clear])
        own = name_pose(pose.carrying, pose.down)
        assert clear.any()
        assert set(names) == ({own} if is_named else {OTHER})
        assert ((margins > 0) == is_named).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-np.pi, np.pi))
def test_yaw_changes_neither_name_nor_margin(seed: int, yaw: float) -> None:
    near = [resting_in(pose.down, tilt=0.02) for pose in POSES]
    quats = Rotation.from_quat(np.vstack((near, orientations(10, seed))))
    turned = Rotation.from_euler("z", yaw) * quats
    before, after = NAMER.name(quats.as_quat()), NAMER.name(turned.as_quat())
    assert (before[0] == after[0]).all()
    np.testing.assert_allclose(before[1], after[1], atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_down_is_the_direction_that_the_orientation_takes_to_the_table(seed: int) -> None:
    quats = orientations(5, seed)
    back = Rotation.from_quat(quats).apply(down_in_pig(quats))
    np.testing.assert_allclose(back, np.tile((0.0, 0.0, -1.0), (5, 1)), atol=1e-12)
