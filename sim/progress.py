"""Progress on standard error, for work that lasts."""

from __future__ import annotations

import time
from math import inf
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

_PATIENCE = 1.0
"""Work that ends sooner shows no bar [s]."""


class LateProgress:
    """A progress bar on standard error that appears after a second.

    Attributes:
        unit: What is counted.
        is_passing: Whether the bar goes away at its end; it then is for terminals alone.
    """

    def __init__(self, unit: str = "throws", *, is_passing: bool = False) -> None:
        console = Console(stderr=True)
        self._patience = inf if is_passing and not console.is_terminal else _PATIENCE
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} {task.description}"),
            TextColumn("{task.fields[speed]:,.1f} {task.description}/s"),
            TimeRemainingColumn(),
            console=console,
            transient=is_passing,
        )
        self._unit = unit
        self._begun: tuple[float, int] | None = None

    def __enter__(self) -> LateProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the bar as it stands, if there is one."""
        if self._bar.tasks:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` are there; the first call starts the clock."""
        now = time.perf_counter()
        if self._begun is None:
            self._begun = now, done
        seconds = now - self._begun[0]
        if seconds < self._patience:
            return
        speed = (done - self._begun[1]) / seconds
        if not self._bar.tasks:
            self._bar.start()
            self._bar.add_task(self._unit, total=total, speed=speed)
        self._bar.update(self._bar.task_ids[0], completed=done, speed=speed)
