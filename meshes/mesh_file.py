"""The bytes of an STL, OBJ or PLY file -> triangles, in time and memory bounded by their number.

What a header claims is compared with what may be built and with what is there before anything is
built from it. Any exception means that the bytes are no mesh, `TooManyFaces` that they claim more
than `MAX_FACES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

import numpy as np

from meshes.shape import FloatArray, IntArray

MAX_FACES = 200_000
"""Far more than a die needs."""

Triangles = tuple[FloatArray, IntArray]
"""Vertices (v, 3) in the file's units and faces (f, 3)."""

_STL_HEADER = 84
_STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

_PLY_HEADER = 100_000
"""A PLY file's header ends within this many bytes."""

_PLY_TYPES = {
    **{"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"},
    **{"int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4"},
    **{"float": "f4", "float32": "f4", "double": "f8", "float64": "f8"},
}


class TooManyFaces(ValueError):
    """A file claims more faces than may be built."""

    def __init__(self, claimed: int) -> None:
        super().__init__(f"has about {claimed} faces; expected at most {MAX_FACES}, simplify it")


def check_faces(claimed: int) -> None:
    """Refuse a claim of too many faces."""
    if claimed > MAX_FACES:
        raise TooManyFaces(claimed)


def read_stl(data: bytes) -> Triangles:
    """Read binary STL, told by its length, or text."""
    claimed = int.from_bytes(data[_STL_HEADER - 4 : _STL_HEADER], "little")
    if len(data) == _STL_HEADER + claimed * _STL_FACET.itemsize:
        check_faces(claimed)
        corners = np.frombuffer(data, _STL_FACET, offset=_STL_HEADER)["corners"].reshape(-1, 3)
    else:
        number = rb"\s+(\S{1,40})"
        found = re.finditer(rb"\bvertex" + 3 * number, data, re.IGNORECASE)
        corners = _numbers(_few(match.groups() for match in found))
    return corners.astype(np.float64), np.arange(len(corners)).reshape(-1, 3)


