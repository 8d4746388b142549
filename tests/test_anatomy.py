"""The standard pig: sixteen parts, six positions, the dot, and the shipped files."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

from meshes.anatomy import STANDARD, Ball, Ring, parts_from, shape_from, standard_pig
from meshes.density import uniform, volume_moments
from meshes.export import DATA, marked_surface, write_glb, write_stl
from meshes.load import load_shape
from meshes.shape import MAX_PARTS, ConvexPart, Shape, union
from meshes.stable import stable_poses

RUBBER = 1100.0
FEET = {f"{end}_foot_{side}" for end in ("front", "hind") for side in ("left", "right")}
PIG = standard_pig()


def test_parts_are_the_sixteen_that_positions_are_named_by() -> None:
    names = [part.name for part in PIG.parts]
    assert len(names) == MAX_PARTS
    assert {"body", "head", "snout", "ear_left", "ear_right", "tail_curl"} | FEET <= set(names)
    assert all(6 <= len(part.vertices) <= 70 for part in PIG.parts), "collision stays cheap"


def test_size_is_that_of_the_toy() -> None:
    length, width, height = np.ptp(PIG.hull.vertices, axis=0) * 1e3
    assert 25 < length < 30
    assert 15 < width < 22
    assert 15 < height < 20
    assert 1.5e-3 < uniform(PIG.surface, RUBBER).mass < 3.5e-3


def test_four_soles_are_one_plane() -> None:
    for part in PIG.parts:
        lowest = part.vertices[:, 2].min()
        if part.name in FEET:
            assert lowest == 0.0
            assert (part.vertices[:, 2] == 0.0).sum() >= 6
        else:
            assert lowest > 0.0


def test_surface_is_one_watertight_body_within_the_hull() -> None:
    assert PIG.surface.is_watertight
    assert PIG.hull.is_watertight
    assert volume_moments(PIG.surface).volume < volume_moments(PIG.hull).volume
    apart = sum(volume_moments(union([part])).volume for part in PIG.parts)
    assert volume_moments(PIG.surface).volume < apart, "parts overlap, and count once"


def test_one_hind_leg_is_stretched_back_and_the_pig_is_not_mirror_symmetric() -> None:
    middle = {part.name: part.vertices.mean(axis=0) for part in PIG.parts}
    back = middle["hind_foot_left"] - middle["hind_foot_right"]
    assert abs(back[0]) > 2e-3
    mirrored = PIG.hull.vertices * [1, -1, 1]
    distance, _ = cKDTree(PIG.hull.vertices).query(mirrored)
    assert distance.max() > 1e-3


def carriers() -> list[tuple[np.ndarray, set[str]]]:
    center = uniform(PIG.surface, RUBBER).center_of_mass
    return [(pose.down, set(pose.carrying)) for pose in stable_poses(PIG, center)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_leaning_jowler_stands_on_snout_ear_and_front_foot(side: str) -> None:
    assert {"snout", f"ear_{side}", f"front_foot_{side}"} in [parts for _, parts in carriers()]


def test_snouter_stands_on_snout_and_front_feet() -> None:
    poses = [parts for _, parts in carriers()]
    assert {"snout", "front_foot_left", "front_foot_right"} in poses


def test_trotter_stands_on_four_feet() -> None:
    poses = carriers()
    assert FEET in [parts for _, parts in poses]
    down = next(down for down, parts in poses if parts == FEET)
    np.testing.assert_allclose(down, [0, 0, -1], atol=1e-12)


def test_razorback_lies_on_its_back_and_the_ears_stop_the_roll() -> None:
    backs = [parts for down, parts in carriers() if down[2] > 0.9]
    assert {"body", "ear_left", "ear_right"} in backs


@pytest.mark.parametrize(("side", "sign"), [("left", 1), ("right", -1)])
def test_both_sides_are_stable(side: str, sign: int) -> None:
    sides = [parts for down, parts in carriers() if sign * down[1] > 0.9]
    assert any(f"ear_{side}" in parts and f"front_foot_{side}" in parts for parts in sides)


def test_dot_is_on_the_right_flank_of_the_surface() -> None:
    dot = PIG.dot
    assert dot is not None
    assert dot.center[1] < 0
    assert dot.normal[1] < -0.9
    marked, is_dot = marked_surface(PIG)
    corners = marked.triangles[is_dot].reshape(-1, 3)
    np.testing.assert_allclose(np.linalg.norm(corners - dot.center, axis=1), dot.radius, rtol=1e-9)
    np.testing.assert_allclose((corners - dot.center) @ dot.normal, 0.0, atol=1e-12)


def test_marking_the_dot_changes_no_solid() -> None:
    marked, is_dot = marked_surface(PIG)
    assert marked.is_watertight
    assert is_dot.any()
    before, after = volume_moments(PIG.surface), volume_moments(marked)
    assert after.volume == pytest.approx(before.volume, rel=1e-12)
    np.testing.assert_allclose(after.second, before.second, rtol=1e-9, atol=1e-22)


def test_dot_that_does_not_fit_its_facet_is_refused() -> None:
    with pytest.raises(ValueError, match="within one flat facet"):
        marked_surface(shape_from(replace(STANDARD, dot_radius=4.0)))


def test_shape_without_a_dot_has_no_mark() -> None:
    surface, is_dot = marked_surface(Shape.from_surface("plain", PIG.surface))
    assert surface is PIG.surface
    assert not is_dot.any()


@pytest.mark.parametrize("sides", [4, 8, 12])
def test_balls_reach_their_radius_along_every_axis(sides: int) -> None:
    points = Ball((1.0, 2.0, 3.0), 0.5, sides).points() - [1.0, 2.0, 3.0]
    np.testing.assert_allclose(points.max(axis=0), 0.5, rtol=1e-12)
    np.testing.assert_allclose(points.min(axis=0), -0.5, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.5, rtol=1e-12)


def test_rings_lie_across_their_axis() -> None:
    axis = np.array([0.9, 0.1, 0.4])
    points = Ring((1.0, 2.0, 3.0), 2.0, (0.9, 0.1, 0.4), 12).points() - [1.0, 2.0, 3.0]
    np.testing.assert_allclose(points @ axis, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 2.0, rtol=1e-12)


def test_every_named_number_reaches_the_shape() -> None:
    longer = replace(STANDARD, snout=(*STANDARD.snout, Ball((18.0, 0.7, 12.0), 1.0)))
    changed = [
        old.name
        for old, new in zip(PIG.parts, parts_from(longer), strict=True)
        if not np.array_equal(old.vertices, new.vertices)
    ]
    assert changed == ["snout"]
    assert shape_from(longer).digest != PIG.digest


def test_building_is_cheap_and_cached() -> None:
    start = time.perf_counter()
    shape_from(STANDARD)
    assert time.perf_counter() - start < 0.5  # measured 0.03 s
    assert standard_pig() is PIG


def test_parts_alone_equal_those_of_the_shape() -> None:
    for part, alone in zip(PIG.parts, parts_from(STANDARD), strict=True):
        assert isinstance(alone, ConvexPart)
        np.testing.assert_array_equal(part.vertices, alone.vertices)


@pytest.mark.parametrize("ending", ["stl", "glb"])
def test_shipped_file_is_the_generated_pig(ending: str) -> None:
    shipped = load_shape(DATA / f"pig_standard.{ending}")
    expected = PIG.surface if ending == "stl" else marked_surface(PIG)[0]
    assert shipped.surface.is_watertight
    assert len(shipped.surface.vertices) == len(expected.vertices)
    distance, _ = cKDTree(expected.vertices).query(shipped.surface.vertices)
    assert distance.max() < 2e-9  # files hold single precision: 1e-9 m at 20 mm
    got, wanted = uniform(shipped.surface, RUBBER), uniform(PIG.surface, RUBBER)
    np.testing.assert_allclose(got.center_of_mass, wanted.center_of_mass, atol=1e-9)
    np.testing.assert_allclose(got.inertia, wanted.inertia, rtol=1e-5, atol=1e-15)


def test_written_files_hold_pig_and_dot(tmp_path: Path) -> None:
    glb, stl = tmp_path / "pig.glb", tmp_path / "pig.stl"
    write_glb(PIG, glb)
    write_stl(PIG, stl)
    scene = trimesh.load_scene(glb)
    assert set(scene.geometry) == {"pig", "dot"}
    colors = {
        name: tuple(mesh.visual.material.baseColorFactor[:3])
        for name, mesh in scene.geometry.items()
    }
    assert colors["pig"] != colors["dot"]
    assert trimesh.load_mesh(stl).is_watertight
