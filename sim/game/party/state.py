"""What is on the table in a game of Pig Party: cards, pigs, whose throw it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sim.game.party.cards import ALL_PIGS, Card, Deck, PointCard, RollCard
from sim.game.score import MAX_TARGET

FEWEST_PLAYERS, MOST_PLAYERS = 2, 4
PAIR = 2
TARGET = 100
MOST_THROWS = 10**9
JOWLER = "leaning_jowler"

THROW, LOSE, BONUS, OVER = "throw", "lose", "bonus", "over"
PHASES = (THROW, LOSE, BONUS, OVER)


@dataclass(frozen=True)
class Pose:
    """Where a pig lies.

    Attributes:
        translation: (3,) [m] world_from_pig.
        quat_xyzw: (4,) world_from_pig.
    """

    translation: tuple[float, ...]
    quat_xyzw: tuple[float, ...]


@dataclass(frozen=True)
class LandedPig:
    """A pig on the table.

    Attributes:
        position: One of sim.position.POSITIONS.
        pose: None on a table without physics.
        stays: It is in a wanted position, so only its owner's other pig is thrown.
    """

    position: str
    pose: Pose | None = None
    stays: bool = False


@dataclass(frozen=True)
class Thrown:
    """What a throw did.

    Attributes:
        pigs: The thrown ones.
        is_touching: A thrown pig touches a pig, its owner's or another's.
        disturbed: Which of the pigs that lay there were touched or moved.
        is_failed: The throw came to no end that can be judged.
    """

    pigs: tuple[LandedPig, ...]
    is_touching: bool = False
    disturbed: tuple[int, ...] = ()
    is_failed: bool = False

    @property
    def is_oinker(self) -> bool:
        """Whether a pig touches, or touched or moved another."""
        return self.is_touching or bool(self.disturbed)

    @property
    def positions(self) -> tuple[str, ...]:
        """Of the thrown pigs."""
        return tuple(pig.position for pig in self.pigs)


@dataclass(frozen=True)
class Seat:
    """A player.

    Attributes:
        roll_cards: Won, in that order.
        point_cards: Won, in that order.
        pigs: Those of the player's pair that lie on the table.
        throws: At the card in play.
        is_out: Throws no more at the card in play.
    """

    roll_cards: tuple[RollCard, ...] = ()
    point_cards: tuple[PointCard, ...] = ()
    pigs: tuple[LandedPig, ...] = ()
    throws: int = 0
    is_out: bool = False

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards won."""
        return (*self.roll_cards, *self.point_cards)

    @property
    def score(self) -> int:
        """Points of the cards."""
        return sum(card.points for card in self.cards)

    @property
    def staying(self) -> tuple[LandedPig, ...]:
        """The pigs that the player's next throw leaves on the table."""
        return tuple(pig for pig in self.pigs if pig.stays)


