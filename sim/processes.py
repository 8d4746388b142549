"""Processes of this machine that share the throws of a batch, and end when it ends, however."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import connection
from typing import Any

from sim.crew import BuildThrower, Crew, Task, ThisProcess, Thrown, ThrowsPigs, build, perform

_TASKS_AHEAD = 4
"""Tasks in flight for each process."""

_PROCESS_FILES = 10
"""Descriptors that this process holds for each of the others, measured 8.25."""

_ENDINGS = (signal.SIGINT, signal.SIGTERM)
"""Signals that end a batch."""


def local_crew(configuration: Any, build_thrower: BuildThrower, processes: int) -> Crew:
    """Hire processes of this machine; 1 is this process.

    Args:
        configuration: Of every throw.
        build_thrower: Makes the thrower of each process; must be importable there.
        processes: >= 1.
    """
    if processes == 1:
        return ThisProcess(configuration, build_thrower)
    return Processes(configuration, build_thrower, processes)


class Processes(Crew):
    """Executors of one process each: a process that dies takes nobody's task but its own."""

    task_seconds = 0.3
    deaths = (BrokenProcessPool,)

    def __init__(self, configuration: Any, build_thrower: BuildThrower, processes: int) -> None:
        _allow_files(processes * _PROCESS_FILES)
        context = multiprocessing.get_context("spawn")
        self._end, self._lifeline = context.Pipe(duplex=False)
        initial = (configuration, build_thrower, self._end)
        self._hire = partial(ProcessPoolExecutor, 1, context, _enlist, initial)
        self._pools = [self._hire() for _ in range(processes)]
        self._loads: list[list[Future[Thrown]]] = [[] for _ in range(processes)]

    @property
    def ahead(self) -> int:
        """Tasks worth having in flight."""
        return _TASKS_AHEAD * len(self._pools)

    def submit(self, task: Task) -> Future[Thrown]:
        """Send a task to the process that has the fewest; replace it if it has died."""
        self._loads = [[one for one in load if not one.done()] for load in self._loads]
        place = min(range(len(self._pools)), key=lambda i: len(self._loads[i]))
        with _interrupts_held():
            try:
                future = self._pools[place].submit(_work, task)
            except BrokenProcessPool:
                self._pools[place].shutdown()
                self._pools[place] = self._hire()
                future = self._pools[place].submit(_work, task)
        self._loads[place].append(future)
        return future

    def close(self) -> None:
        """End the processes at once."""
        self._lifeline.close()
        with ThreadPoolExecutor(len(self._pools)) as together:
            list(together.map(lambda pool: pool.shutdown(cancel_futures=True), self._pools))
        self._end.close()


def _allow_files(more: int) -> None:
    """Raise this process's limit of open files, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY:
        most = soft + more if hard == resource.RLIM_INFINITY else min(soft + more, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


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


class _Worker:
    """The thrower of one process, that ends it when the batch is over.

    The parent holds the other end of the lifeline: it closes when the batch is given up, and when
    the parent is killed. A busy process may end on the spot. An idle one may be sending its
    result, which must not be cut off while the parent is there to read it; it is ended by the
    pool, or after its parent.
    """

    def __init__(
        self,
        configuration: Any,
        build_thrower: BuildThrower,
        lifeline: connection.Connection,
    ) -> None:
        self._build = partial(build, configuration, build_thrower)
        self._thrower: ThrowsPigs | None = None
        self._gate = threading.Lock()
        self._is_busy = False
        self._is_over = False
        threading.Thread(target=self._watch, args=(lifeline,), daemon=True).start()

    def throw(self, task: Task) -> Thrown:
        self._set_busy(True)
        if self._thrower is None:  # built here, an error travels to the parent as any other
            self._thrower = self._build()
        thrown = perform(self._thrower, task)
        self._set_busy(False)
        return thrown

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
    configuration: Any, build_thrower: BuildThrower, lifeline: connection.Connection
) -> None:
    global _worker
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    _worker = _Worker(configuration, build_thrower, lifeline)


def _work(task: Task) -> Thrown:
    assert _worker is not None, "a process is enlisted before it works"
    return _worker.throw(task)
