"""From a resting pose to the position that the rulebook names.

A position is named by what carries the pig. The stable poses of its hull are computed once, each is
named by the parts on the table, and a resting pig takes the name of the pose it rests in.
"""

from __future__ import annotations

from math import radians

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.stable import StablePose

OTHER = "other"
POSITIONS = (
    "side_no_dot",
    "side_dot",
    "razorback",
    "trotter",
    "snouter",
    "leaning_jowler",
    OTHER,
)

RESTING_ANGLE = radians(3.0)
"""A pig farther than this from every stable pose rests in none of them [rad]; assumption.

A resting pig lies within 0.1 degrees of its facet; 3 degrees is 0.7 mm under a foot.
"""

_FRONT_FEET = {"front_foot_left", "front_foot_right"}
_HIND_FEET = {"hind_foot_left", "hind_foot_right"}
_FEET = _FRONT_FEET | _HIND_FEET


def name_pose(carrying: tuple[str, ...], down: np.ndarray) -> str:
    """Name a stable pose by the parts that carry it.

    Trotter: the four feet. Snouter: snout and both front feet. Leaning jowler: snout or head, an
    ear and the front foot of the same side. Side: feet of one side, flank down. Razorback: the
    back, that is the body without feet or snout, more upside down than sideways. The dot is on the
    right flank: lying on the left side shows it.

    Args:
        carrying: Names of the parts on the table.
        down: Unit vector to the table, pig frame, (3,).

    Returns:
        One of POSITIONS; "other" if the rulebook has no name for it.
    """
    parts = set(carrying)
    if parts == _FEET:
        return "trotter"
    if parts >= _FRONT_FEET and "snout" in parts and not parts & _HIND_FEET:
        return "snouter"
    for side, flank in (("left", down[1]), ("right", -down[1])):
        ear, front, hind = f"ear_{side}", f"front_foot_{side}", f"hind_foot_{side}"
        if parts & {"snout", "head"} and {ear, front} <= parts and hind not in parts:
            return "leaning_jowler"
        is_flank_down = flank > max(abs(down[0]), abs(down[2]))
        if parts & {front, hind} and _is_one_sided(parts, side) and is_flank_down:
            return "side_dot" if side == "left" else "side_no_dot"
    is_back_down = down[2] > max(abs(down[0]), abs(down[1]))
    if "body" in parts and is_back_down and not parts & (_FEET | {"snout"}):
        return "razorback"
    return OTHER


def _is_one_sided(parts: set[str], side: str) -> bool:
    opposite = "right" if side == "left" else "left"
    return not any(part.endswith(opposite) for part in parts)


class PositionNamer:
    """Names resting orientations by the nearest stable pose.

    Attributes:
        names: Position of every stable pose, in their order.
    """

    def __init__(self, poses: tuple[StablePose, ...]) -> None:
        self._downs = np.array([pose.down for pose in poses])
        self.names = np.array([name_pose(pose.carrying, pose.down) for pose in poses])

    def name(self, quat_xyzw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Name resting orientations.

        Args:
            quat_xyzw: world_from_pig, (n, 4).

        Returns:
            position: (n,) of POSITIONS.
            margin: (n,) how much nearer the orientation is to its own stable pose than to any pose
                of another position [rad]; negative for a pig that rests in none.
        """
        angles = np.arccos(np.clip(down_in_pig(quat_xyzw) @ self._downs.T, -1.0, 1.0))
        rows = np.arange(len(angles))
        nearest = angles.argmin(axis=1)
        own = angles[rows, nearest]
        is_named_else = self.names[None, :] != self.names[nearest][:, None]
        others = np.where(is_named_else, angles, np.pi).min(axis=1)
        in_pose = own <= RESTING_ANGLE
        position = np.where(in_pose, self.names[nearest], OTHER)
        return position, np.where(in_pose, others - own, RESTING_ANGLE - own)


def down_in_pig(quat_xyzw: np.ndarray) -> np.ndarray:
    """Direction of the table in the pig frame, (n, 3), for world_from_pig (n, 4)."""
    return -Rotation.from_quat(quat_xyzw).as_matrix()[:, 2, :]
