"""The fast engine: releases in, resting states out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from math import sqrt

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties
from meshes.shape import Shape
from meshes.stable import landscape, stable_poses
from sim.contact import Contact
from sim.device import Device, Releases, TrapDoor
from sim.engine import RestingStates
from sim.engine.bullet import BulletEngine
from sim.engine.fast.basin import UNDECIDED, basin_tables
from sim.engine.fast.hull import hull_tables
from sim.engine.fast.leaf import ANGLE, OPEN, SPEED, Door
from sim.engine.fast.loop import Starts, throw_all
from sim.engine.fast.motion import MOMENTUM, POSITION, QUAT, STATE, VELOCITY, Mass
from sim.engine.fast.outcome import MET, World, no_ends
from sim.engine.fast.scene import Ground, SteppedScene
from sim.engine.fast.settings import FastSettings
from sim.engine.fast.step import Rules, empty_scene
from sim.engine.flight import GRAVITY, Body
from sim.engine.world import Limits
from sim.rest import STATUSES, RestRule


class FastEngine:
    """Throws of one pig from one device, by compiled code.

    A pig that can end in one stable pose only is put there, at the place and heading where that
    became sure, and its rest_time is that moment. A throw whose pigs come near each other is handed
    to the reference engine, in the state in which it is.

    Attributes:
        body: The pig, in principal axes.
        axes: The principal axes in the pig frame, (3, 3): pig_from_principal.
        center: Of mass, pig frame, (3,) [m].
        hull: Its tables.
        mass: Its mass and moments.
        basins: Where it can end.
        world: The table of stepped scenes.
    """

    name = FastSettings.name

    def __init__(
        self,
        shape: Shape,
        mass_properties: MassProperties,
        device: Device,
        contact: Contact,
        settings: FastSettings,
        rest: RestRule,
    ) -> None:
        moments, self.axes = mass_properties.principal()
        self.center, self._moments = mass_properties.center_of_mass, moments
        poses = stable_poses(shape, self.center)
        self._downs = np.array([pose.down for pose in poses]) @ self.axes
        self._heights = np.array([pose.height for pose in poses])
        self._device = device
        ends = replace(rest, ends_when_decided=True)
        self._arguments = (shape, mass_properties, device, contact, settings.meeting, ends)
        vertices = (shape.hull.vertices - self.center) @ self.axes
        x, y, z = (1.0 / moments).tolist()
        chart = landscape(shape, self.center)
        self.hull = hull_tables(shape.hull, vertices, settings.contact_breaking)
        unlike = np.abs(np.roll(moments, -1) - np.roll(moments, 1)) / moments
        curving = 1.0 + float(unlike.max()) / sqrt(3.0)
        self.mass = Mass(mass_properties.mass, x, y, z, max(x, y, z), curving)
        self.basins = basin_tables(chart, self._heights, self.axes, len(vertices))
        self._rules, self._settings = _rules(contact, settings, rest), settings
        self.world = Ground()
        self.body = Body(
            vertices,
            self.hull.radius,
            mass_properties.mass,
            (float(moments[0]), float(moments[1]), float(moments[2])),
        )

    def settle(self, releases: Releases) -> RestingStates:
        """Run every throw until it rests, times out, escapes or diverges; see Engine."""
        starts = self._starts(releases)
        throws, pigs, _ = starts.states.shape
        status, pose = np.zeros((2, throws, pigs), np.int64)
        rest_time = np.zeros((throws, pigs))
        world = self._world(releases.thrown)
        throw_all(world, empty_scene(pigs), no_ends(pigs), starts, status, rest_time, pose)
        worst = status.max(axis=1)
        has_met = worst == MET
        pose[has_met] = UNDECIDED
        translation, quat = self._poses(starts.states, pose)
        ends = RestingStates(
            status=np.array(STATUSES)[np.where(has_met, 0, worst)],
            translation=translation,
            quat_xyzw=quat,
            rest_time=np.where(np.isfinite(rest_time), rest_time, np.nan),
        )
        if has_met.any():
            met = self._releases(releases, starts, ends, has_met)
            ends = _with_rows(ends, has_met, self.reference.settle(met))
        return replace(ends, handed_over=has_met)

    def _starts(self, releases: Releases) -> Starts:
        leaves = np.zeros((len(releases.index), 3))
        leaves[:, ANGLE], leaves[:, SPEED] = releases.leaf_angle, releases.leaf_speed
        leaves[:, OPEN] = leaves[:, ANGLE] >= self.door(releases.thrown).open_angle
        return Starts(self._states(releases), leaves, releases.height, releases.time.copy())

    def _releases(
        self, releases: Releases, starts: Starts, ends: RestingStates, rows: np.ndarray
    ) -> Releases:
        """Write throws as they are now, for another engine to go on with."""
        states = starts.states[rows]
        flat = states.reshape(-1, STATE)
        axes = Rotation.from_quat(flat[:, QUAT:VELOCITY]).as_matrix()
        own = np.einsum("nji,nj->ni", axes, flat[:, MOMENTUM:]) / self._moments
        return Releases(
            index=releases.index[rows],
            height=releases.height[rows],
            start=releases.start[rows],
            translation=ends.translation[rows],
            quat_xyzw=ends.quat_xyzw[rows],
            velocity=states[..., VELOCITY:MOMENTUM],
            spin=np.einsum("nij,nj->ni", axes, own).reshape(*states.shape[:2], 3),
            leaf_angle=starts.leaves[rows, ANGLE],
            leaf_speed=starts.leaves[rows, SPEED],
            time=starts.times[rows],
            thrown=releases.thrown,
        )

    @contextmanager
    def scene(self, releases: Releases, row: int) -> Iterator[tuple[SteppedScene, Limits]]:
        """Set one throw up, for who steps it, and how it is to be stepped."""
        settings, height = self._settings, float(releases.height[row])
        starts = self._starts(releases)
        scene = empty_scene(len(starts.states[row]))
        scene.states[:], scene.leaf[:] = starts.states[row], starts.leaves[row]
        world = self._world(releases.thrown)
        limits = Limits(
            time_step=settings.time_step,
            check_interval=settings.time_step,
            table_radius=settings.table_radius,
            clearance=settings.clearance,
            height=height,
            start=float(releases.time[row]),
        )
        yield SteppedScene(world, scene, height, self.world), limits

    def _world(self, pigs: int) -> World:
        return World(self.hull, self.mass, self.basins, self._rules, self.door(pigs))

    @cached_property
    def reference(self) -> BulletEngine:
        """The engine of throws whose pigs meet."""
        return BulletEngine(*self._arguments)

    def _states(self, releases: Releases) -> np.ndarray:
        """Write the pigs' starts as rows, (n, k, 13); see motion."""
        throws, pigs, _ = releases.translation.shape
        turn = Rotation.from_quat(releases.quat_xyzw.reshape(-1, 4))
        matrices = turn.as_matrix()
        principal = turn * Rotation.from_matrix(self.axes)
        axes = principal.as_matrix()
        spin = releases.spin.reshape(-1, 3)
        own = np.einsum("nji,nj->ni", axes, spin) * self._moments
        states = np.zeros((throws * pigs, STATE))
        states[:, POSITION:QUAT] = releases.translation.reshape(-1, 3) + matrices @ self.center
        states[:, QUAT:VELOCITY] = principal.as_quat()
        states[:, VELOCITY:MOMENTUM] = releases.velocity.reshape(-1, 3)
        states[:, MOMENTUM:] = np.einsum("nij,nj->ni", axes, own)
        return states.reshape(throws, pigs, STATE)

    def _poses(self, states: np.ndarray, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Read poses world_from_pig; a pig that is sure of its stable pose takes it.

        By the shortest turn that brings the pose's down to the world's, so that its heading stays.
        """
        rows, found = states.reshape(-1, STATE), pose.ravel()
        position, turn = rows[:, POSITION:QUAT].copy(), Rotation.from_quat(rows[:, QUAT:VELOCITY])
        is_sure = found != UNDECIDED
        down = turn.apply(np.where(is_sure[:, None], self._downs[found], 0.0))
        axis = np.cross(down, (0.0, 0.0, -1.0))
        sine = np.linalg.norm(axis, axis=1)
        angle = np.arctan2(sine, -down[:, 2])
        scale = np.divide(angle, sine, out=np.zeros_like(sine), where=is_sure & (sine > 0.0))
        turn = Rotation.from_rotvec(axis * scale[:, None]) * turn
        position[:, 2] = np.where(is_sure, self._heights[found], position[:, 2])
        turn = turn * Rotation.from_matrix(self.axes.T)
        translation = position - turn.as_matrix() @ self.center
        shape = pose.shape
        return translation.reshape(*shape, 3), turn.as_quat(canonical=True).reshape(*shape, 4)

    def door(self, pigs: int) -> Door:
        """Tabulate the leaf that holds a row of pigs."""
        device = self._device
        if not isinstance(device, TrapDoor):
            return Door(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        length, thickness = device.leaf_length, device.leaf_thickness
        return Door(
            1,
            length,
            0.5 * device.leaf_width(pigs),
            thickness,
            device.leaf_mass,
            device.leaf_mass * (length**2 + thickness**2) / 3,
            device.open_angle,
        )


def _rules(contact: Contact, settings: FastSettings, rest: RestRule) -> Rules:
    table, leaf = contact.pig_table, contact.pig_leaf
    return Rules(
        settings.time_step,
        0.0,
        -GRAVITY,
        table.restitution,
        table.friction,
        leaf.restitution,
        leaf.friction,
        contact.bounce_speed,
        settings.contact_erp / settings.time_step,
        settings.solver_iterations,
        settings.solver_tolerance,
        settings.clearance,
        settings.near,
        settings.table_radius,
        rest.speed,
        rest.spin,
        rest.window,
        rest.max_time,
    )


def _with_rows(ends: RestingStates, rows: np.ndarray, others: RestingStates) -> RestingStates:
    """Put other ends in the place of some rows."""
    for name in ("status", "translation", "quat_xyzw", "rest_time"):
        getattr(ends, name)[rows] = getattr(others, name)
    return ends
