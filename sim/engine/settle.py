"""One throw from release to rest, whatever engine does the contacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.engine.basin import Basins
from sim.engine.course import Course
from sim.engine.flight import Body, Motion
from sim.engine.world import Limits, World
from sim.rest import RestRule

Observer = Callable[[float, list[Motion]], None]
"""Told the time since the release [s] and the pigs' states, at every look from start to end."""


def settle(
    world: World,
    body: Body,
    rest: RestRule,
    limits: Limits,
    observe: Observer | None = None,
    basins: Basins | None = None,
) -> tuple[str, list[Motion], np.ndarray]:
    """Run one throw until it rests, times out, escapes or diverges.

    Returns:
        Status, each pig's last state (of a pig that diverged: the last sound one), and when each
        came to rest for good, (k,) [s], nan if not.
    """
    course = Course(world, body, rest, limits, basins)
    while True:
        if observe:
            observe(course.time, course.motions())
        status = course.status()
        if status is not None:
            return status, course.motions(), course.rest_times()
        course.advance()
