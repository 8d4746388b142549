"""MuJoCo as one would use it for this: its step loop stopped at rest, and its batch of rollouts.

A pig is a free body: its hull meets the table, its parts meet those of other pigs, its mass and
inertia are given. Contacts are MuJoCo's own, which do not rebound, so that throws are half as long
as ours, to MuJoCo's advantage: springs soft enough for this step that did rebound would jitter
above the rule of rest for good (sim.engine.mujoco takes 16 steps for each of these).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sin

import numpy as np
from scipy.spatial.transform import Rotation

from sim.bench.cases import Case
from sim.configuration import Configuration
from sim.device import Releases, release
from sim.engine.mujoco import mujoco, rollout
from sim.rest import RestRule

DURATION = 2.0
"""Of a rollout, which cannot stop by itself [s]."""

TIME_STEP = 0.001  # [s]
CHECK_STEPS = 4
FRICTION_HARDNESS = 10.0
"""Ratio of impedances, friction to normal: at 1 a pig that lies slides on at 1 mm/s for good."""


class Rival:
    """The pigs of a case in MuJoCo."""

    def __init__(self, case: Case, seed: int) -> None:
        self._configuration = case.configuration("bullet", seed)
        self._model = mujoco.MjModel.from_xml_string(_scene(self._configuration))
        self._data = mujoco.MjData(self._model)

    def throw_until_rest(self, indices: Sequence[int]) -> None:
        """Throw the pigs once per index; a throw ends as those of our engines do."""
        rest, data = self._configuration.rest, self._data
        for state in self._states(indices):
            mujoco.mj_resetData(self._model, data)
            data.qpos[:], data.qvel[:] = np.split(state, [self._model.nq])
            still_since, still_at = 0.0, data.qpos.copy()
            while data.time < rest.max_time and data.time - still_since < rest.window:
                mujoco.mj_step(self._model, data, CHECK_STEPS)
                if _has_moved(rest, still_at, data.qpos):
                    still_since, still_at = data.time, data.qpos.copy()

    def roll_out(self, indices: Sequence[int]) -> None:
        """Throw the pigs once per index, all for two seconds, in one call."""
        states = self._states(indices)
        starts = np.column_stack((np.zeros(len(states)), states))
        steps = round(DURATION / TIME_STEP)
        rollout.rollout(self._model, self._data, starts, nstep=steps)

    def _states(self, indices: Sequence[int]) -> np.ndarray:
        """Poses and velocities of the releases, (n, nq + nv)."""
        releases = _releases(self._configuration, indices)
        throws = len(indices)
        quat = np.roll(releases.quat_xyzw, 1, axis=2)
        own = Rotation.from_quat(releases.quat_xyzw.reshape(-1, 4)).inv()
        spin = own.apply(releases.spin.reshape(-1, 3)).reshape(releases.spin.shape)
        poses = np.concatenate((releases.translation, quat), axis=2)
        rates = np.concatenate((releases.velocity, spin), axis=2)
        return np.concatenate((poses.reshape(throws, -1), rates.reshape(throws, -1)), axis=1)


def _has_moved(rest: RestRule, before: np.ndarray, now: np.ndarray) -> bool:
    """Whether a pig has come or turned further than one at rest may."""
    before, now = before.reshape(-1, 7), now.reshape(-1, 7)
    ways = np.linalg.norm(now[:, :3] - before[:, :3], axis=1)
    cosines = (now[:, 3:] * before[:, 3:]).sum(axis=1)
    sine = sin(rest.turn / 2)
    return bool((ways > rest.way).any() or (1 - cosines**2 > sine**2).any())


def _releases(configuration: Configuration, indices: Sequence[int]) -> Releases:
    return release(
        configuration.device,
        configuration.conditions,
        configuration.pigs,
        configuration.pig.shape.hull.vertices,
        configuration.seed,
        indices,
    )


def _scene(configuration: Configuration) -> str:
    """Write the table and the pigs in MuJoCo's language."""
    shape, pigs = configuration.pig.shape, configuration.pigs
    meshes = [shape.hull.vertices, *(part.vertices for part in shape.parts)]
    assets = "".join(
        f'<mesh name="m{number}" vertex="{_words(mesh)}"/>' for number, mesh in enumerate(meshes)
    )
    hull = '<geom type="mesh" mesh="m0" contype="1" conaffinity="2"/>'
    parts = "".join(
        f'<geom type="mesh" mesh="m{number}" contype="4" conaffinity="4"/>'
        for number in range(1, len(meshes) if pigs > 1 else 1)
    )
    body = f"<body><freejoint/>{_inertial(configuration)}{hull}{parts}</body>"
    friction = configuration.contact.pig_table.friction
    return f"""<mujoco>
  <option timestep="{TIME_STEP}" cone="elliptic" impratio="{FRICTION_HARDNESS}"/>
  <default><geom friction="{friction}"/></default>
  <asset>{assets}</asset>
  <worldbody>
    <geom type="plane" size="5 5 1" contype="2" conaffinity="1"/>{body * pigs}
  </worldbody>
</mujoco>"""


def _inertial(configuration: Configuration) -> str:
    properties = configuration.pig.mass_properties
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = properties.inertia
    center = _words(properties.center_of_mass)
    tensor = _words(np.array((xx, yy, zz, xy, xz, yz)))
    return f'<inertial pos="{center}" mass="{properties.mass}" fullinertia="{tensor}"/>'


def _words(numbers: np.ndarray) -> str:
    return " ".join(map(repr, numbers.ravel().tolist()))
