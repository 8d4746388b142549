"""A density over a body's volume -> its mass, center of mass and inertia.

The integrals are exact for a closed polyhedron: the solid is the signed sum of the tetrahedra that
its faces span with a common apex, and each polynomial integral over a tetrahedron is closed form.

References:
    Tonon, F. (2004), "Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor in Terms of
    its Vertex Coordinates", Journal of Mathematics and Statistics 1(1): 8-11. We integrate x x^T
    by the same change of variables, in matrix form, and get the inertia from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    center = moments.first / moments.volume
    spread = moments.second - moments.volume * np.outer(center, center)
    inertia = density * (np.trace(spread) * np.eye(3) - spread)
    return MassProperties(density * moments.volume, center, (inertia + inertia.T) / 2)
