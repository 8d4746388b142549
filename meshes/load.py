"""A mesh file in millimeters -> a shape, or one clear line that says why not.

A file is data: it is read whole, bounded in size and in what it claims to hold before anything is
built from it, and never follows a reference to another file.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from meshes.density import volume_moments
from meshes.glb import read_glb
from meshes.mesh_file import TooManyFaces, Triangles, read_obj, read_ply, read_stl
from meshes.shape import FloatArray, IntArray, Shape, Surface, union_of_surfaces

MAX_BYTES = 64_000_000
"""Refuse a larger file before it is read."""

EXTENT_RANGE = (5.0, 500.0)
"""The largest extent of what can be thrown like a pig [mm]."""

MAX_BODIES = 16
MAX_UNITED_FACES = 5_000
"""Closed bodies in one file that are united, and their faces in all: a union's cost grows fast."""

_MILLIMETER = 1e-3
_FLATTEST = 1e-4
"""Least volume as a share of the bounding cube's: below it a body is a sheet or a wire."""

_PIG_FROM_GLTF = [2, 0, 1]
"""The pig's x, y, z are glTF's z (front), x (left), y (up)."""


class MeshError(ValueError):
    """A mesh file that cannot be thrown; the message is one line: what was wrong, what would do."""


def load_shape(path: str | os.PathLike[str]) -> Shape:
    """Read an STL, OBJ, PLY or GLB file in millimeters.

    The surface may be concave. Alone on a table a body touches with its convex hull only, so the
    hull is its one collision part, named `hull`; mass and distances use the true surface. Two such
    bodies thrown together collide hull to hull, which is early where they are hollow. Bodies that
    overlap within a file are united, so that shared volume counts once; a single body that cuts
    through itself is not noticed.

    Axes are those of the file, x to the snout and z up; in GLB, which defines them, y is up and
    the snout points along +z. A shape that does not stand over the origin is moved there,
    its bounding box centered; whatever its height, it is set on z = 0.

    Raises:
        MeshError: If the file is missing, unreadable, too large, no mesh, open, inside out, flat,
            has NaN or infinity in it, or is not 5 to 500 mm large.
    """
    path = Path(path)
    try:
        return Shape.from_surface(path.stem, _standing(_closed_surface(path)))
    except ValueError as error:  # also a shape that refuses what the file holds
        message = f"{path}: {error}"
        raise MeshError(" ".join(message.split())) from None


def _standing(surface: Surface) -> Surface:
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    stands_over_origin = bool((low[:2] <= 0.0).all() and (high[:2] >= 0.0).all())
    middle = np.zeros(2) if stands_over_origin else (low + high)[:2] / 2
    return Surface(surface.vertices - (*middle, low[2]), surface.faces)


def _closed_surface(path: Path) -> Surface:
    kind = path.suffix.lower().lstrip(".")
    if kind not in _READERS:
        known = ", ".join(f".{name}" for name in _READERS)
        raise MeshError(f"expected a file that ends in one of {known}")
    vertices, faces = _parsed(_read(path), kind)
    if not np.isfinite(vertices).all():
        raise MeshError("has vertices at NaN or infinity; expected finite numbers")
    _check_extent(vertices)
    return _united(_merged(vertices, faces))


