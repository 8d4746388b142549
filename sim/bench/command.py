"""The command `pigs bench`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.options import MAX_SEED, Json, Seed, whole

if TYPE_CHECKING:
    from sim.bench.comparison import Throughput

ROUNDS, SECONDS = 5, 4.0
QUICK_ROUNDS, QUICK_SECONDS = 1, 0.1
REFERENCES = ("bullet", "plain_1khz", "mujoco_rest")


def bench_command(
    seed: Seed = "0",
    quick: Annotated[
        bool, typer.Option("--quick", help="One short round: a look, no measurement.")
    ] = False,
    as_json: Json = False,
) -> str:
    """Measure throughput: our engines beside plain PyBullet and MuJoCo, throws per second per core.

    The standard pig from the same releases; medians of five processes each, taken in turn: some ten
    minutes on a quiet machine. How contenders stop: ours and mujoco_rest by the rule of rest.

    Example: pigs bench --json
    """
    number = whole("--seed", seed, 0, MAX_SEED)

    from sim.bench.comparison import compare
    from sim.bench.machine import describe_machine
    from sim.progress import LateProgress

    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    with LateProgress("processes") as progress:
        cases = compare(number, rounds, seconds, progress)
    machine = describe_machine()
    if as_json:
        return json.dumps(_record(machine, number, cases))
    return _text(machine, cases)


def _record(
    machine: dict[str, Any], seed: int, cases: dict[str, list[Throughput]]
) -> dict[str, Any]:
    from sim.bench.comparison import ratios
    from sim.bench.contenders import CONTENDERS

    return {
        "machine": machine,
        "seed": seed,
        "missing": {each.name: each.missing for each in CONTENDERS if each.missing},
        "cases": {
            case: {
                "throughputs": {
                    one.contender: {
                        "throws_per_second": one.throws_per_second,
                        "start_up": one.start_up,
                        "runs": [vars(run) for run in one.runs],
                    }
                    for one in throughputs
                },
                "ratios": ratios(throughputs),
            }
            for case, throughputs in cases.items()
        },
    }


def _text(machine: dict[str, Any], cases: dict[str, list[Throughput]]) -> str:
    from sim.bench.contenders import CONTENDERS

    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    parts = [f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {versions}"]
    parts += [_table(case, throughputs) for case, throughputs in cases.items()]
    about = {each.name: each.missing or each.about for each in CONTENDERS}
    parts.append("\n".join(f"{name}: {words}" for name, words in about.items()))
    return "\n\n".join(parts)


def _table(case: str, throughputs: list[Throughput]) -> str:
    from sim.bench.comparison import ratios
    from sim.text_table import format_table

    times = ratios(throughputs)
    beside = [one.contender for one in throughputs if one.contender in REFERENCES]
    header = (case, "throws/s/core", "least", "most", "start-up s", *(f"x {n}" for n in beside))
    rows = [
        (
            one.contender,
            f"{one.throws_per_second:,.1f}",
            f"{min(one.rates):,.1f}",
            f"{max(one.rates):,.1f}",
            f"{one.start_up:.2f}",
            *(f"{times[one.contender].get(name, 1.0):.2f}" for name in beside),
        )
        for one in throughputs
    ]
    return format_table(header, rows)
