"""Processes that share the throws of a batch, and end when it ends, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import connection
from typing import Protocol

from sim.configuration import Configuration
from sim.throw import Landings

TASKS_AHEAD = 4
"""Tasks in flight for each process; results are taken in order, so memory stays bounded."""


class BatchError(Exception):
    """A batch cannot start or go on; the message is one line with the remedy."""


class ThrowsPigs(Protocol):
    """What each process needs: throws as a pure function of their indices."""

    def throw(self, indices: Sequence[int]) -> Landings:
        """Throw these indices of the run."""


BuildThrower = Callable[[Configuration], ThrowsPigs]


def throw_in_order(
    configuration: Configuration,
    build_thrower: BuildThrower,
    tasks: Iterator[range],
    processes: int,
) -> Generator[Landings, None, None]:
    """Throw tasks, in this process or by others; their landings come in the tasks' order.

    Closing the generator, or an exception in it, ends the processes at once.

    Args:
        configuration: Of every throw.
        build_thrower: Makes the thrower of each process; must be importable there.
        tasks: Indices to throw, read a few tasks ahead.
        processes: 1 throws in this process.

    Raises:
        BatchError: If a process died.
    """
    if processes == 1:
        thrower = build_thrower(configuration)
        for task in tasks:
            yield thrower.throw(task)
        return
    context = multiprocessing.get_context("spawn")
    end, lifeline = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, _enlist, (configuration, build_thrower, end))
    try:
        yield from _in_order(pool, tasks, processes * TASKS_AHEAD)
    except BrokenProcessPool:
        raise BatchError(
            "a worker process died (killed, or out of memory?); blocks finished in --out DIR are "
            "kept: continue with --resume"
        ) from None
    finally:
        lifeline.close()
        pool.shutdown(cancel_futures=True)
        end.close()


def _in_order(
    pool: ProcessPoolExecutor, tasks: Iterator[range], ahead: int
) -> Generator[Landings, None, None]:
    pending: deque[Future[Landings]] = deque()
    for task in tasks:
        with _interrupts_ignored():
            pending.append(pool.submit(_work, task))
        if len(pending) == ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let processes started meanwhile inherit deafness to Ctrl-C: their parent ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


class _Worker:
    """The thrower of one process, that ends it when the batch is over.

    The parent holds the other end of the lifeline: it closes when the batch is given up, and when
    the parent is killed. A busy process may end on the spot. An idle one may be sending its
    result, which must not be cut off while the parent is there to read it; it is ended by the
    pool, or after its parent.
    """

    def __init__(
        self,
        configuration: Configuration,
        build_thrower: BuildThrower,
        lifeline: connection.Connection,
    ) -> None:
        self._build = partial(build_thrower, configuration)
        self._thrower: ThrowsPigs | None = None
        self._gate = threading.Lock()
        self._is_busy = False
        self._is_over = False
        threading.Thread(target=self._watch, args=(lifeline,), daemon=True).start()

    def throw(self, indices: range) -> Landings:
        self._set_busy(True)
        if self._thrower is None:  # built here, an error travels to the parent as any other
            self._thrower = self._build()
        landings = self._thrower.throw(indices)
        self._set_busy(False)
        return landings

    def _set_busy(self, is_busy: bool) -> None:
        with self._gate:
            self._is_busy = is_busy
            self._end_if_over()

    def _end_if_over(self) -> None:
        if self._is_over and self._is_busy:
            os._exit(1)

    def _watch(self, lifeline: connection.Connection) -> None:
        connection.wait([lifeline])
        with self._gate:
            self._is_over = True
            self._end_if_over()
        parent = multiprocessing.parent_process()
        assert parent is not None, "a worker has a parent"
        connection.wait([parent.sentinel])
        os._exit(1)


_worker: _Worker | None = None
"""The worker of this process, if it is one."""


def _enlist(
    configuration: Configuration, build_thrower: BuildThrower, lifeline: connection.Connection
) -> None:
    global _worker
    _worker = _Worker(configuration, build_thrower, lifeline)


def _work(indices: range) -> Landings:
    assert _worker is not None, "a process is enlisted before it works"
    return _worker.throw(indices)
