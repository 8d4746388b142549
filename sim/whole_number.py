"""A whole number as people write it: digits, nothing else."""

from __future__ import annotations

import re
from decimal import Decimal

_WHOLE = re.compile(r"[+-]?[0-9]+")


def parse_whole_number(text: str, low: int, high: int) -> int:
    """Read a whole number in low..high.

    Raises:
        ValueError: In one line, if it is none or lies outside.
    """
    number = Decimal(text) if _WHOLE.fullmatch(text) else None  # an int has its digits limited
    if number is None or number < low:
        raise ValueError(f"expected a whole number of {low} or more, got {text!r}")
    if number > high:
        raise ValueError(f"expected a whole number of {high} or less, got {text!r}")
    return int(number)
