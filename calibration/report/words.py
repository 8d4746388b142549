"""What numbers mean, in words that need no statistics."""

from __future__ import annotations

from sim.standard_streams import printable

SIGNIFICANT = 0.05
"""Chance alone looks at least this odd in 1 of 20 cases."""

EARLY = "A pig thrown by the fast engine counts as at rest once its stable pose is certain."


def chances(p_value: float, replicates: int) -> str:
    """Say a p value as cases of 100 or of more."""
    if p_value <= 1 / (replicates + 1):
        return f"at most 1 in {replicates + 1:,} cases"
    if p_value < 0.01:
        return f"about 1 in {round(1 / p_value):,} cases"
    return f"about {round(100 * p_value)} in 100 cases"


_LONGEST_NAME = 48


def short_name(name: str) -> str:
    """Write the name of a file as a header has room for it: a long one without its middle."""
    shown = printable(name)
    if len(shown) <= _LONGEST_NAME:
        return shown
    half = _LONGEST_NAME // 2
    return f"{shown[: half - 1]}…{shown[-half:]}"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def pigs_in_words(pigs: int) -> str:
    """Write a small number of pigs."""
    number = _NUMBERS[pigs] if pigs < len(_NUMBERS) else str(pigs)
    return f"{number} pig{'s' * (pigs != 1)}"


def throws_in_words(throws: int) -> str:
    """Write a number of throws."""
    return f"{throws:,} throw{'s' * (throws != 1)}"