def _read(path: Path) -> bytes:
    try:
        if not path.exists():
            raise MeshError("no such file; expected a mesh in STL, OBJ, PLY or GLB")
        if not path.is_file():
            raise MeshError("is not a file; expected a mesh in STL, OBJ, PLY or GLB")
        size = path.stat().st_size
        if size == 0:
            raise MeshError("is empty; expected a mesh in STL, OBJ, PLY or GLB")
        if size > MAX_BYTES:
            raise MeshError(f"has {size} bytes; expected at most {MAX_BYTES}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, MeshError):
            raise
        raise MeshError(f"cannot be read ({error}); expected a readable mesh file") from None


def _parsed(data: bytes, kind: str) -> tuple[FloatArray, IntArray]:
    """Parse what claims to be small enough; whatever a parser chokes on is no mesh."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", DeprecationWarning)  # NumPy's on text without numbers
            vertices, faces = _READERS[kind](data)
        if vertices.shape[1:] != (3,) or faces.shape[1:] != (3,) or len(faces) == 0:
            raise ValueError("no triangles in space")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise ValueError("faces without vertices")
    except TooManyFaces as error:
        raise MeshError(str(error)) from None
    except Exception:  # parsers raise whatever garbage makes them
        raise MeshError(f"is not a mesh; expected a whole file in {kind.upper()} format") from None
    return (vertices[:, _PIG_FROM_GLTF] if kind == "glb" else vertices), faces


def _check_extent(vertices: FloatArray) -> None:
    smallest, largest = EXTENT_RANGE
    extent = float(np.ptp(vertices, axis=0).max())
    if smallest <= extent <= largest:
        return
    expected = f"expected {smallest:g} to {largest:g} mm"
    if smallest <= extent * 1000 <= largest:
        raise MeshError(
            f"is {extent:.4g} units long, which looks like meters; expected millimeters, "
            "scale it by 1000"
        )
    raise MeshError(f"is {extent:.4g} mm long; {expected} (lengths in the file are millimeters)")


def _merged(vertices: FloatArray, faces: IntArray) -> Surface:
    """Join equal vertices, as STL repeats them in every face, and drop faces without area."""
    corners, index = np.unique(vertices[np.unique(faces)], axis=0, return_inverse=True)
    used = np.full(len(vertices), -1)
    used[np.unique(faces)] = index.ravel()
    faces = used[faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    if len(corners) < 4 or len(faces) < 4:
        raise MeshError("is flat or a point; expected a body with a volume")
    surface = Surface(corners * _MILLIMETER, faces)
    if not surface.is_watertight:
        raise MeshError(
            "is not watertight (holes, or faces wound both ways); "
            "expected a closed surface, repair it first"
        )
    return surface


def _united(surface: Surface) -> Surface:
    """Check every body in the file, and unite them so that overlaps count once."""
    bodies = _bodies(surface)
    if len(bodies) > MAX_BODIES:
        raise MeshError(f"holds {len(bodies)} bodies; expected at most {MAX_BODIES} that overlap")
    for body in bodies:
        smallest = _FLATTEST * float(np.ptp(body.vertices, axis=0).max()) ** 3
        volume = volume_moments(body).volume
        if abs(volume) < smallest:
            raise MeshError("has no volume, it is flat or thin as a wire; expected a solid body")
        if volume < 0:
            raise MeshError("is inside out (or hollow); expected faces that look outward, flip it")
    if len(bodies) == 1:
        return surface
    if len(surface.faces) > MAX_UNITED_FACES:
        raise MeshError(
            f"holds {len(bodies)} bodies of {len(surface.faces)} faces; expected at most "
            f"{MAX_UNITED_FACES} faces, or one body"
        )
    united = union_of_surfaces(bodies)
    if sum(volume_moments(body).volume > 0 for body in _bodies(united)) > 1:
        raise MeshError("holds bodies that lie apart; expected one, in a piece")
    return united


def _bodies(surface: Surface) -> list[Surface]:
    """Split a surface where it is not connected."""
    faces = surface.faces
    count = len(surface.vertices)
    ends = faces[:, [0, 1, 1, 2]].reshape(-1, 2)
    links = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    number, label = connected_components(links, directed=False)
    if number == 1:
        return [surface]
    faces = faces[np.argsort(label[faces[:, 0]], kind="stable")]
    starts = np.flatnonzero(np.diff(label[faces[:, 0]])) + 1
    bodies = []
    for part in np.split(faces, starts)[: MAX_BODIES + 1]:
        used, index = np.unique(part, return_inverse=True)
        bodies.append(Surface(surface.vertices[used], index.reshape(-1, 3)))
    return bodies


_READERS: dict[str, Callable[[bytes], Triangles]] = {
    "stl": read_stl,
    "obj": read_obj,
    "ply": read_ply,
    "glb": read_glb,
}
