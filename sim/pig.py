"""What is thrown: a shape with its mass, found by name or loaded from a mesh file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from meshes.anatomy import big_pig, standard_pig
from meshes.density import MassProperties, uniform
from meshes.shape import Shape
from sim.big_pig import FOAM_DENSITY
from sim.calibrated import STANDARD, calibrated_mass, is_calibrated

RUBBER_DENSITY = 1100.0
"""Of solid rubber [kg/m^3]; vulcanized natural rubber is 1,100 to 1,200. Assumption."""

BIG = "big"
PIGS = (STANDARD, "uniform", BIG)

MAX_HULL_VERTICES = 1000
"""Of a mesh file's convex hull: contacts, stable poses and touching cost more with every one."""


@dataclass(frozen=True, eq=False)
class Pig:
    """A body to throw.

    Attributes:
        name: "standard", "uniform", "big" or the file it came from.
        shape: Its parts, hull and surface.
        mass_properties: Mass, center of mass and inertia.
    """

    name: str
    shape: Shape
    mass_properties: MassProperties

    @property
    def reach(self) -> float:
        """Diameter of the sphere about the center of mass that holds the body [m]."""
        arms = self.shape.hull.vertices - self.mass_properties.center_of_mass
        return 2 * float(np.linalg.norm(arms, axis=1).max())


@lru_cache(maxsize=8)
def load_pig(name: str) -> Pig:
    """Find a pig by its name, or load one of uniform density from a mesh file.

    "standard" is the calibrated pig, "uniform" the same shape of one density; a TOML file is what
    a calibration found for that shape.

    Raises:
        ValueError: If the name is neither known nor a file that can be thrown.
    """
    if name == BIG:
        shape = big_pig()
        return Pig(name, shape, uniform(shape.surface, FOAM_DENSITY))
    if is_calibrated(name):
        shape = standard_pig()
        return Pig(name, shape, calibrated_mass(name, shape))
    if name in PIGS:
        shape = standard_pig()
    elif Path(name).suffix or Path(name).exists():
        from meshes.load import load_shape  # a third of the start-up, for mesh files only

        shape = load_shape(Path(name))
        vertices = len(shape.hull.vertices)
        if vertices > MAX_HULL_VERTICES:
            raise ValueError(
                f"{name}: its convex hull has {vertices} vertices; expected at most "
                f"{MAX_HULL_VERTICES}, simplify the mesh"
            )
    else:
        raise ValueError(
            f"unknown pig '{name}': expected {', '.join(PIGS)}, a mesh file in millimeters "
            "such as die.stl, or a calibration's TOML file"
        )
    return Pig(name, shape, uniform(shape.surface, RUBBER_DENSITY))
