"""Text that stays in place before the camera of PyBullet's window, whatever the camera does.

The window writes only into the scene, so the text hangs on a body that follows the camera.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from sim.engine.bullet_world import pybullet
from sim.watch.stage import INK_COLOR

TEXT_SIZE = 0.05
"""Height of a line, one unit before the camera [unit]."""

MARGIN = 0.05
"""Between text and the window's edges [unit]."""

GROUND_COLOR = (2.0, 2.0, 2.0, 0.75)
"""Red, green, blue, more than white since the window shades it, and how opaque."""

BEHIND = 0.01
"""From text to its ground [unit]."""


@dataclass(frozen=True)
class Ground:
    """What makes lines of text legible before whatever is behind them.

    Attributes:
        width: Of the text [unit].
        lines: How many there are.
        down: From the board's place to the first of them [line].
    """

    width: float
    lines: float
    down: float = 0.0

    @property
    def corners(self) -> np.ndarray:
        """Two triangles behind the text, (6, 3) [unit]."""
        left, right = -MARGIN, self.width + MARGIN / 2
        top = TEXT_SIZE * (1.0 - self.down)
        bottom = top - TEXT_SIZE * (self.lines + 1.0)
        a, b, c, d = (left, bottom), (right, bottom), (right, top), (left, top)
        return np.array([(*corner, -BEHIND) for corner in (a, b, c, a, c, d)])


class Camera:
    """Where the window's camera is, as it is now.

    Attributes:
        yaw: As View has it [degree].
        pitch: As View has it [degree].
        distance: From what it looks at [unit].
        half_width: Of what it sees one unit before it [unit].
    """

    def __init__(self, client: int) -> None:
        told = pybullet.getDebugVisualizerCamera(physicsClientId=client)
        self._world_to_camera = np.reshape(told[2], (4, 4)).T
        self.yaw, self.pitch, self.distance = told[8:11]
        self.half_width = told[0] / max(told[1], 1)

    @property
    def is_known(self) -> bool:
        """Whether the window has drawn yet."""
        return self.half_width > 0.0

    def place(self, right: float, up: float) -> tuple[list[float], list[float]]:
        """Give a place one unit before the camera, facing it: position and quat_xyzw."""
        world_from_camera = self._world_to_camera[:3, :3].T
        eye = -world_from_camera @ self._world_to_camera[:3, 3]
        position = eye + world_from_camera @ (right, up, -1.0)
        return position.tolist(), Rotation.from_matrix(world_from_camera).as_quat().tolist()


class Board:
    """Columns of text at one of the window's edges, on light grounds."""

    def __init__(self, client: int, *grounds: Ground) -> None:
        self._client = client
        corners = np.concatenate([ground.corners for ground in grounds])
        shape = pybullet.createVisualShape(
            pybullet.GEOM_MESH,
            vertices=corners.tolist(),
            indices=list(range(len(corners))),
            normals=[[0.0, 0.0, 1.0]] * len(corners),
            rgbaColor=GROUND_COLOR,
            specularColor=[0.0, 0.0, 0.0],
            physicsClientId=client,
        )
        self._body = pybullet.createMultiBody(0.0, -1, shape, physicsClientId=client)
        self._written: dict[str, tuple[int, str]] = {}

    def put(self, camera: Camera, right: float, up: float) -> None:
        """Hang the board one unit before the camera."""
        pybullet.resetBasePositionAndOrientation(
            self._body, *camera.place(right, up), physicsClientId=self._client
        )

    def write(self, name: str, text: str, right: float, down: float) -> None:
        """Write lines of text in place of those of the same name.

        Every change waits for the window to draw, so text that is there already stays.

        Args:
            name: Of the column.
            text: Its lines.
            right: Of the board's place [unit].
            down: From there to the first line [line].
        """
        item, before = self._written.get(name, (-1, ""))
        if text == before:
            return
        item = pybullet.addUserDebugText(
            text or " ",
            [right, -down * TEXT_SIZE, 0.0],
            textColorRGB=[part / 255 for part in INK_COLOR],
            textSize=TEXT_SIZE,
            textOrientation=[0.0, 0.0, 0.0, 1.0],
            parentObjectUniqueId=self._body,
            replaceItemUniqueId=item,
            physicsClientId=self._client,
        )
        self._written[name] = item, text
