"""The trap door: how its leaf falls, and how it holds a pig while it does."""

from __future__ import annotations

from math import cos, hypot, radians, sin, sqrt
from typing import Protocol, runtime_checkable

import numpy as np

from sim.configuration import configure
from sim.device import TrapDoor
from sim.engine.bullet import BulletEngine, BulletSettings
from sim.engine.flight import GRAVITY
from sim.engine.world import World
from sim.pig import load_pig
from sim.rest import RestRule
from sim.throw import Thrower
from sim.validate.bench import CHECK, SteppedEngine, contact, out_of_the_way
from sim.validate.check import Check, Rig
from sim.validate.closed_form import MECHANICS

GRIPPED = 10
"""Throws whose friction on the leaf is measured."""

HELD = 1.0
"""Normal force per mass below which friction is not measured [m/s^2]."""


@runtime_checkable
class LeafScene(World, Protocol):
    """A throw from a trap door, followed step by step."""

    def swing(self) -> tuple[float, float]:
        """Read the leaf's angle below level [rad] and its rate [rad/s]."""
        ...


def door(_: Rig) -> list[Check]:
    """Speed of the falling leaf's free edge, by energy.

    A plate of length L and thickness t on an edge: spin^2 = 3 g (L sin a - t (1 - cos a)) /
    (L^2 + t^2); thin, sqrt(3 g L sin a).
    """
    door = TrapDoor()
    length, thickness = door.leaf_length, door.leaf_thickness
    pig, settings = load_pig("standard"), BulletSettings(steps_per_check=1)
    engine = BulletEngine(
        pig.shape, pig.mass_properties, door, contact(0.7, 0.6), settings, RestRule()
    )
    checks = []
    with engine.scene(out_of_the_way(), 0) as (scene, _limits):
        for degrees in (30.0, 60.0, 85.0):
            angle, rate = scene.swing()
            while angle < radians(degrees):
                scene.step()
                angle, rate = scene.swing()
            sunk = length * sin(angle) - thickness * (1 - cos(angle))
            expected = sqrt(3 * GRAVITY * sunk / (length**2 + thickness**2))
            checks.append(
                Check(
                    f"spin / expected near {degrees:g} deg", rate / expected, 1.0, 0.01, MECHANICS
                )
            )
    return checks


def leaf_friction(rig: Rig) -> list[Check]:
    """Friction of pigs that slip on the falling leaf, beside the force that presses them on it.

    A pig stands until the leaf asks for more than the coefficient times the normal force, then
    slips; so the greatest ratio is the coefficient. Measured by the change of speed between checks.
    """
    checks = []
    for start in ("forward", "backward"):
        configuration = configure(pigs=1, engine=rig.engine, height=0.127, start=start)
        thrower, expected = Thrower(configuration), configuration.contact.pig_leaf.friction
        greatest = max(_greatest_ratio(thrower, throw) for throw in range(GRIPPED))
        quantity = f"friction / normal force, facing {start}"
        checks.append(Check(quantity, greatest, expected, 0.05 * expected, "Coulomb"))
    return checks


def _greatest_ratio(thrower: Thrower, throw: int) -> float:
    """Follow one pig while the leaf swings; greatest tangential over normal force."""
    engine = thrower.engine
    assert isinstance(engine, SteppedEngine), "a case names the engines that it applies to"
    greatest = 0.0
    with engine.scene(thrower.releases([throw]), 0) as (scene, limits):
        assert isinstance(scene, LeafScene), "a trap door has a leaf"
        velocity, (angle, _) = np.zeros(3), scene.swing()
        while scene.is_swinging():
            for _ in range(round(CHECK / limits.check_interval)):
                scene.step()
            if not scene.is_swinging():
                break
            before, last = velocity, angle
            velocity, (angle, _) = np.array(scene.motion(0).velocity), scene.swing()
            x, y, z = (velocity - before) / CHECK
            c, s = cos((angle + last) / 2), sin((angle + last) / 2)
            normal = s * x + c * (z + GRAVITY)
            if normal > HELD:
                greatest = max(greatest, hypot(c * x - s * (z + GRAVITY), y) / normal)
    return greatest
