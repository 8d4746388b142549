"""Many throws: over worker processes, in blocks on disk, resumed where they stopped.

A throw is a function of (seed, index, parameters), so a batch is its plain loop over the indices,
bit for bit, however many processes share it and however often it was interrupted.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path
from typing import Protocol

from sim.batch_directory import BatchDirectory, BatchError, open_directory
from sim.configuration import Configuration
from sim.records import BLOCK_THROWS, concatenate, versions
from sim.summary import Summary, summarize
from sim.throw import Landings, Thrower

_TASK_THROWS = 25
"""Throws sent to a worker at once: a fraction of a second, so that none waits long for another."""

_TASKS_AHEAD = 4
"""Tasks in flight for each worker; results are taken in order, so memory stays bounded."""

Progress = Callable[[int, int], None]


class ThrowsPigs(Protocol):
    """What a worker needs: throws as a pure function of their indices."""

    def throw(self, indices: Sequence[int]) -> Landings:
        """Throw these indices of the run."""


BuildThrower = Callable[[Configuration], ThrowsPigs]


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
    size = _task_throws(missing, workers)
    tasks = (task for block in todo for task in _split(_block(block, throws), size))
    processes = _useful_processes(missing, workers)
    start = time.perf_counter()
    with closing(_throw_in_order(configuration, build_thrower, tasks, processes)) as results:
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
    """Start no process that would have less than a task's throws: it costs about as much."""
    return max(1, min(workers, throws // _TASK_THROWS))


def _task_throws(throws: int, workers: int) -> int:
    """Choose how many throws a task has: short batches too are spread over all workers."""
    return max(1, min(_TASK_THROWS, throws // (workers * _TASKS_AHEAD)))


def _split(indices: range, size: int) -> list[range]:
    return [indices[at : at + size] for at in range(0, len(indices), size)]


def _throw_in_order(
    configuration: Configuration,
    build_thrower: BuildThrower,
    tasks: Iterator[range],
    processes: int,
) -> Generator[Landings, None, None]:
    """Throw tasks, in this process or by others; their landings come in the tasks' order."""
    if processes == 1:
        thrower = build_thrower(configuration)
        for task in tasks:
            yield thrower.throw(task)
        return
    pool = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), _enlist, (configuration, build_thrower)
    )
    pending: deque[Future[Landings]] = deque()
    try:
        for task in tasks:
            with _interrupts_ignored():
                pending.append(pool.submit(_work, task))
            if len(pending) == processes * _TASKS_AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except BrokenProcessPool:
        raise BatchError(
            "a worker process died (killed, or out of memory?); blocks finished in --out DIR are "
            "kept: continue with --resume"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let processes started meanwhile inherit deafness to Ctrl-C: this process ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


_enlisted: ThrowsPigs | None = None
"""The thrower of this worker process."""


def _enlist(configuration: Configuration, build_thrower: BuildThrower) -> None:
    """Prepare a worker process."""
    global _enlisted
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _enlisted = build_thrower(configuration)


def _end_with_parent() -> None:
    """End this worker when its parent has died without ending it, as by kill -9."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"
    connection.wait([parent.sentinel])
    os._exit(1)


def _work(indices: range) -> Landings:
    assert _enlisted is not None, "a worker is prepared before it works"
    return _enlisted.throw(indices)
