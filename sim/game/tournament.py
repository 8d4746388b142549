"""Many games of strategies at once, by the rules of `sim.game.rules`, one array element a game.

Tests hold the two together: the same landings give the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sim.game.caller import NO_CALL, HogCaller
from sim.game.hog_call import CALLS, LEAST_POINTS, callable_outcome
from sim.game.rules import Rules
from sim.game.score import EFFECTS, score
from sim.game.source import LandingTable
from sim.game.strategy import Situations, Strategy, decide

GAMES_AT_ONCE = 50_000

MOST_THROWS = 20_000
"""Of a game; one to 100 takes some 50."""

_NOBODY = -1
_NONE, _TURN_LOST, _POINTS_LOST, _OUT = (
    EFFECTS.index(effect) for effect in ("none", "turn_lost", "game_points_lost", "out_of_game")
)


@dataclass(frozen=True)
class Seat:
    """A player of a tournament.

    Attributes:
        strategy: Throws and stops.
        caller: Makes hog calls; None for a player who makes none.
    """

    strategy: Strategy
    caller: HogCaller | None = None


@dataclass(frozen=True)
class Standings:
    """What n games came to; sums, so that blocks of games add up.

    Attributes:
        wins: Of each player.
        first_wins: Games won by whoever had the first turn.
        throws: Of all games.
        points: The players' scores when the games ended, summed over games.
    """

    wins: np.ndarray
    first_wins: int
    throws: int
    points: np.ndarray

    def __add__(self, other: Standings) -> Standings:
        """Take two blocks of games together."""
        return Standings(
            self.wins + other.wins,
            self.first_wins + other.first_wins,
            self.throws + other.throws,
            self.points + other.points,
        )


def play_tournament(
    seats: Sequence[Seat],
    rules: Rules,
    table: LandingTable,
    games: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Standings:
    """Play games, the first turn going round: player (g mod players) begins game g.

    Args:
        seats: The players.
        rules: That hold.
        table: Landings are drawn from it.
        games: How many.
        seed: The same seed, the same games.
        progress: Called with games done and all games.
    """
    total = Standings(np.zeros(len(seats), np.int64), 0, 0, np.zeros(len(seats), np.int64))
    for block, first in enumerate(range(0, games, GAMES_AT_ONCE)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
        numbers = np.arange(first, min(first + GAMES_AT_ONCE, games))
        beginner = numbers % len(seats)
        tables = Tables(seats, rules, table, beginner)
        total += tables.play(partial(_drawn, table, rng))
        if progress:
            progress(first + len(numbers), games)
    return total


def _drawn(table: LandingTable, rng: np.random.Generator, games: np.ndarray) -> np.ndarray:
    return table.draw(rng, len(games))


class Tables:
    """n games side by side; players keep their numbers, whoever begins.

    Attributes:
        scores: (n, players).
        out: Who is out, (n, players).
        winner: (n,), -1 while a game goes on.
        thrown: Throws so far, (n,).
    """

    def __init__(
        self, seats: Sequence[Seat], rules: Rules, table: LandingTable, beginner: np.ndarray
    ) -> None:
        n, players = len(beginner), len(seats)
        self._seats, self._rules, self._beginner = tuple(seats), rules, beginner
        worths = [score(*landing.positions, landing.touch) for landing in table.landings]
        outcomes = [callable_outcome(landing) for landing in table.landings]
        self._points = np.array([worth.points for worth in worths])
        self._effect = np.array([EFFECTS.index(worth.effect) for worth in worths])
        self._is_other = np.array([worth.name == "other" for worth in worths])
        self._outcome = np.array([CALLS.index(o) if o else NO_CALL - 1 for o in outcomes])
        self._thrower = beginner.copy()
        self._turn, self._throws = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._is_rethrow = np.zeros(n, bool)
        self._called = np.full(n, NO_CALL)
        self._caller = np.full(n, _NOBODY)
        self.scores = np.zeros((n, players), np.int64)
        self.out = np.zeros((n, players), bool)
        self.winner = np.full(n, _NOBODY)
        self.thrown = np.zeros(n, np.int64)

    def play(self, draw: Callable[[np.ndarray], np.ndarray]) -> Standings:
        """Play every game to its end.

        Args:
            draw: Gives one number in the table's landings for each game that still goes on.

        Raises:
            ValueError: If a game does not end within `MOST_THROWS`.
        """
        while len(going := np.flatnonzero(self.winner == _NOBODY)):
            if self.thrown.max() >= MOST_THROWS:
                raise ValueError(
                    f"a game was not over after {MOST_THROWS:,} throws: these players rarely reach "
                    f"{self._rules.target} points by these throws"
                )
            self._stop(self._stopping(going))
            going = going[self.winner[going] == _NOBODY]
            self._call(going)
            self._land(going, draw(going))
        wins = np.bincount(self.winner, minlength=len(self._seats))
        first_wins = int((self.winner == self._beginner).sum())
        return Standings(wins, first_wins, int(self.thrown.sum()), self.scores.sum(axis=0))

    def _stopping(self, games: np.ndarray) -> np.ndarray:
        """Ask the throwers who may stop; give the games where they do."""
        free = games[(self._throws[games] > 0) & ~self._is_rethrow[games]]
        stopping = []
        for player, seat in enumerate(self._seats):
            asked = free[self._thrower[free] == player]
            if len(asked):
                stopping.append(asked[~decide(seat.strategy, self._situations(asked, player))])
        return np.concatenate(stopping) if stopping else free

    def _situations(self, games: np.ndarray, player: int) -> Situations:
        players = len(self._seats)
        left = [(player + step) % players for step in range(1, players)]
        others = np.where(self.out[games][:, left], -1, self.scores[games][:, left])
        own = self.scores[games, player]
        return Situations(own, others, self._turn[games], self._throws[games], self._rules.target)

    def _stop(self, games: np.ndarray) -> None:
        thrower = self._thrower[games]
        self.scores[games, thrower] += self._turn[games]
        has_won = self.scores[games, thrower] >= self._rules.target
        self.winner[games[has_won]] = thrower[has_won]
        self._pass_on(games[~has_won])

    def _pass_on(self, games: np.ndarray) -> None:
        players = len(self._seats)
        waiting = games
        while len(waiting):
            self._thrower[waiting] = (self._thrower[waiting] + 1) % players
            waiting = waiting[self.out[waiting, self._thrower[waiting]]]
        self._turn[games] = self._throws[games] = 0

    def _call(self, games: np.ndarray) -> None:
        """Ask the callers from each thrower's left; a call that stands keeps them silent."""
        if self._rules.hog_call == "off" or not any(seat.caller for seat in self._seats):
            return
        players = len(self._seats)
        for step in range(1, players):
            silent = games[self._called[games] == NO_CALL]
            asked = (self._thrower[silent] + step) % players
            for player, seat in enumerate(self._seats):
                if seat.caller is None:
                    continue
                at = silent[asked == player]
                at = at[~self.out[at, player] & (self.scores[at, player] >= LEAST_POINTS)]
                own, thrower = self.scores[at, player], self.scores[at, self._thrower[at]]
                self._called[at] = seat.caller.best(own, thrower, self._turn[at])
                self._caller[at] = player

    def _land(self, games: np.ndarray, landing: np.ndarray) -> None:
        self.thrown[games] += 1
        is_other = self._is_other[landing]
        self._is_rethrow[games] = is_other
        if self._rules.call_on_other == "lapses":
            self._called[games[is_other]] = NO_CALL
        games, landing = games[~is_other], landing[~is_other]
        self._throws[games] += 1
        called = self._called[games]
        self._called[games] = NO_CALL
        effect = self._effect[landing]
        scoring = effect == _NONE
        bet = scoring & (called != NO_CALL)
        plain = scoring & ~bet
        self._turn[games[plain]] += self._points[landing[plain]]
        if bet.any():
            is_right = self._outcome[landing[bet]] == called[bet]
            self._settle(games[bet], self._points[landing[bet]], is_right)
        oinkers = games[effect == _POINTS_LOST]
        self.scores[oinkers, self._thrower[oinkers]] = 0
        self._pass_on(games[(effect == _TURN_LOST) | (effect == _POINTS_LOST)])
        self._put_out(games[effect == _OUT])

    def _settle(self, games: np.ndarray, points: np.ndarray, is_right: np.ndarray) -> None:
        rules, stakes = self._rules, self._rules.stakes
        thrower, caller = self._thrower[games], self._caller[games]
        if rules.called_throw == "counted":
            self._turn[games] += points
        self._gain(
            games, caller, points * np.where(is_right, stakes.caller_right, stakes.caller_wrong)
        )
        gain = points * np.where(is_right, stakes.thrower_right, stakes.thrower_wrong)
        to_turn = ~is_right if rules.call_gain == "turn" else np.zeros(len(games), bool)
        self._turn[games[to_turn]] += gain[to_turn]
        self._gain(games[~to_turn], thrower[~to_turn], gain[~to_turn])
        if rules.called_turn == "lost":
            self._pass_on(games[is_right & (self.winner[games] == _NOBODY)])

    def _gain(self, games: np.ndarray, player: np.ndarray, points: np.ndarray) -> None:
        self.scores[games, player] = np.maximum(0, self.scores[games, player] + points)
        has_won = self.scores[games, player] >= self._rules.target
        self.winner[games[has_won]] = player[has_won]

    def _put_out(self, games: np.ndarray) -> None:
        self.out[games, self._thrower[games]] = True
        self._pass_on(games)
        is_last = (~self.out[games]).sum(axis=1) == 1
        self.winner[games[is_last]] = self._thrower[games[is_last]]
