"""A game of Pig Party as plain JSON values, and back."""

from __future__ import annotations

from dataclasses import asdict, fields
from math import hypot, isclose, isfinite
from typing import Any

from sim.game.party.cards import BonusLine, Deck, PointCard, RollCard
from sim.game.party.state import LandedPig, PartyGame, Pose, Seat
from sim.position import POSITIONS


class SavedGameError(ValueError):
    """A record that is no game of Pig Party; the message is one line."""


def as_record(game: PartyGame) -> dict[str, Any]:
    """Write a game, its deck included, as what JSON can hold."""
    return asdict(game)


def from_record(record: object) -> PartyGame:
    """Read what `as_record` wrote, JSON in between or not.

    Raises:
        SavedGameError: In one line, if anything is missing, of the wrong kind, or against the
            rules.
    """
    try:
        game = _game(record)
        game.check()
    except ValueError as error:
        raise SavedGameError(f"saved game: {error}") from None
    return game


def _game(record: object) -> PartyGame:
    get = _Record(record, "game", PartyGame)
    return PartyGame(
        deck=_deck(get.value("deck")),
        target=get.whole("target"),
        seats=tuple(_seat(seat) for seat in get.list("seats")),
        card=None if get.value("card") is None else _roll_card(get.value("card")),
        covered=_roll_cards(get.list("covered")),
        roll_deck=_roll_cards(get.list("roll_deck")),
        point_deck=_point_cards(get.list("point_deck")),
        turn=get.whole("turn"),
        phase=get.word("phase"),
        throws=get.whole("throws"),
    )


def _deck(record: object) -> Deck:
    get = _Record(record, "deck", Deck)
    bonus = [_Record(line, "bonus line", BonusLine) for line in get.list("bonus")]
    return Deck(
        roll_cards=_roll_cards(get.list("roll_cards")),
        point_cards=_point_cards(get.list("point_cards")),
        bonus=tuple(BonusLine(line.words("wanted"), line.whole("points")) for line in bonus),
    )


def _seat(record: object) -> Seat:
    get = _Record(record, "seat", Seat)
    return Seat(
        roll_cards=_roll_cards(get.list("roll_cards")),
        point_cards=_point_cards(get.list("point_cards")),
        pigs=tuple(_pig(pig) for pig in get.list("pigs")),
        throws=get.whole("throws"),
        is_out=get.claim("is_out"),
    )


def _pig(record: object) -> LandedPig:
    get = _Record(record, "pig", LandedPig)
    position = get.word("position")
    if position not in POSITIONS:
        raise SavedGameError(f"position {position!r}: expected one of {', '.join(POSITIONS)}")
    pose = None
    if get.value("pose") is not None:
        where = _Record(get.value("pose"), "pose", Pose)
        pose = Pose(where.numbers("translation", 3), where.numbers("quat_xyzw", 4))
        if not isclose(hypot(*pose.quat_xyzw), 1.0, abs_tol=1e-6):
            raise SavedGameError("pose: quat_xyzw: expected a quaternion of length 1")
    return LandedPig(position, pose, get.claim("stays"))


def _roll_cards(records: list[object]) -> tuple[RollCard, ...]:
    return tuple(_roll_card(record) for record in records)


def _roll_card(record: object) -> RollCard:
    get = _Record(record, "roll card", RollCard)
    return RollCard(get.words("wanted"), get.whole("points"))


def _point_cards(records: list[object]) -> tuple[PointCard, ...]:
    return tuple(
        PointCard(_Record(record, "point card", PointCard).whole("points")) for record in records
    )


class _Record:
    """Values of a JSON object by name and kind, refused in one line."""

    def __init__(self, record: object, name: str, model: type) -> None:
        keys = [field.name for field in fields(model)]
        if not isinstance(record, dict) or set(record) != set(keys):
            raise SavedGameError(f"{name}: expected an object of {', '.join(keys)}")
        self._record, self._name = record, name

    def value(self, key: str) -> Any:
        return self._record[key]

    def list(self, key: str) -> list[object]:
        value = self.value(key)
        if not isinstance(value, (list, tuple)):
            raise self._refusal(key, "a list")
        return list(value)

    def whole(self, key: str) -> int:
        value = self.value(key)
        if type(value) is not int:
            raise self._refusal(key, "a whole number")
        return value

    def claim(self, key: str) -> bool:
        value = self.value(key)
        if not isinstance(value, bool):
            raise self._refusal(key, "true or false")
        return value

    def word(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            raise self._refusal(key, "a word")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        values = self.list(key)
        if not all(isinstance(value, str) for value in values):
            raise self._refusal(key, "words")
        return tuple(str(value) for value in values)

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        values = [value for value in self.list(key) if isinstance(value, float)]
        if len(self.list(key)) != count or sum(map(isfinite, values)) != count:
            raise self._refusal(key, f"{count} finite numbers")
        return tuple(values)

    def _refusal(self, key: str, expected: str) -> SavedGameError:
        return SavedGameError(f"{self._name}: {key}: expected {expected}")
