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

_ENDINGS = (signal.SIGINT, signal.SIGTERM)
"""Signals that end a batch."""


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
        BatchError: If what was asked cannot be thrown, or a process died.
    """
    if processes == 1:
        thrower = _build(configuration, build_thrower)
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
        with _interrupts_held():
            pending.append(pool.submit(_work, task))
        if len(pending) == ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let processes start undisturbed; Ctrl-C and SIGTERM come when they are under way.

    The processes inherit the mask, so that Ctrl-C leaves them alone: their parent ends them. In
    this process, a library's thread may take the signal in spite of it: it is kept for later.
    """
    kept: list[int] = []
    usual = {}
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
    try:
        if threading.current_thread() is threading.main_thread():
            for ending in _ENDINGS:
                usual[ending] = signal.signal(ending, lambda number, _: kept.append(number))
        yield
    finally:
        for ending, handler in usual.items():
            signal.signal(ending, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        for number in kept:
            signal.raise_signal(number)


def _build(configuration: Configuration, build_thrower: BuildThrower) -> ThrowsPigs:
    try:
        return build_thrower(configuration)
    except ValueError as error:
        raise BatchError(str(error)) from None


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
        self._build = partial(_build, configuration, build_thrower)
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
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    _worker = _Worker(configuration, build_thrower, lifeline)


def _work(indices: range) -> Landings:
    assert _worker is not None, "a process is enlisted before it works"
    return _worker.throw(indices)
