"""The command `pigs play`: reads its options and hands them on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.game.score import MAX_TARGET
from sim.refusal import Refusal, refused_input
from sim.whole_number import parse_whole_number

MAX_GAMES = 10**8
MAX_SEED = 2**63 - 1

Players = Annotated[
    str | None,
    typer.Option(
        help="In order of play: me, me:NAME, hold:POINTS, throws:NUMBER, keen, optimal; with +call "
        "a strategy makes hog calls. Party: me, me:NAME, thrifty. [default: me,keen or me,thrifty]"
    ),
]
RuleSet = Annotated[str, typer.Option("--rules", help="standard, big or party.")]
Target = Annotated[str | None, typer.Option(metavar="N", help="Points that win [default: 100]")]
Seed = Annotated[
    str | None, typer.Option(metavar="N", help="Plays a game again [default: a new one]")
]
Source = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="DIR",
        help="Draw throws from a recorded batch, or from the published counts: kern2006 "
        "[default: throw by physics]",
    ),
]
HogCall = Annotated[
    str | None, typer.Option(help="Which account holds: default, older or off [default: default]")
]
House = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RULE=CHOICE",
        help="A case that the accounts of hog calls leave open: called_throw=counted|forfeited, "
        "called_turn=kept|lost, call_gain=score|turn, older_wrong=mirrored|nothing, "
        "call_on_other=stands|lapses; the first is the default. Can be given more than once.",
    ),
]
Games = Annotated[
    str | None,
    typer.Option(metavar="N", help="A tournament of strategies; needs --from."),
]
Save = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="File for an unfinished game [default: pigs-game.json, or -2 …]"
    ),
]
Resume = Annotated[str | None, typer.Option(metavar="FILE", help="Go on with a saved game.")]
Deck = Annotated[
    str | None, typer.Option(metavar="FILE", help="Cards of a party [default: the deck shipped]")
]
Json = Annotated[bool, typer.Option("--json", help="Print a tournament as one JSON object.")]


def play_command(
    players: Players = None,
    rules: RuleSet = "standard",
    target: Target = None,
    seed: Seed = None,
    source: Source = None,
    hog_call: HogCall = None,
    house: House = None,
    games: Games = None,
    save: Save = None,
    resume: Resume = None,
    deck: Deck = None,
    as_json: Json = False,
) -> str | None:
    """Play a game with real throws, or have strategies play many.

    Ctrl-C, q or the end of input leaves a game; it is saved once a throw was made.

    Example: pigs play --players me,optimal --hog-call off

    Example: pigs play --players optimal,hold:20 --games 100000 --from kern2006
    """
    from sim.game.play import play, resume_play
    from sim.game.wish import Wish

    goal = _whole("--target", target, 1, MAX_TARGET)
    number = _whole("--seed", seed, 0, MAX_SEED)
    many = _whole("--games", games, 1, MAX_GAMES)
    _refuse_empty(
        {"--players": players, "--rules": rules, "--from": source, "--hog-call": hog_call}
        | {"--save": save, "--resume": resume, "--deck": deck}
    )
    cards = None if deck is None else Path(deck)
    wish = Wish(players, rules, goal, number, source, hog_call, tuple(house or ()), cards)
    place = None if save is None else Path(save)
    with refused_input():
        if many is not None:
            from sim.game.tournament_report import report_tournament

            if save is not None or resume is not None:
                raise Refusal("--games: a tournament is neither saved nor resumed")
            return report_tournament(wish, many, as_json)
        if as_json:
            raise Refusal("--json: a game in the terminal has no JSON; give --games for many")
        if resume is None:
            play(wish, place)
        elif wish != Wish():
            raise Refusal("--resume: the file says all about the game; give nothing but --save")
        else:
            resume_play(Path(resume), place)
    return None


def _refuse_empty(options: dict[str, str | None]) -> None:
    for option, text in options.items():
        if text is not None and not text.strip():
            raise Refusal(f"{option}: expected a value, got {text!r}")


def _whole(option: str, text: str | None, low: int, high: int) -> int | None:
    if text is None:
        return None
    with refused_input(f"{option}: "):
        return parse_whole_number(text, low, high)