def _few(corners: Iterator[tuple[bytes, ...]]) -> list[tuple[bytes, ...]]:
    """Take as many corners as the faces may have."""
    taken = list(islice(corners, 3 * MAX_FACES + 1))
    check_faces(-(-len(taken) // 3))
    return taken


def _numbers(words: list[tuple[bytes, ...]]) -> FloatArray:
    return np.array([float(word) for row in words for word in row]).reshape(-1, 3)


def read_obj(data: bytes) -> Triangles:
    """Read vertices and faces of an OBJ file; polygons become fans, and all else is left out."""
    data = data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    start, number = rb"(?m)^[ \t]{0,9}", rb"[ \t]+([^\s]{1,40})"
    found = re.finditer(start + b"v" + 3 * number, data)
    vertices = _numbers(_few(match.groups() for match in found))
    faces: list[tuple[int, int, int]] = []
    for match in re.finditer(start + rb"f[ \t]+([^\r\n]+)", data):
        corners = match[1].split(None, MAX_FACES - len(faces) + 2)
        check_faces(len(faces) + len(corners) - 2)
        faces += _fan([_obj_index(corner, len(vertices)) for corner in corners])
    return vertices, np.array(faces)


def _obj_index(corner: bytes, vertices: int) -> int:
    """Read 7, 7/1 or 7//1 counted from 1, or -1 counted from the end."""
    number = int(corner.split(b"/", 1)[0][:20])
    return number + vertices if number < 0 else number - 1


def _fan(corners: list[int]) -> Iterable[tuple[int, int, int]]:
    return [(corners[0], b, c) for b, c in pairwise(corners[1:])]


def read_ply(data: bytes) -> Triangles:
    """Read a text or binary PLY file: x, y, z of its vertices, and the lists of its faces."""
    header, end, _ = data[:_PLY_HEADER].partition(b"end_header")
    lines = [line.split() for line in header.decode("latin-1").splitlines() if line.strip()]
    if lines[0] != ["ply"] or not end:
        raise ValueError("no header")
    at = data.index(b"\n", len(header)) + 1
    if lines[1][1] == "ascii":  # every number as a double
        words = np.fromstring(data[at:], sep=" ")
        body = _PlyBody(words.data.cast("B"), dict.fromkeys(_PLY_TYPES, "f8"))
    else:
        order = {"binary_little_endian": "<", "binary_big_endian": ">"}[lines[1][1]]
        types = {name: order + kind for name, kind in _PLY_TYPES.items()}
        body = _PlyBody(memoryview(data)[at:], types)
    elements = _ply_elements(lines[2:])
    for name, count, _ in elements:
        check_faces(count // (1 if name == "face" else 3))
    tables = {name: body.take(count, properties) for name, count, properties in elements}
    (vertices,) = tables["vertex"]
    corners = np.column_stack([vertices[axis] for axis in "xyz"]).astype(np.float64)
    return corners, _ply_faces(tables["face"])


Property = list[str]
"""Of an element: type and name, or `list`, types of its length and entries, and name."""


def _ply_elements(lines: list[list[str]]) -> list[tuple[str, int, list[Property]]]:
    elements: list[tuple[str, int, list[Property]]] = []
    for word, *rest in lines:
        if word == "element":
            name, count = rest
            elements.append((name, int(count), []))
        elif word == "property":
            elements[-1][2].append(rest)
    return elements


class _PlyBody:
    """What follows a PLY file's header."""

    def __init__(self, data: memoryview, types: dict[str, str]) -> None:
        self._data = data
        self._types = types
        self._at = 0

    def take(self, count: int, properties: list[Property]) -> list[np.ndarray]:
        """Read an element's rows, in a table for each length of their lists."""
        if not count:
            return []
        lengths = self._lengths(properties)
        row = self._row(properties, lengths)
        if count * row.itemsize <= len(self._data) - self._at:
            table = np.frombuffer(self._data, row, count, self._at)
            if all((table[f"{name} length"] == n).all() for name, n in lengths.items()):
                self._at += table.nbytes
                return [table]
        return self._sorted_by_length(count, properties)

    def _sorted_by_length(self, count: int, properties: list[Property]) -> list[np.ndarray]:
        rows: dict[tuple[int, ...], tuple[np.dtype, bytearray]] = {}
        for _ in range(count):
            lengths = self._lengths(properties)
            key = tuple(lengths.values())
            if key not in rows:
                rows[key] = self._row(properties, lengths), bytearray()
            row, data = rows[key]
            end = self._at + row.itemsize
            if end > len(self._data):
                raise ValueError("not all rows are there")
            data += self._data[self._at : end]
            self._at = end
        return [np.frombuffer(data, row) for row, data in rows.values()]

    def _lengths(self, properties: list[Property]) -> dict[str, int]:
        """Read how long the lists of the next row are."""
        at, lengths = self._at, {}
        for kind, *rest in properties:
            if kind != "list":
                at += np.dtype(self._types[kind]).itemsize
                continue
            of_length, of_entries = (np.dtype(self._types[one]) for one in rest[:2])
            length = int(np.frombuffer(self._data, of_length, 1, at)[0])
            lengths[rest[2]] = length
            at += of_length.itemsize + length * of_entries.itemsize
        return lengths

    def _row(self, properties: list[Property], lengths: dict[str, int]) -> np.dtype:
        fields: list[tuple] = []
        for kind, *rest in properties:
            if kind == "list":
                of_length, of_entries, name = rest
                fields.append((f"{name} length", self._types[of_length]))
                fields.append((name, self._types[of_entries], (lengths[name],)))
            else:
                fields.append((rest[0], self._types[kind]))
        return np.dtype(fields)


def _ply_faces(tables: list[np.ndarray]) -> IntArray:
    """Cut polygons into fans."""
    names = {"vertex_indices", "vertex_index"}
    polygons = [table[name] for table in tables for name in names & set(table.dtype.names or ())]
    check_faces(sum(len(rows) * (rows.shape[1] - 2) for rows in polygons if rows.shape[1] > 2))
    fans = [
        np.stack((rows[:, 0], rows[:, at], rows[:, at + 1]), axis=1)
        for rows in polygons
        for at in range(1, rows.shape[1] - 1)
    ]
    return np.concatenate(fans).astype(np.int64)
