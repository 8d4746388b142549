"""The mass models a calibration can fit, by name."""

from __future__ import annotations

from collections.abc import Callable

from meshes.inserts import Insert, TwoMaterials
from meshes.mass_model import LINEAR, QUADRATIC, ExponentialDensity, MassModel
from meshes.shape import Shape


def _density(shape: Shape, mass: float) -> MassModel:
    return ExponentialDensity(shape, mass, LINEAR + QUADRATIC)


MODELS: dict[str, Callable[[Shape, float], MassModel]] = {
    "density": _density,
    "weight": Insert.weight,
    "hollow": Insert.hollow,
    "two-materials": TwoMaterials,
}
"""Each takes the shape and the mass of the body [kg]."""

SPARE = QUADRATIC
"""Parameters that come into use only where the data ask for them."""
