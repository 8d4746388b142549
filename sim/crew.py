"""Who throws the tasks of a batch, and what becomes of a task whose worker dies.

A crew is a `concurrent.futures` executor and what it costs to use it: this process, other
processes (`sim.processes`) or a cluster (`sim.cluster`). Results are taken in the tasks' order, so
what is in flight stays bounded. A task that took its worker with it is thrown again one throw at a
time, with nothing else in flight that could be to blame; a throw that does so `DEATHS` times is
recorded as diverged, and the batch goes on.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Protocol, TypeVar

from sim.throw import Landings

DEATHS = 3
"""Workers that a throw may take with it before it is given up."""

_HOPELESS = 10
"""Throws given up one after another: it is the machine, not the throws."""

GONE = "the cluster has gone away; blocks finished in --out DIR are kept: continue with --resume"

_DYING = (
    "workers die whatever they throw (out of memory?); blocks finished in --out DIR are kept: "
    "continue with --resume"
)

Notice = Callable[[str], None]
"""Told in one line what a person should know, while the batch goes on."""


AnyCrew = TypeVar("AnyCrew", bound="Crew")


class BatchError(Exception):
    """A batch cannot start or go on; the message is one line with the remedy."""


class ThrowsPigs(Protocol):
    """What each worker needs: throws as a pure function of their indices."""

    def throw(self, indices: Sequence[int]) -> Landings:
        """Throw these indices of the run."""

    def give_up(self, indices: Sequence[int]) -> Landings:
        """Record these indices as diverged, without throwing them."""


BuildThrower = Callable[[Any], Any]
"""Makes a ThrowsPigs of a configuration, or of whatever else a crew was given for one."""


@dataclass(frozen=True)
class Task:
    """What a worker is sent.

    Attributes:
        indices: To throw.
        deliver: Takes the landings where the worker is, to a storage that all share; None sends
            them home.
        is_given_up: Whether the throws are to be recorded as diverged.
    """

    indices: range
    deliver: Callable[[Landings], None] | None = None
    is_given_up: bool = False


@dataclass(frozen=True)
class Thrown:
    """What a worker sends back.

    Attributes:
        indices: Of the task.
        landings: None if they were delivered.
        seconds: The throws took [s].
    """

    indices: range
    landings: Landings | None
    seconds: float


class Crew(ABC):
    """Workers; leaving their context, by an exception too, ends them.

    Attributes:
        task_seconds: How long a task should take [s], so that sending it costs little.
        deaths: What a future raises whose worker died.
    """

    task_seconds: float
    deaths: tuple[type[BaseException], ...]

    @property
    @abstractmethod
    def ahead(self) -> int:
        """Tasks worth having in flight."""

    @abstractmethod
    def submit(self, task: Task) -> Future[Thrown]:
        """Have a worker throw this task."""

    @abstractmethod
    def close(self) -> None:
        """Let the workers go, whatever they are at."""

    def __enter__(self: AnyCrew) -> AnyCrew:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the workers go."""
        self.close()


def build(configuration: Any, build_thrower: BuildThrower) -> ThrowsPigs:
    """Build a thrower; what is wrong with the configuration is one line."""
    try:
        return build_thrower(configuration)
    except ValueError as error:
        raise BatchError(str(error)) from None


def perform(thrower: ThrowsPigs, task: Task) -> Thrown:
    """Throw a task, where the worker is."""
    start = time.perf_counter()
    landings = (thrower.give_up if task.is_given_up else thrower.throw)(task.indices)
    seconds = time.perf_counter() - start
    if task.deliver is None:
        return Thrown(task.indices, landings, seconds)
    task.deliver(landings)
    return Thrown(task.indices, None, seconds)


class ThisProcess(Crew):
    """A crew of one, that throws at once."""

    task_seconds = 0.3
    deaths = ()
    ahead = 1

    def __init__(self, configuration: Any, build_thrower: BuildThrower) -> None:
        self._thrower = build(configuration, build_thrower)

    def submit(self, task: Task) -> Future[Thrown]:
        """Throw this task."""
        future: Future[Thrown] = Future()
        future.set_result(perform(self._thrower, task))
        return future

    def close(self) -> None:
        """Nobody is to be let go."""


def throw_in_order(
    crew: Crew, tasks: Iterator[Task], notice: Notice = lambda line: None
) -> Generator[list[Thrown], None, None]:
    """Have a crew throw tasks; what they land comes in the tasks' order.

    Args:
        crew: That throws.
        tasks: Read a few tasks ahead.
        notice: Told of every throw that is given up.

    Yields:
        What one task has thrown: in one piece, or in order throw by throw if its worker died.

    Raises:
        BatchError: If what was asked cannot be thrown, or whatever is thrown kills its worker.
    """
    flight = _Flight(crew, notice)
    for task in tasks:
        flight.send(task)
        if len(flight) >= crew.ahead:
            yield flight.land_first()
    while len(flight):
        yield flight.land_first()


class _Flight:
    """Tasks in flight, oldest first."""

    def __init__(self, crew: Crew, notice: Notice) -> None:
        self._crew = crew
        self._notice = notice
        self._sent: deque[tuple[Task, Future[Thrown]]] = deque()
        self._given_up_in_a_row = 0

    def __len__(self) -> int:
        return len(self._sent)

    def send(self, task: Task) -> None:
        self._sent.append((task, self._crew.submit(task)))

    def land_first(self) -> list[Thrown]:
        task, future = self._sent.popleft()
        try:
            thrown = [_result(future)]
        except self._crew.deaths:
            wait([future for _, future in self._sent])
            return [self._throw_alone(index) for index in task.indices]
        self._given_up_in_a_row = 0
        return thrown

    def _throw_alone(self, index: int) -> Thrown:
        """Throw one of a task whose worker died, with nothing else in flight."""
        alone = Task(range(index, index + 1))
        for _ in range(DEATHS - 1):
            try:
                thrown = _result(self._crew.submit(alone))
            except self._crew.deaths:
                continue
            self._given_up_in_a_row = 0
            return thrown
        return self._give_up(alone)

    def _give_up(self, alone: Task) -> Thrown:
        self._given_up_in_a_row += 1
        if self._given_up_in_a_row > _HOPELESS:
            raise BatchError(_DYING)
        try:
            thrown = _result(self._crew.submit(replace(alone, is_given_up=True)))
        except self._crew.deaths:
            raise BatchError(_DYING) from None
        self._notice(
            f"throw {alone.indices.start}: killed its worker {DEATHS} times, recorded as diverged"
        )
        return thrown


def _result(future: Future[Thrown]) -> Thrown:
    try:
        return future.result()
    except CancelledError:
        raise BatchError(GONE) from None
