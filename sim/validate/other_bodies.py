"""Throws of bodies whose shape is simple and whose counts are published: cuboids and a cylinder.

How they were thrown and onto what is told in words at best. So each case states a throw and a
contact, one for all of its bodies, and a second one reads how far the answer moves with each.

References:
    Budden, F. (1980), "Throwing non-cubical dice", The Mathematical Gazette 64: 196-198: square
    cuboids cut from a steel bar, thrown by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from scipy.special import expit, xlogy
from scipy.stats import chi2

from meshes.solids import Cuboid, Cylinder
from sim.configuration import Configuration
from sim.contact import Contact
from sim.device import Condition, Device, Drop, Hand
from sim.pig import Pig
from sim.position import down_in_pig
from sim.rest import RestRule
from sim.validate.bench import contact, engine_settings, landings, solid
from sim.validate.check import Check, Finding, Reading, Rig

RATIOS, SHARES, THROWS = np.array(
    (
        (0.47, 0.916, 332),
        (0.63, 0.738, 840),
        (0.75, 0.548, 799),
        (0.81, 0.496, 740),
        (0.93, 0.399, 516),
        (0.97, 0.385, 530),
        (1.16, 0.148, 1011),
        (1.23, 0.154, 532),
        (1.44, 0.052, 654),
        (1.55, 0.04, 606),
        (1.6, 0.017, 702),
        (1.71, 0.031, 609),
        (1.87, 0.009, 680),
        (2.12, 0.007, 275),
        (2.65, 0.006, 503),
    )
).T
"""Budden's cuboids: length x over the square's edge y, share with a square face up, throws."""

STEEL, PLASTIC = 7850.0, 1200.0  # [kg/m^3]
SQUARE = 0.015
"""Edge of Budden's squares [m], assumption."""

DIE_EDGE, CYLINDER_RADIUS = 0.016, 0.0085  # [m], assumptions

BUDDEN_THROWS, DIE_THROWS, CYLINDER_THROWS = 1000, 10_000, 6000
READ_THROWS, ROLLED_THROWS = 1000, 500
READ_RATIOS = (0.75, 1.16, 1.44)
FALSE_ALARM = 0.001
STANDARD_ERRORS = 3.0

LARGE_FACES = 0.353
"""Share of one of the two large faces of a cuboid 1 x 1 x 0.97."""

THICK, THIN = ("15.5 mm", 0.38, 0.93), ("2.4 mm", 0.24, 0.84)
"""Glass, published share of a cylinder's ends on it, and the restitution found to give it."""

CYLINDER_SIDES = 32
STANDING = sqrt(0.5)
"""A cylinder as high as wide whose axis is nearer than 45 degrees to the vertical is on an end."""


@dataclass(frozen=True)
class Manner:
    """How bodies are thrown and onto what.

    Attributes:
        device: Speeds and spins.
        height: Of the lowest point when it is let go [m].
        contact: With the table.
        max_time: Given to a throw [s].
    """

    device: Device
    height: float
    contact: Contact
    max_time: float = 10.0

    @property
    def words(self) -> str:
        """Say it in brief."""
        pair = self.contact.pig_table
        return (
            f"{self.device}, {self.height * 1e3:g} mm, "
            f"restitution {pair.restitution:g}, friction {pair.friction:g}"
        )


BY_HAND = Manner(Hand(), 0.10, contact(0.6, 0.4))
"""Steel on a wooden table."""

DRUM = Hand(speed=(0.3, 0.6), elevation=(0.0, 0.0), spin=(10.0, 30.0))
ON_PLEXIGLAS = Manner(DRUM, 0.12, contact(0.5, 0.2))
"""Plastic from a turning drum."""

GLASS_FRICTION = 0.1
ROLLING_TIME = 8.0
"""A cylinder that still rolls then is on its side, and so is it counted [s]."""


