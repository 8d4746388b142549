"""Many games at once: the rules one by one, exactly; strategies; speed."""

import time
from collections.abc import Sequence

import numpy as np
import pytest
from test_game_rules import LANDINGS

from sim.game import tournament
from sim.game.caller import NO_CALL, HogCaller
from sim.game.hog_call import CALLS, Call
from sim.game.optimum import Outcomes, solve
from sim.game.rules import CHOICES, Game, Rules, stop, throw
from sim.game.session import situation
from sim.game.source import Landing, LandingTable, RecordedSource
from sim.game.strategy import HoldAt, Keen, Optimal, Situations, ThrowUntil, decide, keen
from sim.game.tournament import Seat, Tables, play_tournament
from sim.published import KERN_2006

PUBLISHED = LandingTable.published(KERN_2006)
WILD = LandingTable.from_counts(dict.fromkeys(LANDINGS, 1), "every landing equally likely")
HOUSE_RULES = [
    Rules(),
    Rules(hog_call="off"),
    Rules(hog_call="older", older_wrong="nothing"),
    Rules(hog_call="older", target=60),
    *(Rules(**{name: choices[-1]}, target=80) for name, choices in CHOICES.items()),
]


class Insistent(HogCaller):
    """Calls at every second score, whatever it gains: exercises the calls that never pay."""

    def best(self, own, thrower, turn):
        return np.where((own + thrower) % 2 == 0, (own + 3 * thrower + turn) % len(CALLS), NO_CALL)


def play_one(seats: Sequence[Seat], game: Game, landings: Sequence[Landing]) -> tuple[Game, int]:
    """Play by the rules, move by move."""
    thrown = 0
    while game.winner is None:
        seat = seats[game.thrower]
        if game.may_stop and not decide(seat.strategy, situation(game))[0]:
            game = stop(game)
            continue
        game = throw(game, landings[thrown], game.standing or _call(seats, game))
        thrown += 1
    return game, thrown


def _call(seats: Sequence[Seat], game: Game) -> Call | None:
    for player in game.callers():
        if seats[player].caller is None:
            continue
        points = (game.scores[player], game.scores[game.thrower], game.turn)
        best = int(seats[player].caller.best(*(np.array([one]) for one in points))[0])
        if best != NO_CALL:
            return Call(player, CALLS[best])
    return None


@pytest.mark.parametrize("rules", HOUSE_RULES)
@pytest.mark.parametrize("table", [PUBLISHED, WILD])
def test_games_at_once_are_the_rules_move_by_move(rules, table):
    games, throws = 40, 5000
    seats = [
        Seat(HoldAt(20), Insistent(rules, table)),
        Seat(ThrowUntil(3)),
        Seat(keen(Outcomes.of_pigs(table)), Insistent(rules, table)),
    ]
    drawn = table.draw(np.random.default_rng(5), games * throws).reshape(games, throws)
    beginner = np.arange(games) % len(seats)
    tables = Tables(seats, rules, table, beginner)
    tables.play(lambda at: drawn[at, tables.thrown[at]])
    for number in range(games):
        landings = [table.landings[one] for one in drawn[number]]
        begun = Game(rules, ("a", "b", "c"), thrower=int(beginner[number]))
        game, thrown = play_one(seats, begun, landings)
        assert tables.winner[number] == game.winner
        assert tuple(tables.scores[number]) == game.scores
        assert tuple(tables.out[number]) == game.out
        assert tables.thrown[number] == thrown


def test_same_seed_same_games_and_blocks_add_up():
    seats = [Seat(HoldAt(20)), Seat(HoldAt(30))]
    done = []
    found = play_tournament(
        seats, Rules(), PUBLISHED, 60_001, 7, lambda games, total: done.append((games, total))
    )
    again = play_tournament(seats, Rules(), PUBLISHED, 60_001, 7)
    assert (found.wins == again.wins).all()
    assert found.wins.sum() == 60_001
    assert done == [(50_000, 60_001), (60_001, 60_001)]
    other = play_tournament(seats, Rules(), PUBLISHED, 60_001, 8)
    assert (found.wins != other.wins).any()


