"""Hog calls: every call upon every landing, by both accounts and under every option."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from test_game_rules import LANDINGS, expected_effect

from sim.game.caller import NO_CALL, HogCaller
from sim.game.hog_call import CALLS, Call, callable_outcome, read_call
from sim.game.optimum import Outcomes
from sim.game.rules import CHOICES, Game, IllegalMove, Rules, throw
from sim.game.source import Landing, LandingTable
from sim.published import KERN_2006

ACCOUNTS = {
    # (caller, thrower) as multiples of the points thrown, right and wrong
    "default": ((2, -2), (-2, 2)),  # Winning Moves, "Version II for Pig Fanatics"
    "older": ((1, -2), (-2, 1)),  # Wikipedia, "Pass the Pigs"; wrong: our decision, mirrored
    "older, nothing": ((1, -2), (0, 0)),  # as above; wrong: not told, so nothing
}
OPTIONS = [name for name in CHOICES if name not in ("hog_call", "older_wrong")]
HOUSES = [
    dict(zip(OPTIONS, chosen, strict=True)) for chosen in product(*(CHOICES[o] for o in OPTIONS))
]


def rules_of(account: str, house: dict[str, str]) -> Rules:
    name, _, wrong = account.partition(", ")
    return Rules(hog_call=name, older_wrong=wrong or "mirrored", **house)


def named(landing: Landing) -> str | None:
    """What a caller would have had to say, read off the positions."""
    upright = sorted(p for p in landing.positions if not p.startswith("side"))
    if expected_effect(landing)[1] != "none":
        return None
    if len(upright) < 2:
        return upright[0] if upright else "sider"
    if upright[0] == upright[1]:
        return f"double_{upright[0]}"
    return next(call for call in CALLS if set(call.split("+")) == set(upright))


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("account", ACCOUNTS)
def test_every_call_upon_every_landing(account, house):
    rules = rules_of(account, house)
    for outcome, landing, scores in product(CALLS, LANDINGS, ((0, 20), (30, 50), (99, 99))):
        game = Game(rules, ("thrower", "caller"), scores, turn=7, throws=1)
        after = throw(game, landing, Call(1, outcome))
        points, effect = expected_effect(landing)
        if effect == "again":
            stands = house["call_on_other"] == "stands"
            assert after.standing == (Call(1, outcome) if stands else None)
            continue
        assert after.standing is None
        if effect != "none":  # a call upon 0 points moves nothing
            assert replace(after, standing=None) == throw(game, landing)
            continue
        is_right = named(landing) == outcome
        caller, thrower = ACCOUNTS[account][0 if is_right else 1]
        is_at_risk = not is_right and house["call_gain"] == "turn"
        moved = (0 if is_at_risk else thrower * points, caller * points)
        assert after.scores == tuple(max(0, s + m) for s, m in zip(scores, moved, strict=True))
        turn = 7 + points * (house["called_throw"] == "counted") + is_at_risk * thrower * points
        if max(after.scores) >= 100:
            assert after.winner == after.scores.index(max(after.scores))
        elif is_right and house["called_turn"] == "lost":
            assert (after.thrower, after.turn, after.throws) == (1, 0, 0)
        else:
            assert (after.thrower, after.turn, after.throws) == (0, turn, 2)


@pytest.mark.parametrize("landing", LANDINGS)
def test_what_can_be_called(landing):
    assert callable_outcome(landing) == named(landing)
    assert callable_outcome(Landing(landing.positions[::-1], landing.touch)) == named(landing)


def test_pig_out_oinker_and_piggyback_cannot_be_called():
    assert len(CALLS) == 1 + 4 + 4 + 6
    for word in ("pig_out", "oinker", "piggyback", "mixed_combo", "other"):
        with pytest.raises(ValueError, match="expected one of sider, trotter"):
            Call(1, word)


def test_caller_needs_twenty_points_and_another_ones_throw():
    game = Game(Rules(), tuple("abcd"), (50, 19, 20, 99), (False, False, False, True))
    assert game.callers() == (2,)
    landing = Landing(("trotter", "side_dot"))
    for caller in (0, 1, 3, 4):
        with pytest.raises(IllegalMove, match="cannot call"):
            throw(game, landing, Call(caller, "trotter"))
    off = replace(game, rules=Rules(hog_call="off"))
    assert off.callers() == ()
    with pytest.raises(IllegalMove, match="cannot call"):
        throw(off, landing, Call(2, "trotter"))


def test_callers_are_asked_from_the_throwers_left():
    game = Game(Rules(), tuple("abcd"), (50, 20, 20, 20), thrower=2)
    assert game.callers() == (3, 0, 1)


def test_call_stands_for_the_throw_that_is_repeated_and_nobody_calls_again():
    game = Game(Rules(), ("a", "b", "c"), (30, 40, 50))
    game = throw(game, Landing(("other", "trotter")), Call(2, "trotter"))
    assert game.callers() == ()
    with pytest.raises(IllegalMove):
        throw(game, Landing(("trotter", "side_dot")), Call(1, "trotter"))
    assert throw(game, Landing(("trotter", "side_dot"))).scores == (20, 40, 60)
    lapsed = Game(Rules(call_on_other="lapses"), ("a", "b", "c"), (30, 40, 50))
    lapsed = throw(lapsed, Landing(("other", "trotter")), Call(2, "trotter"))
    assert lapsed.callers() == (1, 2)
    assert throw(lapsed, Landing(("trotter", "side_dot"))).scores == (30, 40, 50)


def test_call_that_brings_the_target_wins_at_once():
    game = Game(Rules(), ("a", "b"), (30, 60))
    landing = Landing(("snouter", "snouter"))
    assert throw(game, landing, Call(1, "double_snouter")).winner == 1
    assert throw(game, landing, Call(1, "double_trotter")).winner == 0


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("sider", "sider"),
        ("Trotter", "trotter"),
        ("double trotter", "double_trotter"),
        ("double_leaning_jowler", "double_leaning_jowler"),
        ("Double Jowler", "double_leaning_jowler"),
        ("jowler", "leaning_jowler"),
        ("snouter + trotter", "trotter+snouter"),
        ("leaning jowler razorback", "razorback+leaning_jowler"),
    ],
)
def test_calls_are_read_as_people_write_them(text, outcome):
    assert read_call(text) == outcome


@pytest.mark.parametrize("outcome", CALLS)
def test_every_call_can_be_written(outcome):
    assert read_call(outcome) == outcome
    assert (
        read_call(outcome.replace("_", " ").replace("+", " and ").replace(" and ", " ")) == outcome
    )


@pytest.mark.parametrize(
    "text", ["", "pig out", "oinker", "trotter trotter", "double", "mixed combo"]
)
def test_what_cannot_be_called_is_refused_with_the_choices(text):
    with pytest.raises(ValueError, match="cannot be called: expected one of sider"):
        read_call(text)


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("account", ACCOUNTS)
def test_expected_gain_is_the_mean_over_the_rules_themselves(account, house):
    """The caller's formula against a sum over landings, each judged by the rules."""
    rules = rules_of(account, {**house, "call_gain": "score"})
    rules = replace(rules, target=10_000)
    table = LandingTable.published(KERN_2006)
    caller = HogCaller(rules, table)
    for scores, turn in (((0, 20), 0), ((31, 20), 9), ((50, 60), 30)):
        game = Game(rules, ("thrower", "caller"), scores, turn=turn, throws=1)
        gains = caller.gains(np.array([scores[1]]), np.array([scores[0]]), np.array([turn]))[:, 0]
        for number, outcome in enumerate(CALLS):
            mean = sum(
                p * (worth(throw(game, one, Call(1, outcome))) - worth(throw(game, one)))
                for one, p in zip(table.landings, table.probabilities, strict=True)
            )
            assert gains[number] == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("turn", [0, 15, 60])
