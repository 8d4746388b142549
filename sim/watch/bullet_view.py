"""The stage in PyBullet, for its window and its software renderer: bodies to look at, no physics.

PyBullet's camera and window are made for rooms, not for pigs: here a unit is a centimeter.
"""

from __future__ import annotations

import numpy as np

from sim.engine.bullet_world import pybullet
from sim.watch.film import Film
from sim.watch.stage import SUN, Color, Patch, Stage
from sim.watch.view import FIELD_OF_VIEW, View

SCALE = 100.0
"""Units per meter."""


class BulletView:
    """The bodies of a stage in one PyBullet client, put where a film says.

    Attributes:
        client: The client's number.
    """

    def __init__(self, client: int, stage: Stage, exposures: int = 1) -> None:
        """Put pigs and leaf in for as many frames as are to be seen at once."""
        self.client, self._stage = client, stage
        self._pigs = [
            [[self._body(patch) for patch in stage.patches(pig)] for pig in range(stage.pigs)]
            for _ in range(exposures)
        ]
        leaves = [] if stage.leaf is None else [stage.leaf] * exposures
        self._leaves = [self._body(leaf) for leaf in leaves]
        self._shadows: list[int] = []

    def lay_table(self) -> None:
        """Put the table in, under all the rest."""
        for patch in self._stage.table:
            self._body(patch)

    def show(self, film: Film, *frames: int) -> None:
        """Put the pigs and the leaf where they are in frames, one for each exposure."""
        for pigs, frame in zip(self._pigs, frames, strict=True):
            for pig, bodies in enumerate(pigs):
                for body in bodies:
                    self._place(body, film.translation[frame, pig], film.quat_xyzw[frame, pig])
        for leaf, frame in zip(self._leaves, frames, strict=False):
            self._place(leaf, *self._stage.leaf_pose(film, frame))

    def cast(self, film: Film, *frames: int) -> None:
        """Draw the shadows of frames in place of those before."""
        for shadow in self._shadows:
            pybullet.removeBody(shadow, physicsClientId=self.client)
        self._shadows = [self._body(self._stage.shadow(film, frame)) for frame in frames]

    def picture(self, view: View, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw what a camera sees, by software.

        Returns:
            Red, green, blue, (height, width, 3) uint8, and where a body is, (height, width).
        """
        eye, target = view.eye * SCALE, np.array(view.target) * SCALE
        _, _, pixels, _, bodies = pybullet.getCameraImage(
            width,
            height,
            pybullet.computeViewMatrix(eye.tolist(), target.tolist(), [0.0, 0.0, 1.0]),
            pybullet.computeProjectionMatrixFOV(FIELD_OF_VIEW, width / height, 1.0, 1000.0),
            lightDirection=[-part for part in SUN],
            lightAmbientCoeff=0.55,
            lightDiffuseCoeff=0.5,
            lightSpecularCoeff=0.05,
            shadow=0,
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=self.client,
        )
        colors = np.reshape(pixels, (height, width, 4)).astype(np.uint8)[:, :, :3]
        return colors, np.reshape(bodies, (height, width)) >= 0

    def _body(self, patch: Patch) -> int:
        corners = patch.corners.reshape(-1, 3) * SCALE
        shape = pybullet.createVisualShape(
            pybullet.GEOM_MESH,
            vertices=corners.tolist(),
            indices=list(range(len(corners))),
            normals=np.repeat(patch.normals, 3, axis=0).tolist(),
            rgbaColor=_rgba(patch.color),
            specularColor=[0.0, 0.0, 0.0],
            physicsClientId=self.client,
        )
        return int(pybullet.createMultiBody(0.0, -1, shape, physicsClientId=self.client))

    def _place(self, body: int, translation: np.ndarray, quat_xyzw: np.ndarray) -> None:
        pybullet.resetBasePositionAndOrientation(
            body, (translation * SCALE).tolist(), quat_xyzw.tolist(), physicsClientId=self.client
        )


def _rgba(color: Color) -> list[float]:
    return [*(part / 255 for part in color), 1.0]
