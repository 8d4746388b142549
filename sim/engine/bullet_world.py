"""PyBullet, with its traps guarded: the world, its bodies, the trap door's leaf.

Inside, lengths are `scale` times meters, so that Bullet's absolute thresholds (collision margin
1 mm, contact breaking distance 20 mm) shrink to 10 um and 0.2 mm of a real pig. Bodies have their
frame at the center of mass, axes principal. Nothing of this leaves the module.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from math import cos, frexp, isclose, sin
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from scipy.spatial import ConvexHull

from meshes.shape import MAX_PARTS
from sim.contact import Factors
from sim.engine.flight import GRAVITY


def _load_pybullet() -> ModuleType:
    """Import PyBullet without the line that it writes to file descriptor 2."""
    try:
        error = os.dup(2)
    except OSError:  # it is closed, so the line goes nowhere
        import pybullet

        return pybullet
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        import pybullet
    finally:
        os.dup2(error, 2)
        os.close(error)
        os.close(null)
    return pybullet


pybullet = _load_pybullet()

FIXED_JOINT, HINGE_JOINT = pybullet.JOINT_FIXED, pybullet.JOINT_REVOLUTE
MOTOR = pybullet.VELOCITY_CONTROL

NO_CLAMP = 1e9
"""Bullet clamps every coordinate's speed, by default at 100 of its units."""

BASE, HINGE, PARTS = -1, 0, 0
"""Bullet's link numbers: a body's base, the leaf on its hinge, and a pig's convex parts."""

SURFACES, HULLS, PIGS = 1, 2, 4
"""Collision groups: hulls meet surfaces, pigs' convex parts meet each other, nothing else meets."""


@dataclass(frozen=True)
class BulletSettings:
    """Every number that PyBullet would otherwise choose; recorded with the results.

    Attributes:
        scale: Engine lengths per meter.
        time_step: [s]. A power of two, so that Bullet's sub-step counter never rounds. A pig of
            1.5 m/s is stopped up to one step's way too deep, and then meets the table with more of
            itself: from 1/1024 to 1/2048 razorbacks fall by 0.8 points, from there to 1/4096 by 0.1
            (300,000 pigs dropped by the fast engine at each).
        steps_per_check: Steps between two looks at the pigs.
        solver_iterations: Projected Gauss-Seidel iterations a step, at most.
        solver_tolerance: They end when none changes a contact's speed by more than this [m/s].
        contact_erp: Share of a penetration corrected per step. Correction of a fast contact adds
            to its rebound: at 0.2 a restitution of 0.70 measures 0.80, at 0.02 it measures 0.715.
        contact_breaking: Gap at which a contact point is forgotten [engine lengths].
        table_radius: Pigs farther from the device's middle than this have escaped [m].
        clearance: Distance at which free flight hands over to contact [m].
    """

    name: ClassVar[str] = "bullet"

    scale: float = 100.0
    time_step: float = 1.0 / 2048.0
    steps_per_check: int = 8
    solver_iterations: int = 50
    solver_tolerance: float = 1e-6
    contact_erp: float = 0.02
    contact_breaking: float = 0.02
    table_radius: float = 3.0
    clearance: float = 0.0005

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise ValueError(
                    f"engine {field.name} must be above 0, got {getattr(self, field.name)}"
                )
        if frexp(self.time_step)[0] != 0.5:
            raise ValueError(
                f"engine time_step must be a power of two, such as 1/2048 s, got {self.time_step}"
            )


class _Client:
    """PyBullet's functions, bound to a client of its own; the package's own binder prints."""

    def __init__(self) -> None:
        self._id = pybullet.connect(pybullet.DIRECT)
        self.disconnect = weakref.finalize(self, pybullet.disconnect, self._id)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        bound = partial(getattr(pybullet, name), physicsClientId=self._id)
        setattr(self, name, bound)
        return bound


