"""Counts of simulated throws, kept apart as far as any question about them needs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sim.configuration import MAX_PIGS
from sim.position import POSITIONS
from sim.rest import AT_REST
from sim.summary import worst_touch
from sim.throw import Landings
from sim.touch import TOUCHES


@dataclass(frozen=True, eq=False)
class Tally:
    """How throws under each of c conditions ended; k positions, in the order of POSITIONS.

    As in the published table, pigs of touching throws are not among the positions; pigs of failed
    throws are, as `other`.

    Attributes:
        positions: Pigs, (c, k).
        touches: Throws by TOUCHES, (c, 3).
        failed: Throws that did not come to rest, (c,).
        pairs: Throws of two pigs that do not touch, by the first and the second one's position,
            (k, k); all 0 for other numbers of pigs.
    """

    positions: np.ndarray
    touches: np.ndarray
    failed: np.ndarray
    pairs: np.ndarray

    @classmethod
    def of(cls, kept: Any, conditions: int, throws: int) -> Tally:
        """Read back what `as_dict` wrote.

        Raises:
            ValueError: If it is not what so many throws under so many conditions can give.
        """
        k = len(POSITIONS)
        shapes = {
            "positions": (conditions, k),
            "touches": (conditions, len(TOUCHES)),
            "failed": (conditions,),
            "pairs": (k, k),
        }
        if not isinstance(kept, dict) or kept.keys() != shapes.keys():
            raise ValueError(f"expected counts of {', '.join(shapes)}")
        for name, shape in shapes.items():
            array = np.array(kept[name])
            if array.dtype != np.int64 or array.shape != shape or (array < 0).any():
                raise ValueError(f"{name}: expected counts of shape {shape}")
        if not sum(map(sum, kept["touches"])) == throws >= sum(kept["failed"]):
            raise ValueError(f"expected counts of {throws} throws")
        pigs, pairs = (sum(map(sum, kept[name])) for name in ("positions", "pairs"))
        if pigs > MAX_PIGS * throws or pairs > throws:
            raise ValueError(f"expected positions of the pigs of {throws} throws")
        return cls(**kept)

    def __post_init__(self) -> None:
        """Freeze the counts."""
        for each in fields(self):
            array = np.array(getattr(self, each.name), dtype=np.int64)
            array.setflags(write=False)
            object.__setattr__(self, each.name, array)

    def __add__(self, more: Tally) -> Tally:
        return Tally(
            **{
                each.name: getattr(self, each.name) + getattr(more, each.name)
                for each in fields(self)
            }
        )

    @property
    def counts(self) -> np.ndarray:
        """Pigs by position over all conditions, (k,)."""
        return self.positions.sum(axis=0).astype(np.float64)

    @property
    def throws(self) -> int:
        """Throws counted."""
        return int(self.touches.sum())

    @property
    def touching(self) -> int:
        """Throws that ended with pigs touching."""
        return int(self.touches[:, 1:].sum())

    def as_dict(self) -> dict[str, Any]:
        """Write as plain JSON values."""
        return {each.name: getattr(self, each.name).tolist() for each in fields(self)}


def tally(landings: Landings, conditions: int) -> Tally:
    """Count landings; throw i was made under condition i modulo their number."""
    condition = landings.index % conditions
    position = _indices(landings.position, POSITIONS)
    touch = _indices(worst_touch(landings.touch), TOUCHES)
    is_apart = touch == 0
    pigs = position.shape[1]
    positions = np.zeros((conditions, len(POSITIONS)), np.int64)
    np.add.at(positions, (np.repeat(condition[is_apart], pigs), position[is_apart].ravel()), 1)
    touches = np.zeros((conditions, len(TOUCHES)), np.int64)
    np.add.at(touches, (condition, touch), 1)
    pairs = np.zeros((len(POSITIONS), len(POSITIONS)), np.int64)
    if pigs == 2:
        np.add.at(pairs, tuple(position[is_apart].T), 1)
    failed = np.bincount(condition[landings.status != AT_REST], minlength=conditions)
    return Tally(positions, touches, failed, pairs)


def _indices(words: np.ndarray, known: tuple[str, ...]) -> np.ndarray:
    order = np.argsort(known)
    return np.asarray(order[np.searchsorted(np.array(known)[order], words)])
