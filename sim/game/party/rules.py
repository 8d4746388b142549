"""The rules of Pig Party as pure functions: (game, what was thrown or chosen) -> step.

Source: the Pig Party rulebook, as described; what it leaves open is decided in the package's text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim.game.party.cards import Card, Deck, PointCard, RollCard
from sim.game.party.event import Event
from sim.game.party.state import (
    BONUS,
    JOWLER,
    LOSE,
    OVER,
    TARGET,
    THROW,
    LandedPig,
    PartyGame,
    Seat,
    Thrown,
    check_players,
    check_target,
)
from sim.game.score import SIDES


@dataclass(frozen=True)
class Step:
    """A game after something happened, and what that was."""

    game: PartyGame
    events: tuple[Event, ...]


def deal(deck: Deck, players: int, rng: np.random.Generator, target: int = TARGET) -> Step:
    """Shuffle the roll cards and turn the top one face up; the first player throws first."""
    check_players(players)
    check_target(target)
    order = rng.permutation(len(deck.roll_cards))
    first, *others = (deck.roll_cards[int(number)] for number in order)
    game = PartyGame(
        deck=deck,
        target=target,
        seats=(Seat(),) * players,
        card=first,
        covered=(),
        roll_deck=tuple(others),
        point_deck=deck.point_cards,
        turn=0,
        phase=THROW,
        throws=0,
    )
    return Step(game, (Event("turned", 0, cards=(first,)),))


def land(game: PartyGame, thrown: Thrown) -> Step:
    """Judge a throw: it fails, is an Oinker, matches, is a pig out or leaves pigs lying."""
    _expect(game, THROW, thrown)
    game = replace(game, throws=game.throws + 1)
    if thrown.is_failed:
        return Step(game, (Event("failed", game.turn),))
    seat = game.thrower
    threw = Event("threw", game.turn, positions=thrown.positions)
    game = _with_seat(game, throws=seat.throws + 1, pigs=seat.staying)
    if thrown.is_oinker:
        return _after((threw,), _oink(game, thrown))
    wanted = _still_wanted(game, seat)
    if not wanted - Counter(thrown.positions):
        return _after((threw,), _claim(game))
    if _is_pig_out(thrown):
        game = _with_seat(game, pigs=(*seat.staying, *thrown.pigs), is_out=True)
        return _after((threw, Event("pig_out", game.turn)), _pass(game))
    pigs = _lay_down(thrown.pigs, wanted)
    stays = [Event("stays", game.turn, positions=(pig.position,)) for pig in pigs if pig.stays]
    return _after((threw, *stays), _pass(_with_seat(game, pigs=(*seat.staying, *pigs))))


def lose(game: PartyGame, card: Card) -> Step:
    """Put the card that an Oinker costs at the bottom of its deck."""
    _expect(game, LOSE)
    seat = game.thrower
    if card not in seat.cards:
        raise ValueError(f"player {game.turn + 1} has no card {card} to lose")
    if isinstance(card, RollCard):
        game = _with_seat(game, roll_cards=_without(seat.roll_cards, card))
        game = replace(game, roll_deck=(*game.roll_deck, card))
    else:
        game = _with_seat(game, point_cards=_without(seat.point_cards, card))
        game = replace(game, point_deck=(*game.point_deck, card))
    lost = Event("lost", game.turn, cards=(card,))
    return _after((lost,), _pass(replace(game, phase=THROW)))


def bonus(game: PartyGame, thrown: Thrown) -> Step:
    """Compare a bonus roll with the bonus scoring card; pig outs and Oinkers do not count."""
    _expect(game, BONUS, thrown)
    game = replace(game, throws=game.throws + 1)
    if thrown.is_failed:
        return Step(game, (Event("failed", game.turn),))
    threw = Event("bonus_threw", game.turn, positions=thrown.positions)
    card = best_point_card(game, thrown.positions)
    if card is None:
        return _after((threw, Event("bonus_lost", game.turn)), _turn_up(game))
    game = _with_seat(game, point_cards=(*game.thrower.point_cards, card))
    game = replace(game, point_deck=_without(game.point_deck, card))
    won = Event("bonus_won", game.turn, cards=(card,))
    return _after((threw, won), _turn_up(game))


def best_point_card(game: PartyGame, positions: tuple[str, ...]) -> PointCard | None:
    """Find the highest point card left that these eight pigs qualify for."""
    reached = [line.points for line in game.deck.bonus if line.is_reached(positions)]
    most = max(reached, default=0)
    won = (card for card in game.point_deck if card.points <= most)
    return max(won, key=lambda card: card.points, default=None)


def _expect(game: PartyGame, phase: str, thrown: Thrown | None = None) -> None:
    if game.phase != phase:
        raise ValueError(f"the game expects '{game.phase}', got '{phase}'")
    if thrown and not thrown.is_failed and len(thrown.pigs) != game.pigs_to_throw:
        raise ValueError(f"expected {game.pigs_to_throw} pigs thrown, got {len(thrown.pigs)}")


def _oink(game: PartyGame, thrown: Thrown) -> Step:
    """The thrown pigs are taken up; the others lie where they lay."""
    owners = sorted({game.lying[number][0] for number in thrown.disturbed})
    oinker = Event("oinker", game.turn, others=tuple(owners))
    if game.thrower.cards:
        return Step(replace(game, phase=LOSE), (oinker,))
    sits_out = Event("sits_out", game.turn)
    return _after((oinker, sits_out), _pass(_with_seat(game, is_out=True)))


def _still_wanted(game: PartyGame, seat: Seat) -> Counter[str]:
    assert game.card is not None
    return Counter(game.card.wanted) - Counter(pig.position for pig in seat.staying)


def _is_pig_out(thrown: Thrown) -> bool:
    return sorted(thrown.positions) == sorted(SIDES)


def _lay_down(pigs: tuple[LandedPig, ...], wanted: Counter[str]) -> tuple[LandedPig, ...]:
    """Let each pig stay whose position is wanted and not filled by one before it."""
    missing = wanted.copy()
    lying = []
    for pig in pigs:
        stays = missing[pig.position] > 0
        missing[pig.position] -= stays
        lying.append(replace(pig, stays=stays))
    return tuple(lying)


def _claim(game: PartyGame) -> Step:
    assert game.card is not None
    cards = (*game.covered, game.card)
    is_first = game.thrower.throws == 1
    game = _with_seat(game, roll_cards=(*game.thrower.roll_cards, *cards))
    game = replace(_taken_up(game), card=None, covered=(), phase=BONUS)
    matched = Event("matched", game.turn, cards=cards)
    if is_first:
        return Step(game, (matched, Event("bonus_due", game.turn)))
    return _after((matched,), _turn_up(game))


def _pass(game: PartyGame) -> Step:
    """Pass the turn to the left, to the next player who is not out."""
    assert game.card is not None
    if all(seat.is_out for seat in game.seats):
        all_out = Event("all_out", game.turn, cards=(game.card,))
        buried = replace(game, roll_deck=(*game.roll_deck, game.card))
        return _after((all_out,), _turn_up(buried))
    if _is_jowler_missing(game) and game.roll_deck:
        covered = Event("covered", game.turn, cards=(game.card,))
        game = replace(game, covered=(*game.covered, game.card))
        return _after((covered,), _turn_up(game))
    turn = _left_of(game)
    while game.seats[turn].is_out:
        turn = (turn + 1) % len(game.seats)
    return Step(replace(game, turn=turn), ())


def _is_jowler_missing(game: PartyGame) -> bool:
    """Whether a whole round threw no leaning jowler at a card that wants one."""
    assert game.card is not None
    most = max(seat.throws for seat in game.seats)
    playing = [seat for seat in game.seats if not seat.is_out]
    stays = any(pig.position == JOWLER for seat in playing for pig in seat.staying)
    is_round_over = all(seat.throws == most for seat in playing)
    return JOWLER in game.card.wanted and is_round_over and not stays


def _turn_up(game: PartyGame) -> Step:
    """End the game, or turn the next roll card face up for everybody."""
    leaders = game.leaders
    is_won = max(seat.score for seat in game.seats) >= game.target
    if is_won or not game.roll_deck:
        over = Event("over", leaders[0], others=leaders[1:])
        return Step(replace(game, phase=OVER), (over,))
    card, *others = game.roll_deck
    game = replace(
        _taken_up(game), card=card, roll_deck=tuple(others), turn=_left_of(game), phase=THROW
    )
    return Step(game, (Event("turned", game.turn, cards=(card,)),))


def _taken_up(game: PartyGame) -> PartyGame:
    seats = tuple(replace(seat, pigs=(), throws=0, is_out=False) for seat in game.seats)
    return replace(game, seats=seats)


def _left_of(game: PartyGame) -> int:
    return (game.turn + 1) % len(game.seats)


def _with_seat(game: PartyGame, **changes: Any) -> PartyGame:
    """Change the thrower's seat."""
    seats = list(game.seats)
    seats[game.turn] = replace(game.thrower, **changes)
    return replace(game, seats=tuple(seats))


def _without(cards: tuple[Any, ...], card: Card) -> tuple[Any, ...]:
    at = cards.index(card)
    return (*cards[:at], *cards[at + 1 :])


def _after(events: tuple[Event, ...], step: Step) -> Step:
    """Tell of events before those of the step that they end in."""
    return Step(step.game, (*events, *step.events))
