"""A bench for the engine: bodies of known mass in any motion, followed step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties, uniform
from meshes.shape import ConvexPart, Shape, Surface
from sim.configuration import Configuration
from sim.contact import Contact, PairContact
from sim.crew import throw_in_order
from sim.device import Condition, Device, Drop, Releases
from sim.engine.bullet import BulletEngine, BulletSettings, Scene
from sim.engine.flight import Motion
from sim.engine.settle import advance
from sim.pig import RUBBER_DENSITY, Pig
from sim.records import concatenate
from sim.rest import RestRule
from sim.throw import Landings, Thrower

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
STILL = (0.0, 0.0, 0.0)
TASK = 25
SETTLING = 0.25
"""How long a body stands on the level before its table is tilted [s]."""

Track = list[tuple[float, Motion]]


def solid(name: str, surface: Surface, mass_properties: MassProperties | None = None) -> Pig:
    """Make a convex body, of rubber unless its mass is given; frame as the surface's."""
    shape = Shape.from_parts(name, [ConvexPart.from_points("hull", surface.vertices)])
    return Pig(name, shape, mass_properties or uniform(shape.surface, RUBBER_DENSITY))


def contact(restitution: float, friction: float, bounce_speed: float = 0.15) -> Contact:
    """Give every pair the same values."""
    pair = PairContact(restitution, friction)
    return Contact(pair, pair, pair, bounce_speed)


@dataclass(frozen=True)
class Bench:
    """One body in an engine over the bare table, or under a device."""

    pig: Pig
    contact: Contact
    settings: BulletSettings = field(default_factory=BulletSettings)
    device: Device = field(default_factory=Drop)

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
        engine = self._engine()
        with engine.scene(_release(), 0) as (scene, limits):
            scene.set_motion(0, start)
            if slope:
                for _ in range(round(SETTLING / limits.check_interval)):
                    scene.step()
                engine.world.tilt(slope)
            time, track = 0.0, [(0.0, scene.motions()[0])]
            while time < duration and not until(track[-1][1]):
                if flying:
                    time += advance(scene, scene.motions(), [False], engine.body, limits)
                else:
                    scene.step()
                    time += limits.check_interval
                track.append((time, scene.motions()[0]))
        return track

    @contextmanager
    def scene(self) -> Iterator[Scene]:
        """Set up the device, the body far above it."""
        with self._engine().scene(_release(), 0) as (scene, _):
            yield scene

    def _engine(self) -> BulletEngine:
        return BulletEngine(
            self.pig.shape,
            self.pig.mass_properties,
            self.device,
            self.contact,
            self.settings,
            RestRule(),
        )


def _release() -> Releases:
    return Releases(
        index=np.zeros(1, np.int64),
        height=np.ones(1),
        start=np.array(["random"]),
        translation=np.array([[(0.0, 0.0, 10.0)]]),
        quat_xyzw=np.array([[UPRIGHT]]),
        velocity=np.zeros((1, 1, 3)),
        spin=np.zeros((1, 1, 3)),
        thrown=1,
    )


def drop_configuration(pig: Pig, height: float) -> Configuration:
    """Drop one body from rest, turned at random, its lowest point at `height` [m]."""
    return Configuration(0, pig, 1, Drop(), (Condition(height, "random"),))


def landings(configuration: Configuration, throws: int, workers: int) -> Landings:
    """Throw indices 0..throws-1."""
    tasks = (range(i, min(i + TASK, throws)) for i in range(0, throws, TASK))
    return concatenate(list(throw_in_order(configuration, Thrower, tasks, workers)))
