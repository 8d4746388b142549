"""Which pigs to look at: where naming a position is hardest, and one of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from calibration.report.poses import find_poses, has_positions
from sim.position import OTHER, POSITIONS, RESTING_ANGLE
from sim.records import RecordedBatch
from sim.rest import AT_REST
from sim.summary import worst_touch
from sim.throw import Landings

_MOST_OTHER = 6
_MOST_NEAR = 1
NEAR = 2 * RESTING_ANGLE
"""Margin below which a pig is near the border of its position [rad].

A turn changes a margin by twice itself at most: from above, none within the angle at which a pig
still rests in a pose could bring it nearer to another.
"""
_MOST_TOUCHING = 6
_EXAMPLES = 2
_MOST_FAILED = 50
_MOST_POSES = 8


@dataclass(frozen=True)
class Chosen:
    """A landing worth a picture.

    Attributes:
        row: Of the landings.
        pig: None for all pigs of the throw.
        reason: "other", "near", "touching", "example" or "pose".
        side: From which it is seen best, 0 or 1.
        pose: Its number, from 1, of a body without positions.
    """

    row: int
    pig: int | None
    reason: str
    side: int = 0
    pose: int | None = None


def chosen_pigs(batch: RecordedBatch) -> list[Chosen]:
    """Choose pigs, the doubtful first: `other`, near a border, touching; then typical ones.

    Of a body without positions there is one of each of the most frequent poses, and touching ones.
    """
    landings = batch.landings
    if has_positions(batch):
        return _chosen_by_position(landings)
    poses = find_poses(landings)
    firsts = [np.argwhere(poses.number == one)[0] for one in range(len(poses.downs))]
    shown = enumerate(firsts[:_MOST_POSES], start=1)
    chosen = [Chosen(int(row), int(pig), "pose", pose=pose) for pose, (row, pig) in shown]
    return chosen + _touching(landings)


def _touching(landings: Landings) -> list[Chosen]:
    touch = worst_touch(landings.touch)
    return [
        Chosen(int(row), None, "touching")
        for kind in ("piggyback", "oinker")
        for row in np.flatnonzero(touch == kind)[: _MOST_TOUCHING // 2]
    ]


def _chosen_by_position(landings: Landings) -> list[Chosen]:
    touch = worst_touch(landings.touch)
    is_done = landings.status == AT_REST
    apart = (is_done & (touch == "none"))[:, None] & np.isfinite(landings.margin)
    is_other = apart & (landings.position == OTHER)
    named = np.where(apart & ~is_other, landings.margin, np.inf)
    chosen = [*_smallest(np.where(is_other, landings.margin, np.inf), _MOST_OTHER, "other")]
    for position in POSITIONS[:-1]:
        is_near = (landings.position == position) & (named < NEAR)
        chosen += _smallest(np.where(is_near, named, np.inf), _MOST_NEAR, "near")
    chosen += _touching(landings)
    for position in POSITIONS[:-1]:
        chosen += _typical(np.where(landings.position == position, named, np.inf))
    return chosen


def _smallest(margin: np.ndarray, most: int, reason: str) -> Iterator[Chosen]:
    """Give pigs by rising margin (n, k), as far as it is finite."""
    order = np.argsort(margin, axis=None, kind="stable")[:most]
    for row, pig in zip(*np.unravel_index(order, margin.shape), strict=True):
        if isfinite(margin[row, pig]):
            yield Chosen(int(row), int(pig), reason)


def _typical(margin: np.ndarray) -> Iterator[Chosen]:
    """Give two pigs whose margins are the median ones of their position, one from each side."""
    rows, pigs = np.nonzero(np.isfinite(margin))
    order = np.argsort(margin[rows, pigs], kind="stable")
    first = max(0, (len(order) - _EXAMPLES) // 2)
    for side, one in enumerate(order[first : first + _EXAMPLES]):
        yield Chosen(int(rows[one]), int(pigs[one]), "example", side)


def chosen_rows(landings: Landings, chosen: list[Chosen]) -> list[dict[str, Any]]:
    """Say what each chosen picture shows."""
    touch = worst_touch(landings.touch)
    return [
        {
            "reason": one.reason,
            "throw": int(landings.index[one.row]),
            "pig": one.pig,
            "position": landings.position[one.row].tolist()
            if one.pig is None
            else str(landings.position[one.row, one.pig]),
            "touch": str(touch[one.row]),
            "margin": None if one.pig is None else float(landings.margin[one.row, one.pig]),
            "pose": one.pose,
        }
        for one in chosen
    ]


def margin_rows(landings: Landings) -> list[dict[str, Any]]:
    """Tell how far the pigs of every position lie from its border [rad], touching ones left out."""
    apart = (landings.status == AT_REST) & (worst_touch(landings.touch) == "none")
    rows = []
    for position in POSITIONS:
        mask = (landings.position == position) & apart[:, None] & np.isfinite(landings.margin)
        margins = landings.margin[mask]
        if not len(margins):
            continue
        smallest = int(np.argmin(np.where(mask, landings.margin, np.inf)))
        row, pig = divmod(smallest, landings.position.shape[1])
        rows.append(
            {
                "position": position,
                "pigs": len(margins),
                "smallest": float(margins.min()),
                "median": float(np.median(margins)),
                "throw": int(landings.index[row]),
                "pig": pig,
            }
        )
    return rows


def failed_throws(landings: Landings) -> list[dict[str, Any]]:
    """List throws that did not come to rest, the first ones only."""
    rows = np.flatnonzero(landings.status != AT_REST)[:_MOST_FAILED]
    return [
        {
            "throw": int(landings.index[row]),
            "status": str(landings.status[row]),
            "height": float(landings.height[row]),
            "start": str(landings.start[row]),
        }
        for row in rows
    ]
