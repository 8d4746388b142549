"""Mesh files: good ones in each format, and one clear line for each that cannot be thrown."""

from __future__ import annotations

import json
import os
import struct
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meshes import load
from meshes.anatomy import standard_pig
from meshes.density import uniform, volume_moments
from meshes.export import write_glb, write_stl
from meshes.glb import read_glb
from meshes.load import MAX_BYTES, MeshError, load_shape
from meshes.mesh_file import MAX_FACES, read_obj, read_ply, read_stl

FORMATS = ("stl", "obj", "ply", "glb")


def die(sides: tuple[float, float, float] = (16.0, 18.0, 20.0)) -> trimesh.Trimesh:
    return trimesh.creation.box(extents=sides)


def encoded(ending: str) -> bytes:
    data = die().export(file_type=ending)
    return data.encode() if isinstance(data, str) else bytes(data)


READERS = {"stl": read_stl, "obj": read_obj, "ply": read_ply, "glb": read_glb}
GOOD = {ending: encoded(ending) for ending in FORMATS}


def saved(folder: Path, mesh: trimesh.parent.Geometry, ending: str = "stl") -> Path:
    path = folder / f"body.{ending}"
    mesh.export(path)
    return path


def refusal(path: str | Path) -> str:
    with pytest.raises(MeshError) as caught:
        load_shape(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    assert "expected" in message
    return message


@pytest.mark.parametrize("ending", FORMATS)
def test_die_loads_from_every_format(tmp_path: Path, ending: str) -> None:
    shape = load_shape(saved(tmp_path, die(), ending))
    assert shape.name == "body"
    assert [part.name for part in shape.parts] == ["hull"]
    assert len(shape.hull.vertices) == 8
    assert volume_moments(shape.surface).volume == pytest.approx(16 * 18 * 20e-9, rel=1e-6)
    extents = np.ptp(shape.surface.vertices, axis=0)
    expected = [0.020, 0.016, 0.018] if ending == "glb" else [0.016, 0.018, 0.020]
    np.testing.assert_allclose(extents, expected, rtol=1e-6)


def test_text_stl_loads(tmp_path: Path) -> None:
    path = tmp_path / "text.STL"
    path.write_text(trimesh.exchange.stl.export_stl_ascii(die()))
    assert len(load_shape(path).hull.vertices) == 8


@pytest.mark.parametrize("write", [write_stl, write_glb])
def test_pig_that_we_write_comes_back(tmp_path: Path, write: Callable[..., None]) -> None:
    pig = standard_pig()
    path = tmp_path / ("pig.stl" if write is write_stl else "pig.glb")
    write(pig, path)
    got, expected = uniform(load_shape(path).surface, 1100.0), uniform(pig.surface, 1100.0)
    np.testing.assert_allclose(got.center_of_mass, expected.center_of_mass, atol=1e-9)
    assert got.mass == pytest.approx(expected.mass, rel=1e-6)


def test_concave_body_keeps_its_volume_and_collides_as_its_hull(tmp_path: Path) -> None:
    ring = trimesh.creation.annulus(r_min=6.0, r_max=10.0, height=5.0, sections=64)
    shape = load_shape(saved(tmp_path, ring))
    assert volume_moments(shape.surface).volume == pytest.approx(ring.volume * 1e-9, rel=1e-6)
    assert volume_moments(shape.hull).volume > 1.5 * volume_moments(shape.surface).volume


def test_overlapping_bodies_count_once(tmp_path: Path) -> None:
    moved = die()
    moved.apply_translation([10.0, 0.0, 0.0])
    shape = load_shape(saved(tmp_path, trimesh.util.concatenate([die(), moved])))
    assert volume_moments(shape.surface).volume == pytest.approx(26 * 18 * 20e-9, rel=1e-6)


def test_glb_poses_are_applied(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    turn = trimesh.transformations.rotation_matrix(np.pi / 2, [0, 0, 1])
    scene.add_geometry(die(), transform=turn)
    path = tmp_path / "turned.glb"
    scene.export(path)
    extents = np.ptp(load_shape(path).surface.vertices, axis=0)
    np.testing.assert_allclose(extents, [0.020, 0.018, 0.016], rtol=1e-6)


def test_missing_directory_and_unreadable_files(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "nowhere.stl")
    folder = tmp_path / "folder.stl"
    folder.mkdir()
    assert "not a file" in refusal(folder)
    assert "no such file" in refusal(tmp_path / "loop.stl" / "deeper.stl")
    pipe = tmp_path / "pipe.stl"
    os.mkfifo(pipe)
    assert "not a file" in refusal(pipe)


def test_null_in_a_name_is_refused() -> None:
    with pytest.raises(MeshError):
        load_shape("bad\0name.stl")


@pytest.mark.parametrize("ending", FORMATS)
def test_empty_and_garbage(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"file.{ending}"
    path.write_bytes(b"")
    assert "is empty" in refusal(path)
    path.write_bytes(b"oink oink oink\n" * 40)
    assert "not a mesh" in refusal(path)


@pytest.mark.parametrize("name", ["pig.step", "pig", "pig.py", "pig.zip", "pig.gltf"])
def test_unknown_endings(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"solid")
    assert ".stl, .obj, .ply, .glb" in refusal(path)


def test_holes_and_flips_are_not_watertight(tmp_path: Path) -> None:
    hole = die()
    hole.update_faces(np.arange(len(hole.faces)) > 0)
    assert "not watertight" in refusal(saved(tmp_path, hole))
    flip = die()
    flip.faces[0] = flip.faces[0][::-1]
    assert "not watertight" in refusal(saved(tmp_path, flip, "ply"))


def test_inside_out_and_hollow(tmp_path: Path) -> None:
    inverted = die()
    inverted.invert()
    assert "inside out" in refusal(saved(tmp_path, inverted))
    cavity = die((4.0, 4.0, 4.0))
    cavity.invert()
    assert "hollow" in refusal(saved(tmp_path, trimesh.util.concatenate([die(), cavity])))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("ending", ["stl", "ply"])
def test_not_finite(tmp_path: Path, value: float, ending: str) -> None:
    mesh = trimesh.Trimesh(die().vertices, die().faces, process=False)
    mesh.vertices[3, 1] = value
    assert "NaN or infinity" in refusal(saved(tmp_path, mesh, ending))


def test_flat_bodies(tmp_path: Path) -> None:
    squashed = trimesh.Trimesh(die().vertices * [1, 1, 0], die().faces, process=False)
    assert "volume" in refusal(saved(tmp_path, squashed, "ply"))
    assert "volume" in refusal(saved(tmp_path, die((20.0, 20.0, 0.001))))
    point = trimesh.Trimesh([[0, 0, 0], [20, 0, 0], [0, 20, 0]], [[0, 1, 2]], process=False)
    assert "flat" in refusal(saved(tmp_path, point))


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (1e-3, "looks like meters; expected millimeters"),
        (0.1, "expected 5 to 500 mm"),
        (100.0, "expected 5 to 500 mm"),
        (1e30, "expected 5 to 500 mm"),
        (1e-30, "expected 5 to 500 mm"),
    ],
)
def test_wrong_sizes(tmp_path: Path, scale: float, message: str) -> None:
    mesh = trimesh.Trimesh(die().vertices * scale, die().faces, process=False)
    assert message in refusal(saved(tmp_path, mesh))


def test_bodies_apart_are_refused(tmp_path: Path) -> None:
    away = die()
    away.apply_translation([40.0, 0.0, 0.0])
    assert "lie apart" in refusal(saved(tmp_path, trimesh.util.concatenate([die(), away])))


def test_too_many_bodies_are_refused(tmp_path: Path) -> None:
    many = []
    for i in range(load.MAX_BODIES + 1):
        many.append(die((2.0, 2.0, 2.0)))
        many[-1].apply_translation([0.5 * i, 0.3 * i, 0.0])
    assert "bodies" in refusal(saved(tmp_path, trimesh.util.concatenate(many)))


def test_union_that_would_take_minutes_is_refused(tmp_path: Path) -> None:
    balls = [trimesh.creation.icosphere(5, radius=15.0 + 0.01 * i) for i in range(2)]
    message = refusal(saved(tmp_path, trimesh.util.concatenate(balls)))
    assert f"at most {load.MAX_UNITED_FACES} faces" in message


def test_too_large_a_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "sparse.stl"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    start = time.perf_counter()
    assert f"at most {MAX_BYTES}" in refusal(path)
    assert time.perf_counter() - start < 0.1


def ply_that_claims(count: int) -> bytes:
    return (
        b"ply\nformat binary_little_endian 1.0\n"
        b"element vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
        b"element face %d\nproperty list uchar int vertex_indices\nend_header\n" % count
    )


def glb_of(tree: Mapping[str, object], binary: bytes = b"") -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def glb_that_claims(count: int, copies: int = 1) -> bytes:
    return glb_of(
        {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": list(range(copies))}],
            "nodes": [{"mesh": 0}] * copies,
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"componentType": 5126, "type": "VEC3", "count": count}],
        }
    )


