"""Recorded batches to report on: landings as likely as the published ones, without physics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from sim.batch_directory import open_directory
from sim.configuration import configure
from sim.device import KERN_2006 as CONDITIONS
from sim.position import POSITIONS
from sim.published import KERN_2006
from sim.records import RecordedBatch, block_throws, versions
from sim.throw import Landings

SHARES = np.array([KERN_2006.counts.get(position, 0) for position in POSITIONS]) / KERN_2006.pigs


def likely_landings(throws: int, seed: int = 0, pigs: int = 2, failing: float = 0.0) -> Landings:
    """Draw landings with the published shares; the pigs of a throw are independent."""
    rng = np.random.default_rng([seed, throws, pigs])
    is_done = rng.random(throws) >= failing
    touches = (rng.random(throws) < 0.02) & is_done & (pigs > 1)
    touch = np.full((throws, pigs), "none", dtype="<U9")
    touch[touches, :2] = rng.choice(("oinker", "piggyback"), (touches.sum(), 1))
    quat = rng.standard_normal((throws, pigs, 4))
    conditions = [CONDITIONS[row % len(CONDITIONS)] for row in range(throws)]
    place = rng.normal(0.0, 0.1, (throws, pigs, 3))
    place[..., 2] = 0.01
    time = np.where(is_done[:, None], rng.gamma(9.0, 0.13, (throws, pigs)), np.nan)
    position = np.where(is_done[:, None], rng.choice(POSITIONS, (throws, pigs), p=SHARES), "other")
    return Landings(
        index=np.arange(throws),
        height=np.array([condition.height for condition in conditions]),
        start=np.array([condition.start for condition in conditions]),
        status=np.where(is_done, "at_rest", rng.choice(("timed_out", "escaped"), throws)),
        position=position,
        touch=touch,
        translation=place,
        quat_xyzw=quat / np.linalg.norm(quat, axis=-1, keepdims=True),
        rest_time=time,
        margin=np.where(position == "other", -0.1, rng.uniform(0.2, 1.0, (throws, pigs))),
    )


def recorded(
    landings: Landings, configuration: dict[str, Any] | None = None, planned: int | None = None
) -> RecordedBatch:
    """Give landings as a batch that was read back."""
    throws, pigs = landings.position.shape
    found = configuration or configure(seed=0, pigs=pigs).as_dict()
    return RecordedBatch(found, versions(), planned or throws, landings)


def write_batch(directory: Path, batch: RecordedBatch) -> Path:
    """Write a batch as `pigs throw` does."""
    identity = {
        "configuration": batch.configuration,
        "versions": batch.versions,
        "throws": batch.throws,
    }
    size = block_throws(batch.throws)
    with open_directory(directory, identity, resume=False) as opened:
        for first in range(0, len(batch.landings.index), size):
            opened.write(part_of(batch.landings, slice(first, first + size)))
    return directory


def die_batch(landings: Landings) -> tuple[np.ndarray, RecordedBatch]:
    """Give landings as those of a cube that rests on its faces 1, 2 and 3 in 60, 30 and 10 %."""
    rng = np.random.default_rng(4)
    faces = rng.choice(3, landings.position.shape, p=(0.6, 0.3, 0.1))
    angles = np.stack((rng.uniform(0, 2 * np.pi, faces.size), rng.uniform(-0.01, 0.01, faces.size)))
    turned = Rotation.from_euler("ZYX", np.column_stack((*angles, faces.ravel() * np.pi / 2)))
    known = recorded(landings).configuration
    configuration = {**known, "pig": {**known["pig"], "name": "die.stl", "digest": "0"}}
    return faces, recorded(
        replace(
            landings,
            position=np.full_like(landings.position, "other"),
            quat_xyzw=turned.as_quat().reshape(landings.quat_xyzw.shape),
        ),
        configuration,
    )


def part_of(landings: Landings, rows: slice | np.ndarray) -> Landings:
    return Landings(**{name: values[rows].copy() for name, values in vars(landings).items()})


def with_positions(landings: Landings, position: np.ndarray) -> Landings:
    """Put other positions in the place of those drawn."""
    return replace(landings, position=position)
