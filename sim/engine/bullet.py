"""The reference engine: throws in PyBullet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties
from meshes.shape import Shape
from sim.contact import Contact, body_factors
from sim.device import Device, Releases, TrapDoor
from sim.engine import RestingStates
from sim.engine.bullet_scene import Leaf, Scene
from sim.engine.bullet_world import BulletSettings, BulletWorld
from sim.engine.flight import Body, Motion
from sim.engine.settle import Limits, settle
from sim.rest import RestRule

WORLD_THROWS = 250
"""Throws in one world. Bullet keeps 8 kB of every body that is removed, until its world ends."""


class BulletEngine:
    """Throws of one pig from one device; every throw in fresh bodies, made of shared shapes.

    Fresh bodies make a throw independent of those before it: Bullet keeps contact caches of
    bodies that are merely moved back. Shared shapes and worlds that end bound the memory: Bullet
    frees no shape, and not all of a body.

    Attributes:
        body: The pig, in principal axes.
        world: Where it is thrown.
    """

    name = "bullet"

    def __init__(
        self,
        shape: Shape,
        mass_properties: MassProperties,
        device: Device,
        contact: Contact,
        settings: BulletSettings,
        rest: RestRule,
    ) -> None:
        self._shape, self._settings, self._rest = shape, settings, rest
        self._bounce_speed = contact.bounce_speed
        self._door = device if isinstance(device, TrapDoor) else None
        self._factors = body_factors(contact)
        moments, self._pig_from_principal = mass_properties.principal()
        self._center = mass_properties.center_of_mass
        vertices = self._principal(shape.hull.vertices)
        self.body = Body(
            vertices,
            float(np.linalg.norm(vertices, axis=1).max()),
            mass_properties.mass,
            (float(moments[0]), float(moments[1]), float(moments[2])),
        )
        self._renew_world()

    def _renew_world(self) -> None:
        self.world = BulletWorld(self._settings, self._bounce_speed)
        self._hull_shape = self.world.compound([self.body.vertices])
        self._parts_shape = self.world.compound(
            [self._principal(part.vertices) for part in self._shape.parts]
        )
        self._leaf_shapes: dict[int, int] = {}
        self._throws_in_world = 0
        self.world.plane(self._factors["table"])

    def settle(self, releases: Releases) -> RestingStates:
        """Run every throw until it rests, times out, escapes or diverges; see Engine."""
        ends = [self._throw(releases, row) for row in range(len(releases.index))]
        return RestingStates(
            status=np.array([end[0] for end in ends]),
            translation=np.array([end[1] for end in ends]),
            quat_xyzw=np.array([end[2] for end in ends]),
            rest_time=np.array([end[3] for end in ends]),
        )

    def _throw(
        self, releases: Releases, row: int
    ) -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
        if self._throws_in_world == WORLD_THROWS:
            self.world.end()
            self._renew_world()
        self._throws_in_world += 1
        with self.scene(releases, row) as (scene, limits):
            status, motions, rest_time = settle(scene, self.body, self._rest, limits)
        principal_from_pig = Rotation.from_matrix(self._pig_from_principal.T)
        orientation = Rotation.from_quat([m.quat_xyzw for m in motions]) * principal_from_pig
        center = np.array([motion.position for motion in motions])
        return (
            status,
            center - orientation.as_matrix() @ self._center,
            orientation.as_quat(canonical=True),
            rest_time,
        )

    @contextmanager
    def scene(self, releases: Releases, row: int) -> Iterator[tuple[Scene, Limits]]:
        """Set one throw up, for who steps it: its bodies, and how it is to be stepped."""
        settings, height = self._settings, float(releases.height[row])
        limits = Limits(
            time_step=settings.time_step,
            check_interval=settings.time_step * settings.steps_per_check,
            table_radius=settings.table_radius,
            clearance=settings.clearance,
            height=height,
        )
        shapes, coat = (self._hull_shape, self._parts_shape), self._factors["pig"]
        with Scene(self.world, self._leaf(height, releases.thrown)) as scene:
            for motion in self._starts(releases, row):
                scene.add_pig(shapes, self.body, motion, coat)
            yield scene, limits

    def _starts(self, releases: Releases, row: int) -> list[Motion]:
        world_from_pig = Rotation.from_quat(releases.quat_xyzw[row])
        center = releases.translation[row] + world_from_pig.as_matrix() @ self._center
        turn = (world_from_pig * Rotation.from_matrix(self._pig_from_principal)).as_quat()
        return [
            Motion.of(*state)
            for state in zip(center, turn, releases.velocity[row], releases.spin[row], strict=True)
        ]

    def _principal(self, points: np.ndarray) -> np.ndarray:
        return (points - self._center) @ self._pig_from_principal

    def _leaf(self, height: float, pigs: int) -> Leaf | None:
        """Hang the closed leaf, if the device has one."""
        if self._door is None:
            return None
        size = np.array(
            (self._door.leaf_length, self._door.leaf_width(pigs), self._door.leaf_thickness)
        )
        if pigs not in self._leaf_shapes:
            self._leaf_shapes[pigs] = self.world.box(size)
        shape = self._leaf_shapes[pigs]
        return Leaf(self.world, shape, size, self._door, height, self._factors["leaf"])
