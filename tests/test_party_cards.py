"""Who wins which cards.

Source of every rule: the Pig Party rulebook as described, or, where it says nothing, the decisions
in the package's text.
"""

from dataclasses import replace
from itertools import product

import pytest
from party_games import (
    FIVE,
    JOWLER,
    JOWLER_PAIR,
    PAIR,
    TEN,
    TROTTER,
    a_game,
    first_throws,
    kinds,
    pigs,
    step,
    throw,
)

from sim.game.party.cards import BonusLine, PointCard
from sim.game.party.rules import best_point_card, bonus, land, lose
from sim.game.party.state import Seat, Thrown

NOTHING = ("other",) * 8


def bonus_throw(game, *positions, **touch):
    """A bonus roll: these, and pigs in no position."""
    after = bonus(game, Thrown(pigs(*positions, *NOTHING[len(positions) :]), **touch))
    after.game.check()
    return after


def test_first_to_match_takes_the_card_and_the_next_one_begins_to_the_left():
    game = first_throws(a_game(PAIR), 4)
    after = step(game, "snouter", "razorback")
    assert kinds(after) == ["threw", "matched", "turned"]
    assert [seat.roll_cards for seat in after.game.seats] == [(), (PAIR,), ()]
    assert (after.game.card, after.game.roll_deck, after.game.turn) == (TROTTER, (TROTTER,), 2)


@pytest.mark.parametrize("card", [JOWLER, JOWLER_PAIR])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_jowler_not_thrown_in_a_whole_round_is_covered(card, players):
    game = a_game(card, seats=[Seat()] * players)
    before = first_throws(game, players - 1)
    assert before.card == card
    after = step(before, *["other"] * before.pigs_to_throw)
    assert kinds(after) == ["threw", "covered", "turned"]
    assert (after.game.covered, after.game.card, after.game.turn) == ((card,), TROTTER, 0)


def test_winner_of_the_card_that_covers_gets_both():
    game = first_throws(a_game(JOWLER, roll_deck=[JOWLER_PAIR, TROTTER]), 6)
    assert (game.covered, game.card) == ((JOWLER, JOWLER_PAIR), TROTTER)
    after = step(game, "trotter")
    assert after.events[1].cards == (JOWLER, JOWLER_PAIR, TROTTER)
    assert after.game.seats[0].score == 40
    assert after.game.covered == ()


def test_jowler_is_not_covered_while_one_stays_on_the_table():
    game = first_throws(a_game(JOWLER_PAIR), 1)
    game = throw(game, "leaning_jowler", "other")
    game = first_throws(game, 5)
    assert (game.card, game.covered) == (JOWLER_PAIR, ())


def test_jowler_of_a_void_throw_was_not_thrown():
    game = throw(a_game(JOWLER_PAIR), "leaning_jowler", "other", is_touching=True)
    assert first_throws(game, 2).covered == (JOWLER_PAIR,)


def test_other_cards_are_not_covered():
    assert first_throws(a_game(PAIR), 30).card == PAIR


@pytest.mark.parametrize("who", range(3))
def test_round_is_whole_also_when_a_player_went_out_in_it(who):
    game = a_game(JOWLER_PAIR)
    for player in range(3):
        assert game.covered == ()
        game = throw(game, *(("side_dot", "side_no_dot") if player == who else ("other", "other")))
    assert game.covered == (JOWLER_PAIR,)


def test_without_a_card_to_cover_it_the_jowler_is_played_on():
    game = first_throws(a_game(JOWLER, roll_deck=[]), 9)
    assert (game.card, game.covered) == (JOWLER, ())
    assert kinds(step(game, "leaning_jowler")) == ["threw", "matched", "over"]


@pytest.mark.parametrize("before", range(3))
def test_match_at_ones_very_first_throw_brings_a_bonus_roll_of_all_eight_pigs(before):
    after = step(first_throws(a_game(PAIR), before), "snouter", "razorback")
    assert kinds(after) == ["threw", "matched", "bonus_due"]
    assert after.game.seats[before].roll_cards == (PAIR,)
    assert (after.game.turn, after.game.pigs_to_throw, after.game.lying) == (before, 8, ())


@pytest.mark.parametrize("before", range(3, 6))
def test_later_match_brings_none(before):
    after = step(first_throws(a_game(PAIR), before), "snouter", "razorback")
    assert kinds(after) == ["threw", "matched", "turned"]


def test_throw_after_an_oinker_is_not_the_first():
    rich = Seat(point_cards=(TEN,))
    game = throw(a_game(PAIR, seats=[rich, Seat()]), "snouter", "razorback", is_touching=True)
    game = first_throws(lose(game, TEN).game, 1)
    assert kinds(step(game, "snouter", "razorback")) == ["threw", "matched", "turned"]


def test_first_throw_is_counted_anew_at_the_card_that_covers():
    game = first_throws(a_game(JOWLER), 3)
    assert kinds(step(game, "trotter")) == ["threw", "matched", "bonus_due"]


