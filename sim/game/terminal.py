"""A person at the keyboard: questions, answers, and the ways to leave."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from typing import TypeVar

from sim.standard_streams import abandon, printable

PIG_LINES: Mapping[str, str] = {
    "side_no_dot": "~(_____)8=",
    "side_dot": "~(__o__)8=",
    "razorback": "~(''v'')8 ",
    "trotter": "~(,,_,,)8 ",
    "snouter": "~\\__,,_)8.",
    "leaning_jowler": "~\\___,_)8/",
    "other": "~(?????)8 ",
}
"""How a pig lies, in a line of ASCII; its curly tail is to the left, its snout to the right."""

QUIT_WORDS = ("q", "quit")
LONGEST_ANSWER = 10_000

Answer = TypeVar("Answer")


class Left(Exception):
    """The person has left: the message says how."""


class Terminal:
    """Asks on standard output, reads standard input."""

    def __init__(self) -> None:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def say(self, text: str, end: str = "\n") -> None:
        """Print a line.

        Raises:
            OSError: If nobody reads it, or the system refuses.
        """
        try:
            print(text, end=end, flush=True)
        except OSError:
            abandon(sys.stdout)
            raise

    def ask(self, prompt: str) -> str:
        """Ask once.

        Raises:
            Left: At the end of input, and when the person types a word that quits.
            OSError: If the system refuses to print or to read.
        """
        try:
            answer = self._read(prompt).strip()
        except EOFError:
            self.say("")
            raise Left("end of input") from None
        if answer.lower() in QUIT_WORDS:
            raise Left("left")
        return answer

    def _read(self, prompt: str) -> str:
        if sys.stdin is not None and sys.stdin.isatty():
            return input(prompt)
        self.say(prompt, end="")
        line = "" if sys.stdin is None else sys.stdin.readline(LONGEST_ANSWER)
        if not line:  # standard input is closed, or at its end
            raise EOFError
        self.say(printable(line.strip()))  # a transcript shows the answers too
        return line

    def ask_until(self, prompt: str, read: Callable[[str], Answer]) -> Answer:
        """Ask until the answer can be read.

        Args:
            prompt: The question.
            read: Reads an answer, or raises ValueError with a line that says what would be right.

        Raises:
            Left: See `ask`.
        """
        while True:
            try:
                return read(self.ask(prompt))
            except ValueError as error:
                self.say(f"  {error}")


def count_points(points: int) -> str:
    """Write a number of points."""
    return f"{points} point{'s' * (points != 1)}"


def draw_pig(position: str) -> str:
    """Draw a pig in a line of text, with the name of its position."""
    return f"{PIG_LINES[position]} {position.replace('_', ' ')}"
