"""Symmetry and exactness: what a change that changes nothing may change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.density import MassProperties
from meshes.shape import ConvexPart, Shape, convex_hull
from meshes.solids import Cuboid
from meshes.stable import stable_poses
from sim.configuration import Configuration, configure
from sim.device import release
from sim.engine.mujoco_settings import MujocoSettings
from sim.pig import Pig, load_pig
from sim.position import POSITIONS, PositionNamer, down_in_pig
from sim.throw import Thrower, engine_of
from sim.validate.bench import drop_configuration, engine_settings, landings, solid
from sim.validate.check import Check, Rig
from sim.validate.statistics import fair, position_counts, same

DROPS = 20_000
PIG_DROPS = 10_000
HEIGHT = 0.127
EXACT = "bit for bit"


def fair_cube(rig: Rig) -> list[Check]:
    """A cube dropped at random shows each face 1/6."""
    cube = solid("cube", Cuboid((0.016, 0.016, 0.016)).surface())
    return _fair_faces("cube", cube, np.vstack((np.eye(3), -np.eye(3))), rig)


def fair_tetrahedron(rig: Rig) -> list[Check]:
    """A regular tetrahedron dropped at random shows each face 1/4."""
    corners = np.array(((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)), float)
    tetrahedron = solid("tetrahedron", convex_hull(0.008 * corners))
    return _fair_faces("tetrahedron", tetrahedron, -corners / np.sqrt(3), rig)


def _fair_faces(name: str, body: Pig, normals: np.ndarray, rig: Rig) -> list[Check]:
    ends = landings(drop_configuration(body, HEIGHT, engine_settings(rig)), DROPS, rig.workers)
    cosines = down_in_pig(ends.quat_xyzw.reshape(-1, 4)) @ normals.T
    lies_flat = cosines.max(axis=1) > np.cos(np.radians(3))
    counts = np.bincount(cosines.argmax(axis=1)[lies_flat], minlength=len(normals))
    flat = float(lies_flat.mean())
    return [
        fair(f"{name} faces", counts, np.full(len(normals), 1 / len(normals))),
        Check(f"share of {name}s on a face", flat, 1.0, 0.001, "geometry"),
    ]


def mirrored_pig(rig: Rig) -> list[Check]:
    """A mirrored pig swaps its sides and keeps the rest."""
    pig = load_pig("standard")
    ends = [
        position_counts(
            landings(drop_configuration(body, HEIGHT, engine_settings(rig)), PIG_DROPS, rig.workers)
        )
        for body in (_mirrored(pig), pig)
    ]
    swapped = [POSITIONS.index(one) for one in ("side_dot", "side_no_dot", *POSITIONS[2:])]
    return same("mirrored", ends[0], ends[1][swapped])


def _mirrored(pig: Pig) -> Pig:
    def name(part: str) -> str:
        if part.endswith("_left"):
            return part.removesuffix("left") + "right"
        return part.removesuffix("right") + "left" if part.endswith("_right") else part

    mirror = np.diag((1.0, -1.0, 1.0))
    parts = [ConvexPart(name(part.name), part.vertices @ mirror) for part in pig.shape.parts]
    given = pig.mass_properties
    mass_properties = MassProperties(
        given.mass, given.center_of_mass @ mirror, mirror @ given.inertia @ mirror
    )
    return Pig("mirrored", Shape.from_parts("mirrored", parts), mass_properties)


def turned_and_moved(rig: Rig) -> list[Check]:
    """Turning a throw about the vertical and moving it along the table changes no frequency."""
    configuration = drop_configuration(load_pig("standard"), HEIGHT, engine_settings(rig))
    plain, moved = _settled(configuration, 0.0, 0.0), _settled(configuration, 1.0, 0.3)
    return same("turned 1 rad, moved 0.3 m", moved, plain)


def _settled(configuration: Configuration, yaw: float, shift: float) -> np.ndarray:
    pig = configuration.pig
    starts = release(
        configuration.device,
        configuration.conditions,
        1,
        pig.shape.hull.vertices,
        configuration.seed,
        range(2000),
    )
    turn = Rotation.from_rotvec((0.0, 0.0, yaw))
    quats = (turn * Rotation.from_quat(starts.quat_xyzw[:, 0])).as_quat()
    starts = replace(
        starts,
        translation=starts.translation @ turn.as_matrix().T + (shift, 0.0, 0.0),
        quat_xyzw=quats[:, None],
    )
    ends = engine_of(configuration).settle(starts)
    poses = stable_poses(pig.shape, pig.mass_properties.center_of_mass)
    names, _ = PositionNamer(poses).name(ends.quat_xyzw[:, 0])
    return np.array([(names == position).sum() for position in POSITIONS])


def order_and_workers(rig: Rig) -> list[Check]:
    """Throws are the same alone, backward and by two workers as in one run."""
    is_single = rig.engine == MujocoSettings.name
    configuration = (
        configure(engine=rig.engine, device="drop", pigs=1)
        if is_single
        else configure(engine=rig.engine)
    )
    throws = 60
    plain = landings(configuration, throws, 1)
    by_two = landings(configuration, throws, 2)
    backward = Thrower(configuration).throw(range(throws)[::-1])
    alone = Thrower(configuration).throw([throws - 1])

    return [
        _identical("2 workers", plain.translation, by_two.translation),
        _identical("backward", plain.translation[::-1], backward.translation),
        _identical("alone", plain.translation[-1:], alone.translation),
    ]


def _identical(label: str, a: np.ndarray, b: np.ndarray) -> Check:
    return Check(f"coordinates that differ, {label}", float((a != b).sum()), 0.0, 0.0, EXACT)
