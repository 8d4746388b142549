"""Some parameters free, the others at their start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.fit import Box
from calibration.surrogate import Sample


@dataclass(frozen=True, eq=False)
class Subspace:
    """Which parameters are in use, in the order they came into use.

    Attributes:
        full: Of all parameters.
        active: Indices of those in use.
    """

    full: Box
    active: tuple[int, ...]

    @property
    def box(self) -> Box:
        """Of the parameters in use."""
        index = list(self.active)
        full = self.full
        return Box(full.low[index], full.high[index], full.start[index], full.scale[index])

    def embed(self, theta: np.ndarray) -> np.ndarray:
        """Give all parameters for those in use."""
        full = self.full.start.copy()
        full[list(self.active)] = theta
        return full

    def restrict(self, theta: np.ndarray) -> np.ndarray:
        """Take those in use out of all parameters."""
        return np.asarray(theta[list(self.active)])

    def with_also(self, index: int) -> Subspace:
        """Bring one more parameter into use."""
        return Subspace(self.full, (*self.active, index))

    def samples(self, samples: Sequence[Sample]) -> list[Sample]:
        """Take the samples in which all other parameters are at their start."""
        others = [i for i in range(len(self.full.start)) if i not in self.active]
        return [
            Sample(self.restrict(one.theta), one.source, one.counts)
            for one in samples
            if (one.theta[others] == self.full.start[others]).all()
        ]
