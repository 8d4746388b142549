"""The command `pigs validate`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sim.refusal import Refusal, refused_input
from sim.validate.check import FAILED, Case, Check
from sim.whole_number import parse_whole_number

Results = list[tuple[Case, list[Check]]]


def validate_command(
    only: Annotated[
        str | None, typer.Option(help="Names of cases, with commas [default: all quick ones]")
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help="Run the long cases too: about an hour on 2 cores.")
    ] = False,
    workers: Annotated[str, typer.Option(metavar="N", help="Processes; changes no result.")] = "2",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> tuple[str, int]:
    """Check the physics: measured beside expected, case by case; exit status 1 if one fails.

    Example: pigs validate --only sliding,top
    """
    from sim.progress import LateProgress
    from sim.validate.cases import CASES

    with refused_input("--workers: "):
        processes = parse_whole_number(workers, 1, 256)
    chosen = [case for case in CASES if long or not case.is_long]
    if only is not None:
        known = {case.name: case for case in CASES}
        wanted = [name.strip() for name in only.split(",")]
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise Refusal(f"--only: unknown case '{unknown[0]}': expected {', '.join(known)}")
        chosen = [known[name] for name in wanted]
    results: Results = []
    with LateProgress("cases") as progress:
        for number, case in enumerate(chosen):
            progress(number, len(chosen))
            results.append((case, case.run(processes)))
        progress(len(chosen), len(chosen))
    failed = sum(check.verdict == FAILED for _, checks in results for check in checks)
    text = _as_json(results, failed) if as_json else _as_text(results, failed)
    return text, int(failed > 0)


def _as_json(results: Results, failed: int) -> str:
    cases = [
        {
            "case": case.name,
            "group": case.group,
            "checks": [{**vars(check), "verdict": check.verdict} for check in checks],
        }
        for case, checks in results
    ]
    return json.dumps({"failed": failed, "cases": cases})


def _as_text(results: Results, failed: int) -> str:
    from sim.text_table import format_table

    lines = []
    for case, checks in results:
        rows = [
            (
                check.quantity,
                f"{check.measured:.6g}",
                f"{check.expected:.6g}",
                f"{check.tolerance:.3g}",
                check.verdict,
            )
            for check in checks
        ]
        header = (f"{case.name} ({case.group})", "measured", "expected", "within", "verdict")
        lines += [format_table(header, rows), ""]
    total = sum(len(checks) for _, checks in results)
    lines.append(f"{total - failed} of {total} checks passed" if failed else f"all {total} passed")
    return "\n".join(lines)
