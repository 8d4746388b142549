"""Workers on other machines: a Dask cluster, or the ranks of an MPI job.

Both run what they are sent, so use only clusters that you trust. Every machine needs this package
in the same versions: those that decide a throw's bits are compared before anything is thrown.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass
from functools import partial

from sim.configuration import Configuration
from sim.crew import GONE, BatchError, BuildThrower, Crew, Task, Thrown, ThrowsPigs, build, perform
from sim.records import versions

PROCESSES, MPI, DASK = "processes", "mpi", "dask"
_DASK_ADDRESS = re.compile(rf"{DASK}://([^\s/:]+|\[[0-9A-Fa-f:.]+\]):([0-9]{{1,5}})")

_PATIENCE = 60.0
"""For a scheduler and for its first worker [s]."""

_TASKS_AHEAD = 2
"""Tasks in flight for each worker; they are longer than those of processes on one machine."""


def check_executor(executor: str) -> None:
    """Refuse a word that names no executor.

    Raises:
        BatchError: In one line.
    """
    if executor not in (PROCESSES, MPI) and not _DASK_ADDRESS.fullmatch(executor):
        raise BatchError(
            f"unknown executor '{executor}': expected {PROCESSES}, {DASK}://HOST:PORT or {MPI}"
        )


def cluster_crew(executor: str, configuration: Configuration, build_thrower: BuildThrower) -> Crew:
    """Hire the workers of a cluster.

    Args:
        executor: `dask://HOST:PORT` of a scheduler, or `mpi`.
        configuration: Of every throw.
        build_thrower: Makes the thrower of each worker; must be importable there.

    Raises:
        BatchError: In one line: a package is missing, nobody answers, or versions differ.
    """
    key = json.dumps([configuration.as_dict(), build_thrower.__qualname__])
    job = _Job(key, configuration, build_thrower, versions())
    crew = _mpi_crew(job) if executor == MPI else _dask_crew(executor, job)
    try:
        crew.meet()
    except BaseException:
        crew.close()
        raise
    return crew


@dataclass(frozen=True)
class _Job:
    """What all tasks of a batch have in common; equal keys make equal throws."""

    key: str
    configuration: Configuration
    build_thrower: BuildThrower
    versions: dict[str, str]


class _Cluster(Crew):
    """The crew behind an executor."""

    task_seconds = 2.0

    def __init__(
        self,
        job: _Job,
        executor: Executor,
        deaths: tuple[type[BaseException], ...],
        count_workers: Callable[[], int],
        leave: Callable[[], object],
    ) -> None:
        self.deaths = deaths
        self._job = job
        self._executor = executor
        self._count_workers = count_workers
        self._leave = leave

    @property
    def ahead(self) -> int:
        """Tasks worth having in flight; a cluster may grow."""
        try:
            return _TASKS_AHEAD * max(1, self._count_workers())
        except OSError:
            raise BatchError(GONE) from None

    def meet(self) -> None:
        """See that there is a worker, and that it would throw as this process does."""
        try:
            found = self._executor.submit(versions).result(_PATIENCE)
        except OutOfTime:
            raise BatchError(
                f"no worker of the cluster answers within {_PATIENCE:g} s; start one"
            ) from None
        except ImportError as error:
            raise BatchError(
                f"a worker of the cluster cannot import this package ({error}); install it there"
            ) from None
        _check_versions(found, self._job)

    def submit(self, task: Task) -> Future[Thrown]:
        """Send a task to the cluster."""
        return self._executor.submit(_work, self._job, task)

    def close(self) -> None:
        """Cancel what is in flight; the workers stay."""
        self._leave()


def _dask_crew(executor: str, job: _Job) -> _Cluster:
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise BatchError(
            f"--executor {executor}: needs the package distributed, pip install 'pig-throw[dask]'"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is in our line
    try:
        client = Client("tcp" + executor.removeprefix(DASK), timeout=_PATIENCE)
    except (OSError, ValueError, OutOfTime):
        raise BatchError(f"--executor {executor}: no Dask scheduler answers there") from None
    pool = client.get_executor(pure=False)

    def leave() -> None:
        pool.shutdown(wait=False)
        client.close()

    return _Cluster(job, pool, (KilledWorker,), lambda: len(client.nthreads()), leave)


def _mpi_crew(job: _Job) -> _Cluster:
    try:
        from mpi4py.futures import MPIPoolExecutor
    except ImportError:
        raise BatchError(
            f"--executor {MPI}: needs the package mpi4py, pip install 'pig-throw[mpi]'"
        ) from None
    pool = MPIPoolExecutor()
    workers = pool.num_workers
    leave = partial(pool.shutdown, cancel_futures=True)
    return _Cluster(job, pool, (BrokenExecutor,), lambda: workers, leave)


_one_at_a_time = threading.Lock()
"""A worker may have several threads; an engine has one."""

_throwers: dict[str, ThrowsPigs] = {}
"""The thrower of this worker's batch."""


def _work(job: _Job, task: Task) -> Thrown:
    with _one_at_a_time:
        if job.key not in _throwers:
            _check_versions(versions(), job)
            _throwers.clear()
            _throwers[job.key] = build(job.configuration, job.build_thrower)
        return perform(_throwers[job.key], task)


def _check_versions(found: dict[str, str], job: _Job) -> None:
    differences = [
        f"{package} {found.get(package)} there, {here} here"
        for package, here in job.versions.items()
        if found.get(package) != here
    ]
    if differences:
        raise BatchError(
            f"a worker of the cluster would throw otherwise: {', '.join(differences)}; "
            "install the same versions"
        )
