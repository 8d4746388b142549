"""A bench for the engine: solids of known mass, bodies in any motion, and scenes one can follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from unittest import mock

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties, uniform
from meshes.shape import ConvexPart, Shape, Surface, convex_hull
from sim.contact import Contact
from sim.device import Device, Drop, Releases
from sim.engine import RestingStates, bullet
from sim.engine.bullet import BulletEngine, BulletSettings
from sim.engine.course import Course
from sim.engine.flight import Motion
from sim.engine.world import Limits
from sim.pig import RUBBER_DENSITY, load_pig
from sim.rest import TIMED_OUT, RestRule

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
NOWHERE = (0.0, 0.0, 0.0)

Result = TypeVar("Result")
Scene = Any  # a World, with the engine's own client and bodies for who must look inside
Moments = list[tuple[float, list[Motion]]]


@dataclass(frozen=True)
class Bench:
    """A body in an engine.

    Attributes:
        shape: Of the body.
        mass_properties: Of the body.
        engine: That throws it.
    """

    shape: Shape
    mass_properties: MassProperties
    engine: BulletEngine

    def at(
        self,
        translation: Sequence[float] = NOWHERE,
        quat_xyzw: Sequence[float] = UPRIGHT,
        velocity: Sequence[float] = NOWHERE,
        spin: Sequence[float] = NOWHERE,
    ) -> Motion:
        """The motion of a body whose pose is given as world_from_pig."""
        world_from_pig = Rotation.from_quat(quat_xyzw)
        center = np.array(translation) + world_from_pig.as_matrix() @ self._center
        turn = world_from_pig * self._pig_from_principal
        return Motion(
            tuple(center.tolist()),
            tuple(turn.as_quat().tolist()),
            tuple(map(float, velocity)),
            tuple(map(float, spin)),
        )

    def pose(self, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
        """Translation (3,) [m] and quat_xyzw (4,), world_from_pig, of a motion."""
        world_from_pig = Rotation.from_quat(motion.quat_xyzw) * self._pig_from_principal.inv()
        translation = np.array(motion.position) - world_from_pig.as_matrix() @ self._center
        return translation, world_from_pig.as_quat()

    def lowest(self, motion: Motion) -> float:
        """Height of the lowest point above the table [m]."""
        translation, quat = self.pose(motion)
        return float(translation[2]) + lowest(self.shape, quat)

    def release(
        self,
        motions: Sequence[Motion],
        height: float,
        leaf: tuple[float, float] = (0.0, 0.0),
        time: float = 0.0,
    ) -> Releases:
        """One throw of the bodies as they are, from a device at a height [m].

        Args:
            motions: Of the bodies.
            height: Of the device.
            leaf: Its angle [rad] and rate [rad/s].
            time: Since the release [s].
        """
        poses = [self.pose(motion) for motion in motions]
        return Releases(
            index=np.array([0]),
            height=np.array([height]),
            start=np.array(["random"]),
            translation=np.array([[translation for translation, _ in poses]]),
            quat_xyzw=np.array([[quat for _, quat in poses]]),
            velocity=np.array([[motion.velocity for motion in motions]]),
            spin=np.array([[motion.spin for motion in motions]]),
            leaf_angle=np.array(leaf[:1]),
            leaf_speed=np.array(leaf[1:]),
            time=np.array([time]),
            thrown=len(motions),
        )

    def settle(self, motion: Motion, height: float = 1.0) -> RestingStates:
        """Throw one body from rest."""
        return self.engine.settle(self.release([motion], height))

    def stage(
        self,
        motions: Sequence[Motion],
        act: Callable[[Scene, Limits], Result],
        height: float = 1.0,
    ) -> Result:
        """Do something with the scene of a throw in place of settling it.

        Args:
            motions: Of the bodies at the start.
            act: Gets the scene and the limits of the throw.
            height: Of the device [m], where it has a leaf.
        """
        results = []

        def run(scene: Scene, _body: object, _rest: object, limits: Limits, *_: object) -> object:
            for number, motion in enumerate(motions):
                scene.set_motion(number, motion)
            results.append(act(scene, limits))
            return TIMED_OUT, scene.motions(), np.full(len(motions), np.nan)

        with mock.patch.object(bullet, "settle", run):
            self.engine.settle(self.release(motions, height))
        return results[0]

    def follow(
        self,
        motions: Sequence[Motion],
        duration: float,
        *,
        height: float = 1.0,
        flying: bool = False,
        until: Callable[[list[Motion]], bool] = lambda _: False,
    ) -> Moments:
        """Time [s] and motions at every check; with `flying`, free flight is exact as in throws."""

        def run(scene: Scene, limits: Limits) -> Moments:
            course = Course(scene, self.engine.body, RestRule(), limits)
            time, now = 0.0, scene.motions()
            seen = [(time, now)]
            while time < duration and not until(now):
                if flying:
                    course.advance()
                    time, now = course.time, course.motions()
                else:
                    scene.step()
                    time, now = time + limits.check_interval, scene.motions()
                seen.append((time, now))
            return seen

        return self.stage(motions, run, height)

    def last(self, motion: Motion, duration: float, **options: Any) -> Motion:
        """The motion of a single body at the end."""
        return self.follow([motion], duration, **options)[-1][1][0]

    @property
    def _center(self) -> np.ndarray:
        return self.mass_properties.center_of_mass

    @property
    def _pig_from_principal(self) -> Rotation:
        return Rotation.from_matrix(self.mass_properties.principal()[1])


Body = tuple[Shape, MassProperties]


def bench(
    body: Body,
    *,
    device: Device | None = None,
    contact: Contact | None = None,
    settings: BulletSettings | None = None,
    rest: RestRule | None = None,
) -> Bench:
    engine = BulletEngine(
        *body,
        device or Drop(),
        contact or Contact(),
        settings or BulletSettings(),
        rest or RestRule(),
    )
    return Bench(*body, engine)


def solid(surface: Surface, at: Sequence[float] = NOWHERE) -> Body:
    """A convex body of rubber, its own center moved to `at` [m] of the pig frame."""
    moved = Surface(surface.vertices + np.array(at), surface.faces)
    shape = Shape.from_parts("solid", [ConvexPart.from_points("hull", moved.vertices)])
    return shape, uniform(moved, RUBBER_DENSITY)


def diamond(a: float, b: float, c: float) -> Body:
    """An octahedron with corners on the axes: tilted about y, one corner alone hits the table."""
    return solid(convex_hull(np.concatenate([np.diag((a, b, c)), -np.diag((a, b, c))])))


def standard() -> Body:
    pig = load_pig("standard")
    return pig.shape, pig.mass_properties


def orientations(count: int, seed: int) -> np.ndarray:
    """Uniformly random quat_xyzw (count, 4)."""
    return Rotation.random(count, random_state=np.random.default_rng(seed)).as_quat()


def lowest(shape: Shape, quat_xyzw: Sequence[float] | np.ndarray) -> float:
    """Height of a shape's lowest point over its origin when it is turned so [m]."""
    return float((Rotation.from_quat(quat_xyzw).as_matrix() @ shape.hull.vertices.T)[2].min())


def turned_by(rotation: Rotation, points: np.ndarray) -> np.ndarray:
    """Points (n, 3) turned; `Rotation.apply` takes no read-only arrays."""
    return points @ rotation.as_matrix().T
