"""Mesh files made to hurt: a shape or one line, soon, and in little memory."""

from __future__ import annotations

import copy
import json
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meshes.load import MAX_BYTES, MeshError, load_shape

FUZZ = settings(max_examples=200, deadline=5000, suppress_health_check=list(HealthCheck))

CORNERS = np.array([[0, 0, 0], [20, 0, 0], [0, 20, 0], [0, 0, 20]], "<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], "<u2")
OBJ = b"v 0 0 0\nv 20 0 0\nv 0 20 0\nv 0 0 20\n"
PLY = (
    b"ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 8\nproperty list uchar int vertex_indices\nend_header\n"
)
BINARY_PLY = PLY.replace(b"ascii", b"binary_little_endian")
TREE: dict[str, Any] = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0, "children": [], "translation": [0, 0, 0], "rotation": [0, 0, 0, 1]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]}],
    "accessors": [
        {"bufferView": 0, "byteOffset": 0, "componentType": 5126, "type": "VEC3", "count": 4},
        {"bufferView": 1, "byteOffset": 0, "componentType": 5123, "type": "SCALAR", "count": 12},
    ],
    "bufferViews": [
        {"buffer": 0, "byteOffset": 0, "byteLength": 48, "byteStride": 12},
        {"buffer": 0, "byteOffset": 48, "byteLength": 24},
    ],
    "buffers": [{"byteLength": 72}],
}
BINARY = CORNERS.tobytes() + FACES.tobytes()


def glb(tree: dict[str, Any] | bytes, binary: bytes = BINARY) -> bytes:
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def scene(**changes: Any) -> bytes:
    return glb({**TREE, **changes})


def nodes(*children: list[int]) -> bytes:
    return scene(nodes=[{"mesh": 0, "children": below} for below in children])


