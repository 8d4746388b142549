"""A game of Pig Party, played to its end by people and strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from sim.game.party.cards import Card
from sim.game.party.rules import Step, bonus, land, lose
from sim.game.party.state import BONUS, LOSE, OVER, PartyGame, Thrown
from sim.whole_number import parse_whole_number

HELP = "Enter or t throws, q leaves and saves the game, ? or help says this"

_THROW_WORDS = ("", "t", "throw")
_HELP_WORDS = ("?", "h", "help")


class PartyTable(Protocol):
    """Throws pigs among those that lie."""

    def check(self, game: PartyGame) -> None:
        """Refuse a game whose pigs cannot lie so on this table.

        Raises:
            ValueError: In one line.
        """
        ...

    def throw(self, game: PartyGame) -> Thrown:
        """Throw what is due in a game; the same game, the same throw, so that it can resume."""
        ...


class Decider(Protocol):
    """Answers for one player."""

    def ready(self, game: PartyGame) -> None:
        """Return when the player throws, or throws the bonus roll; it is their turn."""
        ...

    def card_to_lose(self, game: PartyGame, cards: Sequence[Card]) -> Card:
        """Choose which card an Oinker costs.

        Args:
            game: It is the player's turn.
            cards: Those won, each kind of card once; two or more.
        """
        ...


class Thrifty:
    """Throws at once, and loses the card of the fewest points; of equal ones the point card."""

    def ready(self, game: PartyGame) -> None:
        """Throw at once."""

    def card_to_lose(self, game: PartyGame, cards: Sequence[Card]) -> Card:
        """Choose the cheapest: a point card is won only by a bonus roll, others need luck too."""
        return min(reversed(cards), key=lambda card: card.points)


class Asked:
    """A person, asked in lines of text.

    Attributes:
        ask: Prints a prompt and returns what the person types; may raise at the end of input.
    """

    def __init__(self, ask: Callable[[str], str]) -> None:
        self.ask = ask

    def ready(self, game: PartyGame) -> None:
        """Ask until the player throws."""
        purpose = "for the bonus roll" if game.phase == BONUS else "to throw"
        pigs = f"{game.pigs_to_throw} pig{'s' * (game.pigs_to_throw > 1)}"
        question = f"Press Enter {purpose} ({pigs}): "
        prompt = question
        while (answer := self.ask(prompt).strip().lower()) not in _THROW_WORDS:
            problem = "" if answer in _HELP_WORDS else f"{answer[:20]!r} is no answer. "
            prompt = f"{problem}{HELP}. {question}"

    def card_to_lose(self, game: PartyGame, cards: Sequence[Card]) -> Card:
        """List the cards and ask for a number until it is one of them."""
        listed = ", ".join(f"{number} {card}" for number, card in enumerate(cards, start=1))
        prompt = f"Which card do you lose? {listed}: ".replace("_", " ")
        while True:
            try:
                return cards[parse_whole_number(self.ask(prompt).strip(), 1, len(cards)) - 1]
            except ValueError:
                prompt = f"Please type a number from 1 to {len(cards)}: "


def play_party(game: PartyGame, deciders: Sequence[Decider], table: PartyTable) -> Iterator[Step]:
    """Play on until the game is over, and yield it after every throw and choice.

    Stop at any step and go on later from its game, on the same table: the result is the same.

    Args:
        game: Dealt, or read back.
        deciders: One for each seat.
        table: Where the pigs are thrown.
    """
    if len(deciders) != len(game.seats):
        raise ValueError(f"deciders: expected {len(game.seats)}, got {len(deciders)}")
    while game.phase != OVER:
        step = _step(game, deciders[game.turn], table)
        yield step
        game = step.game


def _step(game: PartyGame, decider: Decider, table: PartyTable) -> Step:
    if game.phase == LOSE:
        cards = tuple(dict.fromkeys(game.thrower.cards))
        return lose(game, cards[0] if len(cards) == 1 else decider.card_to_lose(game, cards))
    decider.ready(game)
    thrown = table.throw(game)
    return bonus(game, thrown) if game.phase == BONUS else land(game, thrown)
