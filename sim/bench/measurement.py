"""One measurement, alone in its process.

Usage: python -m sim.bench.measurement CONTENDER CASE SEED SECONDS

Writes a JSON object: throws, and the processor's and the clock's seconds that they took once the
contender stood ready and had thrown once.
"""

from __future__ import annotations

import json
import sys
import time

from sim.bench.contenders import find

FIRST_BATCH = 4
"""Throws at first; every batch is as large as all before it together."""


def measure(contender: str, case: str, seed: int, seconds: float) -> dict[str, float]:
    """Throw more and more until the time is over.

    Args:
        contender: Its name.
        case: Its name.
        seed: Of the releases.
        seconds: Of processor time that throwing is to last at least.
    """
    what, thrown = find(contender, case)
    throw = what.make(thrown, seed)
    throw(range(1))
    clock, processor = time.perf_counter(), time.process_time()
    throws, used = 0, 0.0
    while used < seconds:
        throw(range(throws, throws + max(FIRST_BATCH, throws)))
        throws += max(FIRST_BATCH, throws)
        used = time.process_time() - processor
    return {"throws": throws, "cpu_seconds": used, "seconds": time.perf_counter() - clock}


if __name__ == "__main__":
    name, what, seed, seconds = sys.argv[1:]
    print(json.dumps(measure(name, what, int(seed), float(seconds))))