CRAFTED: dict[str, Callable[[int], bytes]] = {
    "count_in_header.stl": lambda n: bytes(80) + b"\xff" * 4 + bytes(n),
    "corners_of_one_facet.stl": lambda n: b"solid\nfacet\n" + b"vertex 0 0 0\n" * (n // 13),
    "endless_number.stl": lambda n: b"solid\nvertex " + b"1" * n,
    "blanks.stl": lambda n: b"solid\nvertex 1" + b" " * (n // 2) + b"1" + b" " * (n // 2),
    "faces.obj": lambda n: OBJ + b"f\t1 2 3\n" * (n // 8),
    "polygon.obj": lambda n: OBJ + b"f" + b" 1 2 3" * (n // 6),
    "vertices.obj": lambda n: b"v 0 0 0\n" * (n // 8),
    "materials.obj": lambda n: OBJ + b"usemtl a\no b\nf 1 2 3\n" * min(n // 22, 90_000),
    "lines.obj": lambda n: b"\n" * n,
    "blanks.obj": lambda n: b"v" + b" " * n,
    "continued.obj": lambda n: b"v\\\n" * (n // 3),
    "blanks.ply": lambda n: PLY + b"\n" * n,
    "numbers.ply": lambda n: PLY + b"0 0 0\n" * (n // 6),
    "words.ply": lambda n: PLY + b"oink " * (n // 5),
    "huge_polygon.ply": lambda n: PLY.replace(b"uchar", b"int") + b"0 " * 24 + b"%d 0 1" % n,
    "mixed_polygons.ply": lambda n: (
        PLY.replace(b"face 8", b"face %d" % min(n // 16, 200_000))
        + b"0 0 0\n" * 8
        + b"3 0 1 2\n4 0 1 2 3\n" * (n // 18)
    ),
    "huge_lists.ply": lambda n: BINARY_PLY.replace(b"uchar", b"uint") + bytes(96) + b"\xff" * n,
    "late_element.ply": lambda n: BINARY_PLY.replace(
        b"element face 8", b"comment oink\n" * 3000 + b"element face 9" + b"9" * 9
    ),
    "properties.ply": lambda n: BINARY_PLY.replace(
        b"end_header", b"property int a\n" * (n // 15) + b"end_header"
    ),
    "counts_below_zero.ply": lambda n: BINARY_PLY.replace(b" 8", b" -8") + bytes(n),
    "nothing_many_times.ply": lambda n: (
        b"ply\nformat binary_little_endian 1.0\nelement vertex 500000\nend_header\n" + bytes(n)
    ),
    "views.glb": lambda n: glb(
        {**TREE, "bufferViews": [{"buffer": 0, "byteLength": n}] * 3000}, bytes(n)
    ),
    "node_in_itself.glb": lambda n: nodes([0]),
    "nodes_in_each_other.glb": lambda n: nodes([1], [0]),
    "chain.glb": lambda n: nodes(*([i + 1] for i in range(n // 40))),
    "twice_each.glb": lambda n: nodes(*([i + 1, i + 1] for i in range(60)), []),
    "children.glb": lambda n: nodes([0] * (n // 3)),
    "roots.glb": lambda n: scene(scenes=[{"nodes": [0] * (n // 3)}]),
    "primitives.glb": lambda n: scene(
        meshes=[{"primitives": TREE["meshes"][0]["primitives"] * (n // 60)}]
    ),
    "brackets.glb": lambda n: glb(b"[" * n),
    "objects.glb": lambda n: glb(b"[" + b"{}," * (n // 3) + b"0]"),
    "count.glb": lambda n: scene(accessors=[{**one, "count": 10**12} for one in TREE["accessors"]]),
    "count_below_zero.glb": lambda n: scene(
        accessors=[{**one, "count": -(10**12)} for one in TREE["accessors"]]
    ),
    "no_stride.glb": lambda n: scene(
        accessors=[{**TREE["accessors"][0], "count": 10**12}, TREE["accessors"][1]],
        bufferViews=[{**TREE["bufferViews"][0], "byteStride": 0}, TREE["bufferViews"][1]],
    ),
    "sparse.glb": lambda n: scene(
        accessors=[{**one, "sparse": {"count": 10**9}} for one in TREE["accessors"]]
    ),
}


def assert_refused_soon(path: Path) -> None:
    start = time.perf_counter()
    with pytest.raises(MeshError) as caught:
        load_shape(path)
    assert "\n" not in str(caught.value)
    assert "expected" in str(caught.value)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_file_is_refused_soon(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(CRAFTED[name](1_000_000))
    assert_refused_soon(path)


MEASURE = """
import re, resource, sys, time
from pathlib import Path
from meshes.load import MeshError, load_shape
def most_held():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
before, start = most_held(), time.process_time()
try:
    load_shape(sys.argv[1])
except MeshError:
    print(time.process_time() - start, most_held() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
@pytest.mark.long
@pytest.mark.parametrize("name", CRAFTED)
def test_largest_crafted_file_is_refused_in_bounded_time_and_memory(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(CRAFTED[name](MAX_BYTES - 1_000_000)[:MAX_BYTES])
    words = [sys.executable, "-c", MEASURE, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, kilobytes = map(float, done.stdout.split())
    assert seconds < 30  # measured at most 10
    assert kilobytes < 1_000_000  # measured at most 400,000


def loads_or_refuses(data: bytes, ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"fuzz.{ending}"
        path.write_bytes(data)
        try:
            refused = "" if load_shape(path).surface.is_watertight else "open"
        except MeshError as error:
            refused = str(error)
    assert "\n" not in refused
    assert refused != "open"


def test_what_is_varied_below_loads() -> None:
    loads_or_refuses(glb(TREE), "glb")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "good.glb"
        path.write_bytes(glb(TREE))
        assert len(load_shape(path).surface.faces) == 4


ODD = st.one_of(
    st.sampled_from([-1, 0, 1, 2, 5, 12, 2**31, 2**63, 10**30, 1e308, float("nan"), float("inf")]),
    st.none() | st.booleans() | st.text(max_size=3),
    st.sampled_from([[], {}, [0] * 16, [float("nan")] * 4, {"POSITION": 1}, [{}], [1, 0]]),
)


def places(value: Any, at: tuple = ()) -> list[tuple]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    below = [(key, part) for key, part in inner] if isinstance(value, (dict, list)) else []
    return [(*at, key) for key, _ in below] + [
        place
        for key, part in below
        if isinstance(part, (dict, list))
        for place in places(part, (*at, key))
    ]


@FUZZ
@given(st.lists(st.tuples(st.sampled_from(places(TREE)), ODD), min_size=1, max_size=3))
def test_scene_with_odd_values_never_escapes(changes) -> None:
    tree = copy.deepcopy(TREE)
    for place, value in changes:
        inner = tree
        for key in place[:-1]:
            inner = inner[key] if isinstance(inner, (dict, list)) and _has(inner, key) else {}
        if isinstance(inner, dict) or (isinstance(inner, list) and _has(inner, place[-1])):
            inner[place[-1]] = copy.deepcopy(value)
    loads_or_refuses(glb(tree), "glb")


def _has(inner: Any, key: Any) -> bool:
    return key in inner if isinstance(inner, dict) else isinstance(key, int) and key < len(inner)


LINES = st.sampled_from(
    [
        *("ply", "format ascii 1.0", "format binary_big_endian 1.0", "comment", "end_header", ""),
        *("element vertex 4", "element face 4", "element face 1e9", "element x -1", "element"),
        *("property float x", "property double y", "property float z", "property", "property int"),
        *("property list uchar int vertex_indices", "property list float float vertex_index"),
        *("property list int", "3 0 1 2", "0 0 0", "20 0 nan", "1e999 inf -1", "oink"),
    ]
)


@FUZZ
@given(st.lists(LINES, max_size=25), st.booleans())
def test_ply_of_odd_lines_never_escapes(lines, is_begun) -> None:
    begin = [] if is_begun else ["ply", "format ascii 1.0"]
    loads_or_refuses("\n".join([*begin, *lines]).encode(), "ply")


OBJ_LINES = st.sampled_from(
    [
        *("v 0 0 0", "v 20 0 0", "v 0 20 0", "v 0 0 20", "v nan 0 0", "v 1e400 0 0", "v", "v 1 2"),
        *("f 1 3 2", "f 1 2 4", "f 2 3 4", "f 3 1 4", "f 1 1 1", "f -1 -2 -3", "f 0 0 0", "f"),
        *("f 1", "f 1//2 3/4/5 2", "f a b c", "f 99999999999999999999 1 2", "f 1 2 3 4 1 2 \\"),
        *("mtllib /etc/passwd", "call x", "#", "o \u0665", "usemtl", "g", "curv2 1", "p 1"),
    ]
)


@FUZZ
@given(st.lists(OBJ_LINES, max_size=30))
def test_obj_of_odd_lines_never_escapes(lines) -> None:
    loads_or_refuses("\n".join(lines).encode(), "obj")


@FUZZ
@given(st.lists(st.floats(width=32) | st.sampled_from([0.0, 20.0]), min_size=36, max_size=36))
def test_stl_of_any_numbers_never_escapes(numbers) -> None:
    corners = np.array(numbers, "<f4").reshape(4, 9)
    facets = b"".join(bytes(12) + row.tobytes() + bytes(2) for row in corners)
    loads_or_refuses(bytes(80) + struct.pack("<I", 4) + facets, "stl")


@FUZZ
@given(
    st.lists(
        st.tuples(*[st.floats(-300, 300) | st.sampled_from([0.0, 1e-30, 5.0])] * 3),
        min_size=4,
        max_size=4,
    )
)
def test_tetrahedra_of_any_shape_load_or_are_refused(corners) -> None:
    rows = np.array(corners, "<f4")
    facets = b"".join(bytes(12) + rows[face].tobytes() + bytes(2) for face in FACES)
    loads_or_refuses(bytes(80) + struct.pack("<I", 4) + facets, "stl")
