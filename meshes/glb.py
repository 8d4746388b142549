"""The bytes of a GLB file -> triangles, every node's in its place.

As in `meshes.mesh_file`, what the scene would build is counted before anything is built: a file of
little size may repeat or claim a lot, and its nodes may contain themselves. Data outside the file,
sparse arrays and compressed ones are not read.

References:
    Khronos Group (2021), glTF 2.0 Specification, sections 3.5, 3.6, 3.7 and 4.4.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.mesh_file import Triangles, check_faces
from meshes.shape import FloatArray, IntArray

_LARGEST_JSON = 10_000_000
_MOST_PARTS = 10_000
"""Nodes and primitives in their places; nodes that contain themselves have more."""

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}

Part = tuple[dict[str, Any], FloatArray]
"""A primitive, and where it is: a matrix (4, 4)."""


def read_glb(data: bytes) -> Triangles:
    """Read the triangles of a GLB file's scene."""
    tree, binary = _chunks(data)
    parts = list(_parts(tree))
    _check_claims(tree, parts)
    vertices, faces, count = [], [], 0
    for primitive, place in parts:
        corners = _array(tree, binary, primitive["attributes"]["POSITION"], "VEC3")
        vertices.append(corners @ place[:3, :3].T + place[:3, 3])
        drawn = _faces(tree, binary, primitive, len(corners)) + count
        faces.append(drawn if np.linalg.det(place[:3, :3]) > 0.0 else drawn[:, ::-1])
        count += len(corners)
    return np.concatenate(vertices), np.concatenate(faces)


def _check_claims(tree: dict[str, Any], parts: list[Part]) -> None:
    counts = [accessor["count"] for accessor in tree["accessors"]]
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("no counts")
    corners = vertices = 0
    for primitive, _ in parts:
        position = primitive["attributes"]["POSITION"]
        drawn = counts[primitive.get("indices", position)]
        corners += drawn if _mode(primitive) == _TRIANGLES else 3 * drawn
        vertices += counts[position]
        check_faces(max(corners, vertices) // 3)


def _chunks(data: bytes) -> tuple[dict[str, Any], memoryview]:
    """Split a file into its JSON and its binary data."""
    magic, version, _, length, kind = struct.unpack_from("<4sIII4s", data)
    if (magic, version, kind) != (b"glTF", 2, b"JSON") or length > _LARGEST_JSON:
        raise ValueError("no GLB 2")
    tree = json.loads(data[20 : 20 + length])
    rest = data[20 + length :]
    length, kind = struct.unpack_from("<I4s", rest) if rest else (0, b"BIN\0")
    if kind != b"BIN\0":
        raise ValueError("no binary data")
    return tree, memoryview(rest)[8 : 8 + length]


def _parts(tree: dict[str, Any]) -> Iterator[Part]:
    """Walk the scene, and give every surface in its place."""
    nodes, given = tree["nodes"], 0
    pending = [(tree["scenes"][tree.get("scene", 0)]["nodes"], np.eye(4))]
    while pending:
        children, above = pending.pop()
        given += len(children)
        if given > _MOST_PARTS:
            raise ValueError("too many nodes")
        for node in (nodes[child] for child in children):
            place = above @ _matrix(node)
            pending.append((node.get("children", []), place))
            primitives = tree["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []
            given += len(primitives)
            if given > _MOST_PARTS:
                raise ValueError("too many parts")
            yield from (
                (primitive, place)
                for primitive in primitives
                if _mode(primitive) in (_TRIANGLES, _STRIP, _FAN)
            )


def _mode(primitive: dict[str, Any]) -> int:
    return primitive.get("mode", _TRIANGLES)


def _matrix(node: dict[str, Any]) -> FloatArray:
    """Give a node's place in its parent's."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(node.get("rotation", (0, 0, 0, 1))).as_matrix()
    matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), np.float64)
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix


def _faces(
    tree: dict[str, Any], binary: memoryview, primitive: dict[str, Any], count: int
) -> IntArray:
    if "indices" in primitive:
        corners = _array(tree, binary, primitive["indices"], "SCALAR").astype(np.int64).ravel()
    else:
        corners = np.arange(count)
    if _mode(primitive) == _TRIANGLES:
        return corners.reshape(-1, 3)
    rest = np.stack((corners[1:-1], corners[2:]), axis=1)
    if _mode(primitive) == _FAN:
        return np.column_stack((np.full(len(rest), corners[0]), rest))
    faces = np.column_stack((corners[:-2], rest))
    faces[1::2, 1:] = faces[1::2, :0:-1]  # every other one of a strip is wound the other way
    return faces


def _array(tree: dict[str, Any], binary: memoryview, index: int, kind: str) -> np.ndarray:
    """Read an accessor of the binary data, (count, width)."""
    accessor = tree["accessors"][index]
    if accessor["type"] != kind or "sparse" in accessor:
        raise ValueError("another kind of data")
    view = tree["bufferViews"][accessor["bufferView"]]
    buffer = tree["buffers"][view["buffer"]]
    if view["buffer"] != 0 or "uri" in buffer:
        raise ValueError("data in another file")
    component = np.dtype(_COMPONENTS[accessor["componentType"]])
    width = _WIDTHS[kind]
    data = binary[view.get("byteOffset", 0) :][: view["byteLength"]]
    return np.ndarray(
        (accessor["count"], width),
        component,
        data,
        accessor.get("byteOffset", 0),
        (view.get("byteStride", component.itemsize * width), component.itemsize),
    )
