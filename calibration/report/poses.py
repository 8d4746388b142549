"""Which ways up bodies without named positions rest, found from where they lay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.report.frequencies import rate
from sim.pig import PIGS
from sim.position import OTHER, RESTING_ANGLE, down_in_pig
from sim.records import RecordedBatch
from sim.rest import AT_REST
from sim.summary import worst_touch
from sim.throw import Landings

_MOST_SOUGHT = 200
_MOST_SHOWN = 24

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class Poses:
    """Ways up in which pigs rest, the most frequent first.

    Attributes:
        downs: Direction of the table in each, pig frame, (p, 3).
        number: Of each pig's pose, (n, k); NOWHERE for one in none of them.
        is_counted: Whether the pigs of a throw rest without touching, (n,).
    """

    downs: np.ndarray
    number: np.ndarray
    is_counted: np.ndarray


def has_positions(batch: RecordedBatch) -> bool:
    """Tell whether a batch's pig has the parts that name its positions."""
    is_ours = batch.configuration["pig"]["name"] in PIGS
    return is_ours or bool((batch.landings.position != OTHER).any())


def find_poses(landings: Landings) -> Poses:
    """Gather pigs at rest, not touching, whose directions of the table are alike.

    Those within RESTING_ANGLE of a direction are one pose, as where stable poses are named.
    """
    is_counted = (landings.status == AT_REST) & (worst_touch(landings.touch) == "none")
    down = down_in_pig(landings.quat_xyzw[is_counted].reshape(-1, 4))
    found: list[tuple[np.ndarray, np.ndarray]] = []
    left = np.arange(len(down))
    while len(left) and len(found) < _MOST_SOUGHT:
        near = down[left] @ down[left[0]] >= np.cos(RESTING_ANGLE)
        middle = down[left[near]].mean(axis=0)
        middle /= np.linalg.norm(middle)
        near |= down[left] @ middle >= np.cos(RESTING_ANGLE)
        found.append((middle, left[near]))
        left = left[~near]
    found.sort(key=lambda pose: -len(pose[1]))
    number = np.full(len(down), NOWHERE)
    for one, (_, members) in enumerate(found[:_MOST_SHOWN]):
        number[members] = one
    pigs = landings.position.shape[1]
    whole = np.full((len(is_counted), pigs), NOWHERE)
    whole[is_counted] = number.reshape(-1, pigs)
    return Poses(np.array([middle for middle, _ in found[:_MOST_SHOWN]]), whole, is_counted)


def pose_rows(poses: Poses) -> dict[str, Any]:
    """Count the pigs of every pose."""
    numbers = poses.number[poses.is_counted]
    return {
        "pigs": numbers.size,
        "elsewhere": int((numbers == NOWHERE).sum()),
        "rows": [
            {
                "pose": one + 1,
                "down": (np.round(down, 3) + 0.0).tolist(),
                "pigs": int((numbers == one).sum()),
                **rate(int((numbers == one).sum()), numbers.size),
            }
            for one, down in enumerate(poses.downs)
        ],
    }
