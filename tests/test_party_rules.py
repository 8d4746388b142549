"""Throws, turns, Oinkers.

Source of every rule: the Pig Party rulebook as described, or, where it says nothing, the decisions
in the package's text.
"""

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import pytest
from party_games import (
    FIVE,
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

from sim.game.party.cards import PICTURED, RollCard
from sim.game.party.deck_file import read_deck
from sim.game.party.rules import bonus, deal, land, lose
from sim.game.party.state import Seat, Thrown
from sim.position import POSITIONS

PICTURES = [picture for size in (1, 2) for picture in combinations_with_replacement(PICTURED, size)]
SIDE_PAIR = {"side_no_dot", "side_dot"}


def test_twenty_cards_are_shuffled_and_the_top_one_is_turned_up():
    deck = read_deck()
    orders = set()
    for seed in range(20):
        game = deal(deck, 4, np.random.default_rng(seed)).game
        game.check()
        order = (game.card, *game.roll_deck)
        assert Counter(order) == Counter(deck.roll_cards)
        assert (len(order), game.turn, game.throws) == (20, 0, 0)
        assert game == deal(deck, 4, np.random.default_rng(seed)).game
        orders.add(order)
    assert len(orders) == 20


@pytest.mark.parametrize("players", [0, 1, 5, 8])
def test_eight_pigs_in_pairs_are_for_up_to_four_players(players):
    with pytest.raises(ValueError, match=r"2 to 4, got"):
        deal(read_deck(), players, np.random.default_rng(0))


@pytest.mark.parametrize("picture", PICTURES)
def test_every_landing_at_every_card(picture):
    """All pictures of one or two positions x all landings: match, pig out, or which pigs stay."""
    for landing in product(POSITIONS, repeat=len(picture)):
        after = step(a_game(RollCard(picture, 5)), *landing)
        happened = kinds(after)[1] if len(after.events) > 1 else "nothing"
        seat = after.game.seats[0]
        if landing in set(permutations(picture)):
            assert happened == "matched"
            assert seat.score == 5
        elif set(landing) == SIDE_PAIR:
            assert happened == "pig_out"
            assert seat.is_out
            assert seat.staying == ()
            assert [pig.position for pig in seat.pigs] == list(landing)
        else:
            filled = (Counter(landing) & Counter(picture)).total()
            stays = Counter(pig.position for pig in seat.staying)
            assert stays.total() == filled == (happened == "stays")
            assert stays <= Counter(picture)
            assert len(seat.pigs) == len(picture)
        assert after.game.turn == (0 if happened == "matched" else 1)


@pytest.mark.parametrize("picture", [p for p in PICTURES if len(p) == 2])
def test_pig_in_a_wanted_position_stays_and_only_the_other_is_thrown(picture):
    for staying, position in product(set(picture), POSITIONS):
        game = replace(throw(a_game(RollCard(picture, 5)), staying, "other"), turn=0)
        assert game.pigs_to_throw == 1
        assert (0, game.seats[0].staying[0]) in game.lying
        after = step(game, position)
        if sorted((staying, position)) == sorted(picture):
            assert kinds(after)[1] == "matched"
        else:
            assert not after.game.seats[0].is_out
            assert [pig.position for pig in after.game.seats[0].staying] == [staying]


def test_of_two_pigs_in_one_wanted_position_the_first_stays():
    game = throw(a_game(PAIR), "snouter", "snouter")
    assert [pig.stays for pig in game.seats[0].pigs] == [True, False]


def test_some_cards_need_one_pig():
    game = a_game(TROTTER)
    assert game.pigs_to_throw == 1
    with pytest.raises(ValueError, match="expected 1 pigs thrown, got 2"):
        land(game, Thrown(pigs("trotter", "trotter")))


def test_pigs_lie_where_they_fell_until_their_owner_throws_again():
    game = throw(a_game(PAIR), "other", "side_dot")
    assert [(seat, pig.position) for seat, pig in game.lying] == [(0, "other"), (0, "side_dot")]
    game = throw(game, "snouter", "side_dot")
    game = throw(game, "trotter", "trotter")
    assert [(seat, pig.position) for seat, pig in game.lying] == [
        (1, "snouter"),
        (1, "side_dot"),
        (2, "trotter"),
        (2, "trotter"),
    ]


def test_all_pigs_are_taken_up_for_a_new_card():
    game = throw(throw(a_game(PAIR), "snouter", "side_dot"), "razorback", "snouter")
    game = bonus(game, Thrown(pigs(*["other"] * 8))).game
    assert game.card == TROTTER
    assert all(seat.pigs == () for seat in game.seats)


@pytest.mark.parametrize("out", list(product((False, True), repeat=4)))
@pytest.mark.parametrize("turn", range(4))
def test_turns_pass_left_to_the_next_player_who_is_not_out(out, turn):
    if out[turn]:
        return
    seats = [Seat(throws=int(is_out), is_out=is_out) for is_out in out]
    game = throw(a_game(PAIR, seats=seats, turn=turn), "other", "other")
    left = [(turn + ahead) % 4 for ahead in (1, 2, 3, 4)]
    assert game.turn == next(seat for seat in left if not out[seat])


def test_pig_out_is_out_for_the_rest_of_that_cards_round():
    game = throw(a_game(PAIR), "side_dot", "side_no_dot")
    turns = []
    for _ in range(4):
        turns.append(game.turn)
        game = throw(game, "other", "other")
    assert turns == [1, 2, 1, 2]
    game = throw(game, "razorback", "snouter")
    assert game.card == TROTTER
    assert not any(seat.is_out for seat in game.seats)


def test_if_everybody_is_out_the_card_goes_to_the_bottom():
    game = a_game(PAIR)
    for _ in range(3):
        after = step(game, "side_no_dot", "side_dot")
        game = after.game
    assert kinds(after) == ["threw", "pig_out", "all_out", "turned"]
    assert (game.card, game.roll_deck, game.turn) == (TROTTER, (TROTTER, PAIR), 0)
    assert not any(seat.is_out for seat in game.seats)


def test_if_everybody_is_out_at_the_last_card_it_is_turned_up_again():
    game = a_game(PAIR, roll_deck=())
    for _ in range(3):
        game = throw(game, "side_no_dot", "side_dot")
    assert (game.card, game.roll_deck, game.phase) == (PAIR, (), "throw")


TOUCHES = {
    "one's own pigs touch": {"is_touching": True},
    "a pig touches another player's": {"is_touching": True, "disturbed": (2,)},
    "a pig moved another player's": {"disturbed": (1, 2)},
    "a pig moved one's own that stays": {"disturbed": (0,)},
}


@pytest.fixture
def among_pigs():
    """The first player has a snouter that stays, the second two pigs that do not."""
    rich = Seat(roll_cards=(TROTTER, PAIR), point_cards=(TEN,))
    game = throw(a_game(PAIR, seats=[rich, Seat(), Seat()]), "snouter", "other")
    game = throw(game, "other", "side_dot")
    return throw(game, "other", "other")


@pytest.mark.parametrize("touch", TOUCHES.values(), ids=TOUCHES)
@pytest.mark.parametrize("position", POSITIONS)
def test_oinker_makes_the_throw_void_and_costs_a_card(among_pigs, touch, position):
    after = step(among_pigs, position, **touch)
    assert kinds(after) == ["threw", "oinker"]
    assert (after.game.phase, after.game.turn) == ("lose", 0)
    assert after.game.seats[0].pigs == among_pigs.seats[0].staying
    assert after.game.seats[1:] == among_pigs.seats[1:]  # back in their poses


def test_oinker_names_whose_pigs_were_touched(among_pigs):
    assert step(among_pigs, "other", disturbed=(2, 3)).events[1].others == (1, 2)
    assert step(among_pigs, "other", is_touching=True).events[1].others == ()


@pytest.mark.parametrize(
    ("card", "roll_deck", "point_deck"),
    [
        (TROTTER, (TROTTER, TROTTER, TROTTER), (FIVE, TEN, FIVE)),
        (PAIR, (TROTTER, TROTTER, PAIR), (FIVE, TEN, FIVE)),
        (TEN, (TROTTER, TROTTER), (FIVE, TEN, FIVE, TEN)),
    ],
)
def test_card_of_ones_choice_goes_to_the_bottom_of_its_deck(
    among_pigs, card, roll_deck, point_deck
):
    before = throw(among_pigs, "other", is_touching=True)
    after = lose(before, card)
    after.game.check()
    assert kinds(after) == ["lost"]
    assert (after.game.roll_deck, after.game.point_deck) == (roll_deck, point_deck)
    assert after.game.seats[0].score == before.seats[0].score - card.points
    assert (after.game.turn, after.game.phase) == (1, "throw")
    assert not after.game.seats[0].is_out


def test_only_a_card_that_one_has_can_be_lost(among_pigs):
    game = throw(among_pigs, "other", is_touching=True)
    with pytest.raises(ValueError, match=r"player 1 has no card point card \(5\) to lose"):
        lose(game, FIVE)


def test_with_no_card_to_lose_one_sits_out_until_the_next_roll_card():
    after = step(a_game(PAIR), "razorback", "snouter", is_touching=True)
    assert kinds(after) == ["threw", "oinker", "sits_out"]
    game = first_throws(after.game, 4)
    assert game.seats[0].throws == 1
    game = throw(game, "razorback", "snouter")
    assert game.card == TROTTER
    assert not any(seat.is_out for seat in game.seats)


def test_failed_throw_is_thrown_again_and_is_no_throw():
    game = a_game(PAIR)
    after = land(game, Thrown((), is_failed=True))
    assert kinds(after) == ["failed"]
    assert after.game.seats == game.seats
    assert (after.game.turn, after.game.throws) == (0, 1)
    assert kinds(step(after.game, "razorback", "snouter")) == ["threw", "matched", "bonus_due"]


def test_throws_and_choices_wait_for_their_phase(among_pigs):
    with pytest.raises(ValueError, match="the game expects 'throw', got 'lose'"):
        lose(among_pigs, TEN)
    with pytest.raises(ValueError, match="the game expects 'throw', got 'bonus'"):
        bonus(among_pigs, Thrown(pigs("other")))


@pytest.mark.parametrize("wanted", [("side_no_dot",), ("side_no_dot", "side_dot")])
def test_a_match_comes_before_a_pig_out(wanted):
    after = step(a_game(RollCard(wanted, 5)), *wanted)
    assert kinds(after) == ["threw", "matched", "bonus_due"]


def test_staying_jowler_of_a_player_who_is_out_counts_no_more():
    game = first_throws(a_game(JOWLER_PAIR), 1)
    game = first_throws(throw(game, "leaning_jowler", "other"), 2)
    game = throw(game, "other", is_touching=True)
    assert game.seats[1].is_out
    assert game.seats[1].staying
    assert first_throws(game, 1).covered == (JOWLER_PAIR,)
