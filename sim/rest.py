"""When a throw is over: pigs slow in speed and spin over a whole window."""

from __future__ import annotations

from dataclasses import dataclass

AT_REST = "at_rest"
TIMED_OUT = "timed_out"
ESCAPED = "escaped"
DIVERGED = "diverged"
STATUSES = (AT_REST, TIMED_OUT, ESCAPED, DIVERGED)


@dataclass(frozen=True)
class RestRule:
    """Thresholds of rest, all assumptions of ours.

    Attributes:
        speed: Of the center of mass [m/s].
        spin: [rad/s]; on a pig's 13 mm the same speed.
        window: How long both must hold [s].
        turn: Most it may have turned over the window [rad]. Speeds alone do not tell rest from a
            pig that hesitates on a brink: there a turn grows 20-fold in 0.1 s, while one that lies
            may rattle faster than it hesitates, but comes nowhere.
        max_time: After this a throw has TIMED_OUT [s].
        ends_when_decided: Whether a throw may end as soon as every pig can rest in one stable pose
            only: it is then laid in it, where it is and with its heading. Positions are the same;
            where pigs come to lie is not.
    """

    speed: float = 0.002
    spin: float = 0.15
    window: float = 0.1
    turn: float = 0.002
    max_time: float = 10.0
    ends_when_decided: bool = False

    def __post_init__(self) -> None:
        for name in ("speed", "spin", "window", "turn", "max_time"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"rest {name} must be above 0, got {getattr(self, name)}")
        if self.max_time <= self.window:
            raise ValueError(
                f"rest max_time must be longer than the window of {self.window} s, "
                f"got {self.max_time}"
            )
