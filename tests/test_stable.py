"""Stable poses against solid angles in closed form, and against an independent implementation."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from workbench import orientations, solid, standard, turned_by

from meshes.shape import ConvexPart, Shape
from meshes.solids import Cuboid, Cylinder
from meshes.stable import StablePose, stable_poses

FloatArray = np.ndarray


def hull_of(points: FloatArray) -> Shape:
    return Shape.from_parts("hull", [ConvexPart.from_points("hull", points)])


def solid_angle(a: float, b: float, distance: float) -> float:
    """Of a rectangle a x b [m] seen from above one of its corners [sr]; signed like a and b."""
    return float(np.arctan(a * b / (distance * np.sqrt(a * a + b * b + distance * distance))))


def face_share(sides: FloatArray, center: FloatArray, axis: int, sign: int) -> float:
    """Share of all directions from a point in a box that pass one of its faces."""
    distance = sides[axis] / 2 - sign * center[axis]
    u, v = (k for k in range(3) if k != axis)
    total = sum(
        solid_angle(sides[u] / 2 - s * center[u], sides[v] / 2 - t * center[v], distance)
        for s in (1, -1)
        for t in (1, -1)
    )
    return total / (4 * np.pi)


@dataclass(frozen=True)
class Expected:
    probability: float
    height: float


def expected_faces(sides: FloatArray, center: FloatArray) -> dict[tuple[int, int], Expected]:
    return {
        (axis, sign): Expected(
            face_share(sides, center, axis, sign), sides[axis] / 2 - sign * center[axis]
        )
        for axis in range(3)
        for sign in (1, -1)
    }


def face_of(pose: StablePose) -> tuple[int, int]:
    axis = int(np.abs(pose.down).argmax())
    np.testing.assert_allclose(np.abs(pose.down), np.eye(3)[axis], atol=1e-12)
    return axis, int(np.sign(pose.down[axis]))


fractions = st.floats(-0.8, 0.8)


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.floats(0.005, 0.05)] * 3), st.tuples(fractions, fractions, fractions))
def test_box_loaded_anywhere_rests_on_each_face_as_its_solid_angle(
    sides: tuple[float, float, float], offset: tuple[float, float, float]
) -> None:
    """Every face holds the foot of a center inside the box, so no roll: exact to 1e-9."""
    size = np.array(sides)
    center = np.array(offset) * size / 2
    found = {
        face_of(pose): pose for pose in stable_poses(solid(Cuboid(sides).surface())[0], center)
    }
    expected = expected_faces(size, center)
    assert set(found) == set(expected)
    for face, pose in found.items():
        assert pose.probability == pytest.approx(expected[face].probability, abs=1e-9)
        assert pose.height == pytest.approx(expected[face].height, rel=1e-9)
        assert len(pose.support) == 4
        np.testing.assert_allclose(pose.support @ pose.down, size[face[0]] / 2, rtol=1e-9)


def test_cube_rests_on_each_face_one_time_in_six() -> None:
    cube = solid(Cuboid((0.01, 0.01, 0.01)).surface())[0]
    poses = stable_poses(cube, np.zeros(3))
    assert [pose.probability for pose in poses] == pytest.approx([1 / 6] * 6, abs=1e-12)


def test_regular_tetrahedron_rests_on_each_face_one_time_in_four() -> None:
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) * 0.01
    poses = stable_poses(hull_of(corners), np.zeros(3))
    assert [pose.probability for pose in poses] == pytest.approx([0.25] * 4, abs=1e-12)
    assert [pose.height for pose in poses] == pytest.approx([0.01 / np.sqrt(3)] * 4)


def test_oblique_prism_rolls_off_the_ends_that_do_not_hold_it() -> None:
    """A bar cut aslant: the foot of its center misses both ends, whose share goes to the sides."""
    base = Cuboid((0.01, 0.01, 0.02)).surface().vertices
    sheared = base + np.outer(base[:, 2], (1.2, 0.0, 0.0))
    poses = stable_poses(hull_of(sheared), np.zeros(3))
    assert len(poses) == 4
    assert all(abs(pose.down[2]) < 0.9 for pose in poses)
    assert sum(pose.probability for pose in poses) == pytest.approx(1.0, abs=1e-12)
    straight = base + np.outer(base[:, 2], (0.45, 0.0, 0.0))  # the foot is within the end: holds
    assert len(stable_poses(hull_of(straight), np.zeros(3))) == 6


def test_unstable_face_gives_its_share_to_the_side_it_leans_over() -> None:
    """A sheared bar: upright sides keep the directions through them, leaning ones get the ends'.

    Directions through a side by Monte Carlo: one sigma is 0.0008.
    """
    base = Cuboid((0.01, 0.01, 0.02)).surface().vertices
    sheared = base + np.outer(base[:, 2], (1.2, 0.0, 0.0))
    shares = {
        tuple(np.sign(np.round(pose.down, 6)).astype(int)): pose.probability
        for pose in stable_poses(hull_of(sheared), np.zeros(3))
    }
    way = np.random.default_rng(1).normal(size=(300_000, 3))
    x, _, z = np.moveaxis(0.005 * way / np.abs(way[:, 1:2]), 1, 0)
    upright = ((np.abs(z) < 0.01) & (np.abs(x - 1.2 * z) < 0.005)).mean() / 2
    for side in ((0, 1, 0), (0, -1, 0)):
        assert shares[side] == pytest.approx(upright, abs=0.004)
    for side in ((1, 0, -1), (-1, 0, 1)):
        assert shares[side] == pytest.approx(0.5 - upright, abs=0.004)


@pytest.mark.parametrize("outside", [0.0, 1e-6, 0.01])
def test_center_of_mass_outside_is_refused(outside: float) -> None:
    cube = solid(Cuboid((0.01, 0.01, 0.01)).surface())[0]
    with pytest.raises(ValueError, match="expected a point inside the convex hull"):
        stable_poses(cube, np.array((0.005 + outside, 0.0, 0.0)))


def clouds(seed: int, count: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(count, 3)) * 0.01


def center_within(points: FloatArray, seed: int) -> FloatArray:
    return np.random.default_rng(seed + 1).dirichlet(np.ones(len(points))) @ points


clouds_given = given(st.integers(0, 2**31), st.integers(5, 40))


@settings(max_examples=60, deadline=None)
@clouds_given
def test_any_hull_has_poses_that_hold_it_and_share_all_orientations(seed: int, count: int) -> None:
    points = clouds(seed, count)
    center = center_within(points, seed)
    poses = stable_poses(hull_of(points), center)
    assert sum(pose.probability for pose in poses) == pytest.approx(1.0, abs=1e-9)
    assert [p.probability for p in poses] == sorted((p.probability for p in poses), reverse=True)
    for pose in poses:
        assert np.linalg.norm(pose.down) == pytest.approx(1.0)
        depth = points @ pose.down
        assert depth.max() - center @ pose.down == pytest.approx(pose.height, rel=1e-9)
        np.testing.assert_allclose(pose.support @ pose.down, depth.max(), atol=1e-12)
        foot = center + pose.height * pose.down
        for a, b in zip(*edges_of(pose), strict=True):
            assert np.cross(b - a, foot - a) @ pose.down >= -1e-12


def edges_of(pose: StablePose) -> tuple[FloatArray, FloatArray]:
    """Directed edges of the support, counterclockwise about the pose's own down."""
    middle = pose.support.mean(axis=0)
    x = pose.support[0] - middle
    x /= np.linalg.norm(x)
    y = np.cross(pose.down, x)
    angles = np.arctan2((pose.support - middle) @ y, (pose.support - middle) @ x)
    ordered = pose.support[np.argsort(angles)]
    return ordered, np.roll(ordered, -1, axis=0)


