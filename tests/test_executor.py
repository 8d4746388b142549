"""Batches on a cluster: Dask on loopback, with a worker killed, and storage that all share."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from fake_thrower import (
    FakeConfiguration,
    FakeThrower,
    RefusingThrower,
    SlowThrower,
    fake_landings,
    given_up,
)

import sim.batch_directory
import sim.cluster
from sim import cli
from sim.batch import run_batch
from sim.batch_directory import BatchDirectory
from sim.crew import DEATHS, BatchError
from sim.records import versions
from sim.summary import summarize

THROWS = 575
FAKE = FakeConfiguration()


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


@pytest.fixture(scope="module")
def one_process(tmp_path_factory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("one_process") / "out"
    run_batch(FAKE, THROWS, out=out, build_thrower=FakeThrower)
    return contents(out)


@contextmanager
def started(*words: str, **settings: str) -> Iterator[subprocess.Popen]:
    """Run a Dask scheduler or worker, that can import what stands beside this file."""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{words[0]}", *words[1:], "--no-dashboard"],
        env={**os.environ, "PYTHONPATH": path, **settings},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(**settings: str) -> Iterator[tuple[str, subprocess.Popen]]:
    pytest.importorskip("distributed", reason="needs the package distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = ("scheduler", "--host", "127.0.0.1", "--port", port, "--no-show")
    with started(*words, **settings) as process:
        wait_for_listener(int(port))
        yield f"127.0.0.1:{port}", process


def wait_for_listener(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)


def worker(address: str) -> AbstractContextManager[subprocess.Popen]:
    return started("worker", address, "--no-nanny", "--nthreads", "2")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Start a scheduler and one worker of two threads."""
    with scheduler() as (address, _), worker(address):
        yield address


def on_dask(address: str, out: Path | None, configuration=FAKE, **options):
    options = {"build_thrower": FakeThrower, **options}
    return run_batch(configuration, THROWS, out=out, executor=f"dask://{address}", **options)


@pytest.mark.parametrize("is_shared", [False, True])
def test_cluster_that_loses_a_worker_writes_the_bytes_of_one_process(
    tmp_path, cluster, one_process, is_shared
):
    with worker(cluster) as doomed:

        def kill(done: int, total: int) -> None:
            if done:
                doomed.kill()

        options = {"is_shared": is_shared, "progress": kill, "build_thrower": SlowThrower}
        batch = on_dask(cluster, tmp_path / "out", **options)
        assert doomed.wait() == -signal.SIGKILL
    assert batch.summary == summarize(fake_landings(range(THROWS)))
    assert contents(tmp_path / "out") == one_process


def test_shared_storage_needs_no_cluster(tmp_path, one_process):
    batch = run_batch(
        FAKE, THROWS, out=tmp_path / "out", workers=2, is_shared=True, build_thrower=FakeThrower
    )
    assert batch.summary == summarize(fake_landings(range(THROWS)))
    assert contents(tmp_path / "out") == one_process


def test_batch_of_one_machine_is_resumed_on_a_cluster(tmp_path, cluster, one_process):
    out = tmp_path / "out"
    run_batch(FAKE, THROWS, out=out, build_thrower=FakeThrower)
    (out / "throws-000001.parquet").unlink()
    on_dask(cluster, out, resume=True)
    assert contents(out) == one_process


@pytest.mark.long
def test_throw_that_kills_every_worker_of_a_cluster_is_diverged(tmp_path):
    deadly = FakeConfiguration(obituary=str(tmp_path / "obituary"), deadly=300, deaths=99)
    with ExitStack() as stack:
        settings = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        address, _ = stack.enter_context(scheduler(**settings))
        for _ in range(DEATHS + 1):
            stack.enter_context(worker(address))
        batch = on_dask(address, None, deadly)
    loop = fake_landings(range(THROWS))
    assert batch.summary == summarize(given_up(loop, loop.index == 300))


@pytest.mark.long
def test_scheduler_that_ends_is_one_line(tmp_path, one_process):
    out = tmp_path / "out"
    with scheduler() as (address, process), worker(address):

        def end(done: int, total: int) -> None:
            if done:
                process.kill()

        with pytest.raises(BatchError, match=r"^the cluster has gone away; .*--resume$"):
            on_dask(address, out, progress=end, build_thrower=SlowThrower)
    run_batch(FAKE, THROWS, out=out, resume=True, build_thrower=FakeThrower)
    assert contents(out) == one_process


