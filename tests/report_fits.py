"""A calibration to report on: the real search and record, on throws drawn instead of simulated."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from report_batches import SHARES

from calibration.calibrate import Plan, Study
from calibration.fit import Stage
from calibration.growth import TermTest
from calibration.journal import Journal
from calibration.observed import published
from calibration.parameters import Parameters
from calibration.record import JSON_FILE, record, to_json
from calibration.recovery import check_recovery
from calibration.sources import REFERENCE, SEARCH
from calibration.tally import Tally
from meshes.mass_model import ExponentialDensity
from sim.batch_directory import open_directory
from sim.configuration import configure
from sim.position import POSITIONS
from sim.records import versions

TERMS = ("x", "y", "z")
TRUTH = np.array([0.5, -0.3, 0.2])
ASKED = {"model": "density", "free": [], "plan": {"fresh_throws": 3000}}

_PLAN = Plan(
    search=Stage(SEARCH, throws=400, most_throws=800, rounds=2, chance=0.5),
    reference=Stage(REFERENCE, throws=800, most_throws=800, rounds=1, chance=0.5),
    fresh_throws=3000,
    change_throws=400,
    spacing_throws=3000,
)


class DrawnThrows:
    """Counts whose log-shares are linear in the density's terms and zero misfit at TRUTH."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        rng = np.random.default_rng(11)
        self._slopes = rng.normal(0.0, 0.8, (len(POSITIONS), len(TERMS)))
        self._drawn = 0

    def tally(self, theta: np.ndarray, source: str, throws: range) -> Tally:
        self._drawn += 1
        rng = np.random.default_rng([5, self._drawn])
        logits = np.log(SHARES + 2e-4) + self._slopes @ (theta[: len(TERMS)] - TRUTH)
        shares = np.exp(logits) / np.exp(logits).sum()
        spacing = theta[self._names.index("spacing")]
        apart = 1.0 - min(0.5, 0.004 * np.exp((0.05 - spacing) / 0.004))
        touching = len(throws) - rng.binomial(len(throws), apart, 1)[0]
        pairs = rng.multinomial(len(throws) - touching, np.outer(shares, shares).ravel())
        pairs = pairs.reshape(len(POSITIONS), len(POSITIONS))
        pigs = pairs.sum(axis=0) + pairs.sum(axis=1)
        quarters = np.array([pigs // 4, pigs // 4, pigs // 4, pigs - 3 * (pigs // 4)])
        touches = np.zeros((4, 3), dtype=np.int64)
        touches[:, 0] = (len(throws) - touching) // 4
        touches[0, 0] += (len(throws) - touching) % 4
        touches[0, 1] = touching
        return Tally(quarters, touches, np.zeros(4), pairs)

    def __call__(self, theta: np.ndarray, source: str, throws: range) -> np.ndarray:
        return self.tally(theta, source, throws).counts


@cache
def _record() -> str:
    base = configure(seed=1, pig="uniform")
    model = ExponentialDensity(base.pig.shape, base.pig.mass_properties.mass, TERMS)
    parameters = Parameters(model, ("restitution", "spacing"))
    throws: Any = DrawnThrows(parameters.names)
    study = Study(published(), parameters, base, throws, _PLAN, seed=1)
    written = record(study, study.run(active=(0, 1, 2), spare=()))
    return to_json(written | {"recovery": check_recovery(study, (0, 1, 2), planted=3)})


def fitted_document() -> dict[str, Any]:
    """Give a calibration's record, to be changed at will; the test of a term is made up."""
    document: dict[str, Any] = json.loads(_record())
    document["terms"] = [[asdict(TermTest("xx", 0.1, 1.2, 0.27))]]
    return document


def write_fit(directory: Path, document: dict[str, Any]) -> Path:
    """Write a record where `pigs calibrate` would."""
    identity = {
        "configuration": configure(pig="uniform").as_dict() | {"calibration": ASKED},
        "throws": 3000,
        "versions": versions(),
    }
    with open_directory(directory, identity, resume=False):
        Journal(directory).append({"source": "none"}, {})
        (directory / JSON_FILE).write_text(json.dumps(document))
    return directory
