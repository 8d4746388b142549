"""Everything that a throw depends on besides its index, in one frozen record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sim.big_pig import (
    BIG_DROP_HEIGHT,
    big_conditions,
    big_contact,
    big_drop,
    big_engine,
    big_fast_engine,
    big_hand,
    big_rest,
    big_touch,
    big_trap_door,
)
from sim.calibrated import calibrated_settings, is_calibrated
from sim.contact import Contact
from sim.device import KERN_2006, STARTS, Condition, Device, Drop, Hand, TrapDoor
from sim.engine.bullet import BulletSettings
from sim.engine.fast.settings import FastSettings
from sim.engine.mujoco_settings import SINGLE_ONLY, MujocoSettings
from sim.pig import BIG, Pig, load_pig
from sim.position import RESTING_ANGLE
from sim.rest import RestRule
from sim.setting import SETTINGS, WITHOUT_LEAF
from sim.touch import TouchRule

_DEVICES: dict[str, Callable[[], Device]] = {"kern2006": TrapDoor, "drop": Drop, "hand": Hand}
_BIG_DEVICES: dict[str, Callable[[], Device]] = {
    "kern2006": big_trap_door,
    "drop": big_drop,
    "hand": big_hand,
}
Settings = BulletSettings | FastSettings | MujocoSettings

_ENGINES: dict[str, Callable[[], Settings]] = {
    BulletSettings.name: BulletSettings,
    FastSettings.name: FastSettings,
    MujocoSettings.name: MujocoSettings,
}
_BIG_ENGINES: dict[str, Callable[[], Settings]] = {
    BulletSettings.name: big_engine,
    FastSettings.name: big_fast_engine,
    MujocoSettings.name: MujocoSettings,
}
DEVICES = tuple(_DEVICES)
ENGINES = tuple(_ENGINES)
MAX_PIGS = 8
DROP_HEIGHT = KERN_2006[0].height

ELBOW_ROOM = 1.2
"""Bodies of a mesh file start at least this many of their own reaches apart."""


@dataclass(frozen=True)
class Configuration:
    """What a throw depends on besides its index; validated, and written with every batch.

    Attributes:
        seed: Of the whole batch, >= 0.
        pig: What is thrown.
        pigs: Thrown together, 1 to 8.
        device: What lets go.
        conditions: Heights and starts, taken in turn.
        contact: Friction and restitution per pair.
        engine: The parameters of the engine that is to throw.
        rest: When a throw is over.
        touch: When pigs touch.
    """

    seed: int
    pig: Pig
    pigs: int
    device: Device
    conditions: tuple[Condition, ...]
    contact: Contact = field(default_factory=Contact)
    engine: Settings = field(default_factory=BulletSettings)
    rest: RestRule = field(default_factory=RestRule)
    touch: TouchRule = field(default_factory=TouchRule)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, got {self.seed}")
        if not 1 <= self.pigs <= MAX_PIGS:
            raise ValueError(f"pigs must be 1 to {MAX_PIGS}, got {self.pigs}")
        if not self.conditions:
            raise ValueError("conditions: expected at least one height and start, got none")
        if self.pigs > 1 and self.pig.reach > self.device.spacing:
            raise ValueError(
                f"spacing of {self.device.spacing * 1e3:g} mm: expected at least the pig's reach "
                f"of {self.pig.reach * 1e3:.0f} mm, or they start inside each other"
            )
        is_leaf_or_pair = isinstance(self.device, TrapDoor) or self.pigs > 1
        if isinstance(self.engine, MujocoSettings) and is_leaf_or_pair:
            raise ValueError(SINGLE_ONLY)
        starts = STARTS if isinstance(self.device, TrapDoor) else ("random",)
        for condition in self.conditions:
            if condition.start not in starts:
                raise ValueError(
                    f"unknown start '{condition.start}' of {type(self.device).__name__}: "
                    f"expected {', '.join(starts)}"
                )
        if isinstance(self.device, TrapDoor):
            self._check_leaf(self.device.leaf_length)

    def _check_leaf(self, length: float) -> None:
        if self.pig.reach > length:
            raise ValueError(
                f"pig {self.pig.name}: {self.pig.reach * 1e3:.0f} mm do not stand on the trap "
                f"door's leaf of {length * 1e3:g} mm, use --device drop"
            )
        lowest = min(condition.height for condition in self.conditions)
        if lowest <= length:
            raise ValueError(
                f"height of {lowest * 1e3:g} mm: expected more than the trap door's leaf of "
                f"{length * 1e3:g} mm, which swings below it"
            )

    def as_dict(self) -> dict[str, Any]:
        """Write the configuration as plain JSON values, with the pig's digest and mass."""
        properties = self.pig.mass_properties
        return {
            "seed": self.seed,
            "pig": {
                "name": self.pig.name,
                "digest": self.pig.shape.digest,
                "mass": properties.mass,
                "center_of_mass": properties.center_of_mass.tolist(),
                "inertia": properties.inertia.tolist(),
                "resting_angle": RESTING_ANGLE,
            },
            "pigs": self.pigs,
            "device": {"name": type(self.device).__name__, **asdict(self.device)},
            "conditions": [asdict(condition) for condition in self.conditions],
            "contact": asdict(self.contact),
            "engine": {"name": self.engine.name, **asdict(self.engine)},
            "rest": asdict(self.rest),
            "touch": asdict(self.touch),
        }