POINT_DECKS = [
    tuple(PointCard(points) for points in deck)
    for deck in ((), (5,), (10,), (5, 10), (10, 5, 25), (25,), (5, 5, 15), (20, 15, 5, 10))
]


@pytest.mark.parametrize("point_deck", POINT_DECKS)
@pytest.mark.parametrize("trotters", range(9))
def test_one_point_card_the_highest_one_qualifies_for_else_a_lower_one_else_none(
    point_deck, trotters
):
    """Scoring card: one trotter 5, two trotters 10."""
    game = throw(a_game(TROTTER, point_deck=point_deck), "trotter")
    after = bonus_throw(game, *["trotter"] * trotters)
    most = {0: 0, 1: 5}.get(trotters, 10)
    best = [points for points in (10, 5) if points <= most and PointCard(points) in point_deck]
    won = after.game.seats[0].point_cards
    assert won == tuple(PointCard(points) for points in best[:1])
    assert kinds(after)[1] == ("bonus_won" if best else "bonus_lost")
    assert (after.game.card, after.game.turn) == (TROTTER, 1)


def test_best_line_counts_whatever_its_place_on_the_scoring_card():
    game = a_game(TROTTER, point_deck=(FIVE, TEN))
    lines = (BonusLine(("snouter",), 10), BonusLine(("trotter",), 5), BonusLine(("razorback",), 1))
    for order in (lines, lines[::-1]):
        turned = replace(game, deck=replace(game.deck, bonus=order))
        assert best_point_card(turned, ("razorback", "trotter", "snouter")) == TEN
        assert best_point_card(turned, ("razorback",)) is None


@pytest.mark.parametrize("touch", [{}, {"is_touching": True}])
def test_pig_outs_and_oinkers_do_not_count_in_a_bonus_roll(touch):
    game = throw(a_game(TROTTER), "trotter")
    after = bonus_throw(game, "side_dot", "side_no_dot", "trotter", "trotter", **touch)
    assert kinds(after) == ["bonus_threw", "bonus_won", "turned"]
    assert after.game.seats[0].cards == (TROTTER, TEN)
    assert not after.game.seats[0].is_out


def test_failed_bonus_roll_is_thrown_again():
    game = throw(a_game(TROTTER), "trotter")
    after = bonus(game, Thrown((), is_failed=True))
    assert kinds(after) == ["failed"]
    assert (after.game.phase, after.game.throws) == ("bonus", 2)


def test_bonus_roll_is_of_eight():
    game = throw(a_game(TROTTER), "trotter")
    with pytest.raises(ValueError, match="expected 8 pigs thrown, got 2"):
        bonus(game, Thrown(pigs("trotter", "trotter")))


@pytest.mark.parametrize(("target", "is_over"), [(14, True), (15, True), (16, False)])
def test_target_ends_the_game(target, is_over):
    game = first_throws(a_game(PAIR, target=target), 3)
    after = step(game, "snouter", "razorback")
    assert (after.game.phase == "over") == is_over
    if is_over:
        assert (kinds(after)[-1], after.events[-1].seat) == ("over", 0)
        with pytest.raises(ValueError, match="expects 'over'"):
            land(after.game, Thrown(pigs("other", "other")))


def test_hundred_points_are_the_target():
    rich = Seat(roll_cards=(PAIR,) * 6)
    game = first_throws(a_game(TROTTER, seats=[rich, Seat()]), 2)
    assert throw(game, "trotter").phase == "throw"
    richer = Seat(roll_cards=(PAIR,) * 6, point_cards=(FIVE,))
    game = first_throws(a_game(TROTTER, seats=[richer, Seat()]), 2)
    assert throw(game, "trotter").phase == "over"


def test_last_roll_card_ends_the_game():
    game = first_throws(a_game(TROTTER, roll_deck=[]), 4)
    after = step(game, "trotter")
    assert kinds(after) == ["threw", "matched", "over"]
    assert after.game.leaders == (1,)


def test_lost_card_puts_off_the_last_one():
    rich = Seat(roll_cards=(PAIR,))
    game = throw(a_game(TROTTER, roll_deck=[], seats=[rich, Seat()]), "other", is_touching=True)
    game = first_throws(lose(game, PAIR).game, 2)
    after = step(game, "trotter")
    assert (after.game.phase, after.game.card) == ("throw", PAIR)


def test_bonus_roll_comes_before_the_end():
    after = step(a_game(TROTTER, roll_deck=[], target=5), "trotter")
    assert kinds(after) == ["threw", "matched", "bonus_due"]
    after = bonus_throw(after.game, "trotter", "trotter")
    assert kinds(after) == ["bonus_threw", "bonus_won", "over"]
    assert after.game.seats[0].score == 15


@pytest.mark.parametrize("scores", list(product((0, 5, 10), repeat=2)))
def test_best_score_wins_and_equal_ones_share(scores):
    seats = [Seat(point_cards=(PointCard(score),) if score else ()) for score in (0, *scores)]
    game = throw(first_throws(a_game(TROTTER, roll_deck=[], seats=seats), 3), "trotter")
    totals = (5, *scores)
    assert game.leaders == tuple(seat for seat in range(3) if totals[seat] == max(totals))
