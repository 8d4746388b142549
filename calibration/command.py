"""The command `pigs calibrate`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.options import MAX_SEED, MAX_WORKERS, Json, Seed, Workers, file_name, whole
from sim.refusal import INTERRUPTED, Refusal, refused_input
from sim.standard_streams import complain

if TYPE_CHECKING:
    from calibration.calibrate import Plan
    from calibration.fit import Candidate
    from calibration.journal import Journal
    from calibration.observed import Observed
    from calibration.parameters import Parameters
    from sim.configuration import Configuration

_MOST_FRESH = 10**7
_MOST_PLANTED = 1000

Target = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Table of position,count as CSV or TOML, with throws and touching if known "
        "[default: the published one]",
    ),
]
Out = Annotated[str | None, typer.Option(metavar="DIR", help="Directory for the result.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in --out.")]
Free = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Assumptions to fit too, with commas: restitution,friction"),
]
Fresh = Annotated[str, typer.Option(metavar="N", help="Throws of each of the three fresh seeds.")]
Recover = Annotated[
    str | None,
    typer.Option(metavar="N", help="Also plant N densities and find each again, some 2 min each."),
]
Model = Annotated[
    str,
    typer.Option(help="How the mass is spread: density, weight, hollow or two-materials."),
]


def calibrate_command(
    target: Target = None,
    out: Out = None,
    seed: Seed = "1",
    model: Model = "density",
    free: Free = None,
    fresh: Fresh = "5000",
    recover: Recover = None,
    workers: Workers = None,
    resume: Resume = False,
    as_json: Json = False,
) -> tuple[str, int]:
    """Find the mass distribution whose throws give a table of positions, and say how sure that is.

    Starts from the uniform pig, and takes some 10 minutes on two free cores, most of them for a
    search that --fresh does not shorten. Ends with status 1 if fresh throws do not fit the table.
    The pig it finds is thrown by --pig DIR/calibration.toml.

    Example: pigs calibrate --seed 1 --out fit
    """
    if resume and out is None:
        raise Refusal("--resume: needs the directory to go on with, as --out DIR")
    place = None if out is None else file_name("--out", out)
    from calibration.models import MODELS

    if model not in MODELS:
        raise Refusal(f"--model: expected {', '.join(MODELS)}, got '{model}'")
    if recover is not None and model != "density":
        raise Refusal(f"--recover: plants densities, which --model {model} has not")
    processes = None if workers is None else whole("--workers", workers, 1, MAX_WORKERS)
    from sim.batch import usable_cores

    request = _Request(
        observed=_target(target),
        seed=whole("--seed", seed, 0, MAX_SEED),
        model=model,
        freed=tuple(name.strip() for name in free.split(",")) if free is not None else (),
        fresh_throws=whole("--fresh", fresh, 1, _MOST_FRESH),
        planted=0 if recover is None else whole("--recover", recover, 1, _MOST_PLANTED),
        processes=processes or min(usable_cores(), MAX_WORKERS),
    )
    with _refused_machine(out):
        written = _calibrate(request, place, resume)
    from calibration.text import calibration_text

    status = 0 if written["evidence"]["is_passed"] else 1
    return (json.dumps(written) if as_json else calibration_text(written)), status


@dataclass(frozen=True, eq=False)
class _Request:
    """What was asked, read and checked."""

    observed: Observed
    seed: int
    model: str
    freed: tuple[str, ...]
    fresh_throws: int
    planted: int
    processes: int


def _target(target: str | None) -> Observed:
    from calibration.observed import published, read_observed

    with refused_input():
        return published() if target is None else read_observed(file_name("--target", target))


@contextmanager
def _refused_machine(out: str | None) -> Iterator[None]:
    from sim.crew import BatchError

    try:
        yield
    except BatchError as error:
        raise Refusal(str(error)) from None
    except KeyboardInterrupt:
        kept = f"; finished candidates are kept in {out}: continue with --resume" if out else ""
        raise Refusal(f"interrupted{kept}", INTERRUPTED) from None


def _calibrate(request: _Request, out: Path | None, resume: bool) -> dict[str, Any]:
    """Run the study, in its directory if there is one."""
    from calibration import simulator as throwing
    from calibration.calibrate import Plan, Study
    from calibration.journal import JOURNAL_FILE, Journal
    from calibration.models import MODELS
    from calibration.parameters import Parameters
    from calibration.record import JSON_FILE, TOML_FILE, pig_record, record, to_json, to_toml
    from calibration.recovery import check_recovery
    from calibration.sources import sources_from
    from sim.batch_directory import open_directory
    from sim.configuration import configure
    from sim.progress import LateProgress
    from sim.whole_file import write_whole

    base = configure(seed=request.seed, pig="uniform")
    mass = base.pig.mass_properties.mass
    parameters = Parameters.of(MODELS[request.model](base.pig.shape, mass), base)
    active, spare = _in_use(parameters, request.freed)
    plan = Plan(fresh_throws=request.fresh_throws)
    recipe = throwing.Recipe(parameters, sources_from(base))

    def run(journal: Journal) -> tuple[dict[str, Any], dict[str, Any]]:
        bar = partial(LateProgress, is_passing=True)
        with throwing.simulator(recipe, journal, request.processes, bar) as throw:
            study = Study(
                request.observed,
                parameters,
                base,
                throw,
                plan,
                request.seed,
                report=_Progress(),
                note=_say,
            )
            written = record(study, study.run(active, spare))
            if request.planted:
                written["recovery"] = check_recovery(study, active, request.planted)
        return written, pig_record(study, written)

    if out is None:
        return run(Journal(None))[0]
    with open_directory(out, _identity(request, plan, base), resume):
        journal = Journal(out)
        if len(journal):
            _say(f"resumed: {len(journal)} entries of {JOURNAL_FILE} are not thrown again")
        written, pig = run(journal)
        write_whole(out / JSON_FILE, to_json(written).encode())
        write_whole(out / TOML_FILE, to_toml(pig).encode())
    return written


def _identity(request: _Request, plan: Plan, base: Configuration) -> dict[str, Any]:
    """What must be the same for a calibration to go on; planting comes after it."""
    from sim.records import versions

    asked = {"model": request.model, "free": request.freed, "plan": asdict(plan)}
    asked |= {"target": request.observed.as_dict()}
    return {
        "configuration": base.as_dict() | {"calibration": asked},
        "throws": request.fresh_throws,
        "versions": versions(),
    }


def _in_use(
    parameters: Parameters, freed: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find the parameters that are fitted, and those that are if the data ask for them."""
    from calibration.models import SPARE

    for name in freed:
        if name not in parameters.settings or freed.count(name) > 1:
            raise Refusal(
                f"--free: expected some of {', '.join(parameters.settings)}, each once, "
                f"got '{name}'"
            )
    names = [name for name in parameters.model.names if name not in SPARE]
    active = tuple(parameters.index(name) for name in (*names, *freed))
    spare = [parameters.index(name) for name in parameters.model.names if name in SPARE]
    return active, tuple(spare)


def _say(line: str) -> None:
    complain(line, 0)


class _Progress:
    """A line on standard error for every candidate."""

    def __init__(self) -> None:
        self._done = 0

    def __call__(self, candidate: Candidate) -> None:
        from calibration.sources import SEARCH

        self._done += 1
        sample = candidate.sample
        best = "" if candidate.best is None else f", {candidate.best:.1f} by the model at its best"
        pigs = "pigs alone" if sample.source == SEARCH else "two pigs"
        _say(
            f"round {candidate.round + 1}, candidate {self._done}: {pigs}, "
            f"{int(sample.counts.sum()):,}, G2 {candidate.deviance:.1f} as thrown{best}"
        )
