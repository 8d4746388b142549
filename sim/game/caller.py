"""Hog calls by expected gain."""

from __future__ import annotations

import numpy as np

from sim.game.hog_call import CALLS, callable_outcome
from sim.game.optimum import Outcomes
from sim.game.rules import Rules
from sim.game.score import score
from sim.game.source import LandingTable

NO_CALL = -1


class HogCaller:
    """Calls the outcome with the largest expected gain over the thrower, if that is above 0.

    The gain is the caller's change of score less the thrower's, both as the rules cut them off
    at 0. A gain that joins the turn's points counts less, by the chance that the next throw loses
    it, where the thrower is expected to throw again: below the balance of gain and risk. What a
    call does to the others, or beyond the target, is not looked at.
    """

    def __init__(self, rules: Rules, table: LandingTable) -> None:
        chances, points = _callable_shares(table)
        stakes, scores = rules.stakes, np.arange(rules.target)
        self._caller = _expected(chances, points, scores, stakes.caller_right, stakes.caller_wrong)
        self._thrower = _expected(
            chances, points, scores, stakes.thrower_right, stakes.thrower_wrong
        )
        if rules.called_throw == "forfeited":
            self._thrower -= chances @ points
        self._turn_lost = chances if rules.called_turn == "lost" else np.zeros(len(CALLS))
        if rules.called_turn == "lost" and rules.called_throw == "counted":
            self._thrower -= (chances * points)[:, None]
        is_counted, gain = rules.called_throw == "counted", stakes.thrower_wrong * points
        self._outcomes = Outcomes.of_pigs(table)
        self._to_turn = gain + is_counted * points
        self._at_risk = chances * gain if rules.call_gain == "turn" else None

    def best(self, own: np.ndarray, thrower: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Choose calls in n games at once.

        Args:
            own: The caller's score, (n,).
            thrower: The thrower's score, (n,).
            turn: Points of the thrower's turn so far, (n,).

        Returns:
            Numbers in `CALLS`, NO_CALL where no call gains, (n,).
        """
        gains = self.gains(own, thrower, turn)
        best = gains.argmax(axis=0)
        return np.where(gains[best, np.arange(len(best))] > 0, best, NO_CALL)

    def gains(self, own: np.ndarray, thrower: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Expected gain of each call over the thrower, (calls, n); see `best`."""
        lost = self._turn_lost[:, None] * turn
        return self._caller[:, own] - self._thrower[:, thrower] + lost + self._risked(turn)

    def _risked(self, turn: np.ndarray) -> np.ndarray:
        """Of the gains that join the turn, what a pig out is expected to take, (calls, n)."""
        if self._at_risk is None:
            return np.zeros((len(CALLS), len(turn)))
        goes_on = turn + self._to_turn[:, None] < self._outcomes.balance
        taken = self._outcomes.turn_lost * self._at_risk[:, None] * goes_on
        return taken.sum(axis=0) - taken  # by every outcome but the one called


def _callable_shares(table: LandingTable) -> tuple[np.ndarray, np.ndarray]:
    """Probability and points of each of `CALLS`, given that the throw is not thrown again."""
    chances, points = np.zeros(len(CALLS)), np.zeros(len(CALLS))
    again = 0.0
    for landing, probability in zip(table.landings, table.probabilities, strict=True):
        outcome, worth = callable_outcome(landing), score(*landing.positions, landing.touch)
        if outcome is not None:
            chances[CALLS.index(outcome)] += probability
            points[CALLS.index(outcome)] = worth.points
        elif worth.name == "other":
            again += probability
    return chances / (1 - again), points


def _expected(
    chances: np.ndarray, points: np.ndarray, scores: np.ndarray, right: int, wrong: int
) -> np.ndarray:
    """Expected change of a score by each call, (calls, scores); no score falls below 0."""
    if_right = np.maximum(right * points[:, None], -scores)
    if_wrong = np.maximum(wrong * points[:, None], -scores)
    return chances[:, None] * (if_right - if_wrong) + chances @ if_wrong
