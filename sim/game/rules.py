"""Pass the Pigs: the state of a game, and what a throw and a stop make of it.

The rules are pure functions (state, landing or decision) -> state. Play passes to the left, that is
to the next player of the list who is still in the game.

Decided here, where the rulebook is silent:
    * A turn holds at least one throw: who has not thrown yet cannot stop.
    * A landing in `other` counts for nothing and is thrown again; until then nobody can stop.
    * An Oinker takes the turn's points too. Who is out keeps the score that stood, for the record.
    * Reaching the target wins on stopping, and nobody has a throw after it.

References:
    The rules that come with Pass the Pigs, Winning Moves: "On your turn", "Scoring".
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from sim.game.hog_call import (
    DEFAULT_STAKES,
    LEAST_POINTS,
    OLDER_STAKES,
    Call,
    Stakes,
    callable_outcome,
)
from sim.game.score import MAX_TARGET, MOST_POINTS, Score, score
from sim.game.source import Landing

MAX_PLAYERS = 10

CHOICES = {
    "hog_call": ("default", "older", "off"),
    "called_throw": ("counted", "forfeited"),
    "called_turn": ("kept", "lost"),
    "call_gain": ("score", "turn"),
    "older_wrong": ("mirrored", "nothing"),
    "call_on_other": ("stands", "lapses"),
}
"""What each option of `Rules` may be, the default first; `sim.game.hog_call` says why."""


class IllegalMove(ValueError):
    """The rules do not allow this now; the message says why."""


@dataclass(frozen=True)
class Rules:
    """What players agree on before a game.

    Attributes:
        target: Points that win.
        hog_call: Which account holds, or "off".
        called_throw: Whether a called throw's own points count for the turn.
        called_turn: Whether a thrower who was called rightly keeps the turn's points.
        call_gain: Where the thrower's gain from a wrong call goes.
        older_wrong: What a wrong call costs by the older account.
        call_on_other: Whether a call outlives a landing that is thrown again.
    """

    target: int = 100
    hog_call: str = "default"
    called_throw: str = "counted"
    called_turn: str = "kept"
    call_gain: str = "score"
    older_wrong: str = "mirrored"
    call_on_other: str = "stands"

    def __post_init__(self) -> None:
        """Refuse values that no option has."""
        if type(self.target) is not int or not 1 <= self.target <= MAX_TARGET:
            raise ValueError(f"target: expected 1 to {MAX_TARGET:,} points, got {self.target}")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                value = getattr(self, name)
                raise ValueError(f"{name} '{value}': expected {' or '.join(choices)}")

    @property
    def stakes(self) -> Stakes:
        """What a hog call moves by these rules."""
        return OLDER_STAKES[self.older_wrong] if self.hog_call == "older" else DEFAULT_STAKES

    @property
    def deciding(self) -> tuple[str, ...]:
        """Name the options that make a difference by this account of hog calls."""
        if self.hog_call == "off":
            return ()
        gains = self.stakes.thrower_wrong > 0
        names = [name for name in CHOICES if name not in ("hog_call", "older_wrong", "call_gain")]
        older = ["older_wrong"] * (self.hog_call == "older")
        return (*names, *older, *(["call_gain"] * gains))

    @property
    def most_gained(self) -> int:
        """The most points that one throw adds to all scores and the turn, its bet included."""
        stakes = self.stakes
        bet = 0 if self.hog_call == "off" else max(stakes.caller_right, stakes.thrower_wrong)
        return MOST_POINTS * (1 + bet)

    @property
    def turn_gains(self) -> tuple[int, int]:
        """The fewest and the most points that a throw which scores adds to the turn."""
        is_off = self.hog_call == "off"
        fewest = 1 if is_off or self.called_throw == "counted" else 0
        is_raised = not is_off and self.call_gain == "turn"
        return fewest, MOST_POINTS * (1 + is_raised * self.stakes.thrower_wrong)


@dataclass(frozen=True)
class Game:
    """A game between two moves.

    Attributes:
        rules: That hold.
        players: Names, in the order of play.
        scores: Points of the game, one for each player.
        out: Who is out of the game.
        thrower: Whose turn it is, a player's number.
        turn: Points of this turn so far.
        throws: Of this turn that counted.
        is_rethrow: Whether the last landing did not count, so that the pigs are thrown again.
        standing: The call that outlived such a landing.
        winner: A player's number, once the game is over.
    """

    rules: Rules
    players: tuple[str, ...]
    scores: tuple[int, ...] = ()
    out: tuple[bool, ...] = ()
    thrower: int = 0
    turn: int = 0
    throws: int = 0
    is_rethrow: bool = False
    standing: Call | None = None
    winner: int | None = field(default=None)

    def __post_init__(self) -> None:
        """Start at 0 where nothing else is said; refuse states that no game has."""
        if not self.scores:
            object.__setattr__(self, "scores", (0,) * len(self.players))
        if not self.out:
            object.__setattr__(self, "out", (False,) * len(self.players))
        _check(self)

    @property
    def may_stop(self) -> bool:
        """Whether the thrower may end the turn now."""
        return self.winner is None and self.throws > 0 and not self.is_rethrow

    def left_of(self, player: int) -> tuple[int, ...]:
        """List the others who are still in the game, in the order of play."""
        n = len(self.players)
        around = ((player + step) % n for step in range(1, n))
        return tuple(other for other in around if not self.out[other])

    def callers(self) -> tuple[int, ...]:
        """List who may make a hog call upon the next throw, in the order they are asked."""
        if self.winner is not None or self.rules.hog_call == "off" or self.standing is not None:
            return ()
        return tuple(p for p in self.left_of(self.thrower) if self.scores[p] >= LEAST_POINTS)


def stop(game: Game) -> Game:
    """End the turn: its points join the thrower's score, which may win.

    Raises:
        IllegalMove: If the thrower must throw first, or the game is over.
    """
    if not game.may_stop:
        over = game.winner is not None
        raise IllegalMove("the game is over" if over else "the pigs must be thrown before a stop")
    game = _gain(game, game.thrower, game.turn)
    return game if game.winner is not None else _pass_on(game)


def throw(game: Game, landing: Landing, call: Call | None = None) -> Game:
    """Let the thrower's pigs land, with or without a hog call made before.

    Args:
        game: Before the throw.
        landing: How it ended.
        call: Made upon this throw; a call that stands from before needs not be repeated.

    Raises:
        IllegalMove: If the game is over, or this call cannot be made.
    """
    if game.winner is not None:
        raise IllegalMove("the game is over")
    if call is not None and call != game.standing and call.caller not in game.callers():
        raise IllegalMove(f"{_name(game, call.caller)} cannot call upon this throw")
    call = call or game.standing
    worth = score(*landing.positions, landing.touch)
    if worth.name == "other":
        kept = call if game.rules.call_on_other == "stands" else None
        return replace(game, is_rethrow=True, standing=kept)
    game = replace(game, throws=game.throws + 1, is_rethrow=False, standing=None)
    if worth.effect != "none":
        return _end_badly(game, worth)
    if call is None:
        return replace(game, turn=game.turn + worth.points)
    return _settle(game, call, worth, is_right=callable_outcome(landing) == call.outcome)


def _end_badly(game: Game, worth: Score) -> Game:
    if worth.effect == "out_of_game":
        out = tuple(was or player == game.thrower for player, was in enumerate(game.out))
        left = game.left_of(game.thrower)
        if len(left) == 1:
            return replace(game, out=out, turn=0, winner=left[0])
        return replace(game, out=out, thrower=left[0], turn=0, throws=0)
    if worth.effect == "game_points_lost":
        game = replace(game, scores=_with(game.scores, game.thrower, 0))
    return _pass_on(game)


def _settle(game: Game, call: Call, worth: Score, is_right: bool) -> Game:
    """Pay a hog call upon a throw that scored."""
    rules, stakes = game.rules, game.rules.stakes
    if rules.called_throw == "counted":
        game = replace(game, turn=game.turn + worth.points)
    if is_right:
        game = _gain(game, game.thrower, stakes.thrower_right * worth.points)
        game = _gain(game, call.caller, stakes.caller_right * worth.points)
        is_turn_over = rules.called_turn == "lost" and game.winner is None
        return _pass_on(game) if is_turn_over else game
    game = _gain(game, call.caller, stakes.caller_wrong * worth.points)
    gain = stakes.thrower_wrong * worth.points
    if rules.call_gain == "turn":
        return replace(game, turn=game.turn + gain)
    return _gain(game, game.thrower, gain)


def _gain(game: Game, player: int, points: int) -> Game:
    """Change a score, never below 0; who gains up to the target wins."""
    points = max(0, game.scores[player] + points)
    winner = player if points >= game.rules.target else game.winner
    return replace(game, scores=_with(game.scores, player, points), winner=winner)


def _pass_on(game: Game) -> Game:
    return replace(game, thrower=game.left_of(game.thrower)[0], turn=0, throws=0)


def _with(scores: tuple[int, ...], player: int, points: int) -> tuple[int, ...]:
    return (*scores[:player], points, *scores[player + 1 :])


def _name(game: Game, player: int) -> str:
    return game.players[player] if 0 <= player < len(game.players) else f"player {player}"


def _check(game: Game) -> None:
    n, numbers = len(game.players), range(len(game.players))
    if not 2 <= n <= MAX_PLAYERS:
        raise ValueError(f"players: expected 2 to {MAX_PLAYERS}, got {n}")
    if len(set(game.players)) != n:
        raise ValueError(f"players: expected different names, got {', '.join(game.players)}")
    counts = (*game.scores, game.turn, game.throws)
    if any(type(count) is not int or count < 0 for count in counts):
        raise ValueError(f"points and throws: expected whole numbers of 0 or more, got {counts}")
    if len(game.scores) != n or len(game.out) != n:
        raise ValueError(f"scores and out: expected {n} of each")
    if any(type(was) is not bool for was in (*game.out, game.is_rethrow)):
        raise ValueError("out and is_rethrow: expected true or false")
    if type(game.thrower) is not int or type(game.winner) not in (int, type(None)):
        raise ValueError("thrower and winner: expected a player's number")
    if game.thrower not in numbers or game.winner not in (None, *numbers):
        raise ValueError(f"thrower and winner: expected a player's number below {n}")
    if game.winner is None:
        _check_going_on(game)


def _check_going_on(game: Game) -> None:
    if game.out[game.thrower] or game.out.count(False) < 2:
        raise ValueError("out: a game that goes on has two players in it, the thrower one of them")
    if max(game.scores) >= game.rules.target:
        raise ValueError(f"scores: who reached {game.rules.target} would have won: {game.scores}")
    if game.turn and not game.throws:
        raise ValueError(f"turn: no throw, so expected 0 points, got {game.turn}")
    if game.standing is not None:
        _check_standing(game, game.standing)


def _check_standing(game: Game, call: Call) -> None:
    if not game.is_rethrow or call.caller not in replace(game, standing=None).callers():
        raise ValueError(
            "standing: a call stands for a throw that is thrown again, made by another player "
            f"with {LEAST_POINTS} points or more"
        )
    if game.rules.call_on_other != "stands":
        raise ValueError("standing: by these rules a call lapses when the pigs are thrown again")


def rules_as_dict(rules: Rules) -> dict[str, int | str]:
    """Write rules as plain JSON values."""
    return {option.name: getattr(rules, option.name) for option in fields(rules)}
