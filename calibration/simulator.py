"""Throws at any parameters, shared by processes that stay, remembered in a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import cast, overload

import numpy as np

from calibration.journal import JOURNAL_FILE, Journal
from calibration.parameters import Parameters
from calibration.tally import Tally, tally
from sim.configuration import Configuration
from sim.crew import BatchError, Crew, Task
from sim.processes import local_crew
from sim.throw import Landings, Thrower

_TASKS = 4
"""Tasks for each process and candidate, at least, so that none idles long at the end."""

_MOST_THROWS = 250
"""Of a task: a person sees it done within seconds."""

Progress = Callable[[], AbstractContextManager[Callable[[int, int], None]]]
"""Shows the throws done and their total, of a candidate."""


@dataclass(frozen=True, eq=False)
class Recipe:
    """What every process needs to throw at any parameters.

    Attributes:
        parameters: The vector's meaning.
        sources: Configurations to start from, by the name of the source.
    """

    parameters: Parameters
    sources: Mapping[str, Configuration]


@dataclass(frozen=True)
class CandidateThrows(Sequence[int]):
    """Throws of one candidate: indices that know their source and parameters."""

    source: str
    theta: tuple[float, ...]
    indices: range

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> CandidateThrows: ...

    def __getitem__(self, at: int | slice) -> int | CandidateThrows:
        if isinstance(at, slice):
            return CandidateThrows(self.source, self.theta, self.indices[at])
        return self.indices[at]

    def __len__(self) -> int:
        return len(self.indices)


class CandidateThrower:
    """Throws a recipe's candidates; keeps the last one's engine."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._ready: tuple[tuple[str, tuple[float, ...]], Thrower] | None = None

    def throw(self, throws: CandidateThrows) -> Landings:
        """Throw them, with a new engine if the candidate is new."""
        key = throws.source, throws.theta
        if self._ready is None or self._ready[0] != key:
            base = self._recipe.sources[throws.source]
            candidate = self._recipe.parameters.configuration(base, np.array(throws.theta))
            self._ready = key, Thrower(candidate)
        return self._ready[1].throw(throws.indices)


class Simulator:
    """A pure function of (parameters, source, throws), computed once and then remembered.

    Attributes:
        thrown: Throws computed by this process's own call, not found in the journal.
    """

    def __init__(
        self, recipe: Recipe, crew: Crew, journal: Journal, processes: int, progress: Progress
    ) -> None:
        self._recipe, self._crew, self._journal = recipe, crew, journal
        self._processes, self._progress = processes, progress
        self.thrown = 0

    def tally(self, theta: np.ndarray, source: str, throws: range) -> Tally:
        """Throw these indices at these parameters, or look up how they landed."""
        key = {"source": source, "theta": theta.tolist(), "throws": [throws.start, throws.stop]}
        conditions = len(self._recipe.sources[source].conditions)
        found = self._journal.find(key)
        if found is not None:
            try:
                return Tally.of(found, conditions, len(throws))
            except ValueError as error:
                raise BatchError(
                    f"{JOURNAL_FILE}: entry of the throws at {key}: {error}; delete that file to "
                    "begin anew"
                ) from None
        tallies = (tally(one, conditions) for one in self._throw(theta, source, throws))
        total = reduce(add, tallies)
        self.thrown += len(throws)
        self._journal.append(key, total.as_dict())
        return total

    def __call__(self, theta: np.ndarray, source: str, throws: range) -> np.ndarray:
        """Count pigs by position."""
        return self.tally(theta, source, throws).counts

    def _throw(self, theta: np.ndarray, source: str, throws: range) -> Iterator[Landings]:
        candidate = CandidateThrows(source, tuple(theta.tolist()), throws)
        size = min(-(-len(throws) // (self._processes * _TASKS)), _MOST_THROWS)
        parts = [candidate[at : at + size] for at in range(0, len(throws), size)]
        try:
            with self._progress() as show:
                show(0, len(throws))
                done = 0
                for future in [self._crew.submit(Task(cast(range, part))) for part in parts]:
                    landings = cast(Landings, future.result().landings)
                    yield landings
                    done += len(landings.index)
                    show(done, len(throws))
        except self._crew.deaths:
            raise BatchError(
                "a worker process died (killed, or out of memory?); candidates finished in --out "
                "DIR are kept: continue with --resume"
            ) from None


@contextmanager
def simulator(
    recipe: Recipe,
    journal: Journal,
    processes: int,
    progress: Progress = lambda: nullcontext(lambda done, total: None),
) -> Iterator[Simulator]:
    """Start processes that throw a recipe's candidates; they end with the context."""
    with local_crew(recipe, CandidateThrower, processes) as crew:  # the crew looks at neither
        yield Simulator(recipe, crew, journal, processes, progress)
