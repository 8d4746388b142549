"""Engines: from releases to resting states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.device import Releases


@dataclass(frozen=True)
class RestingStates:
    """Where n throws of k pigs ended.

    Attributes:
        status: (n,) one of sim.rest.STATUSES.
        translation: (n, k, 3) [m] world_from_pig.
        quat_xyzw: (n, k, 4) world_from_pig.
        rest_time: (n, k) time at which each pig came to rest for good [s]; nan if it did not.
        handed_over: (n,) whether the throw was ended by another engine, one that knows contacts
            between pigs; None where there is no other.
    """

    status: np.ndarray
    translation: np.ndarray
    quat_xyzw: np.ndarray
    rest_time: np.ndarray
    handed_over: np.ndarray | None = None


class Engine(Protocol):
    """Simulates throws of one pig on one device; a throw's result depends on its release alone."""

    name: str

    def settle(self, releases: Releases) -> RestingStates:
        """Run every throw until it rests, times out, escapes or diverges."""
        ...
