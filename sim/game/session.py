"""One game of Pass the Pigs in a terminal, people and strategies at one table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.game.caller import NO_CALL
from sim.game.hog_call import CALLS, Call, callable_outcome, read_call
from sim.game.rules import Game, stop, throw
from sim.game.score import score
from sim.game.source import Landing, LandingSource
from sim.game.strategy import Situations, decide
from sim.game.terminal import Terminal, count_points, draw_pig
from sim.game.tournament import Seat

_THROW_WORDS = ("", "t", "throw")
_STOP_WORDS = ("s", "stop")


class Session:
    """Plays a game to its end.

    Attributes:
        at: The game after the last finished move, and the throws that its source had made; both in
            one value, so that an interrupt finds them in step.
    """

    def __init__(
        self,
        terminal: Terminal,
        game: Game,
        seats: Sequence[Seat | None],
        source: LandingSource,
    ) -> None:
        """Sit down.

        Args:
            terminal: Where people are asked and everybody is told.
            game: New or resumed.
            seats: A strategy for each player, or None for a person.
            source: Throws the pigs.
        """
        if len(seats) != len(game.players):
            raise ValueError(f"seats: expected {len(game.players)}, got {len(seats)}")
        self._terminal, self._seats, self._source = terminal, seats, source
        self.at = game, source.thrown

    @property
    def game(self) -> Game:
        """The game after the last finished move."""
        return self.at[0]

    def play(self) -> None:
        """Go on until somebody has won."""
        shown: tuple[int, ...] = ()
        while self.game.winner is None:
            if shown != (self.game.thrower, *self.game.scores):
                self._terminal.say(f"\n{scores_line(self.game)}")
                shown = self.game.thrower, *self.game.scores
            if self._wants_to_throw():
                self._throw()
            else:
                self._stop()
        game = self.game
        assert game.winner is not None
        self._terminal.say(f"\n{scores_line(game)}\n{game.players[game.winner]} wins!")

    def _wants_to_throw(self) -> bool:
        game = self.game
        seat = self._seats[game.thrower]
        if seat is None:
            return self._ask_to_throw()
        return not game.may_stop or bool(decide(seat.strategy, situation(game))[0])

    def _ask_to_throw(self) -> bool:
        game = self.game
        name = game.players[game.thrower]

        def read(answer: str) -> bool:
            word = answer.lower()
            if word in _STOP_WORDS and game.may_stop:
                return False
            if word in _THROW_WORDS:
                return True
            if word in _STOP_WORDS:
                raise ValueError("the pigs must be thrown before you stop: Enter or t throws")
            raise ValueError(f"expected {'t, s' if game.may_stop else 'Enter or t'}, or q to leave")

        if not game.may_stop:
            again = " again" if game.is_rethrow else ""
            return self._terminal.ask_until(f"{name}, Enter to throw{again}: ", read)
        have = f"{game.scores[game.thrower]} + {game.turn}"
        return self._terminal.ask_until(f"{name}, you have {have}. Throw or stop? [t/s] ", read)

    def _stop(self) -> None:
        game = self.game
        name, total = game.players[game.thrower], game.scores[game.thrower] + game.turn
        self._terminal.say(f"{name} stops with {count_points(game.turn)}, {total} in all")
        self.at = stop(game), self._source.thrown

    def _throw(self) -> None:
        before = self.game
        call = before.standing or self._call()
        landing = self._source.throw()
        after = throw(before, landing, call)
        self.at = after, self._source.thrown
        for line in tell_throw(before, landing, call, after):
            self._terminal.say(line)

    def _call(self) -> Call | None:
        """Ask who may call, from the thrower's left; the first call holds."""
        game = self.game
        for player in game.callers():
            outcome = self._ask_call(player)
            if outcome is not None:
                self._terminal.say(f"Sooee! {game.players[player]} calls {_words(outcome)}")
                return Call(player, outcome)
        return None

    def _ask_call(self, player: int) -> str | None:
        seat, game = self._seats[player], self.game
        if seat is None:
            prompt = f"{game.players[player]}, a hog call? [Enter: none] "
            return self._terminal.ask_until(prompt, lambda text: read_call(text) if text else None)
        if seat.caller is None:
            return None
        points = (game.scores[player], game.scores[game.thrower], game.turn)
        best = int(seat.caller.best(*(np.array([one]) for one in points))[0])
        return None if best == NO_CALL else CALLS[best]


def situation(game: Game) -> Situations:
    """Show a game to its thrower's strategy."""
    n = len(game.players)
    around = [(game.thrower + step) % n for step in range(1, n)]
    others = [-1 if game.out[player] else game.scores[player] for player in around]
    return Situations(
        own=np.array([game.scores[game.thrower]]),
        others=np.array([others]),
        turn=np.array([game.turn]),
        throws=np.array([game.throws]),
        target=game.rules.target,
    )


def scores_line(game: Game) -> str:
    """Write the running scores."""
    return "   ".join(
        f"{name} {'out' if is_out else points}"
        for name, points, is_out in zip(game.players, game.scores, game.out, strict=True)
    )


def lying_line(landing: Landing) -> str:
    """Draw how the pigs lie."""
    return "   ".join(draw_pig(position) for position in landing.positions)


def tell_throw(before: Game, landing: Landing, call: Call | None, after: Game) -> list[str]:
    """Say how the pigs lie and what that means, in a few lines."""
    name = before.players[before.thrower]
    worth = score(*landing.positions, landing.touch)
    lines = [f"{name}:  {lying_line(landing)}"]
    if worth.name == "other":
        return [*lines, "  a pig in no position of the rulebook: thrown again"]
    said = worth.name.replace("_", " ")
    if worth.effect == "out_of_game":
        lines.append(f"  {said}! {name} is out of the game")
    elif worth.effect == "game_points_lost":
        lines.append(f"  {said}! {name} loses all {count_points(before.scores[before.thrower])}")
    elif worth.effect == "turn_lost":
        lines.append(f"  {said}! {name} loses {count_points(before.turn)} of this turn")
    else:
        turn = f", this turn {after.turn}" if after.thrower == before.thrower else ""
        lines.append(f"  {said}: {worth.points}{turn}")
    if call is not None:
        lines.append(_tell_call(before, call, callable_outcome(landing) == call.outcome, after))
    return lines


def _tell_call(before: Game, call: Call, is_right: bool, after: Game) -> str:
    changes = [
        f"{before.players[player]} {before.scores[player]} -> {after.scores[player]}"
        for player in (call.caller, before.thrower)
        if before.scores[player] != after.scores[player]
    ]
    moved = f": {', '.join(changes)}" if changes else ""
    caller = before.players[call.caller]
    return (
        f"  {caller}'s call of {_words(call.outcome)} is {'right' if is_right else 'wrong'}{moved}"
    )


def _words(outcome: str) -> str:
    return outcome.replace("_", " ").replace("+", " and ")