@pytest.mark.parametrize(
    ("ending", "data"),
    [
        ("stl", bytes(80) + struct.pack("<I", MAX_FACES + 1) + bytes(50 * (MAX_FACES + 1))),
        ("stl", b"solid a\n" + b"vertex 0 0 0\n" * 3 * (MAX_FACES + 1)),
        ("obj", b"v 0 0 0\n" * 3 + b"f 1 2 3\n" * (MAX_FACES + 1)),
        ("ply", ply_that_claims(10**9)),
        ("ply", ply_that_claims(10**18)),
        ("glb", glb_that_claims(10**10)),
        ("glb", glb_that_claims(30_000, copies=1000)),
    ],
)
def test_too_many_faces_are_refused_before_they_are_built(
    tmp_path: Path, ending: str, data: bytes
) -> None:
    path = tmp_path / f"big.{ending}"
    path.write_bytes(data)
    start = time.perf_counter()
    assert f"at most {MAX_FACES}" in refusal(path)
    assert time.perf_counter() - start < 10.0  # measured under 0.5 s on an idle machine


def test_other_files_are_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.bin"
    secret.write_bytes(die().vertices.astype("<f4").tobytes())
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 8}],
        "bufferViews": [{"buffer": 0, "byteLength": 96}],
        "buffers": [{"uri": str(secret), "byteLength": 96}],
    }
    path = tmp_path / "thief.glb"
    path.write_bytes(glb_of(tree))
    assert "not a mesh" in refusal(path)
    told = tmp_path / "told.obj"
    die().export(told)
    told.write_text(f"mtllib {secret}\nusemtl a\n" + told.read_text())
    assert len(load_shape(told).hull.vertices) == 8


