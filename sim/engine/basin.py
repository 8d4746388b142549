"""The end of a throw by energy: every pig can rest in one pose only, whatever it still does.

Nothing on a table gives a pig energy, so the height to which all of it could lift its center of
mass, its lift, only falls. Once that is below the lowest way from its pose to any other, the pig
stays in that pose's basin.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import acos, dist, inf, sqrt

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.stable import StablePose
from sim.engine.flight import Body, Motion, up_in_principal
from sim.engine.world import Box

MARGIN = 2e-5
"""By which a lift must miss a barrier [m]: twice the depth to which bodies overlap at rest."""


class Basins:
    """The stable poses of a body, and how high its center of mass must rise to leave them.

    Attributes:
        top: Lift that is enough to leave any of them [m].
    """

    def __init__(
        self,
        body: Body,
        poses: Sequence[StablePose],
        pig_from_principal: np.ndarray,
        friction: float,
    ) -> None:
        """Chart the poses.

        Args:
            body: In principal axes.
            poses: All of them, pig frame.
            pig_from_principal: Rotation, (3, 3).
            friction: Of pig and table.
        """
        self._body, self._friction = body, friction
        self._downs = np.array([pose.down for pose in poses]) @ pig_from_principal
        self._heights = [pose.height for pose in poses]
        self._barriers = [pose.barrier for pose in poses]
        self.top = max(self._barriers)

    def decide(
        self, motions: Sequence[Motion], lifts: Sequence[float], leaf: Box | None
    ) -> list[Motion] | None:
        """Lay every pig in the pose that it cannot but end in; None if one may end otherwise.

        Args:
            motions: Of the pigs, on the table.
            lifts: Of the pigs [m].
            leaf: Where it hangs.
        """
        poses: list[int] = []
        for motion, lift in zip(motions, lifts, strict=True):
            pose = self.pose_of(motion, lift)
            if pose is None or (leaf and lift + self._body.radius > leaf.low[2]):
                return None
            poses.append(pose)
        ways = [self._way(pose, lift) for pose, lift in zip(poses, lifts, strict=True)]
        for (a, way), (b, other) in combinations(zip(motions, ways, strict=True), 2):
            if dist(a.position, b.position) < 2 * self._body.radius + way + other:
                return None
        return [self.lay(motion, pose) for motion, pose in zip(motions, poses, strict=True)]

    def pose_of(self, motion: Motion, lift: float) -> int | None:
        """Find the one stable pose that a pig on the table can end in; None if not sure.

        Sure is a pig that could turn straight to the pose, its lowest point on the table, without
        its center of mass rising to the pose's barrier: no way out of there is lower than that.
        A pig that is sunk into the table by an impact is given the energy that drives it out.
        """
        if lift >= self.top:
            return None
        x, y, z = up_in_principal(motion.quat_xyzw)
        down = np.array((-x, -y, -z))
        pose = int((self._downs @ down).argmax())
        sunk = float((self._body.vertices @ down).max()) - motion.position[2]
        barrier = self._barriers[pose] - MARGIN
        is_sure = lift + max(sunk, 0.0) < barrier and self._crest(down, self._downs[pose]) < barrier
        return pose if is_sure else None

    def _crest(self, start: np.ndarray, end: np.ndarray) -> float:
        """Greatest height of the center of mass while down turns straight from start to end [m].

        It is that of the lowest vertex, and each is a cos(t) + b sin(t) below the center.
        """
        cosine = min(1.0, float(start @ end))
        across = end - cosine * start
        across /= max(sqrt(float(across @ across)), 1e-12)
        a, b = self._body.vertices @ start, self._body.vertices @ across
        top, turn = np.arctan2(b, a), acos(cosine)
        ends = np.maximum(a, a * cosine + b * sqrt(1.0 - cosine * cosine))
        return float(np.where((top > 0.0) & (top < turn), np.hypot(a, b), ends).max())

    def _way(self, pose: int, lift: float) -> float:
        """Bound how far a pig that ends in a pose still goes along the table [m].

        Friction takes its energy on the way, hops included, since on average the table carries its
        weight; and its center of mass moves by less than its radius as it turns.
        """
        slide = (lift - self._heights[pose]) / self._friction if self._friction else inf
        return slide + self._body.radius

    def lay(self, motion: Motion, pose: int) -> Motion:
        """Turn a pig straight to a pose, where it is and with its heading."""
        turn = Rotation.from_quat(motion.quat_xyzw)
        tilt = Rotation.align_vectors([(0.0, 0.0, -1.0)], [turn.apply(self._downs[pose])])[0]
        x, y, _ = motion.position
        still = (0.0, 0.0, 0.0)
        return Motion.of((x, y, self._heights[pose]), (tilt * turn).as_quat(), still, still)
