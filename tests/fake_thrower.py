"""Throws without physics: as pure a function of (seed, index) as real ones, and instant."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from sim.device import KERN_2006
from sim.position import POSITIONS
from sim.rest import STATUSES
from sim.throw import Landings
from sim.touch import TOUCHES


@dataclass(frozen=True)
class FakeConfiguration:
    seed: int = 0
    pigs: int = 2
    device: tuple[str, ...] = ("fake",)
    obituary: str = ""  # file where each death at throw `deadly` leaves a byte
    deadly: int = -1
    deaths: int = 1  # after so many the throw kills no more

    def as_dict(self):
        return {
            **asdict(self),
            "pig": {"name": "fake", "digest": "0"},
            "device": {"name": "Fake", "parts": self.device},
            "engine": {"name": "fake"},
            "conditions": [asdict(condition) for condition in KERN_2006],
        }


class FakeThrower:
    def __init__(self, configuration: FakeConfiguration) -> None:
        self.configuration = configuration

    def throw(self, indices: Sequence[int]) -> Landings:
        self._die(indices)
        return fake_landings(indices, self.configuration.pigs, self.configuration.seed)

    def give_up(self, indices: Sequence[int]) -> Landings:
        landings = fake_landings(indices, self.configuration.pigs, self.configuration.seed)
        return given_up(landings, np.ones(len(indices), bool))

    def _die(self, indices: Sequence[int]) -> None:
        if self.configuration.deadly not in indices:
            return
        with open(self.configuration.obituary, "ab") as obituary:
            if obituary.tell() < self.configuration.deaths:
                obituary.write(b"+")
                obituary.flush()
                os.kill(os.getpid(), signal.SIGKILL)


class DeadlyThrower(FakeThrower):
    """Kills every worker that throws anything."""

    def throw(self, indices: Sequence[int]) -> Landings:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class SlowThrower(FakeThrower):
    """Takes a millisecond for a throw."""

    def throw(self, indices: Sequence[int]) -> Landings:
        time.sleep(0.001 * len(indices))
        return super().throw(indices)


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
    throws = [_one(np.random.default_rng([seed, index]), pigs, index) for index in indices]
    columns = {name: np.array([throw[name] for throw in throws]) for name in throws[0]}
    return Landings(index=np.array(indices, dtype=np.int64), **columns)


def given_up(landings: Landings, which: np.ndarray) -> Landings:
    """Give landings as they are where these throws killed their worker each time."""
    each = which[:, None]
    return replace(
        landings,
        status=np.where(which, "diverged", landings.status),
        position=np.where(each, "other", landings.position),
        touch=np.where(each, "none", landings.touch),
        rest_time=np.where(each, np.nan, landings.rest_time),
    )


def recorded(landings: Landings) -> Landings:
    """Give landings as a file holds them: all but poses in single precision."""
    return replace(
        landings,
        rest_time=landings.rest_time.astype(np.float32).astype(np.float64),
        margin=landings.margin.astype(np.float32).astype(np.float64),
    )


def _one(rng: np.random.Generator, pigs: int, index: int) -> dict:
    condition = KERN_2006[index % len(KERN_2006)]
    status = rng.choice(STATUSES, p=(0.9, 0.04, 0.03, 0.03))
    is_done = status == "at_rest"
    is_touching = is_done and pigs > 1 and rng.random() < 0.2
    touch = np.full(pigs, "none", dtype="<U9")
    touch[:2] = rng.choice(TOUCHES[1:]) if is_touching else "none"
    quat = rng.standard_normal((pigs, 4))
    return {
        "height": condition.height,
        "start": condition.start,
        "status": status,
        "position": rng.choice(POSITIONS, pigs) if is_done else np.full(pigs, "other"),
        "touch": touch,
        "translation": rng.standard_normal((pigs, 3)),
        "quat_xyzw": quat / np.linalg.norm(quat, axis=1, keepdims=True),
        "rest_time": rng.random(pigs) if is_done else np.full(pigs, np.nan),
        "margin": rng.random(pigs),
    }
