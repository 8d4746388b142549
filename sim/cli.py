"""The command `pigs`.

Commands return the text for standard output; only `main` prints it and sets the exit status:
0 done, 2 wrong use, bad input or a broken machine (one line on standard error), 130 Ctrl-C,
143 SIGTERM, 129 SIGHUP.
What takes long to import is imported by the command that needs it.
"""

from __future__ import annotations

import inspect
import json
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.game.command import play_command
from sim.lengths import parse_length
from sim.refusal import INTERRUPTED, Refusal, refused_input
from sim.standard_streams import abandon, complain, deliver, prepare_streams, printable
from sim.validate.command import validate_command
from sim.whole_number import parse_whole_number

if TYPE_CHECKING:
    from sim.batch import Batch
    from sim.configuration import Configuration

MAX_THROWS = 10**9
MAX_SEED = 2**63 - 1
MAX_WORKERS = 256
MAX_PIGS = 8

app = typer.Typer(
    name="pigs",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


Pig = Annotated[str, typer.Option("--pig", help="standard, uniform, big, or a mesh file in mm.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Throws = Annotated[str, typer.Option("--throws", "-n", metavar="N", help="How many.")]
Seed = Annotated[str, typer.Option(metavar="N", help="The same seed, the same throws.")]
Device = Annotated[
    str,
    typer.Option(
        help="kern2006: the published trap door; drop: from rest, turned at random; hand: thrown."
    ),
]
Height = Annotated[
    str | None, typer.Option(help="Of release: 8in, 127mm, 12.7cm, 0.127m [default: the device's]")
]
Start = Annotated[
    str | None, typer.Option(help="forward, backward or mixed [default: the device's]")
]
Pigs = Annotated[str, typer.Option(metavar="N", help="Thrown together, 1 to 8.")]
Engine = Annotated[str, typer.Option(help="bullet: PyBullet.")]
Workers = Annotated[
    str | None,
    typer.Option(metavar="N", help="Processes [default: all cores]; changes no result."),
]
Out = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Directory for one Parquet row per pig [default: write nothing]"
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in --out.")]


def _command(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a command whose examples stay on one line each, so that they can be pasted."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        text = inspect.getdoc(command) or ""
        return app.command(name, help=text.replace("\nExample:", "\n\b\nExample:"))(command)

    return add


@app.callback()
def pigs() -> None:
    """Throw pigs in a computer and see how they land.

    Example: pigs throw -n 1000
    """


@_command("throw")
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
    as_json: Json = False,
) -> str:
    """Throw pigs, and compare how they land with the published table.

    Example: pigs throw -n 1000 --device kern2006 --height 8in --start forward --out throws
    """
    if resume and out is None:
        raise Refusal("--resume: needs the directory to go on with, as --out DIR")
    if out == "":
        raise Refusal("--out: expected a directory, got ''")
    total = _whole("--throws", throws, 1, MAX_THROWS)
    processes = None if workers is None else _whole("--workers", workers, 1, MAX_WORKERS)
    configuration = _configuration(engine, seed, pig, pigs, device, height, start)
    batch = _batch(configuration, total, processes, Path(out) if out else None, resume)
    from sim.outcome import outcome_json, outcome_text

    if as_json:
        return json.dumps(outcome_json(batch, configuration.seed, engine, configuration.as_dict()))
    together = f"{configuration.pigs} {printable(pig)} pig{'s' * (configuration.pigs > 1)}"
    released = ", ".join(word for word in (device, height, start) if word)
    source = f"device {released}, seed {configuration.seed}, engine {engine}"
    return outcome_text(batch, f"{total:,} throws of {together}, {source}")


def _configuration(
    engine: str,
    seed: str,
    pig: str,
    pigs: str,
    device: str,
    height: str | None,
    start: str | None,
) -> Configuration:
    from sim.configuration import ENGINES, configure

    if engine not in ENGINES:
        raise Refusal(f"unknown engine '{engine}': expected {', '.join(ENGINES)}")
    _check_pig(pig)
    with refused_input():
        return configure(
            seed=_whole("--seed", seed, 0, MAX_SEED),
            pig=pig,
            pigs=_whole("--pigs", pigs, 1, MAX_PIGS),
            device=device,
            height=None if height is None else _length("--height", height),
            start=start,
        )


def _check_pig(pig: str) -> None:
    if not pig:
        raise Refusal("--pig: expected standard, uniform, big, or a mesh file, got ''")


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
        raise Refusal(f"interrupted{kept}", INTERRUPTED) from None


@_command("poses")
def poses_command(pig: Pig = "standard", as_json: Json = False) -> str:
    """List the stable poses of a pig: what carries it, and how likely by geometry alone.

    Example: pigs poses --pig uniform
    """
    from sim.pig import load_pig
    from sim.stable_positions import stable_positions
    from sim.text_table import format_table, percent

    _check_pig(pig)
    with refused_input():
        body = load_pig(pig)
        found = stable_positions(body.shape, body.mass_properties)
    if as_json:
        return json.dumps({"pig": pig, "poses": [vars(one) for one in found]})
    rows = [
        (one.position, " ".join(one.carrying), percent(one.probability), f"{one.height * 1e3:.2f}")
        for one in found
    ]
    header = ("position", "carried by", "probability", "center of mass up mm")
    return f"{format_table(header, rows, texts=2)}\nby geometry alone: no forecast of throws"


_command("play")(play_command)
_command("validate")(validate_command)


@_command("score")
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
    with refused_input():
        worth = score(position_a, position_b, touch)
    if as_json:
        return json.dumps(vars(worth))
    points = f"{worth.points} point{'s' * (worth.points != 1)}"
    effect = "" if worth.effect == "none" else f", {worth.effect.replace('_', ' ')}"
    return f"{worth.name}: {points}{effect}\n{worth.reason}"


def _length(option: str, text: str) -> float:
    with refused_input(f"{option} "):
        return parse_length(text)


def _whole(option: str, text: str, low: int, high: int) -> int:
    with refused_input(f"{option}: "):
        return parse_whole_number(text, low, high)


def run(arguments: Sequence[str]) -> int:
    """Run one command line; return the exit status."""
    if sys.stdout is None:
        return complain("cannot write the output: standard output is closed", 2)
    try:
        result = app(list(arguments), prog_name="pigs", standalone_mode=False)
    except Refusal as error:
        return complain(str(error), error.status)
    except SystemExit:  # typer's answer to a reader who has left
        abandon(sys.stdout)
        return 0
    except OSError as error:
        return complain(f"the system refused: {error.strerror or error}", 2)
    except Exception as error:
        return complain(_usage_problem(error), 2)
    if result == INTERRUPTED:
        return complain("interrupted", INTERRUPTED)
    if isinstance(result, tuple):  # what a check says, and whether it failed
        return deliver(result[0]) or result[1]
    return deliver(result) if isinstance(result, str) else 0


def _usage_problem(error: Exception) -> str:
    """Read an error of typer's parser, whose class has no public name; let any other pass."""
    format_message = getattr(error, "format_message", None)
    if format_message is None:
        raise error
    context = getattr(error, "ctx", None)
    hint = f" (see '{context.command_path} --help')" if context else ""
    return f"{format_message()}{hint}"


def main() -> None:
    """Run the command line of this process; SIGTERM and SIGHUP end it as Ctrl-C does."""
    terminations: list[int] = []

    def terminate(number: int, _: object) -> None:
        terminations.append(number)
        raise KeyboardInterrupt

    prepare_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, terminate)
    try:
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = complain("interrupted", INTERRUPTED)
    is_ended = terminations and status == INTERRUPTED
    sys.exit(128 + terminations[0] if is_ended else status)  # as a shell gives it