@pytest.mark.parametrize("called_throw", CHOICES["called_throw"])
def test_gain_that_joins_the_turn_counts_less_by_the_next_throws_pig_out(turn, called_throw):
    """Both readings of `call_gain`, played one throw on where the thrower goes on."""
    table = LandingTable.published(KERN_2006)
    outcomes = Outcomes.of_pigs(table)
    gains, means = [], []
    for call_gain in CHOICES["call_gain"]:
        rules = Rules(10_000, call_gain=call_gain, called_throw=called_throw)
        caller = HogCaller(rules, table)
        gains.append(caller.gains(np.array([50]), np.array([200]), np.array([turn]))[:, 0])
        game = Game(rules, ("thrower", "caller"), (200, 50), turn=turn, throws=1)
        means.append([_one_throw_on(game, outcome, table, outcomes) for outcome in CALLS])
    assert gains[1] - gains[0] == pytest.approx(np.subtract(means[1], means[0]), abs=1e-9)
    assert (gains[1] > gains[0]).any() == (turn < 60)


def _one_throw_on(game: Game, outcome: str, table: LandingTable, outcomes: Outcomes) -> float:
    """Expected lead of the caller; a pig out alone tells the two readings apart."""
    mean = 0.0
    pig_out = Landing(("side_no_dot", "side_dot"))
    for landing, probability in zip(table.landings, table.probabilities, strict=True):
        after = throw(game, landing, Call(1, outcome))
        lead = worth(after)
        gained = after.turn + after.scores[0] - 200
        is_wrong = callable_outcome(landing) not in (None, outcome)
        if is_wrong and gained < outcomes.balance:
            lost = outcomes.turn_lost
            lead = (1 - lost) * lead + lost * worth(throw(after, pig_out))
        mean += probability * lead
    return mean


def worth(game: Game) -> int:
    """The caller's lead over the thrower, the turn's points included."""
    return game.scores[1] - game.scores[0] - (game.turn if game.thrower == 0 else 0)


def test_caller_calls_what_is_likely_and_else_nothing():
    sure = LandingTable.from_counts({Landing(("trotter", "side_dot")): 1}, "sure")
    at = np.array([20]), np.array([50]), np.array([0])
    assert CALLS[HogCaller(Rules(), sure).best(*at)[0]] == "trotter"
    real = LandingTable.published(KERN_2006)
    assert HogCaller(Rules(), real).best(*at)[0] == NO_CALL
    riskless = Rules(hog_call="older", older_wrong="nothing")
    assert CALLS[HogCaller(riskless, real).best(*at)[0]] == "razorback"