def configure(
    *,
    seed: int = 0,
    pig: str = "standard",
    pigs: int = 2,
    device: str = "kern2006",
    height: float | None = None,
    start: str | None = None,
    engine: str = "bullet",
) -> Configuration:
    """Build a configuration from the words of the command line.

    `kern2006` alone means the published mix of four conditions; a height or a start picks the
    conditions that have it, and a height that was not published takes the place of all heights.
    A calibrated pig brings along the settings that were found with it, such as the spacing of
    pairs on `kern2006`.

    Args:
        seed: >= 0.
        pig: "standard", "uniform", "big", a mesh file or a calibration's TOML file.
        pigs: 1 to 8.
        device: "kern2006", "drop" or "hand".
        height: Of release [m].
        start: "forward", "backward" or "mixed"; only for `kern2006`.
        engine: "bullet" or "fast".

    Raises:
        ValueError: In one line, for anything unknown or out of range.
    """
    body = load_pig(pig)
    if device not in DEVICES:
        raise ValueError(f"unknown device '{device}': expected {', '.join(DEVICES)}")
    if engine not in ENGINES:
        raise ValueError(f"unknown engine '{engine}': expected {', '.join(ENGINES)}")
    if device != "kern2006" and start is not None:
        raise ValueError(f"start: {device} starts in random orientations, leave --start out")
    is_big = pig == BIG
    if device == "kern2006":
        mix = big_conditions() if is_big else KERN_2006
        conditions = _conditions(mix, height, start)
    else:
        usual = BIG_DROP_HEIGHT if is_big else DROP_HEIGHT
        conditions = (Condition(usual if height is None else height, "random"),)
    released = (_BIG_DEVICES if is_big else _DEVICES)[device]()
    spacing = max(released.spacing, ELBOW_ROOM * body.reach)
    configuration = Configuration(
        seed,
        body,
        pigs,
        replace(released, spacing=spacing),
        conditions,
        engine=(_BIG_ENGINES if is_big else _ENGINES)[engine](),
    )
    if is_calibrated(pig):
        return _as_calibrated(configuration, has_own_height=height is not None)
    if not is_big:
        return configuration
    return replace(
        configuration,
        contact=big_contact(),
        rest=big_rest(),
        touch=big_touch(),
    )


def _as_calibrated(configuration: Configuration, *, has_own_height: bool) -> Configuration:
    """Take over the settings that a calibrated pig was fitted with, as far as the device has them.

    Its height is the mean of the published mix: the conditions that were picked move by as much,
    but for a height that was asked for.
    """
    has_leaf = isinstance(configuration.device, TrapDoor)
    for name, value in calibrated_settings(configuration.pig.name).items():
        setting = SETTINGS[name]
        if name == "height":
            if has_own_height or not has_leaf:
                continue
            mix = replace(configuration, conditions=KERN_2006)
            value += setting.read(configuration) - setting.read(mix)
        if has_leaf or name in WITHOUT_LEAF:
            try:
                configuration = setting.write(configuration, float(value))
            except ValueError as error:
                raise ValueError(f"{configuration.pig.name}: {name} {value:g}: {error}") from None
    return configuration


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
