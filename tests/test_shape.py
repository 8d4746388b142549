"""Parts, hull and union: geometry that has to hold for any shape, and what must be refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meshes.density import volume_moments
from meshes.shape import MAX_PARTS, ConvexPart, Dot, Shape, Surface, convex_hull, union
from meshes.solids import Cuboid

CUBE = Cuboid((0.02, 0.02, 0.02)).surface()


def box(name: str, x: float = 0.0) -> ConvexPart:
    return ConvexPart.from_points(name, CUBE.vertices + np.array([x, 0.0, 0.0]))


def clouds(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 3)) * 0.01


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(4, 80))
def test_hull_is_closed_outward_and_holds_every_point(seed: int, count: int) -> None:
    points = clouds(seed, count)
    hull = convex_hull(points)
    assert hull.is_watertight
    a, b, c = np.moveaxis(hull.triangles, 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    heights = points @ normals.T - np.einsum("ij,ij->i", normals, a)
    assert heights.max() < 1e-12
    assert volume_moments(hull).volume > 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_union_has_the_volume_that_inclusion_and_exclusion_give(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shift = rng.uniform(0.001, 0.019, size=3)
    parts = [box("here"), ConvexPart.from_points("there", CUBE.vertices + shift)]
    expected = 2 * 0.02**3 - np.prod(0.02 - shift)
    assert volume_moments(union(parts)).volume == pytest.approx(expected, rel=1e-9)


def test_part_keeps_only_extreme_points_in_their_order() -> None:
    inside = np.array([[0.0, 0.0, 0.0], [0.001, 0.002, -0.003]])
    points = np.concatenate([inside, CUBE.vertices])
    np.testing.assert_array_equal(ConvexPart.from_points("box", points).vertices, CUBE.vertices)


def test_shape_of_apart_parts_has_both_in_its_hull() -> None:
    shape = Shape.from_parts("two", [box("a"), box("b", 0.05)])
    assert volume_moments(shape.surface).volume == pytest.approx(2 * 0.02**3)
    assert volume_moments(shape.hull).volume == pytest.approx(0.07 * 0.02**2)


def test_digest_tells_shapes_apart_but_not_the_last_bit() -> None:
    digest = Shape.from_parts("box", [box("a")]).digest
    assert len(digest) == 64
    assert Shape.from_parts("other name", [box("a", 1e-13)]).digest == digest
    assert Shape.from_parts("box", [box("b")]).digest != digest
    assert Shape.from_parts("box", [box("a", 1e-6)]).digest != digest
    assert Shape.from_surface("box", CUBE).digest != digest


def test_concave_surface_keeps_its_volume_and_collides_as_its_hull() -> None:
    two = Shape.from_parts("two", [box("a"), box("b", 0.05)])
    shape = Shape.from_surface("two", two.surface)
    assert [part.name for part in shape.parts] == ["hull"]
    assert volume_moments(shape.surface).volume == pytest.approx(2 * 0.02**3)
    np.testing.assert_array_equal(shape.parts[0].vertices, shape.hull.vertices)


def test_arrays_are_read_only() -> None:
    shape = Shape.from_parts("box", [box("a")])
    arrays = (shape.hull.vertices, shape.surface.faces, shape.parts[0].vertices)
    assert not any(array.flags.writeable for array in arrays)


def test_watertight_is_refused_to_holes_flips_and_doubles() -> None:
    flipped = np.concatenate([CUBE.faces[:1, ::-1], CUBE.faces[1:]])
    assert CUBE.is_watertight
    assert not Surface(CUBE.vertices, CUBE.faces[1:]).is_watertight
    assert not Surface(CUBE.vertices, flipped).is_watertight
    assert not Surface(CUBE.vertices, np.concatenate([CUBE.faces, CUBE.faces])).is_watertight


def test_more_parts_than_the_engine_keeps_are_refused() -> None:
    parts = [box(f"part_{i}", 0.01 * i) for i in range(MAX_PARTS + 1)]
    assert len(Shape.from_parts("full", parts[:MAX_PARTS]).parts) == MAX_PARTS
    with pytest.raises(ValueError, match=f"expected 1 to {MAX_PARTS} .* got {MAX_PARTS + 1}"):
        Shape.from_parts("too full", parts)


def test_bad_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 1 to"):
        Shape.from_parts("none", [])
    with pytest.raises(ValueError, match="names that differ, got a, a"):
        Shape.from_parts("twins", [box("a"), box("a", 0.01)])
    with pytest.raises(ValueError, match="part name"):
        ConvexPart.from_points("", CUBE.vertices)
    with pytest.raises(ValueError, match="span a volume"):
        ConvexPart.from_points("sheet", CUBE.vertices * [1.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="at least 4 points"):
        ConvexPart.from_points("edge", CUBE.vertices[:2])
    with pytest.raises(ValueError, match="finite coordinates"):
        ConvexPart.from_points("lost", np.where(CUBE.vertices > 0, np.nan, CUBE.vertices))


def test_bad_surfaces_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected indices in 0\.\.7"):
        Surface(CUBE.vertices, CUBE.faces + 1)
    with pytest.raises(ValueError, match="expected shape"):
        Surface(CUBE.vertices, CUBE.faces[:, :2])


@pytest.mark.parametrize(
    ("center", "normal", "radius", "message"),
    [
        ([0, 0], [0, -1, 0], 1e-3, "dot center"),
        ([0, 0, np.nan], [0, -1, 0], 1e-3, "dot center"),
        ([0, 0, 0], [0, -2, 0], 1e-3, "dot normal"),
        ([0, 0, 0], [0, -1, 0], 0.0, "dot radius"),
    ],
)
def test_bad_dots_are_refused(
    center: list[float], normal: list[float], radius: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Dot(np.array(center), np.array(normal), radius)
