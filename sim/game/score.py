"""What the landing of two pigs scores, by the rulebook of Pass the Pigs."""

from __future__ import annotations

from dataclasses import dataclass

SINGLE_POINTS = {"trotter": 5, "razorback": 5, "snouter": 10, "leaning_jowler": 15}
"""Points of one pig in this position, the other one on its side."""

MAX_TARGET = 10_000
"""Of a game, in points."""

MOST_POINTS = 60
"""Of a throw: a double leaning jowler."""

SIDES = ("side_no_dot", "side_dot")
SCORED_POSITIONS = (*SIDES, *SINGLE_POINTS, "other")

_DOUBLE_FACTOR = 4
_SIDER_POINTS = 1

SCORE_NAMES = (
    "pig_out",
    "sider",
    *SINGLE_POINTS,
    *(f"double_{position}" for position in SINGLE_POINTS),
    "mixed_combo",
    "oinker",
    "piggyback",
    "other",
)
EFFECTS = ("none", "turn_lost", "game_points_lost", "out_of_game")
TOUCHES = ("none", "oinker", "piggyback")


@dataclass(frozen=True)
class Score:
    """What a throw is worth.

    Attributes:
        name: One of `SCORE_NAMES`.
        points: Of this throw.
        effect: One of `EFFECTS`, upon what the thrower had before.
        reason: Why, in words.
    """

    name: str
    points: int
    effect: str
    reason: str


def score(position_a: str, position_b: str, touch: str = "none") -> Score:
    """Score a landing; the order of the two pigs does not matter.

    Touching comes first: pigs that touch score nothing, however they lie. The rulebook does not
    know a pig in position `other`. Our decision: such a landing is named `other`, has no points
    and no effect, and the pigs are thrown again.

    Args:
        position_a: One pig's position, one of `SCORED_POSITIONS`.
        position_b: The other pig's.
        touch: `none`; `piggyback`, if one pig is carried by the other alone; `oinker`, if they
            touch in any other way.

    Raises:
        ValueError: If a word is none of these.
    """
    for position in (position_a, position_b):
        _check("position", position, SCORED_POSITIONS)
    _check("touch", touch, TOUCHES)
    if touch != "none":
        return _touching(touch)
    if "other" in (position_a, position_b):
        reason = "a pig in none of the rulebook's positions does not count: throw again"
        return Score("other", 0, "none", reason)
    if position_a in SIDES and position_b in SIDES:
        return _both_on_side(position_a == position_b)
    if position_a in SIDES or position_b in SIDES:
        return _single(position_b if position_a in SIDES else position_a)
    if position_a == position_b:
        return _double(position_a)
    return _mixed(position_a, position_b)


def _check(what: str, word: str, valid: tuple[str, ...]) -> None:
    if word not in valid:
        raise ValueError(f"{what} '{word}': expected one of {', '.join(valid)}")


def _touching(touch: str) -> Score:
    if touch == "oinker":
        reason = "the pigs touch: all points of the game so far are lost, and the turn ends"
        return Score("oinker", 0, "game_points_lost", reason)
    reason = "one pig rests on the other: the thrower is out of the game"
    return Score("piggyback", 0, "out_of_game", reason)


def _both_on_side(is_same_side: bool) -> Score:
    if is_same_side:
        return Score("sider", _SIDER_POINTS, "none", "both pigs lie on the same side")
    reason = "the pigs lie on opposite sides: the points of this turn are lost, and it ends"
    return Score("pig_out", 0, "turn_lost", reason)


def _single(position: str) -> Score:
    points = SINGLE_POINTS[position]
    return Score(position, points, "none", f"{position} {points}, the other pig on its side 0")


def _double(position: str) -> Score:
    points, single = _DOUBLE_FACTOR * SINGLE_POINTS[position], SINGLE_POINTS[position]
    reason = f"both pigs in {position}: {_DOUBLE_FACTOR} times {single}"
    return Score(f"double_{position}", points, "none", reason)


def _mixed(position_a: str, position_b: str) -> Score:
    low, high = sorted((position_a, position_b), key=list(SINGLE_POINTS).index)
    terms = f"{low} {SINGLE_POINTS[low]} + {high} {SINGLE_POINTS[high]}"
    points = SINGLE_POINTS[low] + SINGLE_POINTS[high]
    return Score("mixed_combo", points, "none", f"two different positions: {terms}")
