"""Games of Pig Party in chosen situations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim.game.party.cards import BonusLine, Deck, PointCard, RollCard
from sim.game.party.rules import Step, land
from sim.game.party.state import THROW, LandedPig, PartyGame, Pose, Seat, Thrown

TROTTER = RollCard(("trotter",), 5)
PAIR = RollCard(("razorback", "snouter"), 15)
JOWLER = RollCard(("leaning_jowler",), 15)
JOWLER_PAIR = RollCard(("razorback", "leaning_jowler"), 20)
TEN, FIVE = PointCard(10), PointCard(5)
BONUS_CARD = (BonusLine(("trotter",), 5), BonusLine(("trotter", "trotter"), 10))


def a_game(
    card: RollCard,
    roll_deck: Sequence[RollCard] = (TROTTER, TROTTER),
    point_deck: Sequence[PointCard] = (FIVE, TEN, FIVE),
    seats: Sequence[Seat] = (Seat(), Seat(), Seat()),
    target: int = 100,
    turn: int = 0,
) -> PartyGame:
    """A game at this card, whose deck is what is on the table."""
    won = [one for seat in seats for one in seat.roll_cards]
    points = [one for seat in seats for one in seat.point_cards]
    game = PartyGame(
        deck=Deck((*won, card, *roll_deck), (*points, *point_deck), BONUS_CARD),
        target=target,
        seats=tuple(seats),
        card=card,
        covered=(),
        roll_deck=tuple(roll_deck),
        point_deck=tuple(point_deck),
        turn=turn,
        phase=THROW,
        throws=sum(seat.throws for seat in seats),
    )
    game.check()
    return game


def pigs(*positions: str) -> tuple[LandedPig, ...]:
    """Pigs that landed, each somewhere else."""
    return tuple(
        LandedPig(position, Pose((0.1 * number, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
        for number, position in enumerate(positions)
    )


def throw(game: PartyGame, *positions: str, **touch: object) -> PartyGame:
    """The game after this throw."""
    return step(game, *positions, **touch).game


def step(game: PartyGame, *positions: str, **touch: object) -> Step:
    """Throw these positions, and check what the rules make of it."""
    after = land(game, Thrown(pigs(*positions), **touch))
    after.game.check()
    return after


def kinds(after: Step) -> list[str]:
    """Names of what happened."""
    return [event.kind for event in after.events]


def first_throws(game: PartyGame, count: int) -> PartyGame:
    """Let players throw pigs that match nothing, in turn."""
    for _ in range(count):
        game = throw(game, *["other"] * game.pigs_to_throw)
    return game


def with_seat(game: PartyGame, number: int, **changes: object) -> PartyGame:
    """Change a seat."""
    seats = list(game.seats)
    seats[number] = replace(seats[number], **changes)
    return replace(game, seats=tuple(seats))
