"""Solids whose mass properties are known in closed form: what the integrals are checked against.

Each solid stands centered on the origin but for the tetrahedron, and comes as a closed surface;
its closed form assumes one density. Lengths in meters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshes.density import MassProperties
from meshes.shape import FloatArray, Surface, convex_hull


@dataclass(frozen=True)
class Cuboid:
    """A box with edges `sides` [m] along x, y and z."""

    sides: tuple[float, float, float]

    def surface(self) -> Surface:
        """Its twelve triangles: exact."""
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return convex_hull(corners * np.array(self.sides) / 2)

    def mass_properties(self, density: float) -> MassProperties:
        """Give m/12 (b^2 + c^2) about each axis."""
        mass = density * float(np.prod(self.sides))
        squares = np.square(self.sides)
        return MassProperties(mass, np.zeros(3), np.diag(mass / 12 * (squares.sum() - squares)))


@dataclass(frozen=True)
class Sphere:
    """A ball of `radius` [m]."""

    radius: float

    def surface(self, points: int) -> Surface:
        """Wrap a spiral of `points` on the sphere: volume converges from below as 1 / points."""
        index = np.arange(points) + 0.5
        polar = np.arccos(1 - 2 * index / points)
        azimuth = np.pi * (1 + 5**0.5) * index
        across = np.sin(polar)
        unit = [across * np.cos(azimuth), across * np.sin(azimuth), np.cos(polar)]
        return convex_hull(self.radius * np.stack(unit, axis=1))

    def mass_properties(self, density: float) -> MassProperties:
        """Give 2/5 m r^2 about every axis."""
        mass = density * 4 / 3 * np.pi * self.radius**3
        return MassProperties(mass, np.zeros(3), 0.4 * mass * self.radius**2 * np.eye(3))


@dataclass(frozen=True)
class Cylinder:
    """A cylinder of `radius` and `height` [m] along z."""

    radius: float
    height: float

    def surface(self, sides: int) -> Surface:
        """Cut it from a prism of as many `sides`: volume converges from below as sides^-2."""
        angles = np.arange(sides) * (2 * np.pi / sides)
        circle = self.radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        ends = [np.column_stack([circle, np.full(sides, z)]) for z in (-1, 1)]
        return convex_hull(np.concatenate(ends) * [1, 1, self.height / 2])

    def mass_properties(self, density: float) -> MassProperties:
        """Give m r^2 / 2 about the axis, m (3 r^2 + h^2) / 12 across."""
        mass = density * np.pi * self.radius**2 * self.height
        across = mass * (3 * self.radius**2 + self.height**2) / 12
        return MassProperties(
            mass, np.zeros(3), np.diag([across, across, mass * self.radius**2 / 2])
        )


@dataclass(frozen=True)
class CornerTetrahedron:
    """The origin and one corner on each axis, `legs` [m] away: a corner cut off a box."""

    legs: tuple[float, float, float]

    def surface(self) -> Surface:
        """Its four triangles: exact."""
        return convex_hull(np.concatenate([np.zeros((1, 3)), np.diag(self.legs)]))

    def mass_properties(self, density: float) -> MassProperties:
        """Center at a quarter of each leg; second moments m (3 a^2, -a b) / 80 about it."""
        legs: FloatArray = np.array(self.legs)
        mass = density * float(legs.prod()) / 6
        spread = mass / 80 * (4 * np.diag(legs**2) - np.outer(legs, legs))
        return MassProperties(mass, legs / 4, np.trace(spread) * np.eye(3) - spread)
