"""Ways to spread a body's mass over its own volume, each a few numbers that a fit can move.

References:
    Jaynes, E. T. (1957), "Information theory and statistical mechanics", Physical Review 106:
    620-630. Of all densities with given means of some functions, the one least unlike uniform
    (in relative entropy) is the exponential of a sum of these functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from meshes.density import (
    MassProperties,
    VolumeMoments,
    properties_of,
    uniform,
    volume_nodes,
)
from meshes.shape import FloatArray, Shape

LINEAR = ("x", "y", "z")
QUADRATIC = ("xx", "xy", "xz", "yy", "yz", "zz")

_ORDER = 4
"""Gauss points along each edge: mass properties to 1e-6 for density ratios up to 20."""


class MassModel(Protocol):
    """Parameters -> mass properties, the total mass held."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""

    @property
    def about(self) -> str:
        """What the parameters mean, with their units, in a line."""

    @property
    def bounds(self) -> FloatArray:
        """Least and greatest value of each, shape (p, 2)."""

    @property
    def start(self) -> FloatArray:
        """Parameters of the body a fit starts from, shape (p,)."""

    @property
    def scale(self) -> FloatArray:
        """First step of a fit along each, shape (p,)."""

    def mass_properties(self, theta: FloatArray) -> MassProperties:
        """Integrate the mass that these parameters spread."""

    def unlikeness(self, theta: FloatArray) -> Unlikeness:
        """Measure how far the density is from a uniform one."""


@dataclass(frozen=True)
class Unlikeness:
    """How far a density is from a uniform one of the same mass.

    Attributes:
        nats: Relative entropy of the density from the uniform one.
        ratio: Greatest density over least, anywhere in the body.
        shift: Of the center of mass from the uniform body's, shape (3,) [m].
    """

    nats: float
    ratio: float
    shift: FloatArray


@dataclass(frozen=True, eq=False)
class ExponentialDensity:
    """Density proportional to exp(theta . phi(x)): positive everywhere, so that it can be built.

    phi are the coordinates named by `terms`, and products of two of them, of
    (x - center of the uniform body) / length. Dimensionless, so theta is of order one.

    Attributes:
        shape: Of the body.
        mass: [kg], whatever theta is.
        terms: Such as "x" or "yz".
        reach: Bound of every |theta|.
    """

    shape: Shape
    mass: float
    terms: tuple[str, ...] = LINEAR
    reach: float = 3.0
    _uniform: MassProperties = field(init=False, repr=False)

    about = (
        "log density = parameter times coordinate (or product of two), summed; coordinates from "
        "the uniform pig's center of mass, in half lengths of the pig"
    )

    def __post_init__(self) -> None:
        if unknown := [term for term in self.terms if term not in LINEAR + QUADRATIC]:
            raise ValueError(
                f"unknown term '{unknown[0]}' of the density: expected some of "
                f"{', '.join(LINEAR + QUADRATIC)}"
            )
        if len(set(self.terms)) != len(self.terms) or not self.terms:
            raise ValueError(f"terms of the density: expected different ones, got {self.terms}")
        unit = uniform(self.shape.surface, 1.0)
        object.__setattr__(self, "_uniform", uniform(self.shape.surface, self.mass / unit.mass))

    @property
    def names(self) -> tuple[str, ...]:
        """One parameter for every term."""
        return self.terms

    @property
    def bounds(self) -> FloatArray:
        """The same for every parameter."""
        return np.tile((-self.reach, self.reach), (len(self.terms), 1))

    @property
    def start(self) -> FloatArray:
        """The uniform body."""
        return np.zeros(len(self.terms))

    @property
    def scale(self) -> FloatArray:
        """Half a unit of each parameter."""
        return np.full(len(self.terms), 0.5)

    @property
    def length(self) -> float:
        """Of the dimensionless coordinates [m]: half the body's extent along x."""
        return float(np.ptp(self.shape.hull.vertices[:, 0])) / 2

    def mass_properties(self, theta: FloatArray) -> MassProperties:
        """Integrate the density; to rounding, theta = 0 gives the uniform body."""
        nodes, weights, phi = self._nodes
        share = weights * np.exp(phi @ theta)
        moments = VolumeMoments(
            float(share.sum()), share @ nodes, nodes.T @ (share[:, None] * nodes)
        )
        relative = properties_of(moments, self.mass / moments.volume)
        center = self._uniform.center_of_mass + self.length * relative.center_of_mass
        return MassProperties(self.mass, center, self.length**2 * relative.inertia)

    def unlikeness(self, theta: FloatArray) -> Unlikeness:
        """Relative entropy is the mean of log(density / uniform), weighted by the density."""
        _, weights, phi = self._nodes
        exponent = phi @ theta
        share = weights * np.exp(exponent)
        log_mean = np.log(share.sum() / weights.sum())
        inside = self._phi(self._points_inside) @ theta
        shift = self.mass_properties(theta).center_of_mass - self._uniform.center_of_mass
        return Unlikeness(
            nats=max(0.0, float(share @ exponent / share.sum() - log_mean)),
            ratio=float(np.exp(np.ptp(inside))),
            shift=shift,
        )

    def _phi(self, points: FloatArray) -> FloatArray:
        """Evaluate the terms at dimensionless points (n, 3), (n, p)."""
        columns = [points[:, ["xyz".index(letter) for letter in term]] for term in self.terms]
        return np.stack([column.prod(axis=1) for column in columns], axis=1)

    @cached_property
    def _nodes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        nodes, weights = volume_nodes(self.shape.surface, _ORDER)
        nodes = self._dimensionless(nodes)
        return nodes, weights / self.length**3, self._phi(nodes)

    @cached_property
    def _points_inside(self) -> FloatArray:
        """Surface vertices, where a linear exponent is extreme, and points between them and inside.

        Within each convex part, the parts' nodes toward its own mean vertex lie in the body.
        """
        vertices = self.shape.surface.vertices
        fractions = np.linspace(0.0, 0.75, 4)[:, None, None]
        rays = [
            part.vertices.mean(axis=0) * (1 - fractions) + fractions * part.vertices
            for part in self.shape.parts
        ]
        return self._dimensionless(
            np.concatenate((vertices, *(ray.reshape(-1, 3) for ray in rays)))
        )

    def _dimensionless(self, points: FloatArray) -> FloatArray:
        return (points - self._uniform.center_of_mass) / self.length
