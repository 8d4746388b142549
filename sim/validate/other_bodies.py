"""Throws of bodies whose shape is simple and whose counts are published: cuboids and a cylinder.

How they were thrown and onto what is told in words at best, so every case states a throw and a
contact that are plausible, holds them for all of its bodies, and shows how far the answer moves
with each. What they cannot reach is shown with its distance.

References:
    Budden, F. (1980), "Throwing non-cubical dice", The Mathematical Gazette 64: 196-198: square
    cuboids cut from a steel bar, thrown by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import radians, sqrt

import numpy as np
from scipy.special import expit, xlogy
from scipy.stats import chi2

from meshes.solids import Cuboid, Cylinder
from sim.configuration import Configuration
from sim.contact import Contact
from sim.device import Condition, Device, Hand
from sim.pig import Pig
from sim.position import down_in_pig
from sim.rest import RestRule
from sim.validate.bench import contact, engine_settings, landings, solid
from sim.validate.check import Check, Finding, Reading, Rig

RATIOS = np.array(
    (0.47, 0.63, 0.75, 0.81, 0.93, 0.97, 1.16, 1.23, 1.44, 1.55, 1.60, 1.71, 1.87, 2.12, 2.65)
)
"""Length x over the square's edge y of Budden's cuboids."""

SHARES = np.array(
    (0.916, 0.738, 0.548, 0.496, 0.399, 0.385, 0.148, 0.154)
    + (0.052, 0.040, 0.017, 0.031, 0.009, 0.007, 0.006)
)
"""Of throws with a square face up."""

THROWS = np.array((332, 840, 799, 740, 516, 530, 1011, 532, 654, 606, 702, 609, 680, 275, 503))

STEEL, PLASTIC = 7850.0, 1200.0  # [kg/m^3]
EDGE = 0.015
"""Of the squares [m], assumption."""

BUDDEN_THROWS = 1000
FALSE_ALARM = 0.001
DIE_THROWS = 20_000
CYLINDER_THROWS = 4000
SCANNED_THROWS = 1000

CYLINDER_SIDES = 48
STANDING = sqrt(0.5)
"""A cylinder as high as wide whose axis is nearer than 45 degrees to the vertical is on an end."""

ROLLING = RestRule(max_time=4.0, ends_when_decided=True)
"""A cylinder that still rolls then is on its side: it has no energy to stand up with."""


@dataclass(frozen=True)
class Manner:
    """How bodies are thrown and onto what.

    Attributes:
        device: Speeds and spins.
        height: Of the lowest point when it is let go [m].
        contact: With the table.
        rest: When a throw is over.
    """

    device: Device
    height: float
    contact: Contact
    rest: RestRule = RestRule(ends_when_decided=True)


BY_HAND = Manner(
    Hand(speed=(1.5, 2.5), elevation=(radians(-20.0), radians(10.0)), spin=(40.0, 80.0)),
    0.10,
    contact(0.6, 0.3),
)
"""Cuboids of steel on a wooden table."""

MACHINE = Manner(
    Hand(speed=(0.3, 0.6), elevation=(0.0, 0.0), spin=(10.0, 30.0)), 0.12, contact(0.7, 0.2)
)
"""A machine that lets a die fall from a turning drum onto plexiglas."""


def thrown(body: Pig, manner: Manner, throws: int, rig: Rig, seed: int = 0) -> np.ndarray:
    """Throw a body; give the direction of the table in its frame at the end, (n, 3)."""
    configuration = Configuration(
        seed,
        body,
        1,
        manner.device,
        (Condition(manner.height, "random"),),
        contact=manner.contact,
        engine=engine_settings(rig),
        rest=manner.rest,
    )
    return down_in_pig(landings(configuration, throws, rig.workers).quat_xyzw.reshape(-1, 4))


def square_share(sides: tuple[float, float, float], density: float, downs: np.ndarray) -> float:
    """Share of cuboids on a face across x: the face that the line straight down goes through."""
    reach = np.abs(downs) / sides
    return float((reach.argmax(axis=1) == 0).mean())


def cuboid_share(
    sides: tuple[float, float, float],
    density: float,
    manner: Manner,
    throws: int,
    rig: Rig,
    seed: int = 0,
) -> float:
    """Throw a cuboid; share of throws with a face across x down, and so up."""
    cuboid = Cuboid(sides)
    body = solid("cuboid", cuboid.surface(), cuboid.mass_properties(density))
    downs = thrown(body, manner, throws, rig, seed)
    return float((np.abs(downs).argmax(axis=1) == 0).mean())
