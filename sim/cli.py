"""The command `pigs`.

Commands return the text for standard output; only `main` prints it and sets the exit status:
0 done, 2 wrong use, bad input or a broken machine (one line on standard error), 130 Ctrl-C.
What takes long to import is imported by the command that needs it.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.lengths import parse_length

if TYPE_CHECKING:
    from sim.batch import Batch
    from sim.configuration import Configuration

MAX_THROWS = 10**9
MAX_SEED = 2**63 - 1
MAX_WORKERS = 256

_INTERRUPTED = 130

app = typer.Typer(
    name="pigs",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


class Refusal(Exception):
    """What was asked cannot be done; the message is one line that says what would be right."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


Pig = Annotated[str, typer.Option("--pig", help="standard, uniform, big, or a mesh file in mm.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Throws = Annotated[int, typer.Option("--throws", "-n", min=1, max=MAX_THROWS, help="How many.")]
Seed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="The same seed, the same throws.")]
Device = Annotated[
    str,
    typer.Option(help="kern2006: the published trap door; drop: from rest, turned at random."),
]
Height = Annotated[
    str | None, typer.Option(help="Of release: 8in, 127mm, 12.7cm, 0.127m [default: the device's]")
]
Start = Annotated[
    str | None, typer.Option(help="forward, backward or mixed [default: the device's]")
]
Pigs = Annotated[int, typer.Option(help="Thrown together, 1 to 8.")]
Engine = Annotated[str, typer.Option(help="bullet: PyBullet.")]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_WORKERS, help="Processes [default: all cores]; changes no result."),
]
Out = Annotated[
    Path | None, typer.Option(help="Directory for one Parquet row per pig [default: write nothing]")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in --out.")]


@app.callback()
def pigs() -> None:
    """Throw pigs in a computer and see how they land.

    Example: pigs throw -n 1000
    """


@app.command("throw")
def throw_command(
    throws: Throws = 1000,
    seed: Seed = 0,
    device: Device = "kern2006",
    height: Height = None,
    start: Start = None,
    pig: Pig = "standard",
    pigs: Pigs = 2,
    engine: Engine = "bullet",
    workers: Workers = None,
    out: Out = None,
    resume: Resume = False,
    as_json: Json = False,
) -> str:
    """Throw pigs, and compare how they land with the published table.

    Example: pigs throw -n 1000 --device kern2006 --height 8in --start forward --out throws
    """
    if resume and out is None:
        raise Refusal("--resume: needs the directory to go on with, as --out DIR")
    configuration = _configuration(engine, seed, pig, pigs, device, height, start)
    batch = _batch(configuration, throws, workers, out, resume)
    from sim.outcome import outcome_json, outcome_text

    if as_json:
        return json.dumps(outcome_json(batch, seed, engine, configuration.as_dict()))
    thrown = f"{throws:,} throws of {pigs} {pig} pig{'s' * (pigs > 1)}"
    released = ", ".join(word for word in (device, height, start) if word)
    return outcome_text(batch, f"{thrown}, device {released}, seed {seed}, engine {engine}")


def _configuration(
    engine: str,
    seed: int,
    pig: str,
    pigs: int,
    device: str,
    height: str | None,
    start: str | None,
) -> Configuration:
    from sim.configuration import ENGINES, configure

    if engine not in ENGINES:
        raise Refusal(f"unknown engine '{engine}': expected {', '.join(ENGINES)}")
    meters = None if height is None else _length("--height", height)
    with _refused_input():
        return configure(seed=seed, pig=pig, pigs=pigs, device=device, height=meters, start=start)


def _batch(
    configuration: Configuration, throws: int, workers: int | None, out: Path | None, resume: bool
) -> Batch:
    """Throw under a progress bar."""
    from sim.batch import run_batch, usable_cores
    from sim.crew import BatchError
    from sim.progress import LateProgress

    if workers is None:
        workers = min(usable_cores(), MAX_WORKERS)
    try:
        with LateProgress() as progress:
            return run_batch(
                configuration, throws, workers=workers, out=out, resume=resume, progress=progress
            )
    except BatchError as error:
        raise Refusal(str(error)) from None
    except KeyboardInterrupt:
        kept = f"; finished blocks are kept in {out}: continue with --resume" if out else ""
        raise Refusal(f"interrupted{kept}", _INTERRUPTED) from None


@app.command("poses")
def poses_command(pig: Pig = "standard", as_json: Json = False) -> str:
    """List the stable poses of a pig: what carries it, and how likely by geometry alone.

    Example: pigs poses --pig uniform
    """
    from sim.configuration import load_pig
    from sim.stable_positions import stable_positions
    from sim.text_table import format_table, percent

    with _refused_input():
        body = load_pig(pig)
        found = stable_positions(body.shape, body.mass_properties)
    if as_json:
        return json.dumps({"pig": pig, "poses": [vars(one) for one in found]})
    rows = [
        (one.position, " ".join(one.carrying), percent(one.probability), f"{one.height * 1e3:.2f}")
        for one in found
    ]
    header = ("position", "carried by", "probability", "center of mass mm")
    return format_table(header, rows, texts=2)


@app.command("score")
def score_command(
    position_a: Annotated[str, typer.Argument(metavar="A", help="Position of one pig.")],
    position_b: Annotated[str, typer.Argument(metavar="B", help="Position of the other.")],
    oinker: Annotated[bool, typer.Option("--oinker", help="The pigs touch.")] = False,
    piggyback: Annotated[
        bool, typer.Option("--piggyback", help="One pig rests on the other.")
    ] = False,
    as_json: Json = False,
) -> str:
    """Say what a landing scores, and why.

    Positions: side_no_dot, side_dot, razorback, trotter, snouter, leaning_jowler, other.

    Example: pigs score snouter side_dot
    """
    from sim.game.score import score

    if oinker and piggyback:
        raise Refusal("--oinker and --piggyback: a throw ends in one of them at most")
    touch = "oinker" if oinker else "piggyback" if piggyback else "none"
    with _refused_input():
        worth = score(position_a, position_b, touch)
    if as_json:
        return json.dumps(vars(worth))
    points = f"{worth.points} point{'s' * (worth.points != 1)}"
    effect = "" if worth.effect == "none" else f", {worth.effect.replace('_', ' ')}"
    return f"{worth.name}: {points}{effect}\n{worth.reason}"


@contextmanager
def _refused_input() -> Iterator[None]:
    """Turn what a constructor says of bad input into a refusal."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise Refusal(str(error)) from None


def _length(option: str, text: str) -> float:
    try:
        return parse_length(text)
    except ValueError as error:
        raise Refusal(f"{option} {error}") from None


def run(arguments: Sequence[str]) -> int:
    """Run one command line; return the exit status."""
    try:
        result = app(list(arguments), prog_name="pigs", standalone_mode=False)
    except Refusal as error:
        return _complain(str(error), error.status)
    except OSError as error:
        return _complain(f"the system refused: {error.strerror}", 2)
    except Exception as error:
        return _complain(_usage_problem(error), 2)
    if result == _INTERRUPTED:
        return _complain("interrupted", _INTERRUPTED)
    return _deliver(result) if isinstance(result, str) else 0


def _deliver(text: str) -> int:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _abandon_output()
    except OSError as error:
        _abandon_output()
        return _complain(f"cannot write the output: {error.strerror}", 2)
    return 0


def _abandon_output() -> None:
    """Send what is still buffered nowhere, or Python would complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_problem(error: Exception) -> str:
    """Read an error of typer's parser, whose class has no public name; let any other pass."""
    format_message = getattr(error, "format_message", None)
    if format_message is None:
        raise error
    context = getattr(error, "ctx", None)
    hint = f" (see '{context.command_path} --help')" if context else ""
    return f"{format_message()}{hint}"


def _complain(message: str, status: int) -> int:
    """Print one line on standard error, whatever the message holds."""
    print(f"pigs: {' '.join(message.split())}", file=sys.stderr)
    return status


def main() -> None:
    """Run the command line of this process."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a file's name may hold what it cannot encode
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = _complain("interrupted", _INTERRUPTED)
    sys.exit(status)
