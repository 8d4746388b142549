"""A deck as a file: rows of a kind, positions and points."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

from sim.game.party.cards import (
    BonusLine,
    Deck,
    DeckError,
    PointCard,
    RollCard,
    parse_positions,
)
from sim.regular_file import FileError, read_regular_file

STANDARD_DECK = Path(__file__).parent.parent / "data" / "pig_party_deck.csv"
"""Ours: the rulebook does not print the cards."""

MAX_BYTES = 100_000
COLUMNS = ["kind", "positions", "points"]
KINDS = ("roll", "point", "bonus")

_NUMBER = re.compile(r"[0-9]{1,9}")


def read_deck(path: str | os.PathLike[str] = STANDARD_DECK) -> Deck:
    """Read a deck from CSV in UTF-8; lines that start with # are skipped.

    Args:
        path: Of a file like that of `STANDARD_DECK`, which shows every kind of row.

    Raises:
        DeckError: In one line, if the file cannot be read or a row of it cannot be used.
    """
    rows = []
    for number, line in enumerate(_read(Path(path)).splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            rows.append((number, [field.strip() for field in next(csv.reader([line]))]))
    if not rows or rows[0][1] != COLUMNS:
        raise DeckError(f"{path}: expected a first row {','.join(COLUMNS)}")
    cards = []
    for number, fields in rows[1:]:
        try:
            cards.append(_card(fields))
        except DeckError as error:
            raise DeckError(f"{path}, line {number}: {error}") from None
    try:
        return Deck(
            roll_cards=tuple(card for card in cards if isinstance(card, RollCard)),
            point_cards=tuple(card for card in cards if isinstance(card, PointCard)),
            bonus=tuple(card for card in cards if isinstance(card, BonusLine)),
        )
    except DeckError as error:
        raise DeckError(f"{path}: {error}") from None


def _read(path: Path) -> str:
    try:
        return read_regular_file(path, MAX_BYTES).decode("utf-8-sig")
    except FileError as error:
        raise DeckError(str(error)) from None
    except UnicodeDecodeError:
        raise DeckError(f"{path}: expected a CSV file in UTF-8") from None


def _card(fields: list[str]) -> RollCard | PointCard | BonusLine:
    if len(fields) != len(COLUMNS):
        raise DeckError(f"expected {len(COLUMNS)} columns, got {len(fields)}")
    kind, positions, points = fields
    if not _NUMBER.fullmatch(points):
        raise DeckError(f"points {points!r}: expected a whole number")
    if kind == "roll":
        return RollCard(parse_positions(positions), int(points))
    if kind == "bonus":
        return BonusLine(parse_positions(positions), int(points))
    if kind != "point":
        raise DeckError(f"kind {kind!r}: expected one of {', '.join(KINDS)}")
    if positions:
        raise DeckError(f"a point card has no positions, got {positions!r}")
    return PointCard(int(points))
