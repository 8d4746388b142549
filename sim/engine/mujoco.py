"""A second opinion: single bodies over the bare table in MuJoCo.

MuJoCo's contact is soft: a body that meets the table sinks into it by some tenths of a millimeter
and is driven out by a spring and a damper, over half a millisecond, while it goes on turning.
PyBullet's is an impulse within one step, at one point. Both know Coulomb friction; MuJoCo lets what
sticks creep at a rate, here far slower than a throw can tell. MuJoCo has no speed below which
nothing rebounds: `bounce_speed` does nothing here.

References:
    Todorov, E. (2014), "Convex and analytically-invertible dynamics with contacts and constraints",
    IEEE International Conference on Robotics and Automation, and the chapter on solver parameters
    of MuJoCo's documentation: a contact obeys a = -b v - k r for the pair (-k, -b) as `solref`.
    Schwager, T., Poeschel, T. (2007), "Coefficient of restitution and linear-dashpot model
    revisited", Granular Matter 9: 465-469, eq. 20: restitution of a spring and damper that cannot
    pull.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import atan2, cos, exp, pi, sin, sqrt
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties
from meshes.shape import Shape
from meshes.stable import stable_poses
from sim.contact import Contact
from sim.device import Device, Releases, TrapDoor
from sim.engine import RestingStates
from sim.engine.basin import Basins
from sim.engine.flight import GRAVITY, Body, Motion
from sim.engine.mujoco_settings import SINGLE_ONLY, MujocoSettings
from sim.engine.settle import settle
from sim.engine.world import Box, Limits
from sim.rest import RestRule

__all__ = ["MujocoEngine", "MujocoWorld", "damping_ratio", "mujoco", "rollout"]
"""With what a benchmark needs of MuJoCo itself: no other module imports it."""

FAR = 1e3
"""Where a body is parked [m]."""


def damping_ratio(restitution: float) -> float:
    """Find the share of critical damping at which a spring and damper give a restitution in (0, 1].

    Below a ratio of 1, the body leaves when the damper's pull cancels the spring's push; more
    damping than critical makes no bounce smaller than that of 1, 0.135.
    """

    def excess(ratio: float) -> float:
        rate = sqrt(1.0 - ratio * ratio)
        return exp(-ratio / rate * atan2(2 * ratio * rate, 2 * ratio * ratio - 1)) - restitution

    if restitution == 1.0:
        return 0.0
    least = 1.0 - 1e-9
    return least if excess(least) > 0.0 else float(brentq(excess, 0.0, least))


class MujocoEngine:
    """Throws of one body over the bare table; every throw in a world that is set back.

    Attributes:
        body: What is thrown, in principal axes.
        world: Where it is thrown.
    """

    name = "mujoco"

    def __init__(
        self,
        shape: Shape,
        mass_properties: MassProperties,
        device: Device,
        contact: Contact,
        settings: MujocoSettings,
        rest: RestRule,
    ) -> None:
        if isinstance(device, TrapDoor):
            raise ValueError(SINGLE_ONLY)
        self._settings, self._rest = settings, rest
        _, self._pig_from_principal = mass_properties.principal()
        self._center = mass_properties.center_of_mass
        self.body = Body.of(shape.hull.vertices, mass_properties)
        self._basins = (
            Basins(
                self.body,
                stable_poses(shape, self._center),
                self._pig_from_principal,
                contact.pig_table.friction,
            )
            if rest.ends_when_decided
            else None
        )
        self.world = MujocoWorld(self.body, contact, settings)

    def settle(self, releases: Releases) -> RestingStates:
        """Run every throw until it rests, times out, escapes or diverges; see Engine."""
        if releases.translation.shape[1] > 1:
            raise ValueError(SINGLE_ONLY)
        ends = [self._throw(releases, row) for row in range(len(releases.index))]
        return RestingStates(
            status=np.array([end[0] for end in ends]),
            translation=np.array([end[1] for end in ends])[:, None],
            quat_xyzw=np.array([end[2] for end in ends])[:, None],
            rest_time=np.array([end[3] for end in ends]),
        )

    def _throw(self, releases: Releases, row: int) -> tuple[str, np.ndarray, np.ndarray, Any]:
        with self.scene(releases, row) as (scene, limits):
            status, (end,), rest_time = settle(
                scene, self.body, self._rest, limits, basins=self._basins
            )
        turn = Rotation.from_quat(end.quat_xyzw)
        orientation = turn * Rotation.from_matrix(self._pig_from_principal.T)
        translation = np.array(end.position) - orientation.as_matrix() @ self._center
        return status, translation, orientation.as_quat(canonical=True), rest_time

    @contextmanager
    def scene(self, releases: Releases, row: int) -> Iterator[tuple[MujocoWorld, Limits]]:
        """Set one throw up, for who steps it: its body, and how it is to be stepped."""
        settings = self._settings
        limits = Limits(
            time_step=settings.time_step,
            check_interval=settings.time_step * settings.steps_per_check,
            table_radius=settings.table_radius,
            clearance=settings.clearance,
            height=float(releases.height[row]),
            start=float(releases.time[row]),
        )
        turn = Rotation.from_quat(releases.quat_xyzw[row, 0])
        center = releases.translation[row, 0] + turn.as_matrix() @ self._center
        quat = (turn * Rotation.from_matrix(self._pig_from_principal)).as_quat()
        self.world.set_back()
        self.world.set_motion(
            0, Motion.of(center, quat, releases.velocity[row, 0], releases.spin[row, 0])
        )
        yield self.world, limits


class MujocoWorld:
    """One body over the table, a World in SI units."""

    def __init__(self, body: Body, contact: Contact, settings: MujocoSettings) -> None:
        self._steps = settings.steps_per_check
        spec = mujoco.MjSpec()
        _set_options(spec.option, settings)
        _add_bodies(spec, body)
        _add_contact(spec, contact, settings)
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)

    def set_back(self) -> None:
        """Forget all throws before: the solver starts from its last result."""
        mujoco.mj_resetData(self._model, self._data)
        self.tilt(0.0)

    def tilt(self, angle: float) -> None:
        """Incline the table about y, so that +x is downhill [rad]."""
        self._model.opt.gravity[:] = (GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle))

    def motions(self) -> list[Motion]:
        """Read the body's state."""
        return [self.motion(0)]

    def motion(self, _: int) -> Motion:
        """Read the body's state; MuJoCo's spins are in the body's axes."""
        position, quat_wxyz = self._data.qpos[:3], self._data.qpos[3:]
        quat = np.roll(quat_wxyz, -1)
        spin = Rotation.from_quat(quat).apply(self._data.qvel[3:])
        return Motion.of(position, quat, self._data.qvel[:3], spin)

    def set_motion(self, _: int, motion: Motion) -> None:
        """Write the body's state."""
        turn = Rotation.from_quat(motion.quat_xyzw)
        self._data.qpos[:3] = motion.position
        self._data.qpos[3:] = np.roll(motion.quat_xyzw, 1)
        self._data.qvel[:3] = motion.velocity
        self._data.qvel[3:] = turn.inv().apply(motion.spin)

    def park(self, _: int) -> None:
        """Put the body where it touches nothing, until its state is written again."""
        self._data.qpos[:3] = (0.0, 0.0, FAR)

    def step(self) -> None:
        """Advance by one check interval, contacts included."""
        mujoco.mj_step(self._model, self._data, nstep=self._steps)

    def obstacle(self) -> Box | None:
        """There is no leaf."""
        return None

    def is_swinging(self) -> bool:
        """There is no leaf."""
        return False


