"""What throws: the configurations a calibration draws on, each with its own seed and purpose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.configuration import Configuration
from sim.engine.bullet import BulletSettings
from sim.engine.fast.settings import FastSettings

SEARCH = "search"
"""Pigs thrown alone, by the fast engine: most of the throws."""

REFERENCE = "reference"
"""Two pigs, by the fast engine: what is fitted to the table and its touching rate."""

HALF_STEP, BULLET_ALONE = "time step / 2", "engine bullet"
FRESH = ("fresh 1", "fresh 2", "fresh 3")
"""Two pigs by the engine asked for, PyBullet, with seeds that appear nowhere else: what the answer
is judged by."""


def fresh_seed(seed: int, number: int) -> int:
    """Derive a seed for throws that the fit of this seed does not use."""
    sequence = np.random.SeedSequence(seed, spawn_key=(number,))
    return int(sequence.generate_state(1)[0])


def sources_from(base: Configuration) -> dict[str, Configuration]:
    """Lay out what a calibration throws.

    Args:
        base: Two pigs before calibration, with the engine that judges and the seed.
    """
    fast = FastSettings()
    search = replace(base, pigs=1, engine=fast)
    fresh = {
        name: replace(base, seed=fresh_seed(base.seed, number)) for number, name in enumerate(FRESH)
    }
    return {
        SEARCH: search,
        REFERENCE: replace(base, engine=fast),
        HALF_STEP: replace(search, engine=replace(fast, time_step=fast.time_step / 2)),
        BULLET_ALONE: replace(search, engine=BulletSettings()),
        **fresh,
    }
