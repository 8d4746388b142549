"""Long batches in memory that does not grow; what fails is named by seed and index.

Run the long ones alone, and see what they measure: `python -m pytest -m long tests/test_soak.py -s`
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.dataset
import pytest

PIGS = [sys.executable, "-c", "from sim.cli import main; main()"]
SEED = 20060
MOST_MEMORY = 600.0
"""Of all processes of a run together [MB]."""


def family(pid: int) -> list[int]:
    """Give a process and those it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


def memory(pid: int) -> float:
    """Measure what a process and those it has started hold, what they share once [MB]."""
    try:
        texts = [Path(f"/proc/{one}/smaps_rollup").read_text() for one in family(pid)]
        return sum(int(re.findall(r"^Pss: +(\d+) kB$", text, re.M)[0]) for text in texts) / 1e3
    except (FileNotFoundError, ProcessLookupError, IndexError):  # one has just ended
        return np.nan


def soak(out: Path, engine: str, throws: int) -> None:
    """Throw under watch; the last quarter may hold no more than the second one."""
    words = ["throw", "-n", str(throws), "--seed", str(SEED), "--engine", engine, "--out", str(out)]
    samples = []
    subprocess.run([*PIGS, "throw", "-n", "1", "--engine", engine], check=True)  # compiles
    with open(out.with_suffix(".log"), "w") as log:
        process = subprocess.Popen([*PIGS, *words], stdout=log, stderr=log)
        while process.poll() is None:
            samples.append(memory(process.pid))
            time.sleep(0.5)
    assert process.returncode == 0
    quarters = [np.nanmedian(part) for part in np.array_split(samples, 4)]
    size = sum(path.stat().st_size for path in out.iterdir()) / throws
    failed = failures(out, throws)
    print(f"\n{engine}, {throws:,} throws: {size:.0f} bytes per throw, memory by quarters", end=" ")
    print(", ".join(f"{one:.0f}" for one in quarters), f"MB; failed of seed {SEED}: {failed}")
    assert quarters[3] < 1.05 * quarters[1] + 10.0
    assert np.nanmax(samples) < MOST_MEMORY
    assert not any(status == "diverged" for status in failed.values()), failed
    assert len(failed) <= 1e-4 * throws, failed


def failures(out: Path, throws: int) -> dict[int, str]:
    """Find the throws that did not come to rest, file by file; count that all are there."""
    source = pyarrow.dataset.dataset(str(out), exclude_invalid_files=True)
    found, count = {}, 0
    for batch in source.to_batches(columns=["throw", "pig", "status"]):
        rows = batch.to_pylist()
        count += sum(row["pig"] == 0 for row in rows)
        found |= {row["throw"]: row["status"] for row in rows if row["status"] != "at_rest"}
    assert count == throws
    return found


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="reads memory from /proc"
)


@needs_proc
@pytest.mark.long
@pytest.mark.parametrize(("engine", "throws"), [("fast", 2_000), ("bullet", 2_000)])
def test_short_soak(tmp_path, engine, throws):
    soak(tmp_path / "out", engine, throws)


@needs_proc
@pytest.mark.long
def test_a_million_fast_throws_in_memory_that_does_not_grow(tmp_path):
    soak(tmp_path / "out", "fast", 1_000_000)


@needs_proc
@pytest.mark.long
def test_fifty_thousand_pybullet_throws_in_memory_that_does_not_grow(tmp_path):
    soak(tmp_path / "out", "bullet", 50_000)