def test_thrower_that_cannot_be_built_there_is_one_line(cluster):
    with pytest.raises(BatchError, match=r"^pig.stl: not readable$"):
        on_dask(cluster, None, build_thrower=RefusingThrower)


def test_worker_with_other_versions_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(sim.cluster, "versions", lambda: {**versions(), "numpy": "0.1"})
    with pytest.raises(BatchError, match=r"would throw otherwise: numpy .* there, 0.1 here; inst"):
        on_dask(cluster, None)


def test_cluster_without_workers_is_one_line(monkeypatch):
    monkeypatch.setattr(sim.cluster, "_PATIENCE", 3.0)
    with scheduler() as (address, _), pytest.raises(BatchError, match="no worker of the cluster"):
        on_dask(address, None)


def test_absent_scheduler_is_one_line(monkeypatch):
    pytest.importorskip("distributed", reason="needs the package distributed")
    monkeypatch.setattr(sim.cluster, "_PATIENCE", 0.5)
    with pytest.raises(BatchError, match="no Dask scheduler answers there"):
        on_dask("127.0.0.1:9", None)


MPI_SCRIPT = """
from pathlib import Path
import fake_thrower as fake
from sim.batch import run_batch
if __name__ == "__main__":
    options = {"executor": "mpi", "build_thrower": fake.FakeThrower}
    run_batch(fake.FakeConfiguration(), %d, out=Path("home"), **options)
    run_batch(fake.FakeConfiguration(), %d, out=Path("shared"), is_shared=True, **options)
"""


def test_ranks_of_an_mpi_job_write_the_bytes_of_one_process(tmp_path, one_process):
    pytest.importorskip("mpi4py", reason="needs the package mpi4py")
    mpiexec = Path(sys.executable).with_name("mpiexec")  # as the package mpich brings it
    if not mpiexec.exists():
        pytest.skip("needs the package mpich")
    (tmp_path / "script.py").write_text(MPI_SCRIPT % (THROWS, THROWS))
    words = [str(mpiexec), "-n", "3", sys.executable, "-m", "mpi4py.futures", "script.py"]
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    subprocess.run(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, check=True)
    assert contents(tmp_path / "home") == contents(tmp_path / "shared") == one_process


@pytest.mark.parametrize(
    "executor", ["", "dask", "dask://", "dask://host", "dask://:1", "dask://a:b", "slurm", "Mpi"]
)
def test_unknown_executor_is_refused_before_anything_is_made(tmp_path, executor):
    with pytest.raises(BatchError, match=r"unknown executor .*: expected processes, dask://HOST"):
        run_batch(FAKE, THROWS, out=tmp_path / "out", executor=executor)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shared"], "--shared: needs the directory that all workers see, as --out DIR"),
        (["--executor", "mpi", "--workers", "2"], "--workers: counts processes of this machine"),
        (["--executor", "slurm", "--out", "out"], "unknown executor 'slurm': expected processes"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(capfd, monkeypatch, tmp_path, words, message):
    monkeypatch.chdir(tmp_path)
    assert cli.run(["throw", "-n", "1", *words]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("executor", "package"), [("dask://localhost:8786", "distributed"), ("mpi", "mpi4py")]
)
def test_package_that_is_missing_is_named(monkeypatch, executor, package):
    for name in (package, "mpi4py.futures"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BatchError, match=rf"needs the package {package}, pip install 'pig-throw\["):
        run_batch(FAKE, THROWS, executor=executor)


def test_worker_that_does_not_see_the_batch_is_one_line(tmp_path):
    identity = {"configuration": {}, "throws": 5, "versions": {}}
    landings = fake_landings(range(5))
    with pytest.raises(BatchError, match=r"a worker does not see the batch: .*leave --shared out"):
        BatchDirectory(tmp_path, identity).deliver(landings)
    (tmp_path / "batch.json").write_text(json.dumps({**identity, "throws": 6}))
    with pytest.raises(BatchError, match=r"a worker sees another batch there; leave --shared out"):
        BatchDirectory(tmp_path, identity).deliver(landings)


def test_block_that_a_worker_wrote_elsewhere_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sim.batch_directory, "_PATIENCE", 0.1)
    with pytest.raises(BatchError, match=r"a worker wrote it, but it is not here; leave --shared"):
        BatchDirectory(tmp_path, {"throws": 5}).read_delivered(range(5))
