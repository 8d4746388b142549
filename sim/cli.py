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
from typing import Annotated, Any

import typer

from sim.bench.command import bench_command
from sim.game.command import play_command
from sim.options import Json, Pig, check_pig
from sim.refusal import INTERRUPTED, Refusal, plain_words, refused_input
from sim.standard_streams import abandon, complain, deliver, prepare_streams
from sim.throw_command import throw_command
from sim.validate.command import validate_command
from sim.watch.command import watch_command

app = typer.Typer(
    name="pigs",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def command(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
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


command("throw")(throw_command)


@command("poses")
def poses_command(pig: Pig = "standard", as_json: Json = False) -> str:
    """List the stable poses of a pig: what carries it, and how likely by geometry alone.

    Example: pigs poses --pig uniform
    """
    from sim.pig import load_pig
    from sim.stable_positions import stable_positions
    from sim.text_table import format_table, percent

    check_pig(pig)
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


command("play")(play_command)
command("validate")(validate_command)
command("watch")(watch_command)
command("bench")(bench_command)


@command("score")
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
        return complain(f"the system refused: {plain_words(error)}", 2)
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
