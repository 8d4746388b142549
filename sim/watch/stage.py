"""What a viewer draws: the pigs with their dots, the leaf, the table; shapes, colors and places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.export import DOT_COLOR, marked_surface
from meshes.shape import FloatArray, IntArray, convex_hull
from sim.configuration import Configuration
from sim.device import TrapDoor
from sim.pig import Pig
from sim.watch.film import Film

Color = tuple[int, int, int]
"""Red, green, blue, 0..255."""

PIG_COLORS: tuple[tuple[str, Color], ...] = (
    ("pink pig", (242, 140, 152)),
    ("gold pig", (236, 178, 72)),
    ("blue pig", (120, 166, 222)),
    ("green pig", (134, 190, 122)),
    ("violet pig", (180, 146, 214)),
    ("orange pig", (240, 140, 84)),
    ("teal pig", (96, 186, 180)),
    ("gray pig", (164, 164, 164)),
)
LEAF_COLOR: Color = (120, 134, 156)
TABLE_COLOR: Color = (208, 219, 211)
SQUARE_COLOR: Color = (199, 211, 203)
SHADOW_COLOR: Color = (168, 181, 173)
INK_COLOR: Color = (44, 50, 56)

SQUARE = 0.05
"""Side of the table's squares [m]; they show how far a pig goes."""

SQUARES = 48
"""Along each side of the table that is drawn; the simulated one has no end."""

SUN = (-0.35, 0.25, -0.9)
"""Where the light goes, not normalized."""

LAYER = 0.0001
"""The table is drawn this far below z = 0 [m], so that shadows lie on it."""


def pig_name(pig: int) -> str:
    """Call a pig by its color."""
    return PIG_COLORS[pig % len(PIG_COLORS)][0]


@dataclass(frozen=True, eq=False)
class Patch:
    """Triangles of one color.

    Attributes:
        vertices: (v, 3) [m].
        faces: (f, 3), counterclockwise seen from outside.
        color: Of all of them.
    """

    vertices: FloatArray
    faces: IntArray
    color: Color

    @property
    def corners(self) -> FloatArray:
        """Corners of every face, (f, 3, 3) [m]."""
        return self.vertices[self.faces]

    @property
    def normals(self) -> FloatArray:
        """Outward unit normal of every face, (f, 3)."""
        a, b, c = np.moveaxis(self.corners, 1, 0)
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        return normal / np.where(length > 0.0, length, 1.0)


@dataclass(frozen=True)
class Stage:
    """Where throws of one configuration take place.

    Attributes:
        pig: What is thrown.
        pigs: How many.
        device: The trap door, or None.
    """

    pig: Pig
    pigs: int
    door: TrapDoor | None

    @classmethod
    def of(cls, configuration: Configuration) -> Stage:
        """Build the stage of a configuration."""
        device = configuration.device
        door = device if isinstance(device, TrapDoor) else None
        return cls(configuration.pig, configuration.pigs, door)

    @cached_property
    def surface(self) -> tuple[FloatArray, IntArray, IntArray]:
        """The pig's vertices [m], the faces of its skin, and those of its dot; pig frame."""
        surface, is_dot = marked_surface(self.pig.shape)
        return surface.vertices, surface.faces[~is_dot], surface.faces[is_dot]

    def patches(self, pig: int) -> list[Patch]:
        """Give the skin and the dot of a pig, pig frame; a body without a dot has no dot."""
        vertices, skin, dot = self.surface
        color = PIG_COLORS[pig % len(PIG_COLORS)][1]
        red, green, blue, _ = DOT_COLOR
        patches = [Patch(vertices, skin, color), Patch(vertices, dot, (red, green, blue))]
        return [patch for patch in patches if len(patch.faces)]

    @cached_property
    def leaf(self) -> Patch | None:
        """Give the trap door's leaf about its middle, hinged at -x; None without one."""
        if self.door is None:
            return None
        door = self.door
        size = (door.leaf_length, door.leaf_width(self.pigs), door.leaf_thickness)
        return Patch(_CUBE.vertices * size, _CUBE.faces, LEAF_COLOR)

    def leaf_pose(self, film: Film, frame: int) -> tuple[FloatArray, FloatArray]:
        """Place the leaf in a frame: translation (3,) [m] and quat_xyzw (4,), world from leaf."""
        assert self.door is not None
        half, thickness = self.door.leaf_length / 2, self.door.leaf_thickness
        turn = Rotation.from_euler("y", float(film.leaf_angle[frame]))
        hinge = np.array((-half, 0.0, film.landing.height[0]))
        return hinge + turn.apply((half, 0.0, -thickness / 2)), turn.as_quat()

    @cached_property
    def table(self) -> list[Patch]:
        """Give the table's lighter and darker squares, a layer below z = 0."""
        steps = np.arange(SQUARES) - SQUARES / 2
        x, y = (grid.ravel() for grid in np.meshgrid(steps, steps))
        is_dark = (x + y) % 2 == 1
        corners = np.stack((x, y), axis=1) * SQUARE
        return [_squares(corners[~is_dark], TABLE_COLOR), _squares(corners[is_dark], SQUARE_COLOR)]

    def shadow(self, film: Film, frame: int) -> Patch:
        """Cast the shadows of the pigs and the leaf on the table."""
        solids = []
        vertices, skin, dot = self.surface
        faces = np.concatenate((skin, dot))
        for pig in range(film.pigs):
            turn = Rotation.from_quat(film.quat_xyzw[frame, pig]).as_matrix()
            solids.append((vertices @ turn.T + film.translation[frame, pig], faces))
        if self.leaf is not None:
            translation, quat_xyzw = self.leaf_pose(film, frame)
            turn = Rotation.from_quat(quat_xyzw).as_matrix()
            solids.append((self.leaf.vertices @ turn.T + translation, self.leaf.faces))
        return _cast(solids)

    @property
    def open_angle(self) -> float:
        """At which the catch holds the leaf [rad]; 0 without one."""
        return self.door.open_angle if self.door else 0.0


_CUBE = convex_hull([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def _squares(corners: FloatArray, color: Color) -> Patch:
    """Lay squares, given by their lowest corners (n, 2) [m], on the table."""
    offsets = SQUARE * np.array(((0, 0), (1, 0), (1, 1), (0, 1)))
    flat = (corners[:, None, :] + offsets).reshape(-1, 2)
    first = 4 * np.arange(len(corners))[:, None, None]
    faces = (first + np.array(((0, 1, 2), (0, 2, 3)))).reshape(-1, 3)
    return Patch(np.column_stack((flat, np.full(len(flat), -LAYER))), faces, color)


def _cast(solids: Sequence[tuple[FloatArray, IntArray]]) -> Patch:
    """Project what faces the light along its rays to the table."""
    points, faces, known = [], [], 0
    for vertices, solid_faces in solids:
        lit = Patch(vertices, solid_faces, SHADOW_COLOR).normals @ SUN < 0.0
        faces.append(solid_faces[lit] + known)
        along = vertices[:, 2:] / SUN[2]
        points.append((vertices - along * SUN) * (1.0, 1.0, 0.0))
        known += len(vertices)
    return Patch(np.concatenate(points), np.concatenate(faces), SHADOW_COLOR)
