"""Batches ended at random moments, and resumed to the bytes of an undisturbed run."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sim import cli

FAKE = """
import sys
from pathlib import Path
from fake_thrower import FakeConfiguration, SlowThrower
from sim.batch import run_batch
if __name__ == "__main__":
    out, *words = sys.argv[1:]
    options = {"resume": "--resume" in words, "is_shared": "--shared" in words}
    run_batch(
        FakeConfiguration(), 2000, out=Path(out), workers=2, build_thrower=SlowThrower, **options
    )
"""
PIGS = ["-c", "from sim.cli import main; main()"]
REAL = [*PIGS, *("throw", "-n", "2000", "--pigs", "1", "--device", "drop", "--workers", "2")]

Command = Callable[..., list[str]]
"""Of a batch in a directory, with more options."""


def real(out: Path, *options: str) -> list[str]:
    return [*REAL, "--out", str(out), *options]


def fake(folder: Path, *always: str) -> Command:
    script = folder / "fake.py"
    script.write_text(FAKE)

    def command(out: Path, *options: str) -> list[str]:
        return [str(script), str(out), *always, *options]

    return command


def started(words: list[str], **options) -> subprocess.Popen:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.Popen(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def finish(words: list[str]) -> None:
    process = started(words)
    _, errors = process.communicate()
    assert process.returncode == 0, errors


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def kill_alone(process: subprocess.Popen) -> None:
    process.kill()


def kill_with_workers(process: subprocess.Popen) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def terminate(process: subprocess.Popen) -> None:
    process.terminate()


def end_and_resume(
    tmp_path: Path, command: Command, times: int, ends: list[Callable[[subprocess.Popen], None]]
) -> None:
    """End runs of a batch at random moments; resume each, and compare its files."""
    rng = np.random.default_rng(times)
    begun = time.monotonic()
    finish(command(tmp_path / "undisturbed"))
    seconds = time.monotonic() - begun
    undisturbed = contents(tmp_path / "undisturbed")
    is_interrupted = []
    for turn in range(times):
        out = tmp_path / str(turn)
        process = started(command(out))
        time.sleep(rng.uniform(0.0, seconds))
        is_interrupted.append(process.poll() is None)
        ends[turn % len(ends)](process)
        process.communicate()
        finish(command(out, "--resume"))
        assert contents(out) == undisturbed
    assert sum(is_interrupted) > times / 2


def test_batch_killed_at_random_moments_resumes_to_the_same_bytes(tmp_path):
    end_and_resume(tmp_path, fake(tmp_path), 3, [kill_alone, kill_with_workers])


@pytest.mark.long
def test_shared_storage_killed_at_random_moments_resumes_to_the_same_bytes(tmp_path):
    end_and_resume(tmp_path, fake(tmp_path, "--shared"), 10, [kill_alone, kill_with_workers])


@pytest.mark.long
def test_throws_killed_at_twenty_random_moments_resume_to_the_same_bytes(tmp_path):
    end_and_resume(tmp_path, real, 20, [kill_alone, kill_with_workers])


@pytest.mark.long
def test_throws_terminated_at_random_moments_resume_to_the_same_bytes(tmp_path):
    end_and_resume(tmp_path, real, 6, [terminate])


def test_disk_that_refuses_is_one_line_and_the_batch_resumes_to_the_same_bytes(tmp_path, capfd):
    """A limit on the size of a file stands for a full disk: the system writes no further."""
    words = [*REAL[2:], "-n", "300", "--workers", "1", "--out"]
    out, undisturbed = tmp_path / "out", tmp_path / "undisturbed"
    assert cli.run([*words, str(undisturbed)]) == 0
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (12_000, 12_000))
    process = started([*PIGS, *words, str(out)], preexec_fn=limit)
    _, errors = process.communicate()
    assert process.returncode == 2
    assert errors.splitlines()[-1] == (
        f"pigs: {out}/throws-000000.parquet: cannot write it: File too large; "
        "finished blocks are kept, continue with --resume"
    )
    assert list(contents(out)) == ["batch.json"]
    assert cli.run([*words, str(out), "--resume"]) == 0
    assert contents(out) == contents(undisturbed)
