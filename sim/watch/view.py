"""Where a camera stands to see a throw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.shape import FloatArray
from sim.watch.film import Film
from sim.watch.stage import Stage

FIELD_OF_VIEW = 30.0
"""Of our cameras, from the lower to the upper edge [degree]."""

EDGE = 1.06
"""Room left around what is in a picture, as a factor of the distance."""

CLEAR = 7.0
"""No pig comes nearer to a camera that holds still, in radii of what is seen about it."""

NEAR = 0.7
"""About each pig at rest this much is seen, in reaches of the pig; 0.5 has all of it."""

YAW = 32.0
"""Of our cameras as a rule [degree]."""

IN_FRONT = tuple(range(15, 180, 25))
ALL_AROUND = tuple(range(32, 392, 45))
"""Yaws to choose from: the leaf hangs behind what falls, or anywhere [degree]."""


@dataclass(frozen=True)
class View:
    """A camera, level, that looks at a point.

    Attributes:
        target: What it looks at, (3,) [m].
        distance: From there [m].
        yaw: Of the line of sight about z, from the y axis, counterclockwise [degree].
        pitch: Of the line of sight above the level, negative from above [degree].
    """

    target: tuple[float, float, float]
    distance: float
    yaw: float
    pitch: float

    @property
    def forward(self) -> FloatArray:
        """Along the line of sight, unit, (3,)."""
        return _axes(self.yaw, self.pitch)[1]

    @property
    def eye(self) -> FloatArray:
        """Where the camera is, (3,) [m]."""
        return np.array(self.target) - self.distance * self.forward


def wide_view(
    film: Film, stage: Stage, aspect: float, field_of_view: float = FIELD_OF_VIEW
) -> View:
    """Stand so that the whole throw is in the picture, a narrow one where pigs are seen best.

    Args:
        film: What happens.
        stage: Where.
        aspect: Width of the picture over its height.
        field_of_view: From the lower to the upper edge [degree].
    """
    points = film.translation.reshape(-1, 3)
    if stage.leaf is not None:
        closed = stage.leaf.vertices + np.array((0.0, 0.0, film.landing.height[0]))
        points = np.concatenate((points, closed))
    yaws = (YAW,) if aspect >= 1.0 else IN_FRONT
    margin = stage.pig.reach / 2
    views = [_fitted(points, margin, aspect, field_of_view, yaw, pitch=-18.0) for yaw in yaws]
    return _best(views, film, stage)


def close_view(film: Film, stage: Stage, aspect: float) -> View:
    """Stand before the pigs where they end, wherever they are seen best; see wide_view."""
    ends, margin = film.translation[-1], NEAR * stage.pig.reach
    views = [_fitted(ends, margin, aspect, FIELD_OF_VIEW, yaw, pitch=-30.0) for yaw in ALL_AROUND]
    return _best(views, film, stage)


def _best(views: list[View], film: Film, stage: Stage) -> View:
    """Choose the nearest of those from which the leaf hides no pig at its end, if there are any."""
    return min(views, key=lambda view: (_leaf_hides(view, film, stage), view.distance))


def _leaf_hides(view: View, film: Film, stage: Stage) -> bool:
    """Tell whether the leaf, upright, is between the camera and a pig at its end, or nearly so."""
    if stage.leaf is None:
        return False
    place, _ = stage.leaf_pose(film, -1)
    length, width, _ = np.abs(stage.leaf.vertices[0]) + stage.pig.reach / 2
    arms = film.translation[-1] - view.eye
    share = (place[0] - view.eye[0]) / arms[:, 0]
    off = np.abs(view.eye + share[:, None] * arms - place)
    is_before = (share > 0.0) & (share < 1.0)
    return bool((is_before & (off[:, 1] < width) & (off[:, 2] < length)).any())


def _fitted(
    points: FloatArray,
    margin: float,
    aspect: float,
    field_of_view: float,
    yaw: float,
    pitch: float,
) -> View:
    """Find the nearest place from which balls of radius `margin` about the points are seen.

    Along the line of sight and across it, each edge of the picture bounds where the eye can be.
    """
    right, forward, up = _axes(yaw, pitch)
    depth = points @ forward
    rise = np.tan(np.radians(field_of_view / 2))
    eye = np.zeros(3)
    nearest = float(depth.min()) - CLEAR * margin
    for axis, slope in ((right, rise * aspect), (up, rise)):
        across = points @ axis
        room = margin * np.hypot(1.0, slope)
        low = float((across - slope * depth).max()) + room
        high = float((across + slope * depth).min()) - room
        eye += axis * (low + high) / 2
        nearest = min(nearest, (high - low) / (2 * slope))
    distance = float((depth.min() + depth.max()) / 2) - nearest
    x, y, z = (eye + (nearest + distance) * forward).tolist()
    return View((x, y, z), EDGE * distance, yaw, pitch)


def _axes(yaw: float, pitch: float) -> FloatArray:
    """Give the camera's right, forward and up as rows, (3, 3)."""
    return Rotation.from_euler("ZX", (yaw, pitch), degrees=True).as_matrix().T
