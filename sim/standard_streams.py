"""Standard streams that may be closed, full or without a reader; none of it may end the work."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO, cast

_LONGEST_LINE = 600
_KEPT_END = 150
"""Of a line that is too long: there stands the remedy."""


def prepare_streams() -> None:
    """Make output and errors of this process safe to write to.

    A closed descriptor is filled, or the next file opened would be taken for standard error. Names
    that the output cannot encode are escaped, and errors that nobody can read are dropped.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr = cast(TextIO, _BestEffort(sys.stderr or io.StringIO()))


class _BestEffort:
    """Standard error whose failures stay its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            abandon(self._stream)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            abandon(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def abandon(stream: TextIO) -> None:
    """Send what is still buffered nowhere, or Python would complain about it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def printable(text: str) -> str:
    """Write control characters and the like as escapes: they could do anything to a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def deliver(text: str) -> int:
    """Print a result on standard output; return the exit status."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        abandon(sys.stdout)
    except OSError as error:
        abandon(sys.stdout)
        return complain(f"cannot write the output: {error.strerror}", 2)
    return 0


def complain(message: str, status: int) -> int:
    """Print one line on standard error, whatever the message holds; return the exit status."""
    print(f"pigs: {_one_line(message)}", file=sys.stderr)
    return status


def _one_line(message: str) -> str:
    """Make any message one line that a terminal shows as it is."""
    line = printable(" ".join(message.split()))
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[: _LONGEST_LINE - _KEPT_END]} ... {line[-_KEPT_END:]}"
