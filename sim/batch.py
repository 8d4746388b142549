"""Many throws: over worker processes or a cluster, in files on disk, resumed where they stopped.

A throw is a function of (seed, index, parameters), so a batch is its plain loop over the indices,
bit for bit, however many workers share it and however often it was interrupted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim.batch_directory import BatchDirectory, DamagedBlock, open_directory
from sim.cluster import PROCESSES, check_executor, cluster_crew
from sim.configuration import Configuration
from sim.crew import BuildThrower, Crew, Notice, Task, Thrown, throw_in_order
from sim.processes import local_crew
from sim.records import block_range, block_throws, concatenate, versions
from sim.summary import Summary, summarize
from sim.throw import Landings, Thrower

_LEAST_TASK = 8
"""Throws in a task of unknown speed; also what is slow to start is not taken for slow."""

_PROCESS_THROWS = 25
"""Throws that take about as long as a process needs to start."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Batch:
    """A finished batch.

    Attributes:
        summary: Counts of all its throws.
        throws_per_second: Of the throws of this call; None if all were there already.
    """

    summary: Summary
    throws_per_second: float | None


def usable_cores() -> int:
    """Count the cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has no affinity
        return os.cpu_count() or 1


def run_batch(
    configuration: Configuration,
    throws: int,
    *,
    workers: int = 1,
    out: Path | None = None,
    resume: bool = False,
    executor: str = PROCESSES,
    is_shared: bool = False,
    progress: Progress = lambda done, total: None,
    notice: Notice = lambda line: None,
    build_thrower: BuildThrower = Thrower,
) -> Batch:
    """Throw indices 0..throws-1 and count how they land.

    Args:
        configuration: Of every throw.
        throws: How many, >= 1.
        workers: Processes; 1 throws in this one. The results do not depend on it.
        out: Directory for the records; None writes nothing.
        resume: Take up what an interrupted run of the same configuration left in `out`.
        executor: `processes` of this machine, `dask://HOST:PORT`, or `mpi`.
        is_shared: Workers write into `out`, which they all see, instead of sending results home.
        progress: Called with the throws done and their total, before the first and after each task.
        notice: Told of every damaged file that is thrown again and every throw that is given up.
        build_thrower: Makes the thrower of each worker; must be importable there.

    Raises:
        BatchError: In one line: `out` is refused, the disk fails, or all workers die. Finished
            blocks stay on disk.
    """
    if throws < 1 or workers < 1:
        raise ValueError(f"expected 1 throw or more and 1 worker or more, got {throws}, {workers}")
    check_executor(executor)
    run = _Run(throws, configuration, is_shared, progress, notice)

    def hire(missing: int) -> Crew:
        """Start no process that would not be worth its start."""
        if executor != PROCESSES:
            return cluster_crew(executor, configuration, build_thrower)
        processes = max(1, min(workers, missing // _PROCESS_THROWS))
        return local_crew(configuration, build_thrower, processes)

    if out is None:
        return run.finish(hire, None)
    with open_directory(out, run.identity, resume) as directory:
        return run.finish(hire, directory)


@dataclass(frozen=True)
class _Run:
    """What is to be thrown, and who is told."""

    throws: int
    configuration: Configuration
    is_shared: bool
    progress: Progress
    notice: Notice

    @property
    def identity(self) -> dict[str, Any]:
        """Say what a directory must hold to be this run's."""
        return {
            "configuration": self.configuration.as_dict(),
            "throws": self.throws,
            "versions": versions(),
        }

    def finish(self, hire: Callable[[int], Crew], directory: BatchDirectory | None) -> Batch:
        """Throw the blocks that are not there yet, in order."""
        summary, todo = self._take_up(directory)
        missing = self.throws - summary.throws
        if not missing:
            return Batch(summary, None)
        start = time.perf_counter()
        done = summary.throws
        with hire(missing) as crew:
            pace = _Pace(crew, missing)
            self.progress(done, self.throws)
            parts: list[Landings] = []
            tasks = self._tasks(todo, pace, directory)
            with closing(throw_in_order(crew, tasks, self.notice)) as results:
                for thrown in results:
                    parts += [one.landings for one in thrown if one.landings is not None]
                    done += pace.note(thrown)
                    self.progress(done, self.throws)
                    block = self._block(thrown[-1].indices.start)
                    if thrown[-1].indices.stop == block.stop:
                        summary += summarize(self._keep(block, parts, directory))
                        parts = []
        return Batch(summary, missing / (time.perf_counter() - start))

    def _keep(
        self, block: range, parts: list[Landings], directory: BatchDirectory | None
    ) -> Landings:
        """See to it that a block is on disk."""
        if directory is not None and not parts:
            return directory.read_delivered(block)
        landings = concatenate(parts)
        if directory is not None:
            directory.write(landings)
        return landings

    def _take_up(self, directory: BatchDirectory | None) -> tuple[Summary, Sequence[int]]:
        """Count the finished blocks, and list the first throws of the others."""
        starts = range(0, self.throws, block_throws(self.throws))
        summary = Summary.empty(self.configuration.pigs)
        if directory is None:
            return summary, starts
        todo = []
        for start in starts:
            if not directory.has(start):
                todo.append(start)
                continue
            try:
                summary += summarize(directory.read(self._block(start)))
            except DamagedBlock as damage:
                self.notice(directory.set_aside(start, damage))
                todo.append(start)
        return summary, todo

    def _tasks(
        self, todo: Sequence[int], pace: _Pace, directory: BatchDirectory | None
    ) -> Iterator[Task]:
        for start in todo:
            block = self._block(start)
            if directory is not None and self.is_shared:
                yield Task(block, replace(directory, path=directory.path.resolve()).deliver)
                continue
            while block:
                task, block = block[: pace.throws], block[pace.throws :]
                yield Task(task)

    def _block(self, index: int) -> range:
        """Give the block that a throw is in."""
        return block_range(index // block_throws(self.throws), self.throws)


class _Pace:
    """How many throws make a task: as many as a worker does in the time a task should take.

    Attributes:
        throws: In the next task.
    """

    def __init__(self, crew: Crew, missing: int) -> None:
        self._most = max(1, missing // crew.ahead)  # short batches too are spread over all
        self._seconds = crew.task_seconds
        self.throws = min(_LEAST_TASK, self._most)

    def note(self, thrown: Sequence[Thrown]) -> int:
        """Learn from what a task took; return its throws."""
        throws = sum(len(one.indices) for one in thrown)
        seconds = sum(one.seconds for one in thrown)
        fitting = int(throws * self._seconds / max(seconds, 1e-9))
        self.throws = min(max(fitting, _LEAST_TASK), self._most)
        return throws
