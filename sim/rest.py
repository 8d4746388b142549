"""When a throw is over: pigs that have come nowhere over a whole window."""

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

    A pig rests if for a whole window it has come no further than these speeds would take it, and
    turned no more. Its speed at a moment tells less: on a brink a pig hesitates, slow for 0.1 s in
    which its turn grows 20-fold, and one that lies may be jolted by a contact that comes or goes,
    and be back where it was in the next millisecond.

    Attributes:
        speed: Of the center of mass, over the window [m/s].
        spin: Over the window [rad/s].
        window: [s].
        max_time: After this a throw has TIMED_OUT [s].
        ends_when_decided: Whether a throw may end as soon as every pig can rest in one stable pose
            only: it is then laid in it, where it is and with its heading. Positions are the same;
            where pigs come to lie is not.
    """

    speed: float = 0.002
    spin: float = 0.02
    window: float = 0.1
    max_time: float = 10.0
    ends_when_decided: bool = False

    def __post_init__(self) -> None:
        for name in ("speed", "spin", "window", "max_time"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"rest {name} must be above 0, got {getattr(self, name)}")
        if self.max_time <= self.window:
            raise ValueError(
                f"rest max_time must be longer than the window of {self.window} s, "
                f"got {self.max_time}"
            )

    @property
    def way(self) -> float:
        """Farthest that a pig at rest may come over the window [m]."""
        return self.speed * self.window

    @property
    def turn(self) -> float:
        """Most that it may turn over the window [rad]."""
        return self.spin * self.window
