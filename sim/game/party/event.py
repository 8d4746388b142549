"""What happened in a game of Pig Party, and how to say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.game.party.cards import Card, write_positions


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    Attributes:
        kind: One of `EVENTS`.
        seat: Whose it is; the winner's of a game that is over.
        positions: Of pigs.
        cards: Turned, covered, won or lost.
        others: Seats whose pigs were touched or moved, or that share the win.
    """

    kind: str
    seat: int
    positions: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    others: tuple[int, ...] = ()


_TEXTS = {
    "turned": "the next roll card wants {cards}; {player} begins",
    "threw": "{player} throws {positions}",
    "failed": "{player}'s throw fails, and is thrown again",
    "stays": "{player}'s {positions} stays on the table",
    "matched": "{player} matches the card and takes {cards}",
    "bonus_due": "{player} matched at the first throw: a bonus roll of all eight pigs",
    "bonus_threw": "{player}'s bonus roll is {positions}",
    "bonus_won": "{player} wins {cards}",
    "bonus_lost": "{player} wins no point card",
    "pig_out": "Pig out! {player} is out for the rest of this card's round",
    "oinker": "Oinker! {player}'s pigs touch {others}",
    "lost": "{player} loses {cards} to the bottom of its deck",
    "sits_out": "{player} has no card to lose, and sits out until the next roll card",
    "covered": "no leaning jowler: {cards} waits under the next card",
    "all_out": "nobody is left in: {cards} goes to the bottom of the deck",
    "over": "the game is over: {player} wins{shared}",
}
EVENTS = tuple(_TEXTS)


def describe(event: Event, players: Sequence[str]) -> str:
    """Say what happened in a line of text.

    Args:
        event: What happened.
        players: Names, by seat.
    """
    owners = [f"{players[seat]}'s" for seat in event.others if seat != event.seat]
    shared = [players[seat] for seat in event.others]
    return _TEXTS[event.kind].format(
        player=players[event.seat],
        positions=_words(write_positions(event.positions)),
        cards=_words(" and ".join(str(card) for card in event.cards)),
        others=f"{' and '.join(owners)} pigs" if owners else "each other",
        shared="".join(f", and so does {name}" for name in shared),
    )


def _words(text: str) -> str:
    return text.replace("_", " ")
