"""The fast engine: releases in, resting states out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import sqrt

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties
from meshes.shape import Shape
from meshes.stable import landscape, stable_poses
from sim.contact import Contact
from sim.device import Device, Releases, TrapDoor
from sim.engine import RestingStates
from sim.engine.fast.basin import UNDECIDED, basin_tables
from sim.engine.fast.compiled import compiling_once
from sim.engine.fast.encounter import EncounterEngine
from sim.engine.fast.frames import Frames, to_poses, to_states
from sim.engine.fast.hull import hull_tables
from sim.engine.fast.leaf import ANGLE, OPEN, SPEED, Door
from sim.engine.fast.loop import Starts, throw_all
from sim.engine.fast.meeting import distance
from sim.engine.fast.motion import MOMENTUM, STATE, VELOCITY, Mass
from sim.engine.fast.outcome import MET, World, no_ends
from sim.engine.fast.scene import Ground, SteppedScene, state_of
from sim.engine.fast.settings import FastSettings
from sim.engine.fast.step import Rules, empty_scene
from sim.engine.flight import GRAVITY, Body, Motion
from sim.engine.world import Limits
from sim.rest import STATUSES, RestRule

PARTED = 2.0
"""Pigs have parted at this many times the distance at which they meet."""


class FastEngine:
    """Throws of one pig from one device, by compiled code.

    A pig that can end in one stable pose only is put there, at the place and heading where that
    became sure, and its rest_time is that moment. A throw whose pigs come near each other is handed
    to the reference engine, in the state in which it is, and comes back once they have parted.

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
        heights = np.array([pose.height for pose in poses])
        a, b, c, d = Rotation.from_matrix(self.axes).as_quat().tolist()
        self._frames = Frames(
            (a, b, c, d),
            _three(self.center),
            _three(moments),
            np.array([pose.down for pose in poses]) @ self.axes,
            heights,
        )
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
        self.basins = basin_tables(chart, heights, self.axes, len(vertices))
        self._rules, self._settings = _rules(contact, settings, rest), settings
        self.world = Ground()
        self.body = Body(
            vertices,
            self.hull.radius,
            mass_properties.mass,
            _three(moments),
        )
        with compiling_once(throw_all):
            self._compile()

    def _compile(self) -> None:
        """Have all that is compiled ready before the first throw: throw none."""
        none = Starts(np.zeros((0, 1, STATE)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))
        self._run(none, 1)
        rows, quats = np.zeros((0, 3)), np.zeros((0, 4))
        states = np.zeros((0, STATE))
        to_states(self._frames, rows, quats, rows, rows, states)
        to_poses(self._frames, self.mass, states, np.zeros(0, np.int64), rows, quats, rows)
        distance(self.hull, np.zeros(STATE), np.zeros(STATE))

    def _run(self, starts: Starts, thrown: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Run throws up to their end or their pigs' meeting: status, pose and rest time, (n, k)."""
        throws, pigs, _ = starts.states.shape
        status, pose = np.zeros((2, throws, pigs), np.int64)
        times = np.zeros((throws, pigs))
        world = self._world(thrown)
        throw_all(world, empty_scene(pigs), no_ends(pigs), starts, status, times, pose)
        return status, pose, times

    def settle(self, releases: Releases) -> RestingStates:
        """Run every throw until it rests, times out, escapes or diverges; see Engine."""
        starts = self._starts(releases)
        throws, pigs, _ = starts.states.shape
        status, pose = np.zeros((2, throws, pigs), np.int64)
        rest_time, handed_over = np.zeros((throws, pigs)), np.zeros(throws, bool)
        going = np.arange(throws)
        while len(going):
            some = Starts(*(each[going] for each in starts))
            status[going], pose[going], rest_time[going] = self._run(some, releases.thrown)
            for every, ended in zip(starts, some, strict=True):
                every[going] = ended
            met = going[(status[going] == MET).any(axis=1)]
            handed_over[met] = True
            going = self._meet(releases, starts, met, status, pose, rest_time)
        now = self._as_releases(releases, starts, pose)
        return RestingStates(
            status=np.array(STATUSES)[status.max(axis=1)],
            translation=now.translation,
            quat_xyzw=now.quat_xyzw,
            rest_time=np.where(np.isfinite(rest_time), rest_time, np.nan),
            handed_over=handed_over,
        )

    def _meet(
        self,
        releases: Releases,
        starts: Starts,
        met: np.ndarray,
        status: np.ndarray,
        pose: np.ndarray,
        rest_time: np.ndarray,
    ) -> np.ndarray:
        """Have the reference engine part the pigs of throws; list those that go on from there."""
        pose[met] = UNDECIDED
        now = self._as_releases(releases, starts, pose) if len(met) else releases
        parted = []
        for row in met:
            end = self.reference.meet(now, row, self._is_parted)
            starts.states[row] = [state_of(self.mass, motion) for motion in end.motions]
            starts.leaves[row], starts.times[row] = end.leaf, end.time
            if end.status is None:
                parted.append(row)
            else:
                status[row], rest_time[row] = STATUSES.index(end.status), end.rest_time
        return np.array(parted, np.int64)

    def _is_parted(self, motions: list[Motion]) -> bool:
        """Whether all pigs have gaps, and centers that go apart: else they soon meet again."""
        if any(_is_closing(a, b) for a, b in combinations(motions, 2)):
            return False
        states = [state_of(self.mass, motion) for motion in motions]
        gap = min(distance(self.hull, a, b) for a, b in combinations(states, 2))
        return gap > PARTED * self._settings.near

    def _starts(self, releases: Releases) -> Starts:
        throws, pigs, _ = releases.translation.shape
        states = np.zeros((throws * pigs, STATE))
        given = (releases.translation, releases.quat_xyzw, releases.velocity, releases.spin)
        place, turn, velocity, spin = (
            np.array(each, float).reshape(throws * pigs, -1) for each in given
        )
        to_states(self._frames, place, turn, velocity, spin, states)
        leaves = np.zeros((throws, 3))
        leaves[:, ANGLE], leaves[:, SPEED] = releases.leaf_angle, releases.leaf_speed
        leaves[:, OPEN] = leaves[:, ANGLE] >= self.door(releases.thrown).open_angle
        heights, times = (np.array(each, float) for each in (releases.height, releases.time))
        return Starts(states.reshape(throws, pigs, STATE), leaves, heights, times)

    def _as_releases(self, releases: Releases, ends: Starts, pose: np.ndarray) -> Releases:
        """Write throws as they are left, each pig in its pose; see frames.to_poses."""
        throws, pigs, _ = ends.states.shape
        rows = throws * pigs
        translation, quat, spin = np.zeros((rows, 3)), np.zeros((rows, 4)), np.zeros((rows, 3))
        states = ends.states.reshape(rows, STATE)
        to_poses(self._frames, self.mass, states, pose.ravel(), translation, quat, spin)
        return replace(
            releases,
            translation=translation.reshape(throws, pigs, 3),
            quat_xyzw=quat.reshape(throws, pigs, 4),
            velocity=ends.states[..., VELOCITY:MOMENTUM].copy(),
            spin=spin.reshape(throws, pigs, 3),
            leaf_angle=ends.leaves[:, ANGLE].copy(),
            leaf_speed=ends.leaves[:, SPEED].copy(),
            time=ends.times.copy(),
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
    def reference(self) -> EncounterEngine:
        """The engine for pigs that meet."""
        return EncounterEngine(*self._arguments)

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


def _is_closing(a: Motion, b: Motion) -> bool:
    """Whether two centers of mass come nearer to each other."""
    (x, y, z), (p, q, r) = a.position, b.position
    (u, v, w), (f, g, h) = a.velocity, b.velocity
    return (x - p) * (u - f) + (y - q) * (v - g) + (z - r) * (w - h) < 0.0


def _three(values: np.ndarray) -> tuple[float, float, float]:
    a, b, c = values.tolist()
    return a, b, c


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
        rest.way,
        rest.turn,
        rest.window,
        rest.max_time,
    )
