"""The search: few throws per candidate, many candidates, one smooth model fitted to all of them.

Every round throws a few pigs at points around the best one so far, fits the surrogate to all
samples, and moves to its optimum within a trust region. The region shrinks when the optimum lies
inside of it or when the model misses the samples in it, and grows when the optimum lies on its
border; throws per candidate grow as the steps get small. The search ends when simulated chance
adds little to what the observed pigs leave open, and the last rounds throw what the answer must
hold for (the reference source).

References:
    Conn, A. R., Scheinberg, K., Vicente, L. N. (2009), Introduction to Derivative-Free
    Optimization, chapters 10 and 11.
    Spall, J. C. (2003), Introduction to Stochastic Search and Optimization, chapter 14: common
    random numbers within a round of candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.stats import chi2

from calibration.joint import Joint
from calibration.likelihood import two_sample_deviance
from calibration.surrogate import Sample, Surrogate, fit_surrogate


class Simulate(Protocol):
    """What a search needs of a simulator."""

    def __call__(self, theta: np.ndarray, source: str, throws: range) -> np.ndarray:
        """Throw these indices at these parameters; count pigs by position, shape (k,)."""
        ...


@dataclass(frozen=True)
class Stage:
    """How long to search with one source of throws.

    Attributes:
        source: Such as "fast alone".
        throws: Of a candidate in the first round.
        most_throws: Of a candidate in any round.
        rounds: At most.
        chance: The stage ends when simulated chance adds less than this share to the parameters'
            variance.
        is_around: Whether to throw around the best point too, or at it alone, which is all that a
            source's offset from another one needs.
    """

    source: str
    throws: int
    most_throws: int
    rounds: int
    chance: float
    is_around: bool = True


@dataclass(frozen=True, eq=False)
class Box:
    """Where the parameters may be.

    Attributes:
        low: Shape (p,).
        high: Shape (p,).
        start: Shape (p,).
        scale: Half-width of the first trust region along each parameter, shape (p,).
    """

    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    scale: np.ndarray


@dataclass(frozen=True, eq=False)
class Candidate:
    """One simulated point of the search's path.

    Attributes:
        round: Counted from 0 over all stages.
        sample: Parameters, source and counts.
        deviance: Of the observed counts and these ones, as two samples.
        best: The joint deviance of the best point known before this one; None at first.
    """

    round: int
    sample: Sample
    deviance: float
    best: float | None


@dataclass(frozen=True, eq=False)
class Fit:
    """What a search found.

    Attributes:
        theta: Best parameters, shape (p,).
        deviance: Joint deviance there.
        surrogate: The last one.
        candidates: All points simulated, in order.
        is_converged: Whether every stage ended by itself, inside its trust region.
        at_bound: Whether each parameter ended on a bound, shape (p,).
    """

    theta: np.ndarray
    deviance: float
    surrogate: Surrogate
    candidates: tuple[Candidate, ...]
    is_converged: bool
    at_bound: np.ndarray


_LACK_P_VALUE = 1e-3
"""A surrogate that misses its samples more than this probably is too wide."""

_LEAST_RADIUS, _MOST_RADIUS = 0.05, 3.0
"""Of the trust region, in first half-widths."""

_SPAN = 3.0
"""The region does not shrink below this many standard deviations of the answer to either side."""

_NARROW = 1.5
"""A search ends in a region of at most this many spans: over a wider one the quadratic is biased by
more than chance, which no test of few samples tells."""

_EDGE = 0.98
"""Beyond this fraction of the trust region, an optimum counts as on its border."""

_SMALL_STEP = 1.0
"""A step of fewer standard deviations of the answer is small."""

Report = Callable[[Candidate], None]


def search(
    box: Box,
    simulate: Simulate,
    observed: np.ndarray,
    stages: Sequence[Stage],
    seed: int,
    report: Report = lambda candidate: None,
    known: Sequence[Sample] = (),
    first: int = 0,
) -> Fit:
    """Find the parameters whose simulated counts are most like the observed ones.

    Args:
        box: Where to search, and where to begin.
        simulate: Throws pigs; a pure function.
        observed: Counts by position, shape (k,).
        stages: In order; the last one's source is the reference.
        seed: Of the design's directions; each round's throws come after those of the last.
        report: Called with every candidate.
        known: Samples thrown before.
        first: Index of the first throw.
    """
    state = _State(box, simulate, observed, stages[-1].source, seed, report, list(known))
    state.thrown = first
    is_converged = all([state.run(stage) for stage in stages])
    surrogate = state.surrogate
    assert surrogate is not None, "a stage has a round"
    half = surrogate.scale
    low, high = np.maximum(box.low, state.center - half), np.minimum(box.high, state.center + half)
    theta, deviance = Joint(surrogate, observed).minimize(low, high, [state.center])
    return Fit(
        theta=theta,
        deviance=deviance,
        surrogate=surrogate,
        candidates=tuple(state.candidates),
        is_converged=is_converged,
        at_bound=(theta <= box.low + 1e-9) | (theta >= box.high - 1e-9),
    )


class _State:
    """The search as it goes."""

    def __init__(
        self,
        box: Box,
        simulate: Simulate,
        observed: np.ndarray,
        reference: str,
        seed: int,
        report: Report,
        samples: list[Sample],
    ) -> None:
        self.box, self.simulate, self.observed = box, simulate, observed
        self.reference, self.seed, self.report = reference, seed, report
        self.samples = samples
        self.candidates: list[Candidate] = []
        self.center = box.start
        self.half = box.scale
        self.surrogate: Surrogate | None = None
        self.best: float | None = None
        self.round = 0
        self.thrown = 0

    def run(self, stage: Stage) -> bool:
        """Do the rounds of one stage; tell whether it ended by itself."""
        throws = stage.throws
        for _ in range(stage.rounds):
            self._simulate_round(stage, throws)
            is_small, is_inside = self._move()
            if is_inside:
                throws = min(2 * throws, stage.most_throws)
            surrogate = self.surrogate
            assert surrogate is not None, "a round fits one"
            chance = Joint(surrogate, self.observed).simulation_share(self.center)
            if is_small and is_inside and chance < stage.chance:
                return True
        return False

    def _simulate_round(self, stage: Stage, throws: int) -> None:
        indices = range(self.thrown, self.thrown + throws)
        for theta in self._design() if stage.is_around else [self.center]:
            counts = self.simulate(theta, stage.source, indices)
            sample = Sample(theta, stage.source, counts)
            misfit = float(two_sample_deviance(self.observed, counts))
            candidate = Candidate(self.round, sample, misfit, self.best)
            self.samples.append(sample)
            self.candidates.append(candidate)
            self.report(candidate)
        self.thrown += throws
        self.round += 1

    def _design(self) -> list[np.ndarray]:
        """Lay points about the center: itself, and both ends of randomly turned axes."""
        p = len(self.center)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(self.round,)))
        axes, _ = np.linalg.qr(rng.standard_normal((p, p)))
        axes /= np.abs(axes).max(axis=0)
        steps = np.concatenate((np.zeros((1, p)), axes.T, -axes.T))
        points = self.center + self.half * steps
        return list(np.clip(points, self.box.low, self.box.high))

    def _move(self) -> tuple[bool, bool]:
        """Go to the optimum in the trust region.

        Returns:
            Whether the step was small in a narrow region, and whether it ended inside of it.
        """
        half = self.half
        surrogate = fit_surrogate(self.samples, self.center, half, self.reference)
        joint = Joint(surrogate, self.observed)
        low = np.maximum(self.box.low, self.center - half)
        high = np.minimum(self.box.high, self.center + half)
        starts = [self.center, low + (high - low) / 3, low + (high - low) * 2 / 3]
        theta, self.best = joint.minimize(low, high, starts, exact_simulator=True)
        step = theta - self.center
        is_at_bound = (theta <= self.box.low) | (theta >= self.box.high)
        is_inside = bool(((np.abs(step) < _EDGE * half) | is_at_bound).all())
        length = float(np.sqrt(step @ joint.information(theta) @ step))
        lack, freedom = surrogate.lack_of_fit(self.samples)
        is_wrong = freedom > 0 and chi2.sf(lack, freedom) < _LACK_P_VALUE
        factor = 0.5 if is_wrong else 0.75 if is_inside else 1.5
        known = joint.information(theta, exact_simulator=True)
        span = _SPAN * np.sqrt(np.diag(np.linalg.pinv(known)))
        spread = np.minimum(span, half)
        is_narrow = bool((half <= np.maximum(_NARROW * span, _LEAST_RADIUS * self.box.scale)).all())
        self.half = np.clip(
            np.maximum(half * factor, spread),
            _LEAST_RADIUS * self.box.scale,
            _MOST_RADIUS * self.box.scale,
        )
        self.center, self.surrogate = theta, surrogate
        return length < _SMALL_STEP and is_narrow, is_inside
