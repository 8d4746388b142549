"""What a recorded batch says of itself: how it was thrown, and how two of them differ."""

from __future__ import annotations

import json
import shlex
from itertools import product
from typing import Any

from sim.batch_directory import flat
from sim.configuration import configure
from sim.records import RecordedBatch

_DEVICES = {"TrapDoor": "kern2006", "Drop": "drop", "Hand": "hand"}


def run_of(batch: RecordedBatch) -> dict[str, Any]:
    """Name what a batch was thrown with."""
    configuration = batch.configuration
    device = configuration["device"]["name"]
    return {
        "pig": configuration["pig"]["name"],
        "device": _DEVICES.get(device, device),
        "engine": configuration["engine"]["name"],
        "seed": configuration["seed"],
        "throws": len(batch.landings.index),
        "planned_throws": batch.throws,
        "pigs": batch.landings.position.shape[1],
    }


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
    except (KeyError, TypeError, AttributeError, ValueError):
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
