"""Pass the Pigs, rule by rule: every landing in every kind of situation.

Source, unless a test names another: the rules that come with Pass the Pigs (Winning Moves).
"""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_score import RULEBOOK

from sim.game.hog_call import CALLS, LEAST_POINTS, Call
from sim.game.rules import (
    CHOICES,
    MAX_PLAYERS,
    MAX_TARGET,
    Game,
    IllegalMove,
    Rules,
    stop,
    throw,
)
from sim.game.score import TOUCHES
from sim.game.source import Landing

LANDINGS = [Landing(pair, touch) for pair, touch in product(RULEBOOK, TOUCHES)]
SITUATIONS = [
    Game(Rules(), names, scores, out, thrower, turn, throws)
    for names, scores, out, thrower in (
        (("a", "b"), (0, 0), (False, False), 0),
        (("a", "b"), (40, 99), (False, False), 1),
        (("a", "b", "c"), (19, 50, 20), (False, False, False), 2),
        (("a", "b", "c"), (19, 50, 20), (False, True, False), 0),
        (("a", "b", "c", "d"), (7, 0, 99, 98), (True, False, False, True), 2),
    )
    for turn, throws in ((0, 0), (12, 3), (99, 9))
]


def expected_effect(landing: Landing) -> tuple[int, str]:
    """Read points and effect off the rulebook's table."""
    if landing.touch != "none":
        return 0, {"oinker": "game_points_lost", "piggyback": "out_of_game"}[landing.touch]
    name, points, effect = RULEBOOK[landing.positions]
    return points, "again" if name == "other" else effect


def next_in(game: Game) -> int:
    """Who sits to the thrower's left, of those still in the game."""
    players = len(game.players)
    return next(p % players for p in range(game.thrower + 1, 99) if not game.out[p % players])


@pytest.mark.parametrize("landing", LANDINGS)
def test_every_landing_in_every_situation(landing):
    for game in SITUATIONS:
        check_landing(game, landing)


def check_landing(game: Game, landing: Landing) -> None:
    after = throw(game, landing)
    points, effect = expected_effect(landing)
    if effect == "none":
        assert after == replace(game, turn=game.turn + points, throws=game.throws + 1)
    elif effect == "again":  # our decision: not in the rulebook
        assert after == replace(game, is_rethrow=True)
        assert not after.may_stop
    elif effect == "turn_lost":
        assert after == replace(game, thrower=next_in(game), turn=0, throws=0)
    elif effect == "game_points_lost":
        scores = tuple(0 if p == game.thrower else s for p, s in enumerate(game.scores))
        assert after == replace(game, scores=scores, thrower=next_in(game), turn=0, throws=0)
    else:
        assert after.out == tuple(p == game.thrower or o for p, o in enumerate(game.out))
        assert after.scores == game.scores
        if after.out.count(False) == 1:
            assert after.winner == after.out.index(False), "the last one left wins"
        else:
            assert (after.winner, after.thrower, after.turn) == (None, next_in(game), 0)


@pytest.mark.parametrize("game", SITUATIONS)
def test_stop_adds_the_turn_and_passes_to_the_left_or_wins(game):
    if game.throws == 0:
        with pytest.raises(IllegalMove, match="must be thrown before a stop"):
            stop(game)
        return
    after = stop(game)
    score = game.scores[game.thrower] + game.turn
    assert after.scores[game.thrower] == score
    if score >= 100:
        assert after.winner == game.thrower
    else:
        assert (after.winner, after.thrower, after.turn, after.throws) == (
            None,
            next_in(game),
            0,
            0,
        )


def test_target_is_reached_by_stopping_only_and_exactly_suffices():
    game = Game(Rules(target=30), ("a", "b"), (10, 0), turn=15, throws=2)
    game = throw(game, Landing(("trotter", "side_dot")))
    assert game.winner is None
    assert stop(game).winner == 0
    assert stop(replace(game, turn=19)).winner is None
    assert throw(game, Landing(("side_dot", "side_no_dot"))).scores == (10, 0)


