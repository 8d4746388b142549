"""Other ways that a person would spread a body's mass: a weight inside, a hollow, two materials.

Each is a `meshes.mass_model.MassModel`: the total mass is held, and the rest of the body has one
density.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import manifold3d
import numpy as np
import trimesh

from meshes.density import MassProperties, VolumeMoments, properties_of, volume_moments
from meshes.mass_model import Unlikeness
from meshes.shape import FloatArray, Shape, Surface


@dataclass(frozen=True, eq=False)
class Insert:
    """A ball of another density, moved inside the body: a weight, or a hollow.

    Parameters are the ball's center (x, y, z), from the uniform body's center of mass [m]. It may
    go as far as a ball around that center that lies in the body holds it.

    Attributes:
        shape: Of the body.
        mass: Of the body with the ball in it [kg].
        radius: Of the ball [m].
        excess: Mass of the ball beyond that of the material around it, as a share of all mass: 0
            for no ball; a hollow has less than 0.
    """

    shape: Shape
    mass: float
    radius: float
    excess: float
    _moments: VolumeMoments = field(init=False, repr=False)
    _room: float = field(init=False, repr=False)

    names = ("x", "y", "z")
    about = "center of the ball from the uniform pig's center of mass, m"

    def __post_init__(self) -> None:
        """Measure the body; refuse a ball that has no room in it."""
        moments = volume_moments(self.shape.surface)
        center = moments.first / moments.volume
        near = trimesh.triangles.closest_point(
            self.shape.surface.triangles,
            np.tile(center, (len(self.shape.surface.faces), 1)),
        )
        room = float(np.linalg.norm(near - center, axis=1).min())
        if not 0 < self.radius < room:
            raise ValueError(
                f"radius of the ball: expected more than 0 and less than {room * 1e3:.1f} mm, the "
                f"body's depth, got {self.radius * 1e3:g} mm"
            )
        object.__setattr__(self, "_moments", moments)
        object.__setattr__(self, "_room", room)

    @classmethod
    def weight(cls, shape: Shape, mass: float) -> Insert:
        """A ball of a fifth of all mass beyond the rubber it displaces, as of lead."""
        return cls(shape, mass, 0.002, 0.2)

    @classmethod
    def hollow(cls, shape: Shape, mass: float) -> Insert:
        """An empty ball."""
        radius = 0.0035
        volume = volume_moments(shape.surface).volume
        ball = 4 / 3 * np.pi * radius**3
        return cls(shape, mass, radius, -ball / (volume - ball))

    @property
    def bounds(self) -> FloatArray:
        """A cube within which the ball stays inside the body."""
        most = (self._room - self.radius) / np.sqrt(3)
        return np.tile((-most, most), (3, 1))

    @property
    def start(self) -> FloatArray:
        """At the uniform body's center of mass."""
        return np.zeros(3)

    @property
    def scale(self) -> FloatArray:
        """A third of the way to the bounds."""
        return self.bounds[:, 1] / 3

    def mass_properties(self, theta: FloatArray) -> MassProperties:
        """Add the ball's moments to those of the uniform body, the total mass held."""
        volume = self._moments.volume
        around = self.mass * (1 - self.excess) / volume
        at = self._moments.first / volume + np.asarray(theta, np.float64)
        extra = self.mass * self.excess
        spread = np.outer(at, at) + self.radius**2 / 5 * np.eye(3)
        moments = VolumeMoments(
            self.mass,
            around * self._moments.first + extra * at,
            around * self._moments.second + extra * spread,
        )
        return properties_of(moments, 1.0)

    def unlikeness(self, theta: FloatArray) -> Unlikeness:
        """Two densities: that of the ball, and that around it; infinite ratio for a hollow."""
        share = 4 / 3 * np.pi * self.radius**3 / self._moments.volume
        around = 1 - self.excess
        inside = max(0.0, around + self.excess / share)
        nats = share * _entropy(inside) + (1 - share) * _entropy(around)
        least, most = sorted((inside, around))
        shift = self.excess * np.asarray(theta, np.float64)
        return Unlikeness(nats, most / least if least else np.inf, shift)


@dataclass(frozen=True, eq=False)
class TwoMaterials:
    """One material in front of a plane across x, another behind it.

    Parameters are where the plane is, from the uniform body's center of mass [m], and the log of
    the front's density over the rear's.

    Attributes:
        shape: Of the body.
        mass: [kg].
    """

    shape: Shape
    mass: float

    names = ("cut", "log_ratio")
    about = (
        "cut: place of the plane along x from the uniform pig's center of mass, m; log_ratio: log "
        "of the density in front of it over that behind"
    )

    @property
    def bounds(self) -> FloatArray:
        """The plane cuts the middle two thirds; densities differ by a factor of 5 at most."""
        half = float(np.ptp(self.shape.hull.vertices[:, 0])) / 3
        return np.array([[-half, half], [-np.log(5), np.log(5)]])

    @property
    def start(self) -> FloatArray:
        """One density."""
        return np.zeros(2)

    @property
    def scale(self) -> FloatArray:
        """A third of the way to the bounds."""
        return self.bounds[:, 1] / 3

    def mass_properties(self, theta: FloatArray) -> MassProperties:
        """Add the two pieces' moments, each with its density."""
        front, whole = self._pieces(float(theta[0]))
        factor = float(np.exp(theta[1])) - 1
        moments = VolumeMoments(
            whole.volume + factor * front.volume,
            whole.first + factor * front.first,
            whole.second + factor * front.second,
        )
        return properties_of(moments, self.mass / moments.volume)

    def unlikeness(self, theta: FloatArray) -> Unlikeness:
        """Two densities, over the front's volume and the rear's."""
        front, whole = self._pieces(float(theta[0]))
        share, ratio = front.volume / whole.volume, float(np.exp(theta[1]))
        rear = 1 / (1 - share + share * ratio)
        nats = share * _entropy(ratio * rear) + (1 - share) * _entropy(rear)
        shift = self.mass_properties(theta).center_of_mass - whole.first / whole.volume
        return Unlikeness(nats, max(ratio, 1 / ratio), shift)

    def _pieces(self, cut: float) -> tuple[VolumeMoments, VolumeMoments]:
        """Moments of what is in front of the plane, and of all."""
        surface = self.shape.surface
        whole = volume_moments(surface)
        solid = manifold3d.Manifold(
            manifold3d.Mesh64(surface.vertices.copy(), surface.faces.astype("u8"))
        )
        plane = float(whole.first[0] / whole.volume) + cut
        mesh = solid.trim_by_plane((1.0, 0.0, 0.0), plane).to_mesh64()
        front = Surface(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts))
        return volume_moments(front), whole


def _entropy(density: float) -> float:
    """Nats by volume of a density relative to the mean one."""
    return density * float(np.log(density)) if density > 0 else 0.0
