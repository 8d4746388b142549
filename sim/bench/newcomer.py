"""A plain PyBullet script, as one would write it first: the pig's parts in SI units, defaults.

Nothing of it can be trusted (margins of 1 mm around parts of 3 mm, the inertia of the bounding box,
contacts remembered from the throw before): it is here for its speed alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull

from meshes.shape import ConvexPart
from sim.bench.cases import Case
from sim.device import Releases, release
from sim.engine.bullet_world import pybullet

DURATION = 2.0
"""Of every throw [s]."""


class Newcomer:
    """Throws by resetting the same bodies and stepping for two seconds."""

    def __init__(self, case: Case, seed: int, rate: int) -> None:
        self._configuration = case.configuration("bullet", seed)
        self._steps = round(DURATION * rate)
        contact = self._configuration.contact.pig_table
        pybullet.connect(pybullet.DIRECT)
        pybullet.resetSimulation()
        pybullet.setGravity(0, 0, -9.81)
        pybullet.setTimeStep(1.0 / rate)
        table = pybullet.createMultiBody(0, pybullet.createCollisionShape(pybullet.GEOM_PLANE))
        shape = self._shape()
        mass = self._configuration.pig.mass_properties.mass
        self._pigs = [pybullet.createMultiBody(mass, shape) for _ in range(case.pigs)]
        for body in (table, *self._pigs):
            pybullet.changeDynamics(
                body,
                -1,
                restitution=contact.restitution**0.5,
                lateralFriction=contact.friction**0.5,
            )

    def throw(self, indices: Sequence[int]) -> None:
        """Throw the pigs once per index."""
        releases = self._releases(indices)
        for row in range(len(indices)):
            for pig, body in enumerate(self._pigs):
                pybullet.resetBasePositionAndOrientation(
                    body, releases.translation[row, pig], releases.quat_xyzw[row, pig]
                )
                pybullet.resetBaseVelocity(body, [0, 0, 0], [0, 0, 0])
            for _ in range(self._steps):
                pybullet.stepSimulation()
            for body in self._pigs:
                pybullet.getBasePositionAndOrientation(body)

    def _releases(self, indices: Sequence[int]) -> Releases:
        configuration = self._configuration
        return release(
            configuration.device,
            configuration.conditions,
            configuration.pigs,
            configuration.pig.shape.hull.vertices,
            configuration.seed,
            indices,
        )

    def _shape(self) -> int:
        parts = self._configuration.pig.shape.parts
        with tempfile.TemporaryDirectory(prefix="pigs-") as folder:
            files = [str(Path(folder, f"{number}.obj")) for number in range(len(parts))]
            for file, part in zip(files, parts, strict=True):
                Path(file).write_text(_wavefront(part), encoding="ascii")
            return int(
                pybullet.createCollisionShapeArray(
                    shapeTypes=[pybullet.GEOM_MESH] * len(files), fileNames=files
                )
            )


def _wavefront(part: ConvexPart) -> str:
    faces = ConvexHull(np.asarray(part.vertices)).simplices + 1
    rows = [f"v {x} {y} {z}" for x, y, z in part.vertices.tolist()]
    rows += [f"f {a} {b} {c}" for a, b, c in faces.tolist()]
    return "\n".join(rows) + "\n"
