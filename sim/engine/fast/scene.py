"""One throw of the fast engine, step by step, for who looks at every one of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from sim.engine.fast.leaf import ANGLE, OPEN, SPEED, box_bounds
from sim.engine.fast.motion import (
    MOMENTUM,
    POSITION,
    QUAT,
    STATE,
    VELOCITY,
    Mass,
    inverse_inertia_times,
    matrix,
)
from sim.engine.fast.outcome import World
from sim.engine.fast.step import Scene, step
from sim.engine.flight import GRAVITY, Motion
from sim.engine.world import Box

PARKING = 1000.0
"""Height of pigs that need not be stepped, and their distance [m]."""


@dataclass
class Ground:
    """The table, which can be inclined.

    Attributes:
        slope: About y, +x downhill [rad].
    """

    slope: float = 0.0

    def tilt(self, angle: float) -> None:
        """Incline the table; only for stepped scenes [rad]."""
        self.slope = angle


def state_of(mass: Mass, motion: Motion) -> np.ndarray:
    """Write a motion as the engine holds it, (13,); see motion."""
    axes = np.array(matrix(*motion.quat_xyzw)).reshape(3, 3)
    moments = 1.0 / np.array((mass.inverse_x, mass.inverse_y, mass.inverse_z))
    row = np.zeros(STATE)
    row[POSITION:QUAT], row[QUAT:VELOCITY] = motion.position, motion.quat_xyzw
    row[VELOCITY:MOMENTUM] = motion.velocity
    row[MOMENTUM:] = axes @ (moments * (axes.T @ motion.spin))
    return row


class SteppedScene:
    """The pigs of one throw; a sim.engine.world.World."""

    def __init__(self, world: World, scene: Scene, height: float, ground: Ground) -> None:
        """Take a scene as it is.

        Args:
            world: Of all throws.
            scene: Holds the states and the leaf.
            height: Of release [m].
            ground: Its slope is read at every step.
        """
        self._world, self._scene, self._height, self._ground = world, scene, height, ground

    def state(self, pig: int) -> np.ndarray:
        """Show one pig's state as the engine holds it; see motion."""
        return self._scene.states[pig]

    def motions(self) -> list[Motion]:
        """Read every pig's state."""
        return [self.motion(pig) for pig in range(len(self._scene.states))]

    def motion(self, pig: int) -> Motion:
        """Read one pig's state."""
        row = self.state(pig)
        r = matrix(*row[QUAT:VELOCITY])
        spin = inverse_inertia_times(self._world.mass, r, *row[MOMENTUM:])
        return Motion.of(row[POSITION:QUAT], row[QUAT:VELOCITY], row[VELOCITY:MOMENTUM], spin)

    def set_motion(self, pig: int, motion: Motion) -> None:
        """Write one pig's state."""
        self.state(pig)[:] = state_of(self._world.mass, motion)

    def park(self, pig: int) -> None:
        """Put a pig where it touches nothing, until its state is written again."""
        upright, still = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
        self.set_motion(pig, Motion((PARKING * pig, 0.0, PARKING), upright, still, still))

    def step(self) -> None:
        """Advance by one time step, contacts included."""
        world, slope = self._world, self._ground.slope
        rules = world.rules._replace(
            gravity_x=GRAVITY * sin(slope), gravity_z=-GRAVITY * cos(slope)
        )
        pigs = len(self._scene.states)
        step(world.hull, world.mass, rules, world.door, self._scene, self._height, 0, pigs)

    def obstacle(self) -> Box | None:
        """Where the leaf hangs, once it is at rest; None without one."""
        if self._world.door.exists == 0 or self.is_swinging():
            return None
        low, high = box_bounds(self._world.door, self._scene.leaf, self._height)
        return Box(low, high)

    def is_swinging(self) -> bool:
        """Whether the leaf still moves."""
        return self._world.door.exists == 1 and self._scene.leaf[OPEN] == 0.0

    def swing(self) -> tuple[float, float]:
        """Read the leaf: angle below level [rad] and its rate [rad/s]."""
        return float(self._scene.leaf[ANGLE]), float(self._scene.leaf[SPEED])
