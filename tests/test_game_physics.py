"""Games by landings that physics threw: small pigs and big ones, every account of hog calls."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from test_game_rules import check_invariants

from meshes.anatomy import BIG_LENGTH, big_pig, standard_pig
from sim.big_pig import big_scale
from sim.configuration import Configuration, configure
from sim.game.hog_call import CALLS, LEAST_POINTS, Call, callable_outcome
from sim.game.optimum import Outcomes
from sim.game.rules import Game, Rules, stop, throw
from sim.game.session import situation
from sim.game.source import LandingTable, PhysicsSource, RecordedSource, landings_of
from sim.game.strategy import HoldAt, decide, keen
from sim.pig import load_pig
from sim.position import POSITIONS
from sim.throw import Thrower

RECORDED = 150
GAMES = 1000
SETS = {"standard": ("standard", "kern2006"), "big": ("big", "drop")}


def configuration_of(rules: str, seed: int = 0) -> Configuration:
    pig, device = SETS[rules]
    return configure(seed=seed, pig=pig, device=device)


@cache
def recorded(rules: str) -> LandingTable:
    landings = Thrower(configuration_of(rules)).throw(range(RECORDED))
    return LandingTable.from_counts(Counter(landings_of(landings)), f"{RECORDED} throws")


@pytest.mark.parametrize("name", SETS)
def test_thousand_games_break_no_rule(name):
    table = recorded(name)
    source = RecordedSource(table, seed=1)
    strategies = [HoldAt(20), keen(Outcomes.of_pigs(table)), HoldAt(25), HoldAt(15)]
    rng = np.random.default_rng(0)
    called = Counter()
    for number in range(GAMES):
        players = ("a", "b", "c", "d")[: 2 + number % 3]
        game = Game(Rules(hog_call=("default", "older", "off")[number % 3]), players)
        while game.winner is None:
            before, call = game, game.standing
            if game.may_stop and not decide(strategies[game.thrower], situation(game))[0]:
                game = stop(game)
            else:
                if game.callers() and rng.random() < 0.1:
                    call = Call(game.callers()[0], CALLS[rng.integers(len(CALLS))])
                landing = source.throw()
                game = throw(game, landing, call)
                if call:
                    assert before.scores[call.caller] >= LEAST_POINTS
                    called[callable_outcome(landing) == call.outcome] += 1
            check_invariants(before, game, call)
    assert called[True] > 0
    assert called[False] > 0


def test_physics_source_throws_the_seeds_throws_in_order():
    landings = landings_of(Thrower(configuration_of("standard", seed=5)).throw([0, 1, 2]))
    source = PhysicsSource(configuration_of("standard", seed=5), thrown=1)
    assert [source.throw(), source.throw()] == landings[1:]
    assert source.thrown == 3


def test_game_is_thrown_with_two_pigs():
    with pytest.raises(ValueError, match="two pigs, got 3"):
        PhysicsSource(configure(pigs=3))


def test_big_pig_is_six_inches_long_and_the_small_ones_shape():
    small, big = standard_pig(), big_pig()
    assert np.ptp(big.hull.vertices[:, 0]) == pytest.approx(BIG_LENGTH)
    assert big.surface.is_watertight
    assert len(big.parts) == len(small.parts)
    assert big.hull.vertices == pytest.approx(small.hull.vertices * big_scale(), rel=1e-12)
    assert 0.02 < load_pig("big").mass_properties.mass < 0.1


def test_big_throws_are_small_ones_scaled_where_only_gravity_rules():
    """Froude: times grow by the root of the scale, with the small pig's contact and time step.

    Rounding differs, and bounces magnify it: not every throw must end alike.
    """
    from dataclasses import replace

    from sim.contact import Contact

    small, big = configure(device="drop"), configure(pig="big", device="drop")
    scale = big_scale()
    height = small.conditions[0].height * scale
    like = replace(
        big,
        conditions=(replace(small.conditions[0], height=height),),
        contact=replace(Contact(), bounce_speed=Contact().bounce_speed * scale**0.5),
        engine=replace(big.engine, time_step=small.engine.time_step * scale**0.5),
    )
    ends, scaled = (Thrower(c).throw(range(12)) for c in (small, like))
    assert (scaled.position == ends.position).mean() > 0.8
    is_same = (scaled.position == ends.position).all(axis=1)
    ratio = scaled.rest_time[is_same] / ends.rest_time[is_same]
    assert np.median(ratio) == pytest.approx(scale**0.5, rel=0.02)


@pytest.mark.long
def test_all_six_positions_of_big_pigs_occur():
    """1,500 throws; a leaning jowler is the rarest, some 0.4 % of pigs."""
    landings = Thrower(configuration_of("big")).throw(range(1500))
    assert (landings.status == "at_rest").mean() > 0.99
    assert set(POSITIONS) - {"other"} <= set(landings.position.ravel())
