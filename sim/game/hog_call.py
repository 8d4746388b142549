"""Hog call: before a throw another player shouts "Sooee!" and names how the pigs will land.

Two accounts are published, and both leave cases open. The principle that decides them: a call is
a bet beside the throw. It moves scores of the game; the throw counts for the turn as ever.

Published:
    * Who calls has 20 points or more, does not throw, and is still in the game.
    * The first caller has it; one call a throw.
    * A mixed combo is named exactly, both positions. Pig out, Oinker and Piggyback cannot be named.
    * `default`: right, the caller gains double the points of the throw, the thrower loses as much;
      wrong, the caller loses double, the thrower gains double.
    * `older`: right, the caller gains the points thrown, the thrower loses double.
    * Nobody goes below 0.

Decided here; `option` names the field of `Rules` where another reading is as fair:
    * Gains and losses are of the game score, "from his total" in the rules (`call_gain`: the
      thrower's gain joins the turn's points instead, and is at risk with them).
    * The throw's own points join the turn's, called or not (`called_throw`: they are forfeited,
      since they went to a bet).
    * Called rightly, the thrower keeps the turn's points and goes on (`called_turn`: they are lost
      and the turn ends).
    * The older account does not say what a wrong call costs: the loser of the bet loses double,
      its winner gains the points thrown, as for a right one (`older_wrong`: nothing moves).
    * A landing in `other` is thrown again, and the call stands for that throw (`call_on_other`: it
      lapses, and anyone may call anew).
    * A gain is paid in full even if the loser, who stops at 0, has less: points are not coins.
    * Pig out, Oinker and Piggyback score 0, so a call upon such a throw is wrong and costs double
      of nothing. The throw then has its effect.
    * A sider is one outcome, whichever side. A single names the position of the pig that is not on
      its side. Lying sides need not be named.
    * Players are asked in the order of play, from the thrower's left; the first who calls has it.
    * A score that a call brings to the target wins at once, in whoever's turn: first to reach it.

References:
    The rules that come with Pass the Pigs, Winning Moves, "Version II for Pig Fanatics" (default);
    the earlier edition's rule as Wikipedia, "Pass the Pigs", tells it (older).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations

from sim.game.score import SINGLE_POINTS, score
from sim.game.source import Landing

LEAST_POINTS = 20
"""Who calls needs this many points of the game."""

CALLS = (
    "sider",
    *SINGLE_POINTS,
    *(f"double_{position}" for position in SINGLE_POINTS),
    *("+".join(pair) for pair in combinations(SINGLE_POINTS, 2)),
)
"""All that can be called; a mixed combo as both of its positions, such as trotter+snouter."""


@dataclass(frozen=True)
class Call:
    """What a player shouts before a throw.

    Attributes:
        caller: Whose call, a player's number.
        outcome: One of `CALLS`.
    """

    caller: int
    outcome: str

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if self.outcome not in CALLS:
            raise ValueError(f"call '{self.outcome}': expected one of {', '.join(CALLS)}")


@dataclass(frozen=True)
class Stakes:
    """What a call moves, as multiples of the throw's points; losses are negative.

    Attributes:
        caller_right: Of a right call, the caller's.
        thrower_right: Of a right call, the thrower's.
        caller_wrong: Of a wrong call, the caller's.
        thrower_wrong: Of a wrong call, the thrower's.
    """

    caller_right: int
    thrower_right: int
    caller_wrong: int
    thrower_wrong: int


DEFAULT_STAKES = Stakes(2, -2, -2, 2)
OLDER_STAKES = {"mirrored": Stakes(1, -2, -2, 1), "nothing": Stakes(1, -2, 0, 0)}


def callable_outcome(landing: Landing) -> str | None:
    """Name a landing as a caller would; None for what cannot be called."""
    name = score(*landing.positions, landing.touch).name
    if name == "mixed_combo":
        name = "+".join(sorted(landing.positions, key=list(SINGLE_POINTS).index))
    return name if name in CALLS else None


def read_call(text: str) -> str:
    """Read an outcome as people write it: `double trotter`, `snouter+trotter`, `Sider`.

    Raises:
        ValueError: If no such outcome can be called; the message lists those that can.
    """
    words = [word for word in re.split(r"[\s+_]+", text.lower()) if word not in ("", "leaning")]
    words = ["leaning_jowler" if word == "jowler" else word for word in words]
    if words[:1] == ["double"]:
        outcome = "_".join(words)
    elif len(words) == 2 and set(words) <= set(SINGLE_POINTS):
        outcome = "+".join(sorted(words, key=list(SINGLE_POINTS).index))
    else:
        outcome = " ".join(words)
    if outcome not in CALLS:
        raise ValueError(f"'{text.strip()}' cannot be called: expected one of {', '.join(CALLS)}")
    return outcome