class BulletWorld:
    """A PyBullet world with every parameter set, in engine units inside and SI outside.

    Attributes:
        scale: Engine lengths per meter.
        client: PyBullet's functions, for this world.
        unseen: A visual shape for every body: without one the renderer would read a body's meshes
            from their files whenever one is made, three quarters of the time that takes.
    """

    def __init__(
        self,
        settings: BulletSettings,
        bounce_speed: float,
    ) -> None:
        self.scale = settings.scale
        self.client = _Client()
        self._time_step = settings.time_step
        self.client.setPhysicsEngineParameter(
            numSolverIterations=settings.solver_iterations,
            solverResidualThreshold=(settings.solver_tolerance * settings.scale) ** 2,
            restitutionVelocityThreshold=bounce_speed * settings.scale,
            erp=settings.contact_erp,
            contactERP=settings.contact_erp,
            frictionERP=settings.contact_erp,
            globalCFM=0.0,
            contactSlop=0.0,
            contactBreakingThreshold=settings.contact_breaking,
            enableConeFriction=1,
            deterministicOverlappingPairs=1,
            allowedCcdPenetration=0.0,
        )
        self.unseen = self.client.createVisualShape(
            pybullet.GEOM_MESH, vertices=np.eye(3).tolist(), indices=[0, 1, 2]
        )
        self.pace(settings.steps_per_check)
        self.tilt(0.0)

    def pace(self, steps: int) -> None:
        """Take so many steps each time that Bullet is told to step."""
        self.client.setPhysicsEngineParameter(
            fixedTimeStep=self._time_step * steps, numSubSteps=steps
        )

    def end(self) -> None:
        """Give the world's memory back."""
        self.client.disconnect()

    def internal(self, lengths: Sequence[float] | np.ndarray) -> list[float]:
        """Turn lengths [m] or speeds [m/s] into the engine's units."""
        return [float(length) * self.scale for length in lengths]

    def tilt(self, angle: float) -> None:
        """Incline the table about y, so that +x is downhill [rad]; only for stepped scenes."""
        self.client.setGravity(*self.internal((GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle))))

    def plane(self, factors: Factors) -> None:
        """Lay the table, an endless plane at z = 0."""
        shape = self.client.createCollisionShape(pybullet.GEOM_PLANE)
        table = self.client.createMultiBody(0.0, shape)
        self.coat(table, BASE, factors)
        self.client.setCollisionFilterGroupMask(table, BASE, SURFACES, HULLS)

    def box(self, size: np.ndarray, center: np.ndarray) -> int:
        """Make a collision shape of a cuboid of full size (3,), its middle at `center` (3,) [m].

        A link's shape lies in the link's frame, its joint's, wherever its center of mass is.
        """
        return int(
            self.client.createCollisionShape(
                pybullet.GEOM_BOX,
                halfExtents=self.internal(size / 2),
                collisionFramePosition=self.internal(center),
            )
        )

    def compound(self, parts: Sequence[np.ndarray]) -> int:
        """Make one collision shape of convex parts (n, 3) [m]; Bullet drops those past 16."""
        assert len(parts) <= MAX_PARTS
        with tempfile.TemporaryDirectory(prefix="pigs-") as folder:
            files = [str(Path(folder, f"{number}.obj")) for number in range(len(parts))]
            for file, part in zip(files, parts, strict=True):
                try:
                    Path(file).write_text(_wavefront(part * self.scale), encoding="ascii")
                except OSError as error:  # on a full disk it has no name
                    raise OSError(error.errno, error.strerror, file) from None
            return int(
                self.client.createCollisionShapeArray(
                    shapeTypes=[pybullet.GEOM_MESH] * len(files),
                    fileNames=files,
                    meshScales=[[1.0, 1.0, 1.0]] * len(files),
                )
            )

    def weigh(self, body: int, link: int, mass: float, moments: Sequence[float]) -> None:
        """Set mass and principal moments in one call: a later mass alone resets the inertia.

        Bullet's own inertia is that of the shape's bounding box.
        """
        inertia = [moment * self.scale**2 for moment in moments]
        self.client.changeDynamics(body, link, mass=mass, localInertiaDiagonal=inertia)
        measured = self.client.getDynamicsInfo(body, link)[2]
        assert all(map(partial(isclose, rel_tol=1e-9), measured, inertia)), (measured, inertia)

    def coat(self, body: int, link: int, factors: Factors) -> None:
        """Give a body its surface, and none of the engine's damping."""
        self.client.changeDynamics(
            body,
            link,
            restitution=factors.restitution,
            lateralFriction=factors.friction,
            rollingFriction=0.0,
            spinningFriction=0.0,
            linearDamping=0.0,
            angularDamping=0.0,
            contactProcessingThreshold=0.0,
        )
        measured = self.client.getDynamicsInfo(body, link)
        assert (measured[5], measured[1]) == (factors.restitution, factors.friction), measured

    def unclamp(self, body: int) -> None:
        """Lift the engine's limit on a body's speeds.

        Not in coat: named for a link, the limit makes the engine ignore the whole call.
        """
        self.client.changeDynamics(body, BASE, maxJointVelocity=NO_CLAMP)


def _wavefront(vertices: np.ndarray) -> str:
    """Write a convex polyhedron as OBJ, the one format that Bullet's compounds take."""
    rows = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    rows += [f"f {a} {b} {c}" for a, b, c in (ConvexHull(vertices).simplices + 1).tolist()]
    return "\n".join(rows) + "\n"
