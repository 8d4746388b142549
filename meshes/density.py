"""A density over a body's volume -> its mass, center of mass and inertia.

The integrals are exact for a closed polyhedron of one density: the solid is the signed sum of the
tetrahedra that its faces span with a common apex, and each polynomial integral over a tetrahedron
is closed form. Other densities are integrated over the same tetrahedra by Gauss's rules.

References:
    Tonon, F. (2004), "Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor in Terms of
    its Vertex Coordinates", Journal of Mathematics and Statistics 1(1): 8-11. We integrate x x^T
    by the same change of variables, in matrix form, and get the inertia from it.
    Stroud, A. H. (1971), Approximate Calculation of Multiple Integrals, Prentice-Hall: conical
    product formulas for the simplex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import roots_jacobi

from meshes.shape import FloatArray, Surface

_SLACK = 1e-9
"""Relative rounding allowed in checks on an inertia; a flat rod lies exactly on the bound."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """What Newton and Euler need to know of a rigid body.

    Attributes:
        mass: [kg], positive.
        center_of_mass: Shape (3,) [m], pig frame.
        inertia: Shape (3, 3) [kg m^2], about the center of mass, pig axes.
    """

    mass: float
    center_of_mass: FloatArray
    inertia: FloatArray

    def __post_init__(self) -> None:
        """Freeze the arrays; refuse what no distribution of positive mass can have."""
        if not (np.isfinite(self.mass) and self.mass > 0):
            raise ValueError(f"mass: expected > 0 kg, got {self.mass}")
        for name, dimensions in (("center_of_mass", (3,)), ("inertia", (3, 3))):
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != dimensions or not np.isfinite(array).all():
                raise ValueError(f"{name}: expected finite, shape {dimensions}, got {array!r}")
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        self._check_inertia()

    def _check_inertia(self) -> None:
        scale = float(np.abs(self.inertia).max())
        if np.abs(self.inertia - self.inertia.T).max() > _SLACK * scale:
            raise ValueError(f"inertia: expected a symmetric matrix, got {self.inertia.tolist()}")
        moments = np.linalg.eigvalsh(self.inertia)
        if moments[0] <= 0:
            raise ValueError(f"inertia: expected positive moments, got {moments.tolist()} kg m^2")
        if moments[2] > (moments[0] + moments[1]) * (1 + _SLACK):
            raise ValueError(
                "inertia: expected the largest moment to be at most the sum of the others, "
                f"got {moments.tolist()} kg m^2"
            )

    def principal(self) -> tuple[FloatArray, FloatArray]:
        """Find the axes in which the inertia is diagonal.

        Returns:
            moments: Shape (3,) [kg m^2], ascending.
            pig_from_principal: Shape (3, 3), a right-handed rotation: its columns are the axes,
                so inertia = R diag(moments) R^T. Each axis is turned so that its largest component
                is positive, but for the last, which makes the frame right-handed.
        """
        moments, axes = np.linalg.eigh(self.inertia)
        largest = axes[np.abs(axes).argmax(axis=0), range(3)]
        axes = axes * np.sign(largest)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        return moments, axes


@dataclass(frozen=True, eq=False)
class VolumeMoments:
    """Moments of a solid's volume about the frame's origin.

    Attributes:
        volume: [m^3], negative if the surface is inside out.
        first: Integral of x over the volume, shape (3,) [m^4].
        second: Integral of x x^T over the volume, shape (3, 3) [m^5].
    """

    volume: float
    first: FloatArray
    second: FloatArray


def volume_moments(surface: Surface) -> VolumeMoments:
    """Integrate 1, x and x x^T over what a closed surface encloses.

    With corners p_i of a tetrahedron of volume V (one of them the apex) and s their sum: first
    moment V s / 4, second moment V (s s^T + sum_i p_i p_i^T) / 20.
    """
    apex = surface.vertices.mean(axis=0)
    corners = surface.triangles - apex
    volumes = np.linalg.det(corners) / 6
    sums = corners.sum(axis=1)
    volume = float(volumes.sum())
    first = volumes @ sums / 4
    second = np.einsum("f,fi,fj->ij", volumes, sums, sums)
    second = (second + np.einsum("f,fki,fkj->ij", volumes, corners, corners)) / 20
    shift = np.outer(first, apex)
    return VolumeMoments(
        volume,
        first + volume * apex,
        second + shift + shift.T + volume * np.outer(apex, apex),
    )


def uniform(surface: Surface, density: float) -> MassProperties:
    """Fill a closed surface with one density.

    Args:
        surface: Watertight, wound outward, pig frame [m].
        density: [kg/m^3], positive.

    Raises:
        ValueError: If the surface is open or inside out, or the density is not positive.
    """
    if not (np.isfinite(density) and density > 0):
        raise ValueError(f"density: expected > 0 kg/m^3, got {density}")
    if not surface.is_watertight:
        raise ValueError("surface: expected a closed surface, wound one way, got an open one")
    moments = volume_moments(surface)
    if moments.volume <= 0:
        raise ValueError(f"surface: expected a positive volume, got {moments.volume} m^3")
    return properties_of(moments, density)


def properties_of(moments: VolumeMoments, density: float) -> MassProperties:
    """Give mass, center of mass and inertia of what has these moments, times a density."""
    center = moments.first / moments.volume
    spread = moments.second - moments.volume * np.outer(center, center)
    inertia = density * (np.trace(spread) * np.eye(3) - spread)
    return MassProperties(density * moments.volume, center, (inertia + inertia.T) / 2)


def volume_nodes(surface: Surface, order: int) -> tuple[FloatArray, FloatArray]:
    """Lay a quadrature over what a closed surface encloses.

    Conical product formula on the tetrahedron of apex a and corners p, q, r: with Gauss points in
    u (weight u^2), v (weight v) and w on [0, 1], the nodes are a + u ((1-v) (p-a) + v ((1-w) (q-a)
    + w (r-a))). Exact for polynomials of degree 2 order - 1. Where the body is not star-shaped
    about its mean vertex, tetrahedra of negative volume take back what others counted outside.

    Args:
        surface: Watertight, wound outward, pig frame [m].
        order: Gauss points along each of u, v and w.

    Returns:
        Nodes, shape (n, 3) [m], and their signed weights, shape (n,) [m^3].
    """
    apex = surface.vertices.mean(axis=0)
    corners = surface.triangles - apex
    (u, along), (v, across), (w, around) = (_gauss(order, power) for power in (2, 1, 0))
    rays = (
        np.einsum("v,fi->fvi", 1 - v, corners[:, 0])[:, :, None]
        + np.einsum("v,w,fi->fvwi", v, 1 - w, corners[:, 1])
        + np.einsum("v,w,fi->fvwi", v, w, corners[:, 2])
    )
    nodes = apex + np.einsum("u,fvwi->fuvwi", u, rays)
    weights = np.einsum("f,u,v,w->fuvw", np.linalg.det(corners), along, across, around)
    return nodes.reshape(-1, 3), weights.ravel()


def _gauss(order: int, power: int) -> tuple[FloatArray, FloatArray]:
    """Points and weights of Gauss-Jacobi quadrature on [0, 1] with weight x^power."""
    points, weights = roots_jacobi(order, 0, power)
    return (points + 1) / 2, weights / 2 ** (power + 1)
