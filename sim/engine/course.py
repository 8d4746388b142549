"""The course of one throw: its pigs are stepped only while they can touch something.

A pig that surely touches nothing for a while is taken out of the world and comes back where its
exact flight has brought it; so is, in a throw of several, a pig that rests and that no other can
reach. When all are away, time leaps to the first that comes back.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, isfinite, nan, sin, sqrt

import numpy as np

from sim.engine.basin import Basins
from sim.engine.flight import (
    GRAVITY,
    Body,
    Motion,
    Vector,
    fall,
    fly,
    greatest_speed,
    lowest_vertex,
    time_above_table,
    time_apart,
    time_to_reach,
    vertex_height,
)
from sim.engine.world import Limits, World
from sim.rest import AT_REST, DIVERGED, ESCAPED, TIMED_OUT, RestRule

GREATEST_GAIN = 10.0  # a pig with this many times the energy released has DIVERGED


@dataclass(eq=False)
class _Pig:
    """What is known of one pig; times since the release [s].

    Attributes:
        number: In the world.
        motion: When it was last looked at.
        time: Of that look.
        still_since: Since then it has stayed within the rule's distances of where it was.
        still_at: Its motion then.
        lift: Height to which all its energy could lift its center of mass [m].
        foot: A low point of it, where it is looked at first; principal axes [m].
        is_rested: Whether it has been still for as long as the rule asks.
        flies_until: Until then it touches neither table nor leaf.
        away_until: Until then it touches nothing and nothing touches it.
        is_parked: Whether it is out of the world's way while it is away.
    """

    number: int
    motion: Motion
    time: float
    still_since: float
    still_at: Motion
    lift: float = inf
    foot: Vector = (0.0, 0.0, 0.0)
    is_rested: bool = False
    flies_until: float = 0.0
    away_until: float = 0.0
    is_parked: bool = False


class Course:
    """A throw on its way.

    Attributes:
        time: Since the release [s].
    """

    def __init__(
        self,
        world: World,
        body: Body,
        rest: RestRule,
        limits: Limits,
        basins: Basins | None = None,
    ) -> None:
        """Begin a throw with the pigs of a world as they are.

        Args:
            world: Steps the pigs.
            body: Each of them.
            rest: When the throw is over.
            limits: How it is stepped.
            basins: Given, the throw ends as soon as every pig can rest in one pose only.
        """
        self.time = limits.start
        self._basins = basins
        self._world, self._body, self._rest, self._limits = world, body, rest, limits
        self._failure: str | None = None
        self._still2 = rest.way**2, sin(rest.turn / 2) ** 2
        self._greatest_energy = GREATEST_GAIN * GRAVITY * (limits.height + 2 * body.radius)
        self._pigs = [
            _Pig(number, now, self.time, self.time, now)
            for number, now in enumerate(world.motions())
        ]
        self._present, self._away = [*self._pigs], list[_Pig]()
        for pig in self._pigs:
            self._look(pig, pig.motion)

    def status(self) -> str | None:
        """Say how the throw has ended, None while it goes on."""
        if self._failure:
            return self._failure
        is_hung = not self._world.is_swinging()
        if is_hung and (all(pig.is_rested for pig in self._pigs) or self._lay_decided()):
            return AT_REST
        return TIMED_OUT if self.time >= self._rest.max_time else None

    def _lay_decided(self) -> bool:
        """Lay every pig in the pose that it must end in, if that is sure of all of them."""
        lifts = [pig.lift for pig in self._pigs]
        if self._basins is None or max(lifts) >= self._basins.top:
            return False
        laid = self._basins.decide(self.motions(), lifts, self._world.obstacle())
        if laid is None:
            return False
        for pig, motion in zip(self._pigs, laid, strict=True):
            pig.motion, pig.time = motion, self.time
            pig.is_rested = True
        return True

    def motions(self) -> list[Motion]:
        """Give every pig's state now; of a pig that diverged, the last sound one."""
        return [self._now(pig) for pig in self._pigs]

    def rest_times(self) -> np.ndarray:
        """Give when each pig came to rest for good, (k,) [s]; nan if it did not."""
        return np.array([pig.still_since if pig.is_rested else nan for pig in self._pigs])

    def advance(self) -> None:
        """Step by one check interval; if no pig can touch anything, leap."""
        if not self._world.is_swinging():
            self._send_away()
        if self._present:
            self._step()
        else:
            self.time = min(pig.away_until for pig in self._pigs)
        if self._away:
            self._call_back()

    def _step(self) -> None:
        for pig in self._away:
            if not pig.is_parked:
                self._world.park(pig.number)
                pig.is_parked = True
        self._world.step()
        self.time += self._limits.check_interval
        for pig in self._present:
            self._look(pig, self._world.motion(pig.number))

    def _look(self, pig: _Pig, motion: Motion) -> None:
        """Take note of a pig's state now: sound or not, still or not."""
        (x, y, z), (a, b, c), (p, q, r) = motion.position, motion.velocity, motion.spin
        speed2, spin2 = a * a + b * b + c * c, p * p + q * q + r * r
        energy = GRAVITY * z + 0.5 * (speed2 + self._body.gyration2 * spin2)
        if not (isfinite(sum(motion.quat_xyzw)) and energy < self._greatest_energy):
            self._failure = DIVERGED
            return
        if hypot(x, y) > self._limits.table_radius or z < 0.0:
            self._failure = self._failure or ESCAPED
        pig.motion, pig.time, pig.lift = motion, self.time, energy / GRAVITY
        if self._has_moved(pig.still_at, motion):
            pig.still_since, pig.still_at = self.time, motion
        pig.is_rested = self.time - pig.still_since >= self._rest.window

    def _has_moved(self, before: Motion, now: Motion) -> bool:
        """Whether a pig has come or turned further than one at rest may."""
        way2 = sum((p - q) ** 2 for p, q in zip(before.position, now.position, strict=True))
        cosine = sum(p * q for p, q in zip(before.quat_xyzw, now.quat_xyzw, strict=True))
        return way2 > self._still2[0] or 1.0 - cosine * cosine > self._still2[1]

    def _send_away(self) -> None:
        """Leave out pigs that touch nothing for two intervals or more."""
        free = [pig for pig in self._present if self._is_free(pig)]
        for pig in free:
            if self._stay_away(pig, 2 * self._limits.check_interval):
                self._present.remove(pig)
                self._away.append(pig)

    def _call_back(self) -> None:
        """Bring back pigs whose time is up; of three or more, look again at all that are away.

        How far a pig is safe from another was found for the course the other was on, which a third
        may change.
        """
        soon = self.time + self._limits.check_interval
        due = [pig for pig in self._away if pig.away_until < soon or len(self._pigs) > 2]
        for pig in due:
            self._look(pig, self._now(pig))
        free = [pig for pig in due if self._is_free(pig)]
        for pig in due:
            if pig not in free or not self._stay_away(pig, self._limits.check_interval):
                self._world.set_motion(pig.number, pig.motion)
                pig.is_parked = False
                self._away.remove(pig)
                self._present.append(pig)

    def _now(self, pig: _Pig) -> Motion:
        if pig.time == self.time or pig.is_rested:
            return pig.motion
        return fly(pig.motion, self._body.moments, self.time - pig.time)

    def _is_free(self, pig: _Pig) -> bool:
        """Find until when a pig touches neither table nor leaf; say if it flies or rests."""
        pig.flies_until = self.time
        if pig.is_rested:
            return len(self._pigs) > 1
        if vertex_height(pig.motion, pig.foot) <= self._limits.clearance:
            return False
        flight = time_above_table(pig.motion, self._body, self._limits.clearance)
        if flight == 0.0:
            pig.foot = lowest_vertex(pig.motion, self._body.vertices)
            return False
        obstacle = self._world.obstacle()
        if obstacle:
            margin = self._body.radius + self._limits.clearance
            flight = min(flight, obstacle.time_clear(pig.motion, margin))
        pig.flies_until += flight
        return True

    def _stay_away(self, pig: _Pig, least: float) -> bool:
        """Find until when a pig can be away, in whole steps; say if that is for `least` [s]."""
        is_rested = pig.is_rested
        free = inf if is_rested else pig.flies_until - self.time
        for other in self._pigs:
            if free < least:
                return False
            if other is not pig and not (is_rested and other.is_rested):
                free = min(free, self._time_to_meet(pig, other))
        if not least <= free < inf:
            return False
        step = self._limits.time_step
        pig.away_until = self.time + int(free / step) * step
        return True

    def _time_to_meet(self, pig: _Pig, other: _Pig) -> float:
        """Bound from below the time until two pigs' bounding spheres meet [s].

        While both fly the answer is exact; whatever they hit, neither covers half of the gap faster
        than with all its energy, and that of others which may hit it, in translation. Of two pigs
        one that rests stays where it is.
        """
        a, b = self._center(pig), self._center(other)
        reach = 2 * self._body.radius + self._limits.clearance
        gap = sqrt(sum((p - q) ** 2 for p, q in zip(a.position, b.position, strict=True))) - reach
        speed = max(greatest_speed(a, self._body), greatest_speed(b, self._body))
        if len(self._pigs) > 2:
            thirds = [each for each in self._pigs if each is not pig and each is not other]
            energies = [greatest_speed(self._center(each), self._body) ** 2 for each in thirds]
            speed = sqrt(speed**2 + sum(energies))
        is_one_still = len(self._pigs) == 2 and (pig.is_rested or other.is_rested)
        by_energy = time_to_reach(gap if is_one_still else gap / 2, speed)
        both_fly = min(pig.flies_until, other.flies_until) - self.time
        return max(by_energy, min(both_fly, time_apart(a, b, reach)))

    def _center(self, pig: _Pig) -> Motion:
        """Give where a pig's center of mass is now and how it moves; it turns as last seen."""
        if pig.time == self.time or pig.is_rested:
            return pig.motion
        return fall(pig.motion, self.time - pig.time)