def test_glb_with_positions_in_a_plane_once_escaped(tmp_path: Path) -> None:
    good = GOOD["glb"]
    assert b"VEC3" in good
    path = tmp_path / "plane.glb"
    path.write_bytes(good.replace(b"VEC3", b"VEC2"))
    assert "not a mesh" in refusal(path)


@pytest.mark.parametrize("index", ["9", "-9", "0", "99999999999999999999"])
def test_faces_that_point_at_no_vertex(tmp_path: Path, index: str) -> None:
    path = tmp_path / "wild.obj"
    path.write_text("v 0 0 0\nv 20 0 0\nv 0 20 0\nv 0 0 20\n" + f"f 1 2 {index}\n" * 4)
    refusal(path)


def read_by_trimesh(path: Path) -> trimesh.Trimesh:
    return trimesh.load_scene(path, process=False).to_mesh()


def tetrahedron() -> tuple[np.ndarray, list[list[int]]]:
    corners = np.array([[0.0, 0, 0], [20, 0, 0], [0, 20, 0], [0, 0, 20]])
    return corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]


def ply(order: str, faces: list[list[int]], corners: np.ndarray) -> bytes:
    """Write vertices with a color each, an element that nobody needs, and polygons."""
    kind = {"": "ascii", "<": "binary_little_endian", ">": "binary_big_endian"}[order]
    header = (
        f"ply\nformat {kind} 1.0\ncomment oink\nelement vertex {len(corners)}\n"
        "property uchar red\nproperty double z\nproperty double y\nproperty double x\n"
        "element edge 1\nproperty int a\nproperty list ushort float b\n"
        f"element face {len(faces)}\nproperty list uchar uint vertex_indices\n"
        "property short flags\nend_header\n"
    )
    rows = [("Bddd", [7, *corner[::-1]]) for corner in corners] + [("iHff", [1, 2, 3.0, 4.0])]
    rows += [(f"B{len(face)}Ih", [len(face), *face, -9]) for face in faces]
    if not order:
        return header.encode() + "".join(" ".join(map(str, v)) + "\n" for _, v in rows).encode()
    return header.encode() + b"".join(struct.pack(order + form, *v) for form, v in rows)


