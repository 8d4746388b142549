"""The cards of Pig Party."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sim.game.score import SIDES, SINGLE_POINTS

PICTURED = (*SIDES, *SINGLE_POINTS)
"""Positions that a card can want."""

ALL_PIGS = 8
MAX_WANTED = 2
MAX_POINTS = 1000
MAX_CARDS = 1000

_TERM = re.compile(r"(?:([1-9]) +)?([a-z_]+)")


class DeckError(ValueError):
    """Cards that cannot be played with; the message is one line: what was wrong, what would do."""


@dataclass(frozen=True)
class RollCard:
    """A picture to match.

    Attributes:
        wanted: Positions of one pig or of two, sorted.
        points: For who matches it first.
    """

    wanted: tuple[str, ...]
    points: int

    def __post_init__(self) -> None:
        _set_wanted(self, self.wanted, MAX_WANTED)
        _check_points(self.points)

    def __str__(self) -> str:
        return f"{write_positions(self.wanted)} ({self.points})"


@dataclass(frozen=True)
class PointCard:
    """What a bonus roll wins."""

    points: int

    def __post_init__(self) -> None:
        _check_points(self.points)

    def __str__(self) -> str:
        return f"point card ({self.points})"


@dataclass(frozen=True)
class BonusLine:
    """A line of the bonus scoring card.

    Attributes:
        wanted: Positions that must be among the eight pigs', sorted.
        points: Of the best point card that it wins.
    """

    wanted: tuple[str, ...]
    points: int

    def __post_init__(self) -> None:
        _set_wanted(self, self.wanted, ALL_PIGS)
        _check_points(self.points)

    def is_reached(self, positions: Sequence[str]) -> bool:
        """Whether pigs in these positions are all that the line wants, or more."""
        return not Counter(self.wanted) - Counter(positions)


Card = RollCard | PointCard


@dataclass(frozen=True)
class Deck:
    """All cards of a game, unshuffled."""

    roll_cards: tuple[RollCard, ...]
    point_cards: tuple[PointCard, ...]
    bonus: tuple[BonusLine, ...]

    def __post_init__(self) -> None:
        if not self.roll_cards:
            raise DeckError("a deck needs at least one roll card, got none")
        rows = len(self.roll_cards) + len(self.point_cards) + len(self.bonus)
        if rows > MAX_CARDS:
            raise DeckError(f"a deck has at most {MAX_CARDS} cards and lines, got {rows}")


def write_positions(positions: Sequence[str]) -> str:
    """Write positions as a deck does: "2 trotter + snouter"."""
    counts = Counter(positions)
    return " + ".join(
        position if count == 1 else f"{count} {position}" for position, count in counts.items()
    )


def parse_positions(text: str) -> tuple[str, ...]:
    """Read what `write_positions` writes; the words are not looked at."""
    positions: list[str] = []
    for term in text.split("+"):
        match = _TERM.fullmatch(term.strip())
        if match is None:
            raise DeckError(f"positions {text!r}: expected such as 2 trotter + snouter")
        positions += [match[2]] * int(match[1] or 1)
    return tuple(positions)


def _set_wanted(card: RollCard | BonusLine, wanted: tuple[str, ...], most: int) -> None:
    for position in wanted:
        if position not in PICTURED:
            raise DeckError(f"position {position!r}: expected one of {', '.join(PICTURED)}")
    if not 1 <= len(wanted) <= most:
        raise DeckError(f"positions: expected 1 to {most}, got {len(wanted)}")
    object.__setattr__(card, "wanted", tuple(sorted(wanted, key=PICTURED.index)))


def _check_points(points: int) -> None:
    if not 1 <= points <= MAX_POINTS:
        raise DeckError(f"points: expected 1 to {MAX_POINTS}, got {points}")
