"""Whether a calibration finds what was planted: tables simulated from known densities, refitted.

References:
    Talts, S., Betancourt, M., Simpson, D., Vehtari, A., Gelman, A. (2018), "Validating Bayesian
    inference algorithms with simulation-based calibration", arXiv:1804.06788: the same check of a
    whole pipeline, here of the coverage of its likelihood regions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from calibration.fit import Box, Report, Simulate, Stage, search
from calibration.joint import Joint
from calibration.region import CONFIDENCE, is_in_region
from calibration.surrogate import Sample

_CHANCE = 0.02
"""Of fewer recoveries than asked for, if the regions hold the truth as often as they say."""

_MOST_RATIO = 5.0
"""Of the densities planted."""

Center = Callable[[np.ndarray], np.ndarray]
Ratio = Callable[[np.ndarray], float]


@dataclass(frozen=True, eq=False)
class Recovered:
    """One planted density and what was found of it.

    Attributes:
        planted: Parameters, shape (p,).
        found: Parameters, shape (p,).
        planted_center: Center of mass, shape (3,) [m].
        found_center: Center of mass, shape (3,) [m].
        excess: Deviance of the planted parameters beyond that of the optimum.
        is_inside: Whether the planted parameters lie in the 95 % region.
    """

    planted: np.ndarray
    found: np.ndarray
    planted_center: np.ndarray
    found_center: np.ndarray
    excess: float
    is_inside: bool


def least_inside(planted: int) -> int:
    """Give how many regions must hold the truth for the check to pass: 17 of 20."""
    return int(binom.ppf(_CHANCE, planted, CONFIDENCE))


def plant(box: Box, ratio: Ratio, number: int, seed: int) -> list[np.ndarray]:
    """Draw densities within two first steps of the start, none with too great a ratio."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < number:
        theta = box.start + rng.uniform(-2, 2, len(box.start)) * box.scale
        if ratio(theta) <= _MOST_RATIO:
            found.append(theta)
    return found


@dataclass(frozen=True, eq=False)
class Recovery:
    """How planted densities are found again.

    Attributes:
        box: Of the parameters.
        simulate: Throws pigs.
        stage: Of every search.
        pigs: In every planted table.
        center: Parameters -> center of mass [m].
        report: Called with every candidate.
    """

    box: Box
    simulate: Simulate
    stage: Stage
    pigs: int
    center: Center
    report: Report = lambda candidate: None

    def recover(self, planted: list[np.ndarray], seed: int) -> list[Recovered]:
        """Simulate a table from each density with throws of its own, and search for it.

        Every search begins at the start, and knows what was thrown in the searches before it, as
        the simulator is the same; the planted tables are known to none of them.
        """
        known: list[Sample] = []
        results = []
        first = 0
        for number, truth in enumerate(planted):
            throws = range(first, first + self.pigs)
            observed = self.simulate(truth, self.stage.source, throws)
            first += self.pigs
            fit = search(
                self.box,
                self.simulate,
                observed,
                [self.stage],
                seed + number,
                self.report,
                known,
                first,
            )
            first += self.stage.most_throws * self.stage.rounds
            known += [one.sample for one in fit.candidates]
            joint = Joint(fit.surrogate, observed)
            results.append(
                Recovered(
                    truth,
                    fit.theta,
                    self.center(truth),
                    self.center(fit.theta),
                    joint.deviance(truth) - fit.deviance,
                    is_in_region(joint, fit.deviance, truth),
                )
            )
        return results
