"""The main line: table -> fit -> terms that the data ask for -> spacing -> evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from calibration.evidence import Evidence, judge
from calibration.fit import Candidate, Fit, Report, Stage, search
from calibration.growth import Probe, TermTest, judge_term, most_wanted, probe
from calibration.joint import Joint
from calibration.observed import Observed
from calibration.parameters import LEAST_ROOM, Parameters
from calibration.predictions import Predictions, predict
from calibration.sensitivity import UNCHANGED, Answer, Variation
from calibration.simulator import Simulator
from calibration.sources import BULLET_ALONE, FRESH, HALF_STEP, REFERENCE, SEARCH
from calibration.spacing import SpacingFit, fit_spacing
from calibration.subspace import Subspace
from calibration.surrogate import Sample
from sim.configuration import Configuration
from sim.setting import SETTINGS

Note = Callable[[str], None]

STEPS = 5
"""Search, terms, spacing, fresh throws, assumptions."""

SPACING_STEPS = (-0.008, 0.0, 0.012)
"""From the device's own spacing [m], or from the least that a lopsided pig leaves room for."""


_SEARCH = Stage(SEARCH, throws=800, most_throws=4000, rounds=16, chance=0.25)
_REFERENCE = Stage(
    REFERENCE, throws=16_000, most_throws=16_000, rounds=5, chance=0.2, is_around=False
)


@dataclass(frozen=True)
class Plan:
    """How much is thrown for what.

    Attributes:
        search: Rounds of pigs alone.
        reference: Rounds of two pigs, at the optimum.
        probe_throws: At each point that tests a term.
        most_terms: Added to the linear ones, at most.
        fresh_throws: Of each seed of the evidence.
        change_throws: Of each change of the sensitivity; 0 leaves it out.
        spacing_throws: Of each spacing; 0 leaves it out.
    """

    search: Stage = _SEARCH
    reference: Stage = _REFERENCE
    probe_throws: int = 3000
    most_terms: int = 2
    fresh_throws: int = 5000
    change_throws: int = 4000
    spacing_throws: int = 6000


@dataclass(frozen=True, eq=False)
class Calibration:
    """What a calibration found.

    Attributes:
        theta: All parameters, those not in use at their start.
        subspace: Which are in use.
        fit: Of the parameters in use.
        path: All candidates of all searches, in order, with all parameters.
        tests: Of terms, one tuple for every round of them.
        spacing: What the touching rate asks for, if it was asked.
        fresh: Tally of the evidence, as counts by position.
        evidence: On fresh throws.
        predictions: Of what was not fitted.
        variations: What moves the answer; the first one is unchanged.
    """

    theta: np.ndarray
    subspace: Subspace
    fit: Fit
    path: tuple[Candidate, ...]
    tests: tuple[tuple[TermTest, ...], ...]
    spacing: SpacingFit | None
    evidence: Evidence
    predictions: Predictions
    variations: tuple[Variation, ...]


