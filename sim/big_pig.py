"""Big Pigs: the same game with foam-rubber pigs 6 in long.

Whatever gravity alone rules is similar when lengths grow by S, times and speeds by sqrt(S), spins
by 1 / sqrt(S) (Froude). So heights, distances and thresholds are the small pig's, scaled, and the
engine sees a pig of the same internal size; density, restitution and friction are foam rubber's.

Neglected: the foam gives way on impact (the pig is rigid here), and air drag, which takes some
2 % of the speed of such a pig in a fall of 0.3 m.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from meshes.anatomy import BIG_LENGTH, standard_pig
from sim.contact import Contact, PairContact
from sim.device import KERN_2006, Condition, Drop, Hand, TrapDoor
from sim.engine.bullet import BulletSettings
from sim.engine.fast.settings import FastSettings
from sim.rest import RestRule
from sim.touch import TouchRule

FOAM_DENSITY = 120.0
"""Of foam rubber [kg/m^3]; soft toys are molded from foam of 100 to 150. Assumption."""

BIG_DROP_HEIGHT = 0.3
"""From a hand over the table [m]. Assumption."""


def big_scale() -> float:
    """How many times as long as the standard pig the big one is."""
    return BIG_LENGTH / float(np.ptp(standard_pig().hull.vertices[:, 0]))


def big_contact() -> Contact:
    """Foam rubber on a hard, smooth table and on itself.

    A ball dropped on molded foam rubber rebounds to 35-45 % of its height (ball rebound, ASTM
    D3574 test H, data sheets of conventional foam): e = sqrt(0.4) = 0.63. Foam grips better than
    solid rubber, since it gives way: 0.8 on the table, 1.0 on foam. All assumptions.
    """
    table = PairContact(0.63, 0.80)
    return Contact(
        pig_table=table,
        pig_leaf=table,
        pig_pig=PairContact(0.63, 1.0),
        bounce_speed=Contact().bounce_speed * sqrt(big_scale()),
    )


def big_engine() -> BulletSettings:
    """Scale the engine so that the pig's internal size is the small one's.

    The step stays a power of two: 1/512 s is 0.85 of the small pig's, in the big one's time.
    """
    small, scale = BulletSettings(), big_scale()
    return replace(
        small,
        scale=small.scale / scale,
        time_step=2 * small.time_step,
        table_radius=small.table_radius * scale,
        clearance=small.clearance * scale,
    )


def big_fast_engine() -> FastSettings:
    """Scale the fast engine's time step and lengths as those of big_engine."""
    small, scale = FastSettings(), big_scale()
    return replace(
        small,
        time_step=2 * small.time_step,
        table_radius=small.table_radius * scale,
        clearance=small.clearance * scale,
        near=small.near * scale,
        meeting=big_engine(),
    )


def big_rest() -> RestRule:
    """Scale the thresholds of rest."""
    small, root = RestRule(), sqrt(big_scale())
    return replace(
        small,
        speed=small.speed * root,
        spin=small.spin / root,
        window=small.window * root,
        max_time=small.max_time * root,
    )


def big_touch() -> TouchRule:
    """Scale the distances of touching."""
    small, scale = TouchRule(), big_scale()
    return TouchRule(small.distance * scale, small.carried_height * scale)


def big_drop() -> Drop:
    """Keep the pigs of a drop as far apart, in their lengths, as small ones."""
    return Drop(spacing=Drop().spacing * big_scale())


def big_trap_door() -> TrapDoor:
    """Scale the trap door; of 4 mm plywood, its leaf is as heavy to these pigs as to small ones."""
    small, scale = TrapDoor(), big_scale()
    return replace(
        small,
        leaf_length=small.leaf_length * scale,
        leaf_thickness=0.004,
        leaf_mass=1.0,
        edge=small.edge * scale,
        spacing=small.spacing * scale,
        jitter=small.jitter * scale,
    )


def big_conditions() -> tuple[Condition, ...]:
    """Scale the heights of the published conditions."""
    scale = big_scale()
    return tuple(replace(one, height=one.height * scale) for one in KERN_2006)


def big_hand() -> Hand:
    """Scale the hand's throw: speeds as the root of the length, spins as its inverse."""
    small, root = Hand(), sqrt(big_scale())
    return replace(
        small,
        speed=(small.speed[0] * root, small.speed[1] * root),
        spin=(small.spin[0] / root, small.spin[1] / root),
        spacing=small.spacing * big_scale(),
    )
