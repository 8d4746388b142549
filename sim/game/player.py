"""Who plays: people and strategies, as the command line names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sim.game.caller import HogCaller
from sim.game.optimum import MAX_OPTIMUM_TARGET, Optimum, Outcomes, solve
from sim.game.rules import MAX_PLAYERS, Rules
from sim.game.source import LandingTable
from sim.game.strategy import HoldAt, Optimal, Strategy, ThrowUntil, keen
from sim.game.tournament import Seat
from sim.whole_number import parse_whole_number

PERSON = "me"
KINDS = (
    "me, me:NAME (a person), hold:POINTS, throws:NUMBER, keen, optimal; "
    "a strategy with +call makes hog calls, such as hold:20+call"
)
MAX_NUMBER = 10_000

_NAME = re.compile(r"\w[\w .'-]{0,19}")
_NUMBERED = ("hold", "throws")


@dataclass(frozen=True)
class PlayerWord:
    """A player as the command line names one.

    Attributes:
        kind: "me", "hold", "throws", "keen" or "optimal".
        argument: A person's name, or a strategy's number; "" where there is none.
        is_caller: Whether a strategy makes hog calls.
    """

    kind: str
    argument: str = ""
    is_caller: bool = False

    @property
    def is_person(self) -> bool:
        """Whether a person decides."""
        return self.kind == PERSON

    @property
    def name(self) -> str:
        """What the player is called, as long as no other is called so."""
        if self.is_person:
            return self.argument or PERSON
        argument = f":{self.argument}" if self.argument else ""
        return f"{self.kind}{argument}{'+call' * self.is_caller}"


def read_players(text: str) -> tuple[PlayerWord, ...]:
    """Read a comma-separated list of players.

    Raises:
        ValueError: In one line that lists what would be right.
    """
    players = tuple(_read_player(word.strip()) for word in text.split(","))
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise ValueError(f"players: expected 2 to {MAX_PLAYERS}, got {len(players)}")
    return players


def read_people(text: str, strategy: str) -> tuple[PlayerWord, ...]:
    """Read players of a game that has one strategy only.

    Raises:
        ValueError: In one line that lists what would be right.
    """
    words = [word.strip() for word in text.split(",")]
    known = [
        _read_person(word) or (PlayerWord(word) if word == strategy else None) for word in words
    ]
    players = tuple(player for player in known if player is not None)
    if len(players) < len(words):
        wrong = words[known.index(None)]
        raise ValueError(f"unknown player '{wrong}': expected me, me:NAME or {strategy}")
    return players


def _read_person(word: str) -> PlayerWord | None:
    kind, _, name = word.partition(":")
    is_person = word == PERSON or (kind == PERSON and _NAME.fullmatch(name))
    return PlayerWord(kind, name) if is_person else None


def _read_player(word: str) -> PlayerWord:
    person = _read_person(word)
    if person is not None:
        return person
    bare = word.removesuffix("+call")
    kind, _, argument = bare.partition(":")
    is_caller = bare != word
    if kind in _NUMBERED and argument.isascii() and argument.isdecimal():
        try:
            number = parse_whole_number(argument, 1, MAX_NUMBER)
        except ValueError:
            wrong = f"player '{word}': expected a number from 1 to {MAX_NUMBER:,}"
            raise ValueError(wrong) from None
        return PlayerWord(kind, str(number), is_caller)
    if bare in ("keen", "optimal"):
        return PlayerWord(kind, "", is_caller)
    raise ValueError(f"unknown player '{word}': expected {KINDS}")


def name_players(players: Sequence[PlayerWord]) -> tuple[str, ...]:
    """Give each player a name of their own: the second of a name is number 2."""
    names: list[str] = []
    for player in players:
        number, name = 1, player.name
        while name in names:
            number += 1
            name = f"{player.name} {number}"
        names.append(name)
    return tuple(names)


def find_optimum(players: Sequence[PlayerWord], rules: Rules, outcomes: Outcomes) -> Optimum | None:
    """Solve the game if anyone plays it; None if nobody does.

    Raises:
        ValueError: If the game is not one of two players, or its target too high.
    """
    if not any(player.kind == "optimal" for player in players):
        return None
    if len(players) != 2:
        raise ValueError(
            f"player 'optimal': the best play is known for two players, not for {len(players)}; "
            "'keen' plays with any number"
        )
    if rules.target > MAX_OPTIMUM_TARGET:
        raise ValueError(
            f"player 'optimal': the best play is found for targets up to {MAX_OPTIMUM_TARGET}, "
            f"got {rules.target}; 'keen' plays to any"
        )
    return solve(outcomes, rules.target)


def seat_strategy(
    player: PlayerWord, rules: Rules, table: LandingTable, optimum: Optimum | None
) -> Seat:
    """Seat a strategy that believes the pigs to land as the table says."""
    caller = HogCaller(rules, table) if player.is_caller else None
    return Seat(_strategy(player, Outcomes.of_pigs(table), optimum), caller)


def _strategy(player: PlayerWord, outcomes: Outcomes, optimum: Optimum | None) -> Strategy:
    if player.kind == "hold":
        return HoldAt(int(player.argument))
    if player.kind == "throws":
        return ThrowUntil(int(player.argument))
    if player.kind == "keen":
        return keen(outcomes)
    assert optimum is not None, player
    return Optimal(optimum)
