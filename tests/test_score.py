"""The rulebook's table of landings, whole: every pair of positions under every touch.

Source: the rulebook of Pass the Pigs. Singles, the other pig on its side: trotter and razorback 5,
snouter 10, leaning jowler 15; doubles 20, 20, 40 and 60; a mixed combo the sum; a sider 1; pig out
0, and the turn's points are lost; an Oinker costs all points of the game, a Piggyback the game.
That pigs in no position of the rulebook are thrown again is our decision.
"""

from itertools import combinations_with_replacement, product

import pytest

from sim.game.score import EFFECTS, SCORE_NAMES, SCORED_POSITIONS, TOUCHES, score
from sim.position import POSITIONS
from sim.touch import TOUCHES as JUDGED_TOUCHES

RULEBOOK = {
    ("side_no_dot", "side_no_dot"): ("sider", 1, "none"),
    ("side_no_dot", "side_dot"): ("pig_out", 0, "turn_lost"),
    ("side_no_dot", "trotter"): ("trotter", 5, "none"),
    ("side_no_dot", "razorback"): ("razorback", 5, "none"),
    ("side_no_dot", "snouter"): ("snouter", 10, "none"),
    ("side_no_dot", "leaning_jowler"): ("leaning_jowler", 15, "none"),
    ("side_no_dot", "other"): ("other", 0, "none"),
    ("side_dot", "side_dot"): ("sider", 1, "none"),
    ("side_dot", "trotter"): ("trotter", 5, "none"),
    ("side_dot", "razorback"): ("razorback", 5, "none"),
    ("side_dot", "snouter"): ("snouter", 10, "none"),
    ("side_dot", "leaning_jowler"): ("leaning_jowler", 15, "none"),
    ("side_dot", "other"): ("other", 0, "none"),
    ("trotter", "trotter"): ("double_trotter", 20, "none"),
    ("trotter", "razorback"): ("mixed_combo", 10, "none"),
    ("trotter", "snouter"): ("mixed_combo", 15, "none"),
    ("trotter", "leaning_jowler"): ("mixed_combo", 20, "none"),
    ("trotter", "other"): ("other", 0, "none"),
    ("razorback", "razorback"): ("double_razorback", 20, "none"),
    ("razorback", "snouter"): ("mixed_combo", 15, "none"),
    ("razorback", "leaning_jowler"): ("mixed_combo", 20, "none"),
    ("razorback", "other"): ("other", 0, "none"),
    ("snouter", "snouter"): ("double_snouter", 40, "none"),
    ("snouter", "leaning_jowler"): ("mixed_combo", 25, "none"),
    ("snouter", "other"): ("other", 0, "none"),
    ("leaning_jowler", "leaning_jowler"): ("double_leaning_jowler", 60, "none"),
    ("leaning_jowler", "other"): ("other", 0, "none"),
    ("other", "other"): ("other", 0, "none"),
}


def test_words_are_those_of_the_landings():
    assert set(SCORED_POSITIONS) == set(POSITIONS)
    assert TOUCHES == JUDGED_TOUCHES


def test_table_covers_every_pair():
    pairs = {frozenset(pair) for pair in combinations_with_replacement(POSITIONS, 2)}
    assert {frozenset(pair) for pair in RULEBOOK} == pairs


@pytest.mark.parametrize(("pair", "expected"), RULEBOOK.items())
def test_rulebook_scores_pair(pair, expected):
    worth = score(*pair)
    assert (worth.name, worth.points, worth.effect) == expected


@pytest.mark.parametrize("pair", list(product(POSITIONS, repeat=2)))
@pytest.mark.parametrize("touch", TOUCHES)
def test_order_of_pigs_does_not_matter(pair, touch):
    a, b = pair
    worth = score(a, b, touch)
    assert worth == score(b, a, touch)
    assert worth.name in SCORE_NAMES
    assert worth.effect in EFFECTS
    assert worth.reason


@pytest.mark.parametrize("pair", list(product(POSITIONS, repeat=2)))
def test_touching_comes_before_positions(pair):
    oinker, piggyback = score(*pair, "oinker"), score(*pair, "piggyback")
    assert (oinker.name, oinker.points, oinker.effect) == ("oinker", 0, "game_points_lost")
    assert (piggyback.name, piggyback.points, piggyback.effect) == ("piggyback", 0, "out_of_game")


def test_every_name_can_be_scored():
    landings = product(POSITIONS, POSITIONS, TOUCHES)
    assert {score(*landing).name for landing in landings} == set(SCORE_NAMES)


@pytest.mark.parametrize("words", [("side", "trotter"), ("trotter", ""), ("Trotter", "trotter")])
def test_unknown_position_is_refused_with_the_choices(words):
    with pytest.raises(ValueError, match=r"expected one of side_no_dot, side_dot, .*other"):
        score(*words)


def test_unknown_touch_is_refused():
    with pytest.raises(ValueError, match="touch 'kiss': expected one of none, oinker, piggyback"):
        score("trotter", "trotter", "kiss")
