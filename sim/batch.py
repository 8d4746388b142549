"""Many throws: over worker processes, in blocks on disk, resumed where they stopped.

A throw is a function of (seed, index, parameters), so a batch is its plain loop over the indices,
bit for bit, however many processes share it and however often it was interrupted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sim.batch_directory import BatchDirectory, open_directory
from sim.configuration import Configuration
from sim.crew import TASKS_AHEAD, BuildThrower, throw_in_order
from sim.records import BLOCK_THROWS, concatenate, versions
from sim.summary import Summary, summarize
from sim.throw import Landings, Thrower

_TASK_THROWS = 8
"""Throws sent to a worker at once: a third of a second, so that none waits long for another."""

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
    progress: Progress = lambda done, total: None,
    build_thrower: BuildThrower = Thrower,
) -> Batch:
    """Throw indices 0..throws-1 and count how they land.

    Args:
        configuration: Of every throw.
        throws: How many, >= 1.
        workers: Processes; 1 throws in this one. The results do not depend on it.
        out: Directory for the records; None writes nothing.
        resume: Take up what an interrupted run of the same configuration left in `out`.
        progress: Called with the throws done and their total, before the first and after each task.
        build_thrower: Makes the thrower of each process; must be importable there.

    Raises:
        BatchError: In one line: `out` is refused, the disk fails, or a worker dies. Finished
            blocks stay on disk.
    """
    if throws < 1 or workers < 1:
        raise ValueError(f"expected 1 throw or more and 1 worker or more, got {throws}, {workers}")
    if out is None:
        return _run(configuration, throws, workers, None, progress, build_thrower)
    identity = {
        "configuration": configuration.as_dict(),
        "throws": throws,
        "versions": versions(),
    }
    with open_directory(out, identity, resume) as directory:
        return _run(configuration, throws, workers, directory, progress, build_thrower)


def _run(
    configuration: Configuration,
    throws: int,
    workers: int,
    directory: BatchDirectory | None,
    progress: Progress,
    build_thrower: BuildThrower,
) -> Batch:
    """Throw the blocks that are not there yet, in order."""
    summary, todo = _take_up(directory, throws, configuration.pigs)
    missing = throws - summary.throws
    if not missing:
        return Batch(summary, None)
    processes = _useful_processes(missing, workers)
    size = _task_throws(missing, processes)
    tasks = (task for block in todo for task in _split(_block(block, throws), size))
    start = time.perf_counter()
    with closing(throw_in_order(configuration, build_thrower, tasks, processes)) as results:
        for block in todo:
            progress(summary.throws, throws)
            parts: list[Landings] = []
            for task in _split(_block(block, throws), size):
                parts.append(next(results))
                progress(summary.throws + task.stop - block * BLOCK_THROWS, throws)
            landings = concatenate(parts)
            if directory is not None:
                directory.write(block, landings)
            summary += summarize(landings)
    return Batch(summary, missing / (time.perf_counter() - start))


def _take_up(
    directory: BatchDirectory | None, throws: int, pigs: int
) -> tuple[Summary, Sequence[int]]:
    """Count the finished blocks, and list the others."""
    blocks = range(-(-throws // BLOCK_THROWS))
    summary = Summary.empty(pigs)
    if directory is None:
        return summary, blocks
    todo = []
    for block in blocks:
        if directory.has(block):
            summary += summarize(directory.read(block, _block(block, throws)))
        else:
            todo.append(block)
    return summary, todo


def _block(block: int, throws: int) -> range:
    start = block * BLOCK_THROWS
    return range(start, min(start + BLOCK_THROWS, throws))


def _useful_processes(throws: int, workers: int) -> int:
    """Start no process that would not be worth its start."""
    return max(1, min(workers, throws // _PROCESS_THROWS))


def _task_throws(throws: int, processes: int) -> int:
    """Choose how many throws a task has: short batches too are spread over all processes."""
    return max(1, min(_TASK_THROWS, throws // (processes * TASKS_AHEAD)))


def _split(indices: range, size: int) -> list[range]:
    return [indices[at : at + size] for at in range(0, len(indices), size)]
