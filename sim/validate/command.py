"""The command `pigs validate`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from sim.refusal import Refusal, refused_input
from sim.validate.check import FAILED, PASSED, READ, SHOWN, Case, Check, Finding, Rig
from sim.whole_number import parse_whole_number

PATIENCE = 1.0
"""A case that takes longer says how it ended on standard error as it ends [s]."""

Results = list[tuple[Case, Sequence[Finding]]]


def validate_command(
    only: Annotated[
        str | None, typer.Option(help="Names of cases, with commas [default: all quick ones]")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Run the long cases too: hours.")] = False,
    workers: Annotated[str, typer.Option(metavar="N", help="Processes; changes no result.")] = "2",
    engine: Annotated[str, typer.Option(help="bullet, fast or mujoco.")] = "bullet",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> tuple[str, int]:
    """Check the physics: measured beside expected, case by case; exit status 1 if one fails.

    What takes long is shown on standard error too, as it ends.

    Example: pigs validate --only sliding,top
    """
    from sim.crew import BatchError

    with refused_input("--workers: "):
        rig = Rig(parse_whole_number(workers, 1, 256), engine)
    chosen = _chosen(only, long, rig)
    left_out = {case.name: why for case in chosen if (why := case.hindrance(rig))}
    try:
        results = [(case, _measured(case, rig)) for case in chosen if case.name not in left_out]
    except BatchError as error:
        raise Refusal(str(error)) from None
    failed = sum(check.verdict == FAILED for _, checks in results for check in checks)
    if as_json:
        return _as_json(rig, results, failed, left_out), int(failed > 0)
    return _as_text(rig, results, failed, left_out), int(failed > 0)


def _chosen(only: str | None, long: bool, rig: Rig) -> list[Case]:
    from sim.configuration import ENGINES
    from sim.validate.cases import CASES

    if rig.engine not in ENGINES:
        raise Refusal(f"unknown engine '{rig.engine}': expected {', '.join(ENGINES)}")
    if only is None:
        return [case for case in CASES if long or not case.is_long]
    known = {case.name: case for case in CASES}
    wanted = [name.strip() for name in only.split(",")]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise Refusal(f"--only: unknown case '{unknown[0]}': expected {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(wanted)]


def _measured(case: Case, rig: Rig) -> Sequence[Finding]:
    """Run a case; what MuJoCo misses is only shown, for no frequency of ours rests on it."""
    begun = time.perf_counter()
    checks = case.run(rig)
    if rig.engine == "mujoco":
        checks = [
            replace(one, is_target=False) if isinstance(one, Check) else one for one in checks
        ]
    seconds = time.perf_counter() - begun
    if seconds > PATIENCE:
        print(f"{_table(case, checks)}\nin {seconds:,.0f} s\n", file=sys.stderr, flush=True)
    return checks


def _as_json(rig: Rig, results: Results, failed: int, left_out: dict[str, str]) -> str:
    cases = [
        {
            "case": case.name,
            "group": case.group,
            "checks": [{**vars(check), "verdict": check.verdict} for check in checks],
        }
        for case, checks in results
    ]
    return json.dumps(
        {"engine": rig.engine, "failed": failed, "left_out": left_out, "cases": cases}
    )


def _as_text(rig: Rig, results: Results, failed: int, left_out: dict[str, str]) -> str:
    verdicts = [check.verdict for _, checks in results for check in checks]
    total, passed = len(verdicts) - verdicts.count(READ), verdicts.count(PASSED)
    verdict = f"all {total} passed"
    if passed < total:
        shown = verdicts.count(SHOWN)
        verdict = f"{passed} of {total} checks passed, {failed} failed, {shown} missed and shown"
    tables = [_table(case, checks) for case, checks in results]
    reasons = [f"{name} left out: {why}" for name, why in left_out.items()]
    return "\n\n".join([*tables, "\n".join([*reasons, verdict])])


def _table(case: Case, checks: Sequence[Finding]) -> str:
    from sim.text_table import format_table

    rows = [
        (
            check.quantity,
            f"{check.measured:.6g}",
            *(
                (f"{check.expected:.6g}", f"{check.tolerance:.3g}")
                if isinstance(check, Check)
                else ("", f"s.e. {check.error:.2g}")
            ),
            check.verdict,
        )
        for check in checks
    ]
    header = (f"{case.name} ({case.group})", "measured", "expected", "within", "verdict")
    return format_table(header, rows)