def _set_options(option: Any, settings: MujocoSettings) -> None:
    option.timestep = settings.time_step
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.iterations = settings.solver_iterations
    option.tolerance = settings.solver_tolerance


def _add_bodies(spec: Any, body: Body) -> None:
    """Lay the table and add the body's hull; they meet by the explicit pair alone."""
    alone = {"contype": 0, "conaffinity": 0}
    plane, mesh = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_MESH
    spec.worldbody.add_geom(name="table", type=plane, size=[0.0, 0.0, 1.0], **alone)
    spec.add_mesh(name="hull", uservert=body.vertices.ravel().tolist())
    pig = spec.worldbody.add_body(name="pig", explicitinertial=True)
    pig.add_freejoint()
    pig.mass, pig.inertia = body.mass, list(body.moments)
    pig.ipos, pig.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    pig.add_geom(name="hull", type=mesh, meshname="hull", **alone)


def _add_contact(spec: Any, contact: Contact, settings: MujocoSettings) -> None:
    rate = pi / settings.contact_time
    friction, restitution = contact.pig_table.friction, contact.pig_table.restitution
    damping = 2.0 * damping_ratio(restitution) * rate
    pair = spec.add_pair(geomname1="table", geomname2="hull", condim=3)
    pair.friction = [friction, friction, 0.0, 0.0, 0.0]
    pair.solref = [-rate * rate, -damping]
    pair.solreffriction = [-rate * rate, -settings.stick_rate]
    pair.solimp = [settings.impedance, settings.impedance, 0.001, 0.5, 2.0]
    pair.margin = 0.0
