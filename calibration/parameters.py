"""Named, bounded parameters, and the configuration that they stand for.

The vector holds the mass distribution's parameters and, after them, the contact and device numbers.
These are held at their stated values; each can be freed by its name, to see whether the data prefer
another, or moved by a step, to see how much hangs on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.fit import Box
from meshes.mass_model import MassModel
from sim.configuration import Configuration
from sim.device import TrapDoor
from sim.pig import Pig
from sim.setting import SETTINGS, WITHOUT_LEAF

LEAST_ROOM = 1.01
"""Least spacing of two pigs, in reaches of the pig."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """A vector's meaning: first the mass model's parameters, then the settings.

    Attributes:
        model: Spreads the mass.
        settings: Names of SETTINGS.
    """

    model: MassModel
    settings: tuple[str, ...]

    @classmethod
    def of(cls, model: MassModel, base: Configuration) -> Parameters:
        """Take all settings that this configuration has."""
        has_leaf = isinstance(base.device, TrapDoor)
        return cls(model, tuple(name for name in SETTINGS if has_leaf or name in WITHOUT_LEAF))

    @property
    def names(self) -> tuple[str, ...]:
        """Of all parameters."""
        return self.model.names + self.settings

    def index(self, name: str) -> int:
        """Find a parameter by its name.

        Raises:
            ValueError: If there is none of that name.
        """
        if name not in self.names:
            raise ValueError(f"unknown parameter '{name}': expected {', '.join(self.names)}")
        return self.names.index(name)

    def box(self, base: Configuration) -> Box:
        """Give the bounds, the start and the first steps, from the values a configuration has."""
        settings = [SETTINGS[name] for name in self.settings]
        low, high = self.model.bounds.T
        return Box(
            low=np.concatenate((low, [one.low for one in settings])),
            high=np.concatenate((high, [one.high for one in settings])),
            start=np.concatenate((self.model.start, [one.read(base) for one in settings])),
            scale=np.concatenate((self.model.scale, [2 * one.step for one in settings])),
        )

    def mass_part(self, theta: np.ndarray) -> np.ndarray:
        """Take the mass model's parameters out of the vector."""
        return theta[: len(self.model.names)]

    def configuration(self, base: Configuration, theta: np.ndarray) -> Configuration:
        """Give the base configuration with the pig and settings that the vector stands for.

        A pig so lopsided that two would start inside each other gets the room it needs.
        """
        properties = self.model.mass_properties(self.mass_part(theta))
        pig = Pig(base.pig.name, base.pig.shape, properties)
        room = LEAST_ROOM * pig.reach
        spaced = replace(base.device, spacing=max(base.device.spacing, room))
        changed = replace(base, pig=pig, device=spaced)
        for name, value in zip(self.settings, theta[len(self.model.names) :], strict=True):
            if name == "spacing":
                value = max(value, room)
            if value != SETTINGS[name].read(changed):
                changed = SETTINGS[name].write(changed, float(value))
        return changed