@pytest.mark.parametrize("order", ["", "<", ">"])
@pytest.mark.parametrize("is_mixed", [False, True])
def test_ply_with_polygons_in_any_order_of_bytes(order: str, is_mixed: bool) -> None:
    corners, faces = tetrahedron()
    if is_mixed:  # a pyramid whose base is one polygon
        corners = np.array([[0.0, 0, 0], [20, 0, 0], [20, 20, 0], [0, 20, 0], [0, 0, 20]])
        faces = [[3, 2, 1, 0], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
    vertices, triangles = read_ply(ply(order, faces, corners))
    np.testing.assert_array_equal(vertices, corners)
    expected = [[3, 2, 1], [3, 1, 0], *faces[1:]] if is_mixed else faces
    assert sorted(triangles.tolist()) == sorted(expected)


def test_obj_as_people_write_it() -> None:
    text = (
        b"# a die\nmtllib a.mtl\no die\nv 0 0 0\nv 20 0 0 1.0\r\n  v 2e1 20 0\nvn 0 0 1\nvt 0 0\n"
        b"v 0 20 0\nv 0 0 20\ng base\nusemtl b\nf 4/1/1 3//1 \\\n 2/1 1\nf -5 -4 -1\nf\t2 3 5\n"
    )
    vertices, faces = read_obj(text)
    assert vertices.tolist()[:3] == [[0, 0, 0], [20, 0, 0], [20, 20, 0]]
    assert faces.tolist() == [[3, 2, 1], [3, 1, 0], [0, 1, 4], [1, 2, 4]]


@pytest.mark.parametrize("mode", [4, 5, 6])
@pytest.mark.parametrize("is_indexed", [True, False])
@pytest.mark.parametrize("stride", [12, 20])
def test_glb_draws_what_its_mode_says(mode: int, is_indexed: bool, stride: int) -> None:
    corners = np.arange(18, dtype="<f4").reshape(6, 3)
    order = np.array([5, 0, 1, 2, 4, 3], "<u2") if is_indexed else np.arange(6)
    rows = b"".join(corner.tobytes().ljust(stride, b"x") for corner in corners)
    primitive = {"attributes": {"POSITION": 0}, "mode": mode}
    primitive |= {"indices": 1} if is_indexed else {}
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "scale": [1, 2, 1]}, {"mesh": 0, "translation": [0, 0, 7]}],
        "meshes": [{"primitives": [primitive]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 6},
            {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 6},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 6 * stride, "byteStride": stride},
            {"buffer": 0, "byteOffset": 6 * stride, "byteLength": 12},
        ],
        "buffers": [{"byteLength": 6 * stride + 12}],
    }
    vertices, faces = read_glb(glb_of(tree, rows + order.astype("<u2").tobytes()))
    np.testing.assert_array_equal(vertices, corners * (1, 2, 1) + (0, 0, 7))
    drawn = {
        4: [[0, 1, 2], [3, 4, 5]],
        5: [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]],
        6: [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]],
    }[mode]
    assert faces.tolist() == order[drawn].tolist()


