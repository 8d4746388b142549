"""What a calibration found, read back from its TOML: the mass of the standard shape, and settings.

`pigs calibrate --out DIR` writes this file as DIR/calibration.toml; the standard pig's ships with
the meshes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from meshes.density import MassProperties, volume_moments
from meshes.shape import FloatArray, Shape
from sim.regular_file import read_regular_text
from sim.setting import SETTINGS
from sim.toml_text import parse_toml

STANDARD = "standard"

_MOST_BYTES = 20_000
"""Of a file: ours have 2,000, and deep TOML keys cost the square of their length."""

_DENSITIES = (10.0, 25_000.0)
"""On the mean, foam to osmium [kg/m^3]."""

_LEAST_INERTIA = 1e-3
"""In masses times squared reach; a ball of lead in the pig's middle has 6e-3."""


def is_calibrated(name: str) -> bool:
    """Whether a pig's name stands for a calibration's result."""
    return name == STANDARD or Path(name).suffix.lower() == ".toml"


@lru_cache(maxsize=8)
def calibration_record(name: str = STANDARD) -> dict[str, Any]:
    """Read what a calibration found, and from what.

    Args:
        name: "standard", or a calibration's TOML file.

    Raises:
        ValueError: If the file cannot be read, or is no TOML.
    """
    if name == STANDARD:
        file = resources.files("meshes").joinpath("data", "standard_pig.toml")
        return parse_toml(file.read_text(encoding="utf-8"))
    text = read_regular_text(Path(name), _MOST_BYTES)
    try:
        return parse_toml(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def calibrated_mass(name: str, shape: Shape) -> MassProperties:
    """Give the mass properties that a calibration found.

    Args:
        name: "standard", or a calibration's TOML file.
        shape: Whose mass it is.

    Raises:
        ValueError: In one line, if the file is no calibration, or that of another shape.
    """
    record = calibration_record(name)
    if "shape" not in record:
        raise ValueError(f"{name}: no calibration: expected a file as pigs calibrate writes it")
    if record["shape"] != shape.digest:
        raise ValueError(
            f"{name}: was calibrated for another shape than the standard pig's: run pigs "
            "calibrate anew, or take --pig uniform"
        )
    mass = float(_numbers(record, "mass", name, ()))
    center = _numbers(record, "center_of_mass", name, (3,))
    inertia = _numbers(record, "inertia", name, (3, 3))
    try:
        _check_possible(mass, center, inertia, shape)
        return MassProperties(mass, center, inertia)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def calibrated_settings(name: str) -> Mapping[str, float]:
    """Give the contact and device numbers that were found with the mass, by name.

    Raises:
        ValueError: In one line, for a setting that there is not, or out of its range.
    """
    record = calibration_record(name).get("settings", {})
    if not isinstance(record, dict):
        raise ValueError(f"{name}: settings: expected a table of names and numbers")
    for setting, value in record.items():
        if setting not in SETTINGS:
            raise ValueError(
                f"{name}: unknown setting '{setting}': expected some of {', '.join(SETTINGS)}"
            )
        low, high = SETTINGS[setting].low, SETTINGS[setting].high
        if not low <= _numbers(record, setting, name, ()) <= high:
            raise ValueError(f"{name}: {setting}: expected {low:g} to {high:g}, got {value}")
    return record


def _numbers(record: Mapping[str, Any], key: str, name: str, shape: tuple[int, ...]) -> FloatArray:
    """Take finite numbers of a shape out of a record."""
    found = record.get(key)
    try:
        array = np.array(found)
    except ValueError:  # ragged
        array = np.array("")
    is_number = array.dtype.kind in "iuf" and array.shape == shape
    if not is_number or not np.isfinite(array).all():
        wanted = f"{' x '.join(map(str, shape))} finite numbers" if shape else "a finite number"
        raise ValueError(f"{name}: {key}: expected {wanted}")
    return array.astype(np.float64)


def _check_possible(mass: float, center: FloatArray, inertia: FloatArray, shape: Shape) -> None:
    """Refuse what no mass within the shape's hull can have."""
    volume = volume_moments(shape.surface).volume
    least, most = (volume * density for density in _DENSITIES)
    if not least <= mass <= most:
        raise ValueError(f"mass: expected {least:.2g} to {most:.2g} kg, got {mass:g}")
    a, b, c = np.moveaxis(shape.hull.triangles, 1, 0)
    if (np.einsum("fi,fi->f", np.cross(b - a, c - a), center - a) >= 0.0).any():
        raise ValueError("center_of_mass: expected a point inside of the pig, in meters")
    unit = mass * float(((shape.hull.vertices - center) ** 2).sum(axis=1).max())
    if not (np.abs(inertia) <= 2 * unit).all() or np.trace(inertia) > 2 * unit:
        raise ValueError("inertia: more than the pig's mass and size allow, in kg m^2")
    if 0.0 < np.linalg.eigvalsh(inertia)[0] < _LEAST_INERTIA * unit:
        raise ValueError("inertia: less than the pig's mass and size allow, in kg m^2")
