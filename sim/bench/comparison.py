"""Throughputs side by side: every measurement alone in a fresh process, all taken in turn.

In turn, so that whatever else the machine does falls on all alike; the median of the rounds is what
counts. Rates are of processor time, on one thread: throws per second per core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from sim.bench.cases import CASES
from sim.bench.contenders import CONTENDERS
from sim.refusal import Refusal

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Run:
    """One process that threw.

    Attributes:
        throws: How many.
        cpu_seconds: Processor time they took [s].
        seconds: Time they took by the clock [s].
        start_up: From the start of the process to its first measured throw [s].
    """

    throws: int
    cpu_seconds: float
    seconds: float
    start_up: float


@dataclass(frozen=True)
class Throughput:
    """How fast a contender throws in one case.

    Attributes:
        contender: Its name.
        runs: One per round.
    """

    contender: str
    runs: Sequence[Run]

    @property
    def rates(self) -> list[float]:
        """Throws per second of processor time, one per round."""
        return [run.throws / run.cpu_seconds for run in self.runs]

    @property
    def throws_per_second(self) -> float:
        """Median over the rounds."""
        return median(self.rates)

    @property
    def start_up(self) -> float:
        """Median over the rounds [s]."""
        return median(run.start_up for run in self.runs)


Progress = Callable[[int, int], None]


def compare(
    seed: int, rounds: int, seconds: float, progress: Progress
) -> dict[str, list[Throughput]]:
    """Measure every contender that is there in every case that it can do.

    Args:
        seed: Of the releases.
        rounds: Processes for each contender and case.
        seconds: Of processor time that each throws for at least.
        progress: Told how many processes of how many are done.

    Returns:
        Throughputs by case.
    """
    jobs = [
        (each.name, case.name)
        for case in CASES
        for each in CONTENDERS
        if case.name in each.cases and not each.missing
    ]
    runs: dict[tuple[str, str], list[Run]] = {job: [] for job in jobs}
    for number in range(rounds * len(jobs)):
        progress(number, rounds * len(jobs))
        job = jobs[number % len(jobs)]
        runs[job].append(_run(*job, seed, seconds))
    progress(rounds * len(jobs), rounds * len(jobs))
    return {
        case.name: [Throughput(name, runs[name, of]) for name, of in jobs if of == case.name]
        for case in CASES
    }


def _run(contender: str, case: str, seed: int, seconds: float) -> Run:
    words = [
        sys.executable,
        "-m",
        "sim.bench.measurement",
        contender,
        case,
        str(seed),
        str(seconds),
    ]
    begun = time.perf_counter()
    done = subprocess.run(
        words, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=False
    )
    whole = time.perf_counter() - begun
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise Refusal(f"{contender} {case}: its process ended with {done.returncode}: {reason}", 1)
    measured = json.loads(done.stdout.splitlines()[-1])
    return Run(**measured, start_up=whole - measured["seconds"])


def ratios(throughputs: Sequence[Throughput]) -> dict[str, dict[str, float]]:
    """How many times faster each contender is than each other, by their names."""
    return {
        a.contender: {
            b.contender: a.throws_per_second / b.throws_per_second
            for b in throughputs
            if b is not a
        }
        for a in throughputs
    }
