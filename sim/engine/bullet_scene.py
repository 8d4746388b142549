"""The bodies of one throw in PyBullet: pigs, and the trap door's leaf."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from sim.contact import Factors
from sim.device import TrapDoor
from sim.engine.bullet_world import (
    BASE,
    FIXED_JOINT,
    HINGE,
    HINGE_JOINT,
    HULLS,
    MOTOR,
    PARTS,
    PIGS,
    SURFACES,
    BulletWorld,
)
from sim.engine.flight import Body, Motion
from sim.engine.world import Box

CATCH_ANGLE = 1e-3
"""The catch takes the leaf this close to its open angle [rad]."""

STEPS_PER_RENEWAL = 2
"""Steps between two times that Bullet finds the swinging leaf's contact points anew, at most.

Spins of pigs that leave the leaf differ from those of the fast engine, whose normals turn with the
leaf, by 0.15 rad/s when that is done every 8 steps (median of 100 throws), by 0.03 every 2 or less.
"""

PARKING = 1000.0
"""Height of pigs that the world need not step, and their distance [m]; in 10 s they fall 490 m."""

_UPRIGHT = (0.0, 0.0, 0.0, 1.0)
_STILL = (0.0, 0.0, 0.0)


class Scene:
    """The bodies of one throw, a World in SI units. Leaving it removes them."""

    def __init__(self, world: BulletWorld, leaf: Leaf | None, steps_per_check: int) -> None:
        self._world, self._client, self._leaf = world, world.client, leaf
        self._steps_per_check = steps_per_check
        self._pigs: list[int] = []
        self._steps = gcd(steps_per_check, STEPS_PER_RENEWAL)
        if self.is_swinging():
            world.pace(self._steps)

    def __enter__(self) -> Scene:
        return self

    def __exit__(self, *_: object) -> None:
        for pig in self._pigs:
            self._client.removeBody(pig)
        if self._leaf:
            self._client.removeBody(self._leaf.body)
        if self.is_swinging():
            self._world.pace(self._steps_per_check)

    def add_pig(self, shapes: Sequence[int], body: Body, motion: Motion, coat: Factors) -> None:
        """Put a pig in the world; its frame is principal, at its center of mass.

        A plane meets nothing of a body but its convex hull, so the hull, the base, meets table and
        leaf; the exact parts, a massless link fixed to it, meet other pigs only.

        Args:
            shapes: Of the hull and, unless the pig is alone, of the parts.
            body: Mass and moments.
            motion: At the start.
            coat: The pig's surface.
        """
        hull, *parts = shapes
        links = _link(self._world, parts[0], FIXED_JOINT, _STILL, 0.0) if parts else {}
        pig = self._client.createMultiBody(body.mass, hull, self._world.unseen, **links)
        self._world.weigh(pig, BASE, body.mass, body.moments)
        self._world.coat(pig, BASE, coat)
        self._world.unclamp(pig)
        self._client.setCollisionFilterGroupMask(pig, BASE, HULLS, SURFACES)
        if parts:
            self._world.coat(pig, PARTS, coat)
            self._client.setCollisionFilterGroupMask(pig, PARTS, PIGS, PIGS)
        self._pigs.append(pig)
        self.set_motion(len(self._pigs) - 1, motion)

    def motions(self) -> list[Motion]:
        """Read every pig's state."""
        return [self.motion(pig) for pig in range(len(self._pigs))]

    def motion(self, pig: int) -> Motion:
        """Read one pig's state."""
        body, scale = self._pigs[pig], self._world.scale
        (x, y, z), quat = self._client.getBasePositionAndOrientation(body)
        (vx, vy, vz), spin = self._client.getBaseVelocity(body)
        return Motion(
            (x / scale, y / scale, z / scale), quat, (vx / scale, vy / scale, vz / scale), spin
        )

    def set_motion(self, pig: int, motion: Motion) -> None:
        """Write one pig's state."""
        body, internal = self._pigs[pig], self._world.internal
        self._client.resetBasePositionAndOrientation(
            body, internal(motion.position), motion.quat_xyzw
        )
        self._client.resetBaseVelocity(body, internal(motion.velocity), motion.spin)

    def park(self, pig: int) -> None:
        """Put a pig high above all others, until its state is written again."""
        self.set_motion(pig, Motion((PARKING * pig, 0.0, PARKING), _UPRIGHT, _STILL, _STILL))

    def step(self) -> None:
        """Advance by one check interval; the catch takes the leaf when it is open."""
        if not (self._leaf and self._leaf.is_swinging):
            self._client.stepSimulation()
            return
        for _ in range(self._steps_per_check // self._steps):
            self._client.stepSimulation()
            self._leaf.forget_contacts()
        self._leaf.catch()
        if not self._leaf.is_swinging:
            self._world.pace(self._steps_per_check)

    def obstacle(self) -> Box | None:
        """Where the leaf hangs, once it is at rest; None without one."""
        return self._leaf.box if self._leaf else None

    def is_swinging(self) -> bool:
        """Whether the leaf still moves."""
        return self._leaf is not None and self._leaf.is_swinging

    def leaf_angle(self) -> float:
        """Read how far the leaf is open [rad], caught or not; 0 without one."""
        return self._leaf.angle() if self._leaf else 0.0

    def swing(self) -> tuple[float, float]:
        """Read the swinging leaf: angle below level [rad] and its rate [rad/s]."""
        assert self._leaf is not None
        return self._leaf.swing()


class Leaf:
    """The trap door's leaf: a plate on a hinge until the catch holds it, then a fixed plate."""

    def __init__(
        self,
        world: BulletWorld,
        shape: int,
        size: np.ndarray,
        door: TrapDoor,
        height: float,
        coat: Factors,
    ) -> None:
        self._world, self._shape, self._coat = world, shape, coat
        self._half, self._open_angle = size / 2, door.open_angle
        self._hinge = np.array((-self._half[0], 0.0, height))
        self.box: Box | None = None
        self.body = self._hang(door.leaf_mass)

    @property
    def is_swinging(self) -> bool:
        """Whether the catch does not hold it yet."""
        return self.box is None

    def _hang(self, mass: float) -> int:
        client, internal = self._world.client, self._world.internal
        center = (self._half[0], 0.0, -self._half[2])
        leaf = client.createMultiBody(
            0.0,
            baseVisualShapeIndex=self._world.unseen,
            basePosition=internal(self._hinge),
            **_link(self._world, self._shape, HINGE_JOINT, center, mass),
        )
        client.setJointMotorControl2(leaf, HINGE, MOTOR, force=0.0)
        a, b, c = (2 * self._half) ** 2 * mass / 12
        self._world.weigh(leaf, HINGE, mass, (b + c, a + c, a + b))
        self._world.coat(leaf, HINGE, self._coat)
        _find_contacts(self._world, leaf, HINGE)
        client.changeDynamics(
            leaf, HINGE, jointLowerLimit=0.0, jointUpperLimit=self._open_angle, jointDamping=0.0
        )
        return int(leaf)

    def swing(self) -> tuple[float, float]:
        """Read the angle below level [rad] and its rate [rad/s]."""
        angle, rate, *_ = self._world.client.getJointState(self.body, HINGE)
        return float(angle), float(rate)

    def angle(self) -> float:
        """Read the angle below level [rad], swinging or caught."""
        return self.swing()[0] if self.is_swinging else self._open_angle

    def set_swing(self, angle: float, rate: float) -> None:
        """Write the angle below level [rad] and its rate [rad/s]; the catch takes an open leaf."""
        self._world.client.resetJointState(self.body, HINGE, angle, rate)
        self.catch()

    def forget_contacts(self) -> None:
        """Have Bullet find the contact points anew, by setting the leaf's collision filter.

        It keeps a point's normal as it was when the point was found, so those of a pig that stands
        still on the leaf would not turn with it, and hold it by 0.9 to 1.1 times the normal force
        where a friction of 0.6 is the most.
        """
        _find_contacts(self._world, self.body, HINGE)

    def catch(self) -> None:
        """Fix the leaf once it has reached its open angle."""
        if self.swing()[0] < self._open_angle - CATCH_ANGLE:
            return
        client, internal = self._world.client, self._world.internal
        turn = Rotation.from_euler("y", self._open_angle)
        center = self._hinge + turn.apply((self._half[0], 0.0, -self._half[2]))
        client.removeBody(self.body)
        self.body = client.createMultiBody(
            0.0,
            self._shape,
            self._world.unseen,
            basePosition=internal(self._hinge),
            baseOrientation=turn.as_quat().tolist(),
        )
        self._world.coat(self.body, BASE, self._coat)
        _find_contacts(self._world, self.body, BASE)
        reach = np.abs(turn.as_matrix()) @ self._half
        self.box = Box(tuple(center - reach), tuple(center + reach))


def _find_contacts(world: BulletWorld, leaf: int, link: int) -> None:
    """Have Bullet find the leaf's contacts with hulls, and forget those that it has."""
    world.client.setCollisionFilterGroupMask(leaf, link, SURFACES, HULLS)


def _link(
    world: BulletWorld, shape: int, joint: int, center: Sequence[float], mass: float
) -> dict[str, list[Any]]:
    """Arguments of a body with one link in the base's frame, its center of mass at `center` [m]."""
    no_shift, no_turn = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]
    return {
        "linkMasses": [mass],
        "linkCollisionShapeIndices": [shape],
        "linkVisualShapeIndices": [world.unseen],
        "linkPositions": [no_shift],
        "linkOrientations": [no_turn],
        "linkInertialFramePositions": [world.internal(center)],
        "linkInertialFrameOrientations": [no_turn],
        "linkParentIndices": [0],
        "linkJointTypes": [joint],
        "linkJointAxis": [[0.0, 1.0, 0.0]],
    }