@pytest.mark.parametrize("ending", FORMATS)
def test_scene_of_many_turned_bodies_is_read_as_trimesh_reads_it(
    tmp_path: Path, ending: str
) -> None:
    scene = trimesh.Scene()
    for i in range(4):
        place = trimesh.transformations.rotation_matrix(0.7 * i, [1, 2, 3], [4, 0, i])
        place[:3, :3] *= (1.0, -1.0 if i == 2 else 1.0, 1.5)  # the third is mirrored
        scene.add_geometry(trimesh.creation.icosphere(1, radius=9.0), transform=place)
    path = tmp_path / f"scene.{ending}"
    (scene if ending == "glb" else scene.to_mesh()).export(path)
    expected = read_by_trimesh(path)
    vertices, faces = READERS[ending](path.read_bytes())
    got = trimesh.Trimesh(vertices, faces, process=False)
    assert len(faces) == len(expected.faces)
    assert got.volume == pytest.approx(expected.volume, rel=1e-6)
    np.testing.assert_allclose(got.center_mass, expected.center_mass, atol=1e-5)
    np.testing.assert_allclose(got.moment_inertia, expected.moment_inertia, rtol=1e-5, atol=0.1)


def loads_or_refuses(data: bytes, ending: str) -> None:
    """Anything but a shape or one line is a failure; so is a closed body that has no volume."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"fuzz.{ending}"
        path.write_bytes(data)
        try:
            shape = load_shape(path)
        except MeshError as error:
            refused, shape = str(error), None
    if shape is None:
        assert "\n" not in refused
    else:
        assert shape.surface.is_watertight
        assert volume_moments(shape.surface).volume > 0


FUZZ = settings(max_examples=150, deadline=5000, suppress_health_check=[HealthCheck.too_slow])


@FUZZ
@given(st.binary(min_size=1, max_size=400), st.sampled_from(FORMATS))
def test_random_bytes_never_escape(data: bytes, ending: str) -> None:
    loads_or_refuses(data, ending)


@FUZZ
@given(st.sampled_from(FORMATS), st.floats(0.0, 1.0), st.booleans())
def test_truncated_files_never_escape(ending: str, share: float, is_padded: bool) -> None:
    data = GOOD[ending]
    kept = data[: 1 + int(share * (len(data) - 1))]
    loads_or_refuses(kept + bytes(len(data) - len(kept)) if is_padded else kept, ending)


@FUZZ
@given(st.sampled_from(FORMATS), st.integers(0, 10**6), st.binary(min_size=1, max_size=8))
def test_overwritten_files_never_escape(ending: str, place: int, patch: bytes) -> None:
    data = bytearray(GOOD[ending])
    start = place % len(data)
    data[start : start + len(patch)] = patch
    loads_or_refuses(bytes(data), ending)


def test_body_beside_the_origin_is_moved_over_it(tmp_path):
    """CAD files often have their body in one corner; its throw would start beside the device."""
    box = trimesh.creation.box((10, 10, 10))
    box.apply_translation((105, 105, 55))
    box.export(tmp_path / "box.stl")
    vertices = load_shape(tmp_path / "box.stl").hull.vertices
    assert vertices.min(axis=0) == pytest.approx([-0.005, -0.005, 0.0], abs=1e-9)
    assert vertices.max(axis=0) == pytest.approx([0.005, 0.005, 0.01], abs=1e-9)
