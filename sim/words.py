"""Words of the records as people read them, the same in windows, reports and lines."""

from __future__ import annotations

_SIDES = {"side_no_dot": "side, no dot", "side_dot": "side, dot"}


def plain(word: str) -> str:
    """Write a word of the records as people read it."""
    return _SIDES.get(word) or word.replace("_", " ")
