"""A length as people write it, such as 8in."""

from __future__ import annotations

import re
from math import isfinite

METERS_PER_UNIT = {"in": 0.0254, "mm": 1e-3, "cm": 1e-2, "m": 1.0}
_LENGTH = re.compile(r" *([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?) *([a-zA-Z]*) *")


def parse_length(text: str) -> float:
    """Read a positive length with its unit [m].

    Args:
        text: A number and one of in, mm, cm, m, such as `8in`, `5 in`, `127mm`.

    Raises:
        ValueError: In one line, if it is no length, has no unit, or is zero or below.
    """
    match = _LENGTH.fullmatch(text)
    number = _number(match.group(1)) if match else None
    if match is None or number is None:
        raise ValueError(f"{text!r}: expected a length, such as 8in, 127mm, 12.7cm or 0.127m")
    unit = match.group(2).lower()
    if unit not in METERS_PER_UNIT:
        problem = f"unknown unit '{unit}'" if unit else "no unit"
        raise ValueError(
            f"{text!r}: {problem}; write it as {match.group(1)}in, or with mm, cm or m"
        )
    length = number * METERS_PER_UNIT[unit]
    if not (isfinite(length) and length > 0):
        raise ValueError(f"{text!r}: expected a length above zero, such as 8in")
    return length


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
