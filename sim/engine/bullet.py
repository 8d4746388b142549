"""The reference engine: throws in PyBullet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties
from meshes.shape import Shape
from meshes.stable import stable_poses
from sim.contact import Contact, body_factors
from sim.device import Device, Releases, TrapDoor
from sim.engine import RestingStates
from sim.engine.basin import Basins
from sim.engine.bullet_scene import Leaf, Scene
from sim.engine.bullet_world import BulletSettings, BulletWorld
from sim.engine.flight import Body, Motion
from sim.engine.settle import Observer, settle
from sim.engine.world import Limits
from sim.rest import RestRule

Watcher = Callable[[float, list[Motion], float], None]
"""Told the time [s], the pigs' states and the leaf's angle [rad], at every look at a throw."""

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
        _, self._axes = mass_properties.principal()
        self._pig_from_principal = Rotation.from_matrix(self._axes)
        self._principal_from_pig = self._pig_from_principal.inv()
        self._center = mass_properties.center_of_mass
        self.body = Body.of(shape.hull.vertices, mass_properties)
        self._basins = (
            Basins(
                self.body,
                stable_poses(shape, self._center),
                self._axes,
                contact.pig_table.friction,
            )
            if rest.ends_when_decided
            else None
        )
        self._renew_world()

    def _renew_world(self) -> None:
        self.world = BulletWorld(self._settings, self._bounce_speed)
        self._hull_shape = self.world.compound([self.body.vertices])
        self._parts_shape: int | None = None
        self._leaf_shapes: dict[int, int] = {}
        self._throws_in_world = 0
        self.world.plane(self._factors["table"])

    def _take_turn(self) -> None:
        """Count a throw; renew the world that has had its number."""
        if self._throws_in_world == WORLD_THROWS:
            self.world.end()
            self._renew_world()
        self._throws_in_world += 1

    def settle(self, releases: Releases, watcher: Watcher | None = None) -> RestingStates:
        """Run every throw until it rests, times out, escapes or diverges; see Engine."""
        ends = [self._throw(releases, row, watcher) for row in range(len(releases.index))]
        translation, quat = self.poses([motion for end in ends for motion in end[1]])
        shape = releases.translation.shape[:2]
        return RestingStates(
            status=np.array([end[0] for end in ends]),
            translation=translation.reshape(*shape, 3),
            quat_xyzw=quat.reshape(*shape, 4),
            rest_time=np.array([end[2] for end in ends]),
        )

    def _throw(
        self, releases: Releases, row: int, watcher: Watcher | None
    ) -> tuple[str, list[Motion], np.ndarray]:
        self._take_turn()
        with self.scene(releases, row) as (scene, limits):
            observe = watcher and _with_leaf(watcher, scene)
            return settle(scene, self.body, self._rest, limits, observe, self._basins)

    def poses(self, motions: Sequence[Motion]) -> tuple[np.ndarray, np.ndarray]:
        """Turn states of the principal frame into world_from_pig, (n, 3) [m] and (n, 4)."""
        turns = Rotation.from_quat([motion.quat_xyzw for motion in motions])
        orientation = turns * self._principal_from_pig
        center = np.array([motion.position for motion in motions])
        return (
            center - orientation.as_matrix() @ self._center,
            orientation.as_quat(canonical=True),
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
            start=float(releases.time[row]),
        )
        motions = self._starts(releases, row)
        shapes, coat = self._pig_shapes(len(motions)), self._factors["pig"]
        leaf = self._leaf(releases, row)
        with Scene(self.world, leaf, settings.steps_per_check) as scene:
            for motion in motions:
                scene.add_pig(shapes, self.body, motion, coat)
            yield scene, limits

    def _pig_shapes(self, pigs: int) -> tuple[int, ...]:
        """Give a pig's hull and, where it can meet others, its parts."""
        if pigs == 1:
            return (self._hull_shape,)
        if self._parts_shape is None:
            parts = [self._principal(part.vertices) for part in self._shape.parts]
            self._parts_shape = self.world.compound(parts)
        return self._hull_shape, self._parts_shape

    def _starts(self, releases: Releases, row: int) -> list[Motion]:
        world_from_pig = Rotation.from_quat(releases.quat_xyzw[row])
        center = releases.translation[row] + world_from_pig.as_matrix() @ self._center
        turn = (world_from_pig * self._pig_from_principal).as_quat()
        return [
            Motion.of(*state)
            for state in zip(center, turn, releases.velocity[row], releases.spin[row], strict=True)
        ]

    def _principal(self, points: np.ndarray) -> np.ndarray:
        return (points - self._center) @ self._axes

    def _leaf(self, releases: Releases, row: int) -> Leaf | None:
        """Hang the leaf as it is at the start, if the device has one."""
        door, pigs = self._door, releases.thrown
        if door is None:
            return None
        size = np.array((door.leaf_length, door.leaf_width(pigs), door.leaf_thickness))
        if pigs not in self._leaf_shapes:
            self._leaf_shapes[pigs] = self.world.box(size, size * (0.5, 0.0, -0.5))
        height, coat = float(releases.height[row]), self._factors["leaf"]
        leaf = Leaf(self.world, self._leaf_shapes[pigs], size, door, height, coat)
        leaf.set_swing(float(releases.leaf_angle[row]), float(releases.leaf_speed[row]))
        return leaf


def _with_leaf(watcher: Watcher, scene: Scene) -> Observer:
    def observe(time: float, motions: list[Motion]) -> None:
        watcher(time, motions, scene.leaf_angle())

    return observe
