"""A shape -> files that any viewer opens: GLB, in the pig's colors with its dot, and STL.

Lengths in the files are millimeters. STL keeps the pig frame (z up). GLB turns it into glTF's:
y up, the front towards +z, so that the pig stands and looks at the viewer. `meshes/data` holds the
standard pig in both; `python -m meshes.export` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

import manifold3d
import numpy as np
import trimesh
from numpy.typing import NDArray
from trimesh.visual.material import PBRMaterial
from trimesh.visual.texture import TextureVisuals

from meshes.anatomy import standard_pig
from meshes.shape import Dot, FloatArray, IntArray, Shape, Surface

DATA = Path(__file__).parent / "data"
"""Where the shipped files lie."""

PIG_COLOR = (245, 156, 165, 255)
DOT_COLOR = (40, 28, 30, 255)
"""Red, green, blue, opacity, 0..255."""

_MILLIMETERS_PER_METER = 1000.0
_GLTF_FROM_PIG = [1, 2, 0]
"""glTF's x, y, z are the pig's y (left), z (up), x (front): a cyclic shift, so a rotation."""

_DOT_SIDES = 32
_SAME_PLANE = 1e-9
"""Corners this close to a plane [m] lie in it; rounding is some 1e-17 m."""


def write_stl(shape: Shape, path: Path) -> None:
    """Write the surface as binary STL, in millimeters, pig frame; STL has no color."""
    _mesh(shape.surface.vertices, shape.surface.faces).export(path, file_type="stl")


def write_glb(shape: Shape, path: Path) -> None:
    """Write the surface as GLB, in millimeters, y up: the pig and its dot, each in its color."""
    surface, is_dot = marked_surface(shape)
    vertices = surface.vertices[:, _GLTF_FROM_PIG]
    scene = trimesh.Scene()
    for name, faces, color in (
        ("pig", surface.faces[~is_dot], PIG_COLOR),
        ("dot", surface.faces[is_dot], DOT_COLOR),
    ):
        if len(faces):
            mesh = _mesh(vertices, faces)
            mesh.remove_unreferenced_vertices()
            material = PBRMaterial(name=name, baseColorFactor=color, roughnessFactor=0.6)
            mesh.visual = TextureVisuals(material=material)
            scene.add_geometry(mesh, geom_name=name, node_name=name)
    scene.export(path, file_type="glb")


def marked_surface(shape: Shape) -> tuple[Surface, NDArray[np.bool_]]:
    """Cut the outline of the dot into the surface, which stays the same solid.

    Returns:
        surface: Watertight; the flat facet under the dot is divided along the dot's rim.
        is_dot: Which faces lie in the dot, shape (f,); none if the shape has no dot.

    Raises:
        ValueError: If the dot does not lie within one flat facet of the surface.
    """
    surface, dot = shape.surface, shape.dot
    if dot is None:
        return surface, np.zeros(len(surface.faces), dtype=bool)
    right, up = _plane_axes(dot.normal)
    in_plane = _faces_in_plane(surface, dot)
    rim = np.arange(_DOT_SIDES) + len(surface.vertices)
    angles = np.arange(_DOT_SIDES) * (2 * np.pi / _DOT_SIDES)
    circle = np.outer(np.cos(angles), right) + np.outer(np.sin(angles), up)
    vertices = np.concatenate([surface.vertices, dot.center + dot.radius * circle])
    flat = np.stack([vertices @ right, vertices @ up], axis=1)
    loops = [*_boundary_loops(surface.faces[in_plane]), rim[::-1]]
    corners = np.concatenate(loops)
    around = corners[manifold3d.triangulate([flat[loop] for loop in loops])]
    cap = np.stack([np.repeat(rim[:1], len(rim) - 2), rim[1:-1], rim[2:]], axis=1)
    divided = np.concatenate([around, cap])
    _check_division(_areas(flat, divided), _areas(flat, surface.faces[in_plane]))
    faces = np.concatenate([surface.faces[~in_plane], divided])
    return Surface(vertices, faces), np.arange(len(faces)) >= len(faces) - len(cap)


def _mesh(vertices: FloatArray, faces: IntArray) -> trimesh.Trimesh:
    return trimesh.Trimesh(vertices * _MILLIMETERS_PER_METER, faces, process=False)


def _plane_axes(normal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find unit axes so that (right, up, normal) is right-handed."""
    right = np.cross(np.eye(3)[np.abs(normal).argmin()], normal)
    right /= np.linalg.norm(right)
    return right, np.cross(normal, right)


def _faces_in_plane(surface: Surface, dot: Dot) -> NDArray[np.bool_]:
    heights = (surface.vertices - dot.center) @ dot.normal
    a, b, c = np.moveaxis(surface.triangles, 1, 0)
    faces_outward = np.cross(b - a, c - a) @ dot.normal > 0
    in_plane = (np.abs(heights)[surface.faces] < _SAME_PLANE).all(axis=1) & faces_outward
    if not in_plane.any():
        raise ValueError("dot: expected its center on a flat facet of the surface")
    return in_plane


def _boundary_loops(faces: IntArray) -> list[IntArray]:
    """Chain the edges that only one face has, counterclockwise around the faces."""
    edges = {tuple(edge) for edge in faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).tolist()}
    follows = {start: end for start, end in edges if (end, start) not in edges}
    loops = []
    while follows:
        loop = [next(iter(follows))]
        while (following := follows.pop(loop[-1])) != loop[0]:
            loop.append(following)
        loops.append(np.array(loop))
    return loops


def _areas(flat: FloatArray, faces: IntArray) -> FloatArray:
    edges = flat[faces[:, 1:]] - flat[faces[:, :1]]
    areas: FloatArray = np.linalg.det(edges) / 2
    return areas


def _check_division(after: FloatArray, before: FloatArray) -> None:
    grows = np.abs(after).sum() - before.sum()
    if after.min() < -1e-6 * before.sum() or grows > 1e-6 * before.sum():
        raise ValueError("dot: expected it to lie within one flat facet of the surface")


def main() -> None:
    """Write the shipped files of the standard pig."""
    DATA.mkdir(exist_ok=True)
    write_stl(standard_pig(), DATA / "pig_standard.stl")
    write_glb(standard_pig(), DATA / "pig_standard.glb")


if __name__ == "__main__":
    main()