def test_nothing_moves_after_the_game():
    game = stop(Game(Rules(target=5), ("a", "b"), turn=5, throws=1))
    with pytest.raises(IllegalMove, match="the game is over"):
        throw(game, Landing(("trotter", "side_dot")))
    with pytest.raises(IllegalMove, match="the game is over"):
        stop(game)
    assert game.callers() == ()


def test_play_goes_round_to_the_left_past_those_who_are_out():
    game = Game(Rules(), tuple("abcd"))
    pig_out, piggyback = (
        Landing(("side_dot", "side_no_dot")),
        Landing(("trotter",) * 2, "piggyback"),
    )
    turns = []
    for landing in (pig_out, piggyback, pig_out, pig_out, pig_out, pig_out, piggyback, pig_out):
        turns.append(game.players[game.thrower])
        game = throw(game, landing)
    assert turns == list("abcdacda")
    assert game.winner is None
    assert throw(game, piggyback).winner == 0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"players": ("a",)}, "expected 2 to 10, got 1"),
        ({"players": tuple("abcdefghijk")}, "expected 2 to 10, got 11"),
        ({"players": ("a", "a")}, "different names"),
        ({"scores": (-1, 0)}, "0 or more"),
        ({"scores": (1.5, 0)}, "whole numbers"),
        ({"scores": (1, 2, 3)}, "2 of each"),
        ({"scores": (100, 0)}, "would have won"),
        ({"turn": 3}, "no throw"),
        ({"thrower": 2}, "number below 2"),
        ({"out": (True, False)}, "two players in it"),
        ({"out": (0, 1)}, "true or false"),
        ({"standing": Call(1, "sider")}, "thrown again"),
    ],
)
def test_states_that_no_game_has_are_refused(change, problem):
    with pytest.raises(ValueError, match=problem):
        replace(Game(Rules(), ("a", "b")), **change)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        *(({name: "nonsense"}, f"{name} 'nonsense': expected") for name in CHOICES),
        ({"target": 0}, "target"),
        ({"target": MAX_TARGET + 1}, "target"),
        ({"target": True}, "target"),
    ],
)
def test_rules_that_do_not_exist_are_refused(change, problem):
    with pytest.raises(ValueError, match=problem):
        Rules(**change)


all_rules = st.builds(
    Rules,
    target=st.integers(1, 150),
    **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
)


@given(all_rules, st.integers(2, MAX_PLAYERS), st.data())
def test_no_sequence_of_moves_breaks_an_invariant(rules, players, data):
    game = Game(rules, tuple(f"p{number}" for number in range(players)))
    for _ in range(data.draw(st.integers(0, 40))):
        if game.winner is not None:
            break
        before, call = game, None
        assert not game.out[game.thrower], "who is out never throws"
        if game.may_stop and data.draw(st.booleans()):
            game = stop(game)
        else:
            if game.callers() and data.draw(st.booleans()):
                caller = data.draw(st.sampled_from(game.callers()))
                call = Call(caller, data.draw(st.sampled_from(CALLS)))
            game = throw(game, data.draw(st.sampled_from(LANDINGS)), call)
        check_invariants(before, game, call)


def check_invariants(before: Game, after: Game, call: Call | None) -> None:
    """What holds for any move of any game."""
    assert min(after.scores) >= 0
    assert after.turn >= 0
    assert all(now or not was for was, now in zip(before.out, after.out, strict=True))
    if call is not None:
        assert before.scores[call.caller] >= LEAST_POINTS
        assert call.caller != before.thrower
        assert not before.out[call.caller]
    if after.winner is None:
        assert after.thrower in (before.thrower, next_in(before)), "turns pass left"
        assert not after.out[after.thrower]
        assert max(after.scores) < after.rules.target
    else:
        is_last = after.out.count(False) == 1 and not after.out[after.winner]
        assert is_last or after.scores[after.winner] >= after.rules.target