@dataclass(frozen=True, eq=False)
class Study:
    """A calibration to be made.

    Attributes:
        observed: The table.
        parameters: All there could be, of which some are in use.
        base: Two pigs before calibration, by the engine that judges.
        simulator: Throws at any parameters.
        plan: How much.
        seed: Of designs and bootstraps.
        report: Called with every candidate of a search, with all parameters.
        note: Called with a line about what comes next.
    """

    observed: Observed
    parameters: Parameters
    base: Configuration
    simulator: Simulator
    plan: Plan
    seed: int
    report: Report = lambda candidate: None
    note: Note = lambda line: None

    def run(self, active: tuple[int, ...], spare: tuple[int, ...]) -> Calibration:
        """Calibrate.

        Args:
            active: Indices of the parameters in use from the start.
            spare: Indices of those that come into use where the data ask for them.
        """
        space = Subspace(self.parameters.box(self.base), active)
        path: list[Candidate] = []
        self.note(f"step 1 of {STEPS}: searching the mass distribution")
        fit = self._search(space, path, [])
        tests: list[tuple[TermTest, ...]] = []
        known: list[Sample] = []
        while spare and len(tests) < self.plan.most_terms:
            known += self._probe(space, fit, path, spare)
            tests.append(self._test(space, fit, path, known, spare))
            wanted = most_wanted(tests[-1])
            if wanted is None:
                break
            index = self.parameters.index(wanted)
            spare = tuple(one for one in spare if one != index)
            space = self._grown(space, fit, index)
            self.note(f"step 2 of {STEPS}: searching again, with {wanted}")
            fit = self._search(space, path, known)
        return self._finish(space, fit, tuple(path), tuple(tests))

    def center_of_mass(self, space: Subspace, theta: np.ndarray) -> np.ndarray:
        """Give the center of mass [m], pig frame, (3,), at parameters in use."""
        mass_part = self.parameters.mass_part(space.embed(theta))
        return self.parameters.model.mass_properties(mass_part).center_of_mass

    def _search(self, space: Subspace, path: list[Candidate], probed: list[Sample]) -> Fit:
        """Search in the parameters in use, from what all throws so far say."""

        def simulate(theta: np.ndarray, source: str, throws: range) -> np.ndarray:
            return self.simulator(space.embed(theta), source, throws)

        def report(candidate: Candidate) -> None:
            sample = candidate.sample
            candidate = replace(candidate, sample=replace(sample, theta=space.embed(sample.theta)))
            path.append(candidate)
            self.report(candidate)

        known = space.samples([*(one.sample for one in path), *probed])
        stages = [self.plan.search, self.plan.reference]
        first = len(path) * self.plan.search.most_throws
        return search(
            space.box, simulate, self.observed.vector, stages, self.seed, report, known, first
        )

    def _probe(
        self, space: Subspace, fit: Fit, path: list[Candidate], spare: tuple[int, ...]
    ) -> list[Sample]:
        """Throw in the direction of every spare parameter; samples of all parameters."""
        self.note(f"step 2 of {STEPS}: testing whether the data ask for more terms")
        first = len(path) * self.plan.search.most_throws
        samples = []
        for index in spare:
            wider = space.with_also(index)
            look = Probe(wider.box, fit.theta, SEARCH, range(first, first + self.plan.probe_throws))

            def simulate(
                theta: np.ndarray, source: str, throws: range, wider: Subspace = wider
            ) -> np.ndarray:
                return self.simulator(wider.embed(theta), source, throws)

            found = probe(look, simulate, fit.surrogate.scale, self.seed)
            samples += [replace(one, theta=wider.embed(one.theta)) for one in found]
        return samples

    def _test(
        self,
        space: Subspace,
        fit: Fit,
        path: list[Candidate],
        probed: list[Sample],
        spare: tuple[int, ...],
    ) -> tuple[TermTest, ...]:
        everything = [*(one.sample for one in path), *probed]
        tests = []
        for index in spare:
            wider = space.with_also(index)
            tests.append(
                judge_term(
                    Probe(wider.box, fit.theta, SEARCH, range(0)),
                    wider.samples(everything),
                    fit.surrogate.scale,
                    self.observed.vector,
                    REFERENCE,
                    self.parameters.names[index],
                )
            )
        return tuple(tests)

    def _grown(self, space: Subspace, fit: Fit, index: int) -> Subspace:
        """Bring a parameter into use; the search begins at the optimum without it."""
        full = space.full
        start, scale = full.start.copy(), full.scale.copy()
        start[list(space.active)] = fit.theta
        return Subspace(replace(full, start=start, scale=scale), (*space.active, index))

    def _finish(
        self,
        space: Subspace,
        fit: Fit,
        path: tuple[Candidate, ...],
        tests: tuple[tuple[TermTest, ...], ...],
    ) -> Calibration:
        theta, spacing = self._set_spacing(space.embed(fit.theta))
        self.note(f"step 4 of {STEPS}: throwing with fresh seeds")
        throws = range(self.plan.fresh_throws)
        fresh = reduce(add, [self.simulator.tally(theta, name, throws) for name in FRESH])
        joint = Joint(fit.surrogate, self.observed.vector)
        return Calibration(
            theta,
            space,
            fit,
            path,
            tests,
            spacing,
            judge(self.observed, fresh, joint, fit.theta, self.seed),
            predict(fresh, self.base.conditions, self.seed),
            self._vary(theta, space, fit, path),
        )

    def _set_spacing(self, theta: np.ndarray) -> tuple[np.ndarray, SpacingFit | None]:
        """Find the spacing that the touching rate asks for, if the table tells one."""
        seen = self.observed
        if seen.throws is None or seen.touching is None or not self.plan.spacing_throws:
            return theta, None
        self.note(f"step 3 of {STEPS}: setting the pigs' spacing")
        index = self.parameters.index("spacing")
        reach = self.parameters.configuration(self.base, theta).pig.reach
        more = max(0.0, LEAST_ROOM * reach - theta[index] - SPACING_STEPS[0])
        tried, throws, touching = [], [], []
        for step in SPACING_STEPS:
            moved = theta.copy()
            moved[index] += step + more
            found = self.simulator.tally(moved, REFERENCE, range(self.plan.spacing_throws))
            tried.append(float(moved[index]))
            throws.append(found.throws)
            touching.append(found.touching)
        fit = fit_spacing(tried, throws, touching, seen.touching, seen.throws)
        moved = theta.copy()
        moved[index] = fit.spacing
        return moved, fit

    def _vary(
        self, theta: np.ndarray, space: Subspace, fit: Fit, path: tuple[Candidate, ...]
    ) -> tuple[Variation, ...]:
        """Change one held number at a time."""
        if not self.plan.change_throws:
            return ()
        self.note(f"step 5 of {STEPS}: changing one assumption at a time")
        throws = range(self.plan.change_throws)
        answer = Answer(
            fit.theta,
            space.box,
            fit.surrogate.scale,
            space.samples([one.sample for one in path]),
            self.observed.vector,
            self.simulator(theta, SEARCH, throws),
            self.seed,
        )
        changes = [(UNCHANGED, SEARCH, theta)]
        for name in self.parameters.settings:
            if name == "spacing":  # nothing to a pig alone
                continue
            index, setting = self.parameters.index(name), SETTINGS[name]
            for sign, word in ((-1, "-"), (1, "+")):
                moved = theta.copy()
                moved[index] += sign * setting.step
                if index not in space.active and setting.low <= moved[index] <= setting.high:
                    change = f"{name} {word} {setting.step:g} {setting.unit}".strip()
                    changes.append((change, SEARCH, moved))
        changes += [(name, name, theta) for name in (HALF_STEP, BULLET_ALONE)]
        return tuple(
            answer.vary(change, self.simulator(moved, source, throws))
            for change, source, moved in changes
        )
