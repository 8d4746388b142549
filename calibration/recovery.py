"""Whether a search finds what was planted, and the same answer from wherever it starts.

Tables are simulated from known densities and refitted; the table itself is fitted from far starts.

References:
    Talts, S., Betancourt, M., Simpson, D., Vehtari, A., Gelman, A. (2018), "Validating Bayesian
    inference algorithms with simulation-based calibration", arXiv:1804.06788: the same check of a
    whole pipeline, here of the coverage of its likelihood regions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import binom

from calibration.calibrate import Study
from calibration.fit import Box, Fit, Report, Simulate, Stage, search
from calibration.joint import Joint
from calibration.region import CONFIDENCE, excess, is_in_region
from calibration.subspace import Subspace
from calibration.surrogate import Sample

_CHANCE = 0.02
"""Of fewer recoveries than asked for, if the regions hold the truth as often as they say."""

_MOST_RATIO = 5.0
"""Of the densities planted."""

_FAR = 3.0
"""First steps along every parameter at once, to either side, to a far start."""

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


@dataclass(frozen=True, eq=False)
class Restarted:
    """A search of the table itself from a far start.

    Attributes:
        start: Parameters, shape (p,).
        found: Parameters, shape (p,).
        center: Center of mass found, shape (3,) [m].
        excess: Deviance of what was found beyond the optimum found from the usual start.
        is_same: Whether what was found lies in the 95 % region of the usual search.
    """

    start: np.ndarray
    found: np.ndarray
    center: np.ndarray
    excess: float
    is_same: bool


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
            fit = self._search(self.box, observed, seed + number, known, first)
            first += self.stage.most_throws * self.stage.rounds
            known += [one.sample for one in fit.candidates]
            joint = Joint(fit.surrogate, observed)
            results.append(
                Recovered(
                    truth,
                    fit.theta,
                    self.center(truth),
                    self.center(fit.theta),
                    excess(joint, fit.theta, truth),
                    is_in_region(joint, fit.theta, truth),
                )
            )
        return results

    def restart(self, observed: np.ndarray, seed: int) -> list[Restarted]:
        """Search for a table from far starts, none of which knows the others' throws."""
        usual = self._search(self.box, observed, seed)
        joint = Joint(usual.surrogate, observed)
        found = []
        for sign in (-1.0, 1.0):
            start = self.box.start + sign * _FAR * self.box.scale
            start = np.clip(start, self.box.low, self.box.high)
            fit = self._search(replace(self.box, start=start), observed, seed)
            found.append(
                Restarted(
                    start,
                    fit.theta,
                    self.center(fit.theta),
                    excess(joint, usual.theta, fit.theta),
                    is_in_region(joint, usual.theta, fit.theta),
                )
            )
        return found

    def _search(
        self,
        box: Box,
        observed: np.ndarray,
        seed: int,
        known: Sequence[Sample] = (),
        first: int = 0,
    ) -> Fit:
        return search(box, self.simulate, observed, [self.stage], seed, self.report, known, first)


def check_recovery(study: Study, active: tuple[int, ...], planted: int) -> dict[str, Any]:
    """Plant densities in a study's simulator and find them again; start its own search afar.

    Args:
        study: What was calibrated.
        active: Indices of the parameters in use.
        planted: How many densities; each gives as many pigs as the observed table has.
    """
    space = Subspace(study.parameters.box(study.base), active)

    def ratio(theta: np.ndarray) -> float:
        mass_part = study.parameters.mass_part(space.embed(theta))
        return study.parameters.model.unlikeness(mass_part).ratio

    observed = study.observed.vector
    recovery = Recovery(
        space.box,
        lambda theta, source, throws: study.simulator(space.embed(theta), source, throws),
        study.plan.search,
        int(observed.sum()),
        partial(study.center_of_mass, space),
        study.report,
    )
    study.note("searching from far starts")
    restarted = recovery.restart(observed, study.seed)
    study.note(f"planting {planted} densities and finding them again")
    truths = plant(space.box, ratio, planted, study.seed)
    found = recovery.recover(truths, study.seed)
    inside = sum(one.is_inside for one in found)
    return {
        "names": [study.parameters.names[index] for index in active],
        "pigs": recovery.pigs,
        "inside": inside,
        "least_inside": least_inside(planted),
        "is_passed": inside >= least_inside(planted) and all(one.is_same for one in restarted),
        "planted": [_plain(one) for one in found],
        "restarts": [_plain(one) for one in restarted],
    }


def _plain(one: Recovered | Restarted) -> dict[str, Any]:
    return {
        key: value.tolist() if isinstance(value, np.ndarray) else value
        for key, value in asdict(one).items()
    }
