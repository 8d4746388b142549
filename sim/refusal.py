"""What a command says when it cannot do what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""Exit status after Ctrl-C, as a shell gives it."""


class Refusal(Exception):
    """What was asked cannot be done; the message is one line that says what would be right."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def refused_input(prefix: str = "") -> Iterator[None]:
    """Turn what a constructor says of bad input into a refusal that begins with the prefix."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"{prefix}{plain_words(error)}") from None
    except ValueError as error:
        raise Refusal(f"{prefix}{error}") from None


def plain_words(error: OSError) -> str:
    """Say what the system refused, without its number."""
    if error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
