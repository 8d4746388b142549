"""The command `pigs throw`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from sim.options import (
    MAX_WORKERS,
    Device,
    Engine,
    Height,
    Json,
    Pig,
    Pigs,
    Seed,
    Start,
    Workers,
    file_name,
    read_configuration,
    whole,
)
from sim.refusal import INTERRUPTED, Refusal
from sim.standard_streams import complain, printable

if TYPE_CHECKING:
    from sim.batch import Batch

MAX_THROWS = 10**9

Throws = Annotated[str, typer.Option("--throws", "-n", metavar="N", help="How many.")]
Out = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Directory for one Parquet row per pig [default: write nothing]"
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in --out.")]
Executor = Annotated[
    str, typer.Option(help="Who throws: processes of this machine, dask://HOST:PORT, or mpi.")
]
Shared = Annotated[
    bool,
    typer.Option(
        "--shared", help="All workers see --out and write there, else they send results home."
    ),
]


def throw_command(
    throws: Throws = "1000",
    seed: Seed = "0",
    device: Device = "kern2006",
    height: Height = None,
    start: Start = None,
    pig: Pig = "standard",
    pigs: Pigs = "2",
    engine: Engine = "bullet",
    workers: Workers = None,
    out: Out = None,
    resume: Resume = False,
    executor: Executor = "processes",
    shared: Shared = False,
    as_json: Json = False,
) -> str:
    """Throw pigs, and compare how they land with the published table.

    Example: pigs throw -n 1000 --device kern2006 --height 8in --start forward --out throws
    """
    _check_options(out, resume, executor, shared, workers)
    place = None if out is None else file_name("--out", out)
    total = whole("--throws", throws, 1, MAX_THROWS)
    processes = None if workers is None else whole("--workers", workers, 1, MAX_WORKERS)
    configuration = read_configuration(engine, seed, pig, pigs, device, height, start)
    from sim.batch import run_batch, usable_cores

    run = partial(
        run_batch,
        configuration,
        total,
        workers=processes or min(usable_cores(), MAX_WORKERS),
        out=place,
        resume=resume,
        executor=executor,
        is_shared=shared,
    )
    batch = _shown(run, out)
    from sim.outcome import outcome_json, outcome_text

    if as_json:
        return json.dumps(outcome_json(batch, configuration.seed, engine, configuration.as_dict()))
    together = f"{configuration.pigs} {printable(pig)} pig{'s' * (configuration.pigs > 1)}"
    released = ", ".join(word for word in (device, height, start) if word)
    source = f"device {released}, seed {configuration.seed}, engine {engine}"
    return outcome_text(batch, f"{total:,} throw{'s' * (total > 1)} of {together}, {source}")


def _check_options(
    out: str | None, resume: bool, executor: str, shared: bool, workers: str | None
) -> None:
    """Refuse options that do not go together."""
    if resume and out is None:
        raise Refusal("--resume: needs the directory to go on with, as --out DIR")
    if shared and out is None:
        raise Refusal("--shared: needs the directory that all workers see, as --out DIR")
    if workers is not None and executor != "processes":
        raise Refusal("--workers: counts processes of this machine, a cluster has its own")


def _shown(run: Callable[..., Batch], out: str | None) -> Batch:
    """Throw under a progress bar."""
    from sim.crew import BatchError
    from sim.progress import LateProgress

    try:
        with LateProgress() as progress:
            return run(progress=progress, notice=lambda line: complain(line, 0))
    except BatchError as error:
        raise Refusal(str(error)) from None
    except KeyboardInterrupt:
        kept = f"; finished blocks are kept in {out}: continue with --resume" if out else ""
        raise Refusal(f"interrupted{kept}", INTERRUPTED) from None