@dataclass(frozen=True)
class PartyGame:
    """A game. What the rules lead to passes `check`; what is read back has to.

    Attributes:
        deck: All cards of the game.
        target: Points that end it.
        seats: Players, each to the left of the one before.
        card: In play, face up; None between cards: a bonus roll is due or the game is over.
        covered: Cards under it, for the same winner.
        roll_deck: Face down, top first.
        point_deck: Top first.
        turn: Seat that throws, or has a card to lose.
        phase: "throw", "lose" (an Oinker's card), "bonus" (a bonus roll is due) or "over".
        throws: So far, bonus rolls and failed throws included; the number of the next throw.
    """

    deck: Deck
    target: int
    seats: tuple[Seat, ...]
    card: RollCard | None
    covered: tuple[RollCard, ...]
    roll_deck: tuple[RollCard, ...]
    point_deck: tuple[PointCard, ...]
    turn: int
    phase: str
    throws: int

    def check(self) -> None:
        """Refuse a game that the rules cannot lead to: a card lost, a player who must not throw.

        Raises:
            ValueError: In one line.
        """
        check_players(len(self.seats))
        if not 0 <= self.turn < len(self.seats):
            raise ValueError(f"turn: expected 0 to {len(self.seats) - 1}, got {self.turn}")
        check_target(self.target)
        if not 0 <= self.throws <= MOST_THROWS:
            raise ValueError(f"throws: expected 0 to {MOST_THROWS:,}, got {self.throws}")
        self._check_phase()
        self._check_throws()
        self._check_pigs()
        self._check_covered()
        won_roll = [card for seat in self.seats for card in seat.roll_cards]
        won_point = [card for seat in self.seats for card in seat.point_cards]
        up = () if self.card is None else (self.card,)
        _check_cards("roll", self.deck.roll_cards, [*won_roll, *up, *self.covered, *self.roll_deck])
        _check_cards("point", self.deck.point_cards, [*won_point, *self.point_deck])

    def _check_phase(self) -> None:
        player = f"player {self.turn + 1}"
        if self.phase not in PHASES:
            raise ValueError(f"phase {self.phase!r}: expected one of {', '.join(PHASES)}")
        if (self.card is None) != (self.phase in (BONUS, OVER)):
            raise ValueError("a card is face up as long as players throw at it, and no longer")
        if self.phase == THROW and self.thrower.is_out:
            raise ValueError(f"{player} is out and cannot throw")
        if self.phase == LOSE and not self.thrower.cards:
            raise ValueError(f"{player} has no card to lose")
        if self.phase == LOSE and not self.thrower.throws:
            raise ValueError(f"{player} has thrown no Oinker at this card")
        if self.phase in (THROW, LOSE) and max(seat.score for seat in self.seats) >= self.target:
            raise ValueError(f"a player has {self.target} points, so the game would be over")

    def _check_throws(self) -> None:
        for number, seat in enumerate(self.seats, start=1):
            if seat.throws < 0:
                raise ValueError(f"player {number}: throws: expected 0 or more, got {seat.throws}")
            if (seat.pigs or seat.is_out) and not seat.throws:
                raise ValueError(f"player {number}: pigs lie or are out that nobody threw")
        thrown = sum(seat.throws for seat in self.seats)
        if thrown > self.throws:
            raise ValueError(
                f"throws: players threw {thrown} times, more than {self.throws} in all"
            )

    def _check_covered(self) -> None:
        if self.covered and self.card is None:
            raise ValueError("covered: expected no card under one that is not there")
        for card in self.covered:
            if JOWLER not in card.wanted:
                raise ValueError(f"covered: {card} wants no {JOWLER}, so nothing covers it")

    def _check_pigs(self) -> None:
        for number, seat in enumerate(self.seats, start=1):
            if len(seat.pigs) > (len(self.card.wanted) if self.card else 0):
                raise ValueError(f"player {number}: too many pigs on the table")
            if seat.staying and not self._is_short_of_match(seat):
                raise ValueError(f"player {number}: a pig stays that the card does not want")

    def _is_short_of_match(self, seat: Seat) -> bool:
        wanted = Counter(self.card.wanted if self.card else ())
        stays = Counter(pig.position for pig in seat.staying)
        return not stays - wanted and stays != wanted

    @property
    def thrower(self) -> Seat:
        """The player whose turn it is."""
        return self.seats[self.turn]

    @property
    def pigs_to_throw(self) -> int:
        """Eight for a bonus roll, else as many as the card still wants."""
        if self.card is None:
            return ALL_PIGS
        return len(self.card.wanted) - len(self.thrower.staying)

    @property
    def lying(self) -> tuple[tuple[int, LandedPig], ...]:
        """Pigs on the table when the next one is thrown, each with its owner's seat."""
        return tuple(
            (number, pig)
            for number, seat in enumerate(self.seats)
            for pig in (seat.staying if number == self.turn else seat.pigs)
        )

    @property
    def leaders(self) -> tuple[int, ...]:
        """Seats with the best score; of a game that is over, the winners."""
        best = max(seat.score for seat in self.seats)
        return tuple(number for number, seat in enumerate(self.seats) if seat.score == best)


def check_players(players: int) -> None:
    """Refuse a number of players that the four pairs of pigs are not for."""
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(
            f"players: Pig Party is for {FEWEST_PLAYERS} to {MOST_PLAYERS}, got {players}"
        )


def check_target(target: int) -> None:
    """Refuse points that no game is played to."""
    if not 1 <= target <= MAX_TARGET:
        raise ValueError(f"target: expected 1 to {MAX_TARGET:,} points, got {target}")


def _check_cards(kind: str, expected: Sequence[Card], found: Sequence[Card]) -> None:
    for card in Counter(found) - Counter(expected):
        raise ValueError(f"{kind} cards: {card} is there more often than in the deck")
    for card in Counter(expected) - Counter(found):
        raise ValueError(f"{kind} cards: {card} is missing")
