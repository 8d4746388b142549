"""What every viewer does with films: play, pause, step, slow down, go on to the next throw."""

from __future__ import annotations

from sim.watch.film import Film
from sim.watch.program import Program

SPEEDS = {"1": 1.0, "1/2": 0.5, "1/4": 0.25, "1/10": 0.1}
"""Shares of the real speed, by the word that people read."""


class Player:
    """A program of throws, and where in which of them the viewer is.

    Attributes:
        program: The throws.
        index: Of the throw that is shown.
        film: Of that throw.
        time: Since its release [s].
        speed: One of SPEEDS, by its word.
        is_playing: Whether time goes on.
    """

    def __init__(self, program: Program, index: int, speed: str) -> None:
        self.program, self.speed = program, speed
        self.open(index)

    def open(self, index: int) -> None:
        """Show a throw from its release on."""
        self.film: Film = self.program.film(index)
        self.index = index
        self.replay()

    def replay(self) -> None:
        """Show this throw from its release on."""
        self.time, self.is_playing = 0.0, True

    def after(self) -> None:
        """Show the next throw."""
        self.open(self.program.after(self.index))

    def before(self) -> None:
        """Show the throw before."""
        self.open(self.program.before(self.index))

    def pause(self) -> None:
        """Stop or go on; at the end, from the release on."""
        if self.is_over:
            self.replay()
        else:
            self.is_playing = not self.is_playing

    def step(self, frames: int) -> None:
        """Go on or back by frames, paused."""
        last = len(self.film.time) - 1
        frame = min(max(self.frame + frames, 0), last)
        self.seek(float(self.film.time[frame]))

    def seek(self, time: float) -> None:
        """Show a moment [s], paused."""
        self.time = min(max(time, 0.0), self.film.duration)
        self.is_playing = False

    def slow_down(self) -> None:
        """Take the next slower speed; after the slowest, the real one."""
        words = list(SPEEDS)
        self.speed = words[(words.index(self.speed) + 1) % len(words)]

    def pass_time(self, seconds: float) -> None:
        """Let the viewer's time pass [s]."""
        if self.is_playing:
            self.time = min(self.time + SPEEDS[self.speed] * seconds, self.film.duration)
            self.is_playing = not self.is_over

    @property
    def frame(self) -> int:
        """The frame that is shown."""
        return self.film.frame_at(self.time)

    @property
    def is_over(self) -> bool:
        """Whether the end of the throw is shown."""
        return self.time >= self.film.duration

    @property
    def title(self) -> str:
        """Say which throw is shown."""
        return f"throw {self.index} of {self.program.title}"

    @property
    def state(self) -> str:
        """Say at which speed, or that it is paused or over."""
        if self.is_over:
            return "at rest"
        speed = "real speed" if self.speed == "1" else f"{self.speed} speed"
        return speed if self.is_playing else f"{speed}, paused at {self.time:.3f} s"
