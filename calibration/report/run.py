"""What a recorded batch says of itself: how it was thrown, and how two of them differ."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from typing import Any

from calibration.report.words import short_name
from sim.batch_directory import flat
from sim.configuration import configure
from sim.device import KERN_2006
from sim.lengths import METERS_PER_UNIT
from sim.pig import load_pig
from sim.records import RecordedBatch
from sim.summary import SCORED_PIGS

_DEVICES = {"TrapDoor": "kern2006", "Drop": "drop", "Hand": "hand"}


def run_of(batch: RecordedBatch) -> dict[str, Any]:
    """Name what a batch was thrown with."""
    configuration = batch.configuration
    return {
        "pig": configuration["pig"]["name"],
        "device": _device(configuration),
        "engine": configuration["engine"]["name"],
        "seed": configuration["seed"],
        "throws": len(batch.landings.index),
        "planned_throws": batch.throws,
        "pigs": batch.landings.position.shape[1],
        "unlike_published": _unlike_published(configuration),
    }


def _device(configuration: dict[str, Any]) -> str:
    name = configuration["device"]["name"]
    return _DEVICES.get(name, name)


def _heights(configuration: dict[str, Any]) -> str:
    heights = sorted({condition["height"] for condition in configuration["conditions"]})
    return " and ".join(f"{height / METERS_PER_UNIT['in']:.3g}" for height in heights) + " inches"


def _starts(configuration: dict[str, Any]) -> str:
    starts = dict.fromkeys(condition["start"] for condition in configuration["conditions"])
    return " and ".join(starts)


_CONDITIONS: dict[str, Callable[[dict[str, Any]], str]] = {
    "pig": lambda configuration: short_name(configuration["pig"]["name"]),
    "pigs a throw": lambda configuration: str(configuration["pigs"]),
    "device": _device,
    "height": _heights,
    "start": _starts,
    "engine": lambda configuration: str(configuration["engine"]["name"]),
}
"""What throws depend on, besides the seed, in words."""


def _unlike_published(configuration: dict[str, Any]) -> list[str]:
    """Name in what a batch was thrown otherwise than the published pigs."""
    published = {
        "pigs": SCORED_PIGS,
        "device": {"name": "TrapDoor"},
        "conditions": [asdict(condition) for condition in KERN_2006],
    }
    unlike = [
        f"{name} {_CONDITIONS[name](configuration)}"
        for name in ("pigs a throw", "device", "height", "start")
        if _CONDITIONS[name](configuration) != _CONDITIONS[name](published)
    ]
    if configuration["pig"]["digest"] != load_pig("standard").shape.digest:
        unlike.insert(0, f"pig {_CONDITIONS['pig'](configuration)}")
    return unlike


def unlike_conditions(a: dict[str, Any], b: dict[str, Any]) -> list[dict[str, str | None]]:
    """Name the conditions that two batches do not share, with both; None for what has no words."""
    rows: list[dict[str, str | None]] = [
        {"name": name, "a": say(a), "b": say(b)}
        for name, say in _CONDITIONS.items()
        if say(a) != say(b)
    ]
    named = {str(row["name"]) for row in rows} | {"seed", "pigs", "conditions"}
    return rows + [
        {"name": name, "a": None, "b": None}
        for name in a | b
        if name not in named and a.get(name) != b.get(name)
    ]


def differences(a: dict[str, Any], b: dict[str, Any]) -> list[dict[str, str]]:
    """List what differs between two configurations, by the path of each entry."""
    first, second = flat(a), flat(b)
    return [
        {"entry": path, "a": _shown(first, path), "b": _shown(second, path)}
        for path in first | second
        if first.get(path) != second.get(path)
    ]


def _shown(entries: dict[str, Any], path: str) -> str:
    return str(entries[path]) if path in entries else "absent"


def command(configuration: dict[str, Any], throws: int) -> str | None:
    """Give the command line that throws a batch again; None if none gives its configuration."""
    try:
        heights = {condition["height"] for condition in configuration["conditions"]}
        starts = {condition["start"] for condition in configuration["conditions"]} - {"random"}
        device = _DEVICES[configuration["device"]["name"]]
        common = {key: configuration[key] for key in ("seed", "pigs")}
        common |= {"pig": configuration["pig"]["name"], "device": device}
        common["engine"] = configuration["engine"]["name"]
        for height, start in product(_only(heights), _only(starts)):
            options = {**common, "height": height, "start": start}
            if json.loads(json.dumps(configure(**options).as_dict())) == configuration:
                return _command_line({"throws": throws, **options})
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError, OSError):
        pass
    return None


def _only(values: set[Any]) -> list[Any]:
    """Give what an option can be: not given, or the one value that all throws have."""
    return [None, *values] if len(values) == 1 else [None]


def _command_line(options: dict[str, Any]) -> str:
    words = ["pigs", "throw"]
    for name, value in options.items():
        if value is not None:
            words += [f"--{name}", f"{value!r}m" if name == "height" else shlex.quote(str(value))]
    return " ".join(words)
