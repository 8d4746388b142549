"""A person at the keyboard: questions, answers, and the ways to leave."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TypeVar

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

Answer = TypeVar("Answer")


class Left(Exception):
    """The person has left: the message says how."""


class Terminal:
    """Asks on standard output, reads standard input."""

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, flush=True)

    def ask(self, prompt: str) -> str:
        """Ask once.

        Raises:
            Left: At the end of input, and when the person types a word that quits.
        """
        try:
            answer = input(prompt).strip()
        except EOFError:
            self.say("")
            raise Left("end of input") from None
        except UnicodeDecodeError:
            return "?"
        if not sys.stdin.isatty():  # a transcript shows the answers too
            self.say(answer)
        if answer.lower() in QUIT_WORDS:
            raise Left("left")
        return answer

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
