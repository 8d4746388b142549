"""Strategies: whether to throw again or stop, decided for many games at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.game.optimum import Optimum, Outcomes


@dataclass(frozen=True)
class Situations:
    """What throwers look at, in n games side by side.

    Attributes:
        own: The thrower's score, (n,).
        others: Scores of the others, from the thrower's left, (n, players - 1); -1 for who is out.
        turn: Points of the turn so far, (n,).
        throws: Of the turn so far, (n,), all above 0.
        target: Points that win.
    """

    own: np.ndarray
    others: np.ndarray
    turn: np.ndarray
    throws: np.ndarray
    target: int


class Strategy(Protocol):
    """Decides after every throw that leaves the choice."""

    def throw_again(self, at: Situations) -> np.ndarray:
        """Tell in which games to throw again, (n,); nobody asks where stopping wins."""
        ...


def decide(strategy: Strategy, at: Situations) -> np.ndarray:
    """Tell in which games to throw again, (n,); whoever wins by stopping stops."""
    return (at.own + at.turn < at.target) & strategy.throw_again(at)


@dataclass(frozen=True)
class HoldAt:
    """Throw until the turn holds this many points."""

    points: int

    def throw_again(self, at: Situations) -> np.ndarray:
        """See Strategy."""
        return at.turn < self.points


@dataclass(frozen=True)
class ThrowUntil:
    """Throw this many times in a turn."""

    throws: int

    def throw_again(self, at: Situations) -> np.ndarray:
        """See Strategy."""
        return at.throws < self.throws


@dataclass(frozen=True)
class Keen:
    """Hold near the balance of gain and risk, more when behind; race when anyone nears the target.

    Any number of players; the others count by the best of them.

    Attributes:
        balance: Points of a turn at which one more throw wins as much as it risks.

    References:
        Neller, T. W., Presser, C. G. M. (2010), "Practical Play of the Dice Game Pig", UMAP
        Journal 31(1), "end race or keep pace": race at 71 of 100, else hold at 21 + lead / 8. Here
        21 is the balance of the landings (20 for Pig), and 29 short of any target is near it.
    """

    balance: float

    _NEAR = 29
    _PACE = 8

    def throw_again(self, at: Situations) -> np.ndarray:
        """See Strategy."""
        leader = at.others.max(axis=1)
        is_race = np.maximum(leader, at.own) >= at.target - self._NEAR
        return is_race | (at.turn < self.balance + 1 + (leader - at.own) / self._PACE)


@dataclass(frozen=True, eq=False)
class Optimal:
    """The best play for two; see `sim.game.optimum.solve`."""

    optimum: Optimum

    def throw_again(self, at: Situations) -> np.ndarray:
        """See Strategy."""
        turn = np.minimum(at.turn, at.target - 1)
        return self.optimum.throw_again[turn, at.own, at.others[:, 0]]


def keen(outcomes: Outcomes) -> Keen:
    """Suit the keen player to how the pigs land."""
    return Keen(min(outcomes.balance, 1e6))
