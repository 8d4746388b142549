"""The best play for two players of a jeopardy dice game, by value iteration.

The same solver takes any game of this family: throw for points, stop to keep them, lose the turn's
points to a bad throw; Pass the Pigs adds throws that cost the score of the game or the game itself.
Hog calls are not part of it.

References:
    Neller, T. W., Presser, C. G. M. (2004), "Optimal Play of the Dice Game Pig", UMAP Journal
    25(1), 25-47: equations of the winning chance, and value iteration. There the first player of
    Pig to 100 wins 53.06 % of games. Here, who has not thrown yet cannot stop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.game.score import score
from sim.game.source import LandingTable

MAX_OPTIMUM_TARGET = 200
"""The table grows with the target's cube; this one takes some 10 s and 64 MB."""

TOLERANCE = 1e-10
MAX_SWEEPS = 20_000


@dataclass(frozen=True)
class Outcomes:
    """What one throw can bring, as probabilities that sum to 1.

    Attributes:
        points: Of each throw that scores, above 0, all different.
        probabilities: Of these throws.
        turn_lost: The turn ends without its points.
        game_points_lost: The turn ends, and the score of the game is 0.
        out_of_game: The thrower has lost.
    """

    points: tuple[int, ...]
    probabilities: tuple[float, ...]
    turn_lost: float
    game_points_lost: float = 0.0
    out_of_game: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no distribution, or one with which a game would never end."""
        losses = (self.turn_lost, self.game_points_lost, self.out_of_game)
        if len(self.points) != len(self.probabilities) or not self.points:
            raise ValueError("outcomes: expected a probability for each of at least one points")
        if min(self.points) < 1 or min(*self.probabilities, *losses) < 0:
            raise ValueError("outcomes: expected points of 1 or more, probabilities of 0 or more")
        total = sum(self.probabilities) + sum(losses)
        if abs(total - 1) > 1e-9 or not sum(self.probabilities) > 0:
            raise ValueError(f"outcomes: expected probabilities of sum 1, got {total}")

    @classmethod
    def of_pigs(cls, table: LandingTable) -> Outcomes:
        """Score every landing; what is thrown again (`other`) takes no part."""
        points: dict[int, float] = {}
        effects: dict[str, float] = {}
        for landing, probability in zip(table.landings, table.probabilities.tolist(), strict=True):
            worth = score(*landing.positions, landing.touch)
            if worth.effect != "none":
                effects[worth.effect] = effects.get(worth.effect, 0.0) + probability
            elif worth.points:
                points[worth.points] = points.get(worth.points, 0.0) + probability
        counted = sum(points.values()) + sum(effects.values())
        return cls(
            tuple(sorted(points)),
            tuple(points[one] / counted for one in sorted(points)),
            **{effect: share / counted for effect, share in ({"turn_lost": 0.0} | effects).items()},
        )

    @property
    def mean_points(self) -> float:
        """Expected points of a throw."""
        return sum(p * one for p, one in zip(self.probabilities, self.points, strict=True))

    @property
    def balance(self) -> float:
        """Points of a turn at which one more throw wins as much as it risks, on average."""
        lost = self.turn_lost + self.game_points_lost + self.out_of_game
        return self.mean_points / lost if lost else np.inf


PIG_DIE = Outcomes((2, 3, 4, 5, 6), (1 / 6,) * 5, turn_lost=1 / 6)
"""Pig: one die, a 1 loses the turn's points."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Best play against best play; arrays are read-only.

    Attributes:
        win: Winning chance of who is about to begin a turn, (own score, other's score).
        throw_again: Whether to throw, (turn's points, own score, other's score).
        residual: The largest change of a chance in the last sweep.
        sweeps: Until then.
    """

    win: np.ndarray
    throw_again: np.ndarray
    residual: float
    sweeps: int

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        self.win.setflags(write=False)
        self.throw_again.setflags(write=False)


def solve(outcomes: Outcomes, target: int, tolerance: float = TOLERANCE) -> Optimum:
    """Find the best play for two, by value iteration over all scores at once.

    A bad throw hands the turn over at the same scores, and an Oinker leads back to a score of 0, so
    the states form cycles: no order of them solves in one pass. Each sweep renews all chances
    from the last sweep's chances at the start of a turn. Within a turn points only grow, so a
    turn itself is solved exactly, from its last points down.

    Args:
        outcomes: Of a throw.
        target: Points that win, 1..MAX_OPTIMUM_TARGET.
        tolerance: Of the residual.

    Raises:
        ValueError: If the target is out of range, or the chances do not settle.
    """
    if not 1 <= target <= MAX_OPTIMUM_TARGET:
        raise ValueError(f"best play is found for targets up to {MAX_OPTIMUM_TARGET}, got {target}")
    win = np.full((target, target), 0.5)
    turns = np.ones((target, target, target))
    for sweep in range(1, MAX_SWEEPS + 1):
        throw_again = _sweep(outcomes, win, turns)
        residual = float(np.abs(turns[0] - win).max())
        win = turns[0].copy()
        if residual <= tolerance:
            return Optimum(win, throw_again, residual, sweep)
    raise ValueError(f"best play not found: chances still change by {residual:.1e}")


def _sweep(outcomes: Outcomes, win: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Renew the winning chances within a turn, (turn, own, other), in place; give the decisions.

    Entries of own + turn at the target or above are 1, and stay so: to stop wins.
    """
    target = len(win)
    passed = 1.0 - win.T  # (own, other): the chance once the other has the turn
    bad = outcomes.turn_lost * passed + outcomes.game_points_lost * passed[0]
    throw_again = np.zeros(turns.shape, dtype=bool)
    for turn in range(target - 1, -1, -1):
        below = target - turn  # own scores that do not win by stopping
        thrown = bad[:below].copy()
        for points, probability in zip(outcomes.points, outcomes.probabilities, strict=True):
            within = max(below - points, 0)
            thrown[within:] += probability
            if within:
                thrown[:within] += probability * turns[turn + points, :within]
        stopped = passed[turn:] if turn else np.full(thrown.shape, -1.0)
        throw_again[turn, :below] = thrown > stopped
        np.maximum(thrown, stopped, out=turns[turn, :below])
    return throw_again
