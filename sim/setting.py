"""Contact and device numbers that can be moved one by one, by their names.

A calibration holds them, moves them by a step or frees them; a calibrated pig brings along those
that were found with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sim.contact import Contact, PairContact
from sim.device import Condition, TrapDoor

if TYPE_CHECKING:
    from sim.configuration import Configuration


@dataclass(frozen=True)
class Setting:
    """A contact or device number.

    Attributes:
        unit: Such as "m"; "" if it has none.
        low: Least value tried.
        high: Greatest value tried.
        step: A change that a person would call small, for tables of sensitivity.
        read: Takes it from a configuration.
        write: Gives a configuration with another value.
    """

    unit: str
    low: float
    high: float
    step: float
    read: Callable[[Configuration], float]
    write: Callable[[Configuration, float], Configuration]


def _pair(
    name: str,
) -> tuple[Callable[[Configuration], float], Callable[[Configuration, float], Configuration]]:
    """Read and write a value of the pig on table and leaf alike."""

    def read(configuration: Configuration) -> float:
        return float(getattr(configuration.contact.pig_table, name))

    def write(configuration: Configuration, value: float) -> Configuration:
        def changed(pair: PairContact) -> PairContact:
            return replace(pair, **{name: value})

        contact: Contact = configuration.contact
        contact = replace(
            contact, pig_table=changed(contact.pig_table), pig_leaf=changed(contact.pig_leaf)
        )
        return replace(configuration, contact=contact)

    return read, write


def _device(
    name: str,
) -> tuple[Callable[[Configuration], float], Callable[[Configuration, float], Configuration]]:
    def read(configuration: Configuration) -> float:
        return float(getattr(_trap_door(configuration), name))

    def write(configuration: Configuration, value: float) -> Configuration:
        return replace(configuration, device=replace(_trap_door(configuration), **{name: value}))

    return read, write


def _trap_door(configuration: Configuration) -> TrapDoor:
    if not isinstance(configuration.device, TrapDoor):
        raise ValueError("settings of the leaf: expected the trap door of kern2006")
    return configuration.device


def _write_bounce(configuration: Configuration, value: float) -> Configuration:
    return replace(configuration, contact=replace(configuration.contact, bounce_speed=value))


def _write_height(configuration: Configuration, value: float) -> Configuration:
    raised = value - _mean_height(configuration)
    return replace(
        configuration,
        conditions=tuple(
            Condition(one.height + raised, one.start) for one in configuration.conditions
        ),
    )


def _mean_height(configuration: Configuration) -> float:
    return float(np.mean([one.height for one in configuration.conditions]))


SETTINGS: dict[str, Setting] = {
    "restitution": Setting("", 0.4, 0.9, 0.02, *_pair("restitution")),
    "friction": Setting("", 0.2, 1.2, 0.05, *_pair("friction")),
    "bounce_speed": Setting(
        "m/s", 0.0, 0.4, 0.03, lambda each: each.contact.bounce_speed, _write_bounce
    ),
    "height": Setting("m", 0.16, 0.25, 0.005, _mean_height, _write_height),
    "jitter": Setting("m", 0.0, 0.01, 0.001, *_device("jitter")),
    "yaw_jitter": Setting("rad", 0.0, 0.5, 0.03, *_device("yaw_jitter")),
    "leaf_mass": Setting("kg", 0.01, 0.2, 0.01, *_device("leaf_mass")),
    "leaf_length": Setting("m", 0.06, 0.12, 0.005, *_device("leaf_length")),
    "spacing": Setting("m", 0.04, 0.12, 0.005, *_device("spacing")),
}
"""What can be freed. The height is the mean over the conditions; they all move together, and the
lowest of them stays above the longest leaf."""

WITHOUT_LEAF = ("restitution", "friction", "bounce_speed", "height")
"""Those that every device has."""