@settings(max_examples=40, deadline=None)
@clouds_given
def test_facet_nearest_to_the_center_of_mass_is_among_them(seed: int, count: int) -> None:
    """A body can always rest on the facet nearest to its center of mass."""
    points = clouds(seed, count)
    center = center_within(points, seed)
    shape = hull_of(points)
    a, b, c = np.moveaxis(shape.hull.triangles, 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    nearest = np.einsum("ij,ij->i", normals, a - center).min()
    poses = stable_poses(shape, center)
    assert min(pose.height for pose in poses) == pytest.approx(nearest, rel=1e-9)


@settings(max_examples=30, deadline=None)
@clouds_given
def test_turning_moving_and_scaling_the_frame_changes_nothing(seed: int, count: int) -> None:
    points = clouds(seed, count)
    center = center_within(points, seed)
    turn = Rotation.from_quat(orientations(1, seed)[0])
    moved = [2.5 * turned_by(turn, each) + np.array((0.1, -0.2, 0.3)) for each in (points, center)]
    before, after = stable_poses(hull_of(points), center), stable_poses(hull_of(moved[0]), moved[1])
    assert len(before) == len(after)
    for pose in before:
        there = min(after, key=lambda p: -float(p.down @ turned_by(turn, pose.down)))
        np.testing.assert_allclose(there.down, turned_by(turn, pose.down), atol=1e-9)
        assert there.probability == pytest.approx(pose.probability, abs=1e-9)
        assert there.height == pytest.approx(2.5 * pose.height, rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_trimesh_on_hulls_with_sharp_facets(seed: int) -> None:
    """Same poses, probabilities to 1e-6 (trimesh drops none at threshold 0)."""
    points = clouds(seed, 14)
    center = center_within(points, seed)
    hull = hull_of(points).hull
    mesh = trimesh.Trimesh(hull.vertices, hull.faces, process=False)
    transforms, shares = trimesh.poses.compute_stable_poses(
        mesh, center_mass=center, sigma=0.0, n_samples=1, threshold=0.0
    )
    ours = stable_poses(hull_of(points), center)
    theirs = [
        (-transform[2, :3], share) for transform, share in zip(transforms, shares, strict=True)
    ]
    assert len(theirs) == len(ours)
    for down, share in theirs:
        pose = max(ours, key=lambda p: float(p.down @ down))
        np.testing.assert_allclose(pose.down, down, atol=1e-6)
        assert pose.probability == pytest.approx(share, abs=1e-6)


def test_cylinder_lies_or_stands_as_its_solid_angles() -> None:
    """Two ends of 2 pi (1 - cos) each; the sides, however many, share the rest equally."""
    cylinder = Cylinder(radius=0.01, height=0.03)
    shape = solid(cylinder.surface(60))[0]
    poses = stable_poses(shape, np.zeros(3))
    end = (1 - 0.015 / np.hypot(0.01, 0.015)) / 2
    ends = [pose.probability for pose in poses if abs(pose.down[2]) > 0.99]
    sides = [pose.probability for pose in poses if abs(pose.down[2]) < 0.01]
    assert ends == pytest.approx([end, end], rel=0.003)
    assert len(sides) == 60
    assert sides == pytest.approx([(1 - sum(ends)) / 60] * 60, rel=1e-6)


def test_carrying_names_the_parts_on_the_table() -> None:
    """A slab on two feet stands on the feet, and lies on the slab's back."""
    slab = Cuboid((0.03, 0.02, 0.004)).surface().vertices + np.array((0.0, 0.0, 0.008))
    foot = Cuboid((0.004, 0.02, 0.006)).surface().vertices + np.array((0.0, 0.0, 0.003))
    shift = np.array((0.012, 0.0, 0.0))
    parts = [("slab", slab), ("front", foot + shift), ("hind", foot - shift)]
    shape = Shape.from_parts("table", [ConvexPart.from_points(*part) for part in parts])
    carrying = {
        tuple(np.round(pose.down).astype(int)): pose.carrying
        for pose in stable_poses(shape, np.array((0.0, 0.0, 0.006)))
    }
    assert carrying[(0, 0, -1)] == ("front", "hind")
    assert carrying[(0, 0, 1)] == ("slab",)
    assert carrying[(0, 1, 0)] == ("slab", "front", "hind")


def test_standard_pig_is_searched_within_twenty_milliseconds() -> None:
    """2.6 ms on the machine it was written on."""
    shape, properties = standard()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        stable_poses(shape, properties.center_of_mass)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.020
