"""The best play: Pig's published value, small games solved by hand, the equations themselves."""

import numpy as np
import pytest

from sim.game.optimum import MAX_OPTIMUM_TARGET, PIG_DIE, Outcomes, solve
from sim.game.rules import Rules
from sim.game.source import Landing, LandingTable
from sim.game.strategy import HoldAt, Optimal, keen
from sim.game.tournament import Seat, play_tournament
from sim.interval import wilson_interval
from sim.published import KERN_2006

PIGS = LandingTable.published(KERN_2006)


def test_neller_2004_first_player_of_pig_wins_53_06_percent():
    optimum = solve(PIG_DIE, 100)
    assert optimum.win[0, 0] == pytest.approx(0.5306, abs=5e-5)
    assert optimum.residual <= 1e-10


def test_neller_2004_pig_holds_at_different_totals():
    """To hold at 20 is not optimal: at 0 to 0 it is 21, and who is far behind risks more."""
    again = solve(PIG_DIE, 100).throw_again
    assert again[20, 0, 0]
    assert not again[21, 0, 0]
    assert again[30, 0, 90]


def test_one_throw_game_by_hand():
    """To 1 with p = 1/2: w = p + (1 - p)(1 - w), so w = 2/3."""
    assert solve(Outcomes((1,), (0.5,), 0.5), 1).win[0, 0] == pytest.approx(2 / 3, abs=1e-9)


def test_game_by_elimination_alone_by_hand():
    """To 1 with p = 1/2, else out of the game: w = p."""
    outcomes = Outcomes((1,), (0.5,), 0.0, out_of_game=0.5)
    assert solve(outcomes, 1).win[0, 0] == pytest.approx(0.5, abs=1e-9)


def test_oinker_costs_the_score_of_the_game_in_a_cyclic_game_by_hand():
    """To 2 by ones, p = 1/2 a point, 1/2 all points lost; four unknowns, solved exactly."""
    # w(own, other) at the start of a turn; after one point one may stop or throw again.
    w = {(i, j): 0.5 for i in (0, 1) for j in (0, 1)}
    for _ in range(2000):
        for i, j in w:
            lost = 1 - w[j, 0]
            after = 1.0 if i == 1 else max(1 - w[j, 1], 0.5 + 0.5 * lost)
            w[i, j] = 0.5 * after + 0.5 * lost
    solved = solve(Outcomes((1,), (0.5,), 0.0, game_points_lost=0.5), 2).win
    assert solved == pytest.approx(np.array([[w[0, 0], w[0, 1]], [w[1, 0], w[1, 1]]]), abs=1e-9)


@pytest.mark.parametrize("outcomes", [PIG_DIE, Outcomes.of_pigs(PIGS)])
def test_chances_obey_the_equations_everywhere(outcomes):
    """Bellman's equation, written out by loops for random states of a game to 40."""
    target = 40
    optimum = solve(outcomes, target)
    win = optimum.win

    def chance(own: int, other: int, turn: int) -> float:
        if own + turn >= target:
            return 1.0
        thrown = (
            sum(
                p * chance(own, other, turn + points)
                for points, p in zip(outcomes.points, outcomes.probabilities, strict=True)
            )
            + outcomes.turn_lost * (1 - win[other, own])
            + outcomes.game_points_lost * (1 - win[other, 0])
        )
        return thrown if turn == 0 else max(thrown, 1 - win[other, own + turn])

    rng = np.random.default_rng(0)
    for own, other in rng.integers(target - 14, target, (20, 2)).tolist():
        assert chance(own, other, 0) == pytest.approx(win[own, other], abs=1e-8)


def test_more_points_never_hurt():
    win = solve(Outcomes.of_pigs(PIGS), 60).win
    assert (np.diff(win, axis=0) > -1e-9).all()
    assert (np.diff(win, axis=1) < 1e-9).all()


def test_optimal_players_win_as_often_as_was_computed():
    """20,000 games against itself; false alarm 1e-3 at 99.9 %, here 95 % widened by 1.7."""
    optimum = solve(Outcomes.of_pigs(PIGS), 100)
    seats = [Seat(Optimal(optimum))] * 2
    found = play_tournament(seats, Rules(), PIGS, 20_000, seed=1)
    low, high = wilson_interval(found.first_wins, 20_000)
    assert low - 0.005 < optimum.win[0, 0] < high + 0.005


@pytest.mark.parametrize(
    "rival", [HoldAt(20), HoldAt(25), HoldAt(30), keen(Outcomes.of_pigs(PIGS))]
)
def test_nobody_beats_the_optimal_player(rival):
    optimum = solve(Outcomes.of_pigs(PIGS), 100)
    found = play_tournament([Seat(Optimal(optimum)), Seat(rival)], Rules(), PIGS, 40_000, seed=2)
    assert found.wins[0] > 20_000


def test_pigs_that_are_thrown_again_take_no_part():
    counts = {Landing(("trotter", "side_dot")): 3, Landing(("other", "trotter")): 5}
    counts |= {Landing(("side_dot", "side_no_dot")): 1, Landing(("side_dot",) * 2, "piggyback"): 1}
    outcomes = Outcomes.of_pigs(LandingTable.from_counts(counts, "few"))
    assert outcomes == Outcomes((5,), (3 / 5,), 1 / 5, out_of_game=1 / 5)
    assert outcomes.balance == pytest.approx(3 / 0.4)


@pytest.mark.parametrize(
    "outcomes",
    [
        ((), (), 1.0),
        ((1,), (0.5,), 0.4),
        ((0,), (0.5,), 0.5),
        ((1,), (1.5,), -0.5),
        ((1,), (0.0,), 1.0),
    ],
)
def test_outcomes_that_are_none_are_refused(outcomes):
    with pytest.raises(ValueError, match="outcomes: expected"):
        Outcomes(*outcomes)


@pytest.mark.parametrize("target", [0, MAX_OPTIMUM_TARGET + 1])
def test_target_out_of_range_is_refused(target):
    with pytest.raises(ValueError, match="best play is found for targets up to"):
        solve(PIG_DIE, target)
