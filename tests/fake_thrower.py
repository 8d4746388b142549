"""Throws without physics: as pure a function of (seed, index) as real ones, and instant."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from sim.position import POSITIONS
from sim.rest import STATUSES
from sim.throw import Landings
from sim.touch import TOUCHES


@dataclass(frozen=True)
class FakeConfiguration:
    seed: int = 0
    pigs: int = 2
    device: tuple[str, ...] = ("fake",)
    obituary: str = ""  # file that tells the thrower to be killed at throw `deadly`, once
    deadly: int = -1

    def as_dict(self):
        return asdict(self)


class FakeThrower:
    def __init__(self, configuration: FakeConfiguration) -> None:
        self.configuration = configuration

    def throw(self, indices: Sequence[int]) -> Landings:
        self._die_once(indices)
        return fake_landings(indices, self.configuration.pigs, self.configuration.seed)

    def _die_once(self, indices: Sequence[int]) -> None:
        if self.configuration.deadly in indices:
            obituary = Path(self.configuration.obituary)
            if not obituary.exists():
                obituary.touch()
                os.kill(os.getpid(), signal.SIGKILL)


class BrokenThrower(FakeThrower):
    def __init__(self, configuration: FakeConfiguration) -> None:
        raise ZeroDivisionError


class RefusingThrower(FakeThrower):
    def __init__(self, configuration: FakeConfiguration) -> None:
        raise ValueError("pig.stl: not readable")


class InterruptedThrower(FakeThrower):
    """Ctrl-C at throw 600."""

    def throw(self, indices: Sequence[int]) -> Landings:
        if 600 in indices:
            raise KeyboardInterrupt
        return super().throw(indices)


def fake_landings(indices: Sequence[int], pigs: int = 2, seed: int = 0) -> Landings:
    throws = [_one(np.random.default_rng([seed, index]), pigs) for index in indices]
    columns = {name: np.array([throw[name] for throw in throws]) for name in throws[0]}
    return Landings(index=np.array(indices, dtype=np.int64), **columns)


def _one(rng: np.random.Generator, pigs: int) -> dict:
    status = rng.choice(STATUSES, p=(0.9, 0.04, 0.03, 0.03))
    is_done = status == "at_rest"
    is_touching = is_done and pigs > 1 and rng.random() < 0.2
    touch = np.full(pigs, "none", dtype="<U9")
    touch[:2] = rng.choice(TOUCHES[1:]) if is_touching else "none"
    quat = rng.standard_normal((pigs, 4))
    return {
        "height": rng.choice((0.127, 0.2032)),
        "start": rng.choice(("forward", "backward", "mixed")),
        "status": status,
        "position": rng.choice(POSITIONS, pigs) if is_done else np.full(pigs, "other"),
        "touch": touch,
        "translation": rng.standard_normal((pigs, 3)),
        "quat_xyzw": quat / np.linalg.norm(quat, axis=1, keepdims=True),
        "rest_time": rng.random(pigs) if is_done else np.full(pigs, np.nan),
        "margin": rng.random(pigs),
    }