def cuboids(rig: Rig) -> list[Finding]:
    """Budden's fifteen cuboids: each share, and their deviance together."""
    shares = np.array([square_share(r, BY_HAND, BUDDEN_THROWS, rig) for r in RATIOS])
    dispersion = over_dispersion()
    findings: list[Finding] = []
    for ratio, share, published, throws in zip(RATIOS, shares, SHARES, THROWS, strict=True):
        spread = dispersion / throws + 1 / BUDDEN_THROWS
        limit = STANDARD_ERRORS * sqrt(published * (1 - published) * spread)
        quantity = f"share with a square up, x/y = {ratio:g}"
        findings.append(Check(quantity, share, published, limit, "Budden 1980; 3 s.e.", False))
    limit = float(chi2.isf(FALSE_ALARM, len(RATIOS)))
    source = f"over-dispersion {dispersion:.2f}, false alarm {FALSE_ALARM:g}; {BY_HAND.words}"
    deviance = scaled_deviance(shares, BUDDEN_THROWS, dispersion)
    return [*findings, Check("scaled deviance of the fifteen", deviance, 0.0, limit, source)]


def cuboid_assumptions(rig: Rig) -> list[Finding]:
    """Read how far the shares of three of Budden's cuboids move."""
    usual = BY_HAND
    ways = {
        "as assumed": usual,
        "restitution 0.4": replace(usual, contact=contact(0.4, 0.4)),
        "restitution 0.8": replace(usual, contact=contact(0.8, 0.4)),
        "friction 0.2": replace(usual, contact=contact(0.6, 0.2)),
        "friction 0.6": replace(usual, contact=contact(0.6, 0.6)),
        "half the speed": replace(usual, device=Hand(speed=(0.5, 1.0))),
        "twice the speed": replace(usual, device=Hand(speed=(2.0, 4.0))),
        "no spin": replace(usual, device=Hand(spin=(0.0, 0.0))),
        "twice the spin": replace(usual, device=Hand(spin=(40.0, 160.0))),
        "dropped from rest": replace(usual, device=Drop()),
    }
    return [
        _reading(f"x/y = {r:g}, {label}", square_share(r, way, READ_THROWS, rig), READ_THROWS)
        for label, way in ways.items()
        for r in READ_RATIOS
    ]


def die(rig: Rig) -> list[Finding]:
    """A cuboid 1 x 1 x 0.97, and how far its share moves."""
    share = _large_share(ON_PLEXIGLAS, DIE_THROWS, rig)
    limit = STANDARD_ERRORS * sqrt(LARGE_FACES * (1 - LARGE_FACES) / DIE_THROWS)
    quantity = "share with one of the two large faces up"
    source = f"published; 3 s.e.; {ON_PLEXIGLAS.words}"
    usual, throws = ON_PLEXIGLAS, DIE_THROWS // 2
    ways = {
        "restitution 0.3": replace(usual, contact=contact(0.3, 0.2)),
        "restitution 0.7": replace(usual, contact=contact(0.7, 0.2)),
        "restitution 0.9": replace(usual, contact=contact(0.9, 0.2)),
        "friction 0.1": replace(usual, contact=contact(0.5, 0.1)),
        "friction 0.4": replace(usual, contact=contact(0.5, 0.4)),
        "dropped from rest": replace(usual, device=Drop()),
    }
    return [
        Check(quantity, share, LARGE_FACES, limit, source),
        *(_reading(f"{k}", _large_share(way, throws, rig), throws) for k, way in ways.items()),
    ]


