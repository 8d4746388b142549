"""A bench for the engine: bodies of known mass in any motion, followed step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from math import cos
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties, uniform
from meshes.shape import ConvexPart, Shape, Surface
from sim.configuration import Configuration, Settings, configure
from sim.contact import Contact, PairContact
from sim.crew import Task, throw_in_order
from sim.device import Condition, Drop, Releases
from sim.engine.course import Course
from sim.engine.fast.settings import FastSettings
from sim.engine.flight import Body, Motion
from sim.engine.world import Limits, World
from sim.pig import RUBBER_DENSITY, Pig
from sim.processes import local_crew
from sim.progress import LateProgress
from sim.records import concatenate
from sim.rest import RestRule
from sim.throw import Landings, Thrower, engine_of
from sim.validate.check import Rig

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
STILL = (0.0, 0.0, 0.0)
TASK, MANY = 25, 10_000
SETTLING = 0.25
"""How long a body stands on the level before its table is tilted [s]."""

CREEPING = 10.0
"""A creeping body is given up after this [s]."""

CHECK = 1.0 / 256.0
"""Time between two checks of a creeping body [s]."""

LYING, LOOK = 1e-4, 16
"""A creeping body lies still if it has turned by less than LYING [rad] in LOOK checks."""

Track = list[tuple[float, Motion]]


def solid(name: str, surface: Surface, mass_properties: MassProperties | None = None) -> Pig:
    """Make a convex body, of rubber unless its mass is given; frame as the surface's."""
    shape = Shape.from_parts(name, [ConvexPart.from_points("hull", surface.vertices)])
    return Pig(name, shape, mass_properties or uniform(shape.surface, RUBBER_DENSITY))


def contact(restitution: float, friction: float, bounce_speed: float = 0.15) -> Contact:
    """Give every pair the same values."""
    pair = PairContact(restitution, friction)
    return Contact(pair, pair, pair, bounce_speed)


@runtime_checkable
class SteppedEngine(Protocol):
    """An engine whose throws can be followed step by step.

    Attributes:
        body: What is thrown, in principal axes.
        world: Where it is thrown.
    """

    body: Body
    world: Inclined

    def scene(self, releases: Releases, row: int) -> AbstractContextManager[tuple[World, Limits]]:
        """Set one throw up."""
        ...


class Inclined(Protocol):
    """A world whose table can be tilted."""

    def tilt(self, angle: float) -> None:
        """Incline the table about y, so that +x is downhill [rad]."""
        ...


@dataclass(frozen=True)
class Bench:
    """One body in an engine over the bare table."""

    pig: Pig
    contact: Contact
    settings: Settings

    def start(
        self,
        translation: Sequence[float],
        quat_xyzw: Sequence[float] = UPRIGHT,
        velocity: Sequence[float] = STILL,
        spin: Sequence[float] = STILL,
    ) -> Motion:
        """Write the motion of the body whose pose is given as world_from_pig [m, m/s, rad/s]."""
        turn = Rotation.from_quat(quat_xyzw)
        center = np.array(translation) + turn.as_matrix() @ self.pig.mass_properties.center_of_mass
        principal = Rotation.from_matrix(self.pig.mass_properties.principal()[1])
        return Motion.of(center, (turn * principal).as_quat(), velocity, spin)

    def follow(
        self,
        start: Motion,
        duration: float,
        *,
        flying: bool = False,
        slope: float = 0.0,
        until: Callable[[Motion], bool] = lambda _: False,
    ) -> Track:
        """Follow the body: time [s] and motion of its center of mass at every check.

        Args:
            start: In principal axes, at the center of mass; see start.
            duration: At most [s].
            flying: Whether free flight is exact, as in throws; else every step is the engine's.
            slope: Of the table once the body has settled for SETTLING on the level, +x downhill
                [rad].
            until: Ends the track.
        """
        engine = self._engine
        with engine.scene(out_of_the_way(), 0) as (scene, limits):
            engine.world.tilt(0.0)
            scene.set_motion(0, start)
            if slope:
                for _ in range(round(SETTLING / limits.check_interval)):
                    scene.step()
                engine.world.tilt(slope)
            course = Course(scene, engine.body, RestRule(), limits)
            time, track = 0.0, [(0.0, scene.motion(0))]
            while time < duration and not until(track[-1][1]):
                if flying:
                    course.advance()
                    time, (now,) = course.time, course.motions()
                else:
                    scene.step()
                    time, now = time + limits.check_interval, scene.motion(0)
                track.append((time, now))
        return track

    def creep(self, starts: Sequence[Motion], stop_every: int) -> list[Motion]:
        """Follow the body until it lies still, taking its speed away every so many checks.

        So it moves as in a medium of damping rate 2 / (the time between two stops).

        Args:
            starts: See follow; each is followed alone.
            stop_every: Checks; 0 leaves it its speed.
        """
        ends = []
        for start in starts:
            with self._engine.scene(out_of_the_way(), 0) as (scene, limits):
                scene.set_motion(0, start)
                last = now = start
                for check in range(1, round(CREEPING / CHECK)):
                    for _ in range(round(CHECK / limits.check_interval)):
                        scene.step()
                    now = scene.motion(0)
                    if stop_every and check % stop_every == 0:
                        scene.set_motion(0, replace(now, velocity=STILL, spin=STILL))
                    if check % LOOK == 0:
                        if abs(np.dot(now.quat_xyzw, last.quat_xyzw)) > cos(LYING / 2):
                            break
                        last = now
                ends.append(now)
        return ends

    @cached_property
    def _engine(self) -> SteppedEngine:
        drop = drop_configuration(self.pig, 1.0, self.settings)
        engine = engine_of(replace(drop, contact=self.contact))
        assert isinstance(engine, SteppedEngine), "a case names the engines that it applies to"
        return engine


def out_of_the_way() -> Releases:
    """Start one body far above everything."""
    return Releases(
        index=np.zeros(1, np.int64),
        height=np.ones(1),
        start=np.array(["random"]),
        translation=np.array([[(0.0, 0.0, 10.0)]]),
        quat_xyzw=np.array([[UPRIGHT]]),
        velocity=np.zeros((1, 1, 3)),
        spin=np.zeros((1, 1, 3)),
        leaf_angle=np.zeros(1),
        leaf_speed=np.zeros(1),
        time=np.zeros(1),
        thrown=1,
    )


def engine_settings(rig: Rig) -> Settings:
    """Give the usual settings of the engine that cases are run with."""
    return configure(device="drop", pigs=1, engine=rig.engine).engine


def finest(settings: Settings) -> Settings:
    """Have the body looked at after every step, as the fast engine's always is."""
    if isinstance(settings, FastSettings):
        return settings
    return replace(settings, steps_per_check=1)


def drop_configuration(pig: Pig, height: float, settings: Settings) -> Configuration:
    """Drop one body from rest, turned at random, its lowest point at `height` [m]."""
    return Configuration(0, pig, 1, Drop(), (Condition(height, "random"),), engine=settings)


def landings(configuration: Configuration, throws: int, workers: int) -> Landings:
    """Throw indices 0..throws-1; many of them under a progress bar."""
    tasks = (Task(range(i, min(i + TASK, throws))) for i in range(0, throws, TASK))
    thrown: list[Landings] = []
    with LateProgress() as progress, local_crew(configuration, Thrower, workers) as crew:
        for some in throw_in_order(crew, tasks):
            thrown += [one.landings for one in some if one.landings is not None]
            if throws >= MANY:
                progress(some[-1].indices.stop, throws)
    return concatenate(thrown)