def test_first_turn_goes_round_so_equal_players_win_equally():
    """Three equal players, 30,000 games: 5 standard deviations, false alarm 1e-6."""
    found = play_tournament([Seat(HoldAt(20))] * 3, Rules(), PUBLISHED, 30_000, 3)
    assert abs(found.wins - 10_000).max() < 5 * np.sqrt(30_000 * 2 / 9)
    assert found.first_wins > 10_000, "who begins has an advantage"


def test_hundred_thousand_games_take_seconds():
    """2 s on a quiet core."""
    optimum = solve(Outcomes.of_pigs(PUBLISHED), 100)
    begun = time.perf_counter()
    play_tournament([Seat(Optimal(optimum)), Seat(HoldAt(20))], Rules(), PUBLISHED, 100_000, 0)
    assert time.perf_counter() - begun < 30


def at(own: int, others: tuple[int, ...], turn: int, throws: int = 1) -> Situations:
    return Situations(
        np.array([own]), np.array([others]), np.array([turn]), np.array([throws]), 100
    )


def test_strategies_do_what_they_are_called():
    assert decide(HoldAt(20), at(0, (0,), 19))[0]
    assert not decide(HoldAt(20), at(0, (0,), 20))[0]
    assert decide(ThrowUntil(3), at(0, (0,), 50, throws=2))[0]
    assert not decide(ThrowUntil(3), at(0, (0,), 1, throws=3))[0]
    assert not decide(HoldAt(500), at(90, (0,), 10))[0], "everybody stops at the target"


def test_keen_player_looks_at_scores():
    one = Keen(20.0)
    assert decide(one, at(0, (0,), 20))[0]
    assert not decide(one, at(0, (0,), 21))[0]
    assert decide(one, at(0, (40,), 25))[0], "behind"
    assert not decide(one, at(40, (0,), 16))[0], "ahead"
    assert decide(one, at(0, (71,), 60))[0], "race"
    assert decide(one, at(0, (-1, 71), 60))[0], "the best of the others counts"
    assert not decide(one, at(0, (70,), 60))[0]


def test_recorded_source_draws_each_throw_by_seed_and_number():
    source = RecordedSource(PUBLISHED, 4)
    landings = [source.throw() for _ in range(20)]
    later = RecordedSource(PUBLISHED, 4, thrown=12)
    assert [later.throw() for _ in range(8)] == landings[12:]
    assert (source.thrown, later.thrown) == (20, 20)


def test_published_table_keeps_the_counts():
    """Kern (2006): single pigs' shares and the touching rate come back; pigs independent."""
    shares, touching = dict.fromkeys(KERN_2006.counts, 0.0), 0.0
    for landing, probability in zip(PUBLISHED.landings, PUBLISHED.probabilities, strict=True):
        touching += probability * (landing.touch != "none")
        for position in landing.positions if landing.touch == "none" else ():
            shares[position] += probability / 2 / (1 - KERN_2006.touching_share())
    assert shares == pytest.approx({p: KERN_2006.share(p) for p in KERN_2006.counts})
    assert touching == pytest.approx(KERN_2006.touching_share())


@pytest.mark.parametrize(
    ("counts", "share"), [((3, 0), "none"), ((9991, 9), "fewer than 1 in 1,000")]
)
def test_table_with_which_no_game_ends_is_refused(counts, share):
    landings = Landing(("side_dot", "side_no_dot")), Landing(("trotter", "side_dot"))
    with pytest.raises(ValueError, match=f"bad luck: of its throws {share} scores"):
        LandingTable.from_counts(dict(zip(landings, counts, strict=True)), "bad luck")
    LandingTable.from_counts(dict(zip(landings, (9989, 11), strict=True)), "little luck")


def test_tournament_that_does_not_end_says_so(monkeypatch):
    monkeypatch.setattr(tournament, "MOST_THROWS", 300)
    with pytest.raises(ValueError, match=r"not over after 300 throws.* reach 10000 points"):
        play_tournament([Seat(HoldAt(20))] * 2, Rules(10_000), PUBLISHED, 5, 0)