def cylinder(rig: Rig) -> list[Finding]:
    """A cylinder as high as wide on two sheets of glass, and how far its share moves."""
    findings: list[Finding] = []
    for glass, published, restitution in (THICK, THIN):
        manner = Manner(DRUM, 0.12, contact(restitution, GLASS_FRICTION), ROLLING_TIME)
        share = _end_share(manner, CYLINDER_THROWS, rig)
        limit = STANDARD_ERRORS * sqrt(published * (1 - published) / CYLINDER_THROWS)
        source = f"published; 3 s.e.; {manner.words}"
        findings.append(Check(f"share on an end, {glass} glass", share, published, limit, source))
    ways: list[tuple[float, float, Device]]
    ways = [(e, 0.1, DRUM) for e in (0.6, 0.7, 0.8, 0.85, 0.9, 0.95)]
    ways += [(0.8, 0.2, DRUM), (0.9, 0.2, DRUM), (0.8, 0.1, Drop()), (0.9, 0.1, Drop())]
    for restitution, friction, device in ways:
        manner = Manner(device, 0.12, contact(restitution, friction), ROLLING_TIME)
        label = f"restitution {restitution:g}, friction {friction:g}" + (
            ", dropped from rest" if isinstance(device, Drop) else ""
        )
        findings.append(
            _reading(label, _end_share(manner, READ_THROWS // 2, rig), READ_THROWS // 2)
        )
    return findings


def over_dispersion() -> float:
    """Estimate how much more Budden's shares scatter than chance: 1 if they do not.

    Pearson's chi-square about a smooth curve, over its degrees of freedom: logit p a quadratic in
    ln(x/y), fitted by iteratively reweighted least squares.
    """
    terms = np.vander(np.log(RATIOS), 3)
    weights = np.zeros(3)
    for _ in range(50):
        fitted = expit(terms @ weights)
        spread = THROWS * fitted * (1 - fitted)
        slope = terms.T @ (THROWS * (SHARES - fitted))
        weights = weights + np.linalg.solve(terms.T @ (terms * spread[:, None]), slope)
    fitted = expit(terms @ weights)
    pearson = THROWS * (SHARES - fitted) ** 2 / (fitted * (1 - fitted))
    return float(pearson.sum() / (len(RATIOS) - 3))


def scaled_deviance(shares: np.ndarray, simulated: int, dispersion: float) -> float:
    """Deviance of Budden's counts at simulated shares (15,), in units of its own scatter.

    The published share scatters by over-dispersion / N, the simulated one by 1 / n, so the
    deviance of each cuboid is divided by over-dispersion + N / n; the sum is chi-square of 15.
    Half a count is added to a simulated share, lest it be 0.
    """
    q = (shares * simulated + 0.5) / (simulated + 1)
    up, down = THROWS * SHARES, THROWS * (1 - SHARES)
    deviance = 2 * (xlogy(up, SHARES / q) + xlogy(down, (1 - SHARES) / (1 - q)))
    return float((deviance / (dispersion + THROWS / simulated)).sum())


def _reading(label: str, share: float, throws: int) -> Reading:
    return Reading(f"share, {label}", share, sqrt(share * (1 - share) / throws), f"n = {throws:,}")


def square_share(ratio: float, manner: Manner, throws: int, rig: Rig) -> float:
    """Throw one of Budden's cuboids; share with a square up."""
    return _share_across_x((ratio * SQUARE, SQUARE, SQUARE), STEEL, manner, throws, rig)


def _large_share(manner: Manner, throws: int, rig: Rig) -> float:
    sides = (0.97 * DIE_EDGE, DIE_EDGE, DIE_EDGE)
    return _share_across_x(sides, PLASTIC, manner, throws, rig)


def _share_across_x(
    sides: tuple[float, float, float], density: float, manner: Manner, throws: int, rig: Rig
) -> float:
    """Throw a cuboid; share that lies on a face across x, and so shows the other one."""
    cuboid = Cuboid(sides)
    body = solid("cuboid", cuboid.surface(), cuboid.mass_properties(density))
    return float((np.abs(_thrown(body, manner, throws, rig)).argmax(axis=1) == 0).mean())


def _end_share(manner: Manner, throws: int, rig: Rig) -> float:
    """Throw the cylinder; share that stands on an end."""
    shape = Cylinder(CYLINDER_RADIUS, 2 * CYLINDER_RADIUS)
    body = solid("cylinder", shape.surface(CYLINDER_SIDES), shape.mass_properties(PLASTIC))
    return float((np.abs(_thrown(body, manner, throws, rig)[:, 2]) > STANDING).mean())


def _thrown(body: Pig, manner: Manner, throws: int, rig: Rig) -> np.ndarray:
    """Throw a body; give the direction of the table in its frame at the end, (n, 3)."""
    configuration = Configuration(
        0,
        body,
        1,
        manner.device,
        (Condition(manner.height, "random"),),
        contact=manner.contact,
        engine=engine_settings(rig),
        rest=RestRule(max_time=manner.max_time, ends_when_decided=True),
    )
    return down_in_pig(landings(configuration, throws, rig.workers).quat_xyzw.reshape(-1, 4))
