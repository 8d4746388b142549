"""The command `pigs watch`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.options import (
    MAX_SEED,
    MAX_THROW,
    Device,
    Height,
    Pig,
    Seed,
    Start,
    check_pig,
    file_name,
    whole,
)
from sim.refusal import Refusal, refused_input

if TYPE_CHECKING:
    from sim.watch.choices import Choices
    from sim.watch.program import Program

MAX_PORT = 65535

Source = tuple[str, str, str, str | None, str | None]
"""Seed, pig, device, height and start."""

NO_SOURCE: Source = ("0", "standard", "kern2006", None, None)

Directory = Annotated[
    str | None, typer.Argument(metavar="DIR", help="A recorded batch [default: new throws]")
]
Throw = Annotated[str | None, typer.Option(metavar="N", help="Begin with this throw.")]
Position = Annotated[
    str | None, typer.Option(help="Of DIR, the throws in which a pig ended so, such as snouter.")
]
Touching = Annotated[bool, typer.Option("--touching", help="Of DIR, the throws that touched.")]
Save = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write one throw as .png, .gif, .mp4 or .html.")
]
Browser = Annotated[bool, typer.Option("--browser", help="Serve to a browser on this machine.")]
Port = Annotated[str | None, typer.Option(metavar="N", help="Of --browser [default: a free one]")]
Speed = Annotated[str, typer.Option(help="To begin with: 1, 1/2, 1/4 or 1/10 of the real one.")]


def watch_command(
    directory: Directory = None,
    throw: Throw = None,
    position: Position = None,
    touching: Touching = False,
    save: Save = None,
    browser: Browser = False,
    port: Port = None,
    speed: Speed = "1",
    seed: Seed = NO_SOURCE[0],
    pig: Pig = NO_SOURCE[1],
    device: Device = NO_SOURCE[2],
    height: Height = NO_SOURCE[3],
    start: Start = NO_SOURCE[4],
) -> str | None:
    """Watch throws: in a window, in a browser, or as a picture, a film or a page.

    A recorded throw is thrown again, and ends in the very pose that the batch has.

    Keys in the window: t throw; b the throw before; r this throw again; space pause; left, right
    a frame back, on; s slower; f follow a pig; c camera back; q quit. The mouse, with Ctrl or Alt
    held, moves the camera.

    Example: pigs watch --height 8in

    Example: pigs watch throws --position leaning_jowler --save throw.gif
    """
    from sim.watch.outcome import tally_text
    from sim.watch.player import SPEEDS, Player

    _check_options(speed, save, browser, port)
    number = 0 if port is None else whole("--port", port, 1, MAX_PORT)
    first = None if throw is None else whole("--throw", throw, 0, MAX_THROW)
    place = None if save is None else file_name("--save", save)
    with refused_input():
        choices = _choices(directory, (seed, pig, device, height, start), position, touching)
        if browser:
            from sim.watch.browser import watch_in_browser

            return tally_text(watch_in_browser(choices, first, SPEEDS[speed], number).tally())
        program = choices.program({})
        index = program.first if first is None else first
        if place is not None:
            return _save(program, index, SPEEDS[speed], place)
        from sim.watch.window import watch_in_window

        watch_in_window(lambda: Player(program, index, speed))
        return tally_text(program.tally())


def _check_options(speed: str, save: str | None, browser: bool, port: str | None) -> None:
    from sim.watch.player import SPEEDS

    if speed not in SPEEDS:
        raise Refusal(f"--speed: expected {', '.join(SPEEDS)}, got '{speed}'")
    if save is not None and browser:
        raise Refusal("--save and --browser: give one of them")
    if port is not None and not browser:
        raise Refusal("--port: needs --browser")


def _choices(
    directory: str | None, source: Source, position: str | None, touching: bool
) -> Choices:
    """Read which throws are wanted: new ones, or those of a batch."""
    from sim.position import POSITIONS
    from sim.watch.choices import NewChoices, RecordedChoices
    from sim.watch.program import read_recorded

    seed, pig, device, height, start = source
    if directory is None:
        if position is not None or touching:
            raise Refusal("--position and --touching: need the directory of a recorded batch")
        check_pig(pig)
        number = whole("--seed", seed, 0, MAX_SEED)
        return NewChoices(number, pig, device, height or "", start or "")
    if source != NO_SOURCE:
        raise Refusal(
            f"{directory}: says all about its throws; leave --seed, --pig, --device, --height and "
            "--start out"
        )
    if position is not None and position not in POSITIONS:
        raise Refusal(f"--position: expected one of {', '.join(POSITIONS)}, got '{position}'")
    return RecordedChoices(read_recorded(file_name("DIR", directory)), position, touching)


def _save(program: Program, index: int, speed: float, path: Path) -> str:
    """Write one throw to a file, under a progress bar."""
    from sim.progress import LateProgress
    from sim.watch.outcome import outcome_lines
    from sim.watch.save import check_path, save

    check_path(path)
    film = program.film(index)
    title = f"throw {index} of {program.title}"
    with LateProgress("frames") as progress:
        save(film, program.stage, title, speed, path, progress)
    return "\n".join((f"{path}: {title}", *outcome_lines(film)))
