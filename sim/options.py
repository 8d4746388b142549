"""Options that several commands share, and how their words are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.lengths import parse_length
from sim.refusal import Refusal, refused_input
from sim.whole_number import parse_whole_number

if TYPE_CHECKING:
    from sim.configuration import Configuration

MAX_SEED = 2**63 - 1
MAX_THROW = 2**53
MAX_WORKERS = 256
MAX_PIGS = 8

Pig = Annotated[
    str,
    typer.Option(
        "--pig", help="standard, uniform, big, a mesh file in mm, or a calibration's TOML file."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
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
Engine = Annotated[
    str, typer.Option(help="bullet: PyBullet; fast: compiled; mujoco: single pigs, optional.")
]
Workers = Annotated[
    str | None,
    typer.Option(metavar="N", help="Processes [default: all cores]; changes no result."),
]


def read_configuration(
    engine: str,
    seed: str,
    pig: str,
    pigs: str,
    device: str,
    height: str | None,
    start: str | None,
) -> Configuration:
    """Build the configuration that the words of a command line ask for, or refuse."""
    from sim.configuration import ENGINES, configure

    if engine not in ENGINES:
        raise Refusal(f"unknown engine '{engine}': expected {', '.join(ENGINES)}")
    check_pig(pig)
    with refused_input():
        return configure(
            seed=whole("--seed", seed, 0, MAX_SEED),
            pig=pig,
            pigs=whole("--pigs", pigs, 1, MAX_PIGS),
            device=device,
            height=None if height is None else length("--height", height),
            start=start,
            engine=engine,
        )


def check_pig(pig: str) -> None:
    """Refuse a pig without a name."""
    if not pig:
        raise Refusal("--pig: expected standard, uniform, big, or a mesh file, got ''")


def file_name(option: str, text: str) -> Path:
    """Read the name of a file or a directory, or refuse and name the option."""
    if not text.strip():
        raise Refusal(f"{option}: expected a name, got {text!r}")
    return Path(text)


def length(option: str, text: str) -> float:
    """Read a length [m], or refuse and name the option."""
    with refused_input(f"{option} "):
        return parse_length(text)


def whole(option: str, text: str, low: int, high: int) -> int:
    """Read a whole number from low to high, or refuse and name the option."""
    with refused_input(f"{option}: "):
        return parse_whole_number(text, low, high)
