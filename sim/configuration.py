"""Everything that a throw depends on besides its index, in one frozen record."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from meshes.anatomy import big_pig, standard_pig
from meshes.density import MassProperties, uniform
from meshes.shape import Shape
from sim.big_pig import (
    BIG_DROP_HEIGHT,
    FOAM_DENSITY,
    big_conditions,
    big_contact,
    big_drop,
    big_engine,
    big_rest,
    big_touch,
    big_trap_door,
)
from sim.contact import Contact
from sim.device import KERN_2006, STARTS, Condition, Device, Drop, TrapDoor
from sim.engine.bullet import BulletSettings
from sim.rest import RestRule
from sim.touch import TouchRule

RUBBER_DENSITY = 1100.0
"""Of solid rubber [kg/m^3]; vulcanized natural rubber is 1,100 to 1,200. Assumption."""

BIG = "big"
PIGS = ("standard", "uniform", BIG)
DEVICES = ("kern2006", "drop")
ENGINES = ("bullet",)
MAX_PIGS = 8
DROP_HEIGHT = KERN_2006[0].height


@dataclass(frozen=True)
class Pig:
    """A body to throw.

    Attributes:
        name: "standard", "uniform", "big" or the file it came from.
        shape: Its parts, hull and surface.
        mass_properties: Mass, center of mass and inertia.
    """

    name: str
    shape: Shape
    mass_properties: MassProperties


@lru_cache(maxsize=8)
def load_pig(name: str) -> Pig:
    """Find a pig by its name, or load one of uniform density from a mesh file.

    "standard" is the calibrated pig; until there is a calibration it is the uniform one.

    Raises:
        ValueError: If the name is neither known nor a mesh file that can be thrown.
    """
    if name == BIG:
        shape = big_pig()
        return Pig(name, shape, uniform(shape.surface, FOAM_DENSITY))
    if name in PIGS:
        shape = standard_pig()
    elif Path(name).suffix or Path(name).exists():
        from meshes.load import load_shape  # a third of the start-up, for mesh files only

        shape = load_shape(Path(name))
    else:
        raise ValueError(
            f"unknown pig '{name}': expected {', '.join(PIGS)}, or a mesh file in millimeters "
            "such as die.stl"
        )
    return Pig(name, shape, uniform(shape.surface, RUBBER_DENSITY))


@dataclass(frozen=True)
class Configuration:
    """What a throw depends on besides its index; validated, and written with every batch.

    Attributes:
        seed: Of the whole batch, >= 0.
        pig: "standard", "uniform", "big" or a mesh file.
        pigs: Thrown together, 1 to 8.
        device: What lets go.
        conditions: Heights and starts, taken in turn.
        contact: Friction and restitution per pair.
        engine: PyBullet's parameters.
        rest: When a throw is over.
        touch: When pigs touch.
    """

    seed: int
    pig: str
    pigs: int
    device: Device
    conditions: tuple[Condition, ...]
    contact: Contact = field(default_factory=Contact)
    engine: BulletSettings = field(default_factory=BulletSettings)
    rest: RestRule = field(default_factory=RestRule)
    touch: TouchRule = field(default_factory=TouchRule)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, got {self.seed}")
        if not 1 <= self.pigs <= MAX_PIGS:
            raise ValueError(f"pigs must be 1 to {MAX_PIGS}, got {self.pigs}")
        if not self.conditions:
            raise ValueError("conditions: expected at least one height and start, got none")

    def as_dict(self) -> dict[str, Any]:
        """Write the configuration as plain JSON values, with the pig's digest and mass."""
        pig = load_pig(self.pig)
        properties = pig.mass_properties
        record = asdict(self)
        record["conditions"] = [asdict(condition) for condition in self.conditions]
        record["device"] = {"name": type(self.device).__name__, **asdict(self.device)}
        record["engine"] = {"name": "bullet", **asdict(self.engine)}
        record["pig"] = {
            "name": self.pig,
            "digest": pig.shape.digest,
            "mass": properties.mass,
            "center_of_mass": properties.center_of_mass.tolist(),
            "inertia": properties.inertia.tolist(),
        }
        return record


def configure(
    *,
    seed: int = 0,
    pig: str = "standard",
    pigs: int = 2,
    device: str = "kern2006",
    height: float | None = None,
    start: str | None = None,
) -> Configuration:
    """Build a configuration from the words of the command line.

    `kern2006` alone means the published mix of four conditions; a height or a start picks the
    conditions that have it, and a height that was not published takes the place of all heights.

    Args:
        seed: >= 0.
        pig: "standard", "uniform", "big" or a mesh file.
        pigs: 1 to 8.
        device: "kern2006" or "drop".
        height: Of release [m].
        start: "forward", "backward" or "mixed"; only for `kern2006`.

    Raises:
        ValueError: In one line, for anything unknown or out of range.
    """
    load_pig(pig)
    if device not in DEVICES:
        raise ValueError(f"unknown device '{device}': expected {' or '.join(DEVICES)}")
    if device == "drop" and start is not None:
        raise ValueError("start: a drop starts in random orientations, leave --start out")
    if pig == BIG:
        return _configure_big(seed, pigs, device, height, start)
    if device == "drop":
        drop = Condition(DROP_HEIGHT if height is None else height, "random")
        return Configuration(seed, pig, pigs, Drop(), (drop,))
    return Configuration(seed, pig, pigs, TrapDoor(), _conditions(KERN_2006, height, start))


def _configure_big(
    seed: int, pigs: int, device: str, height: float | None, start: str | None
) -> Configuration:
    released: Device
    if device == "drop":
        released = big_drop()
        conditions = (Condition(BIG_DROP_HEIGHT if height is None else height, "random"),)
    else:
        released, conditions = big_trap_door(), _conditions(big_conditions(), height, start)
    return Configuration(
        seed,
        BIG,
        pigs,
        released,
        conditions,
        contact=big_contact(),
        engine=big_engine(),
        rest=big_rest(),
        touch=big_touch(),
    )


def _conditions(
    mix: tuple[Condition, ...], height: float | None, start: str | None
) -> tuple[Condition, ...]:
    """Pick from the device's mix of conditions."""
    if start is not None and start not in STARTS:
        raise ValueError(f"unknown start '{start}': expected {', '.join(STARTS)}")
    if height is not None and start is not None:
        return (Condition(height, start),)
    if height is None:
        return tuple(c for c in mix if start in (None, c.start))
    published = tuple(c for c in mix if abs(c.height - height) < 1e-6)
    return published or tuple(Condition(height, s) for s in STARTS)
