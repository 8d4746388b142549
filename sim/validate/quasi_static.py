"""The limit in which geometry alone decides: a body that never gathers speed.

A body set down without energy and damped far faster than it falls over (rates of 128 /s and more,
beside sqrt(g / r) = 28 /s of a pig) creeps downhill: about its lowest vertex until an edge lies on
the table, about that edge until a facet does, and over further edges to a stable pose. That is the
way on which meshes.stable reckons its probabilities.
"""

from __future__ import annotations

from math import cos, radians, sqrt

import numpy as np
from scipy.spatial.transform import Rotation

from meshes.solids import Cuboid
from meshes.stable import landscape, stable_poses
from sim.device import uniform_orientations
from sim.pig import Pig, load_pig
from sim.position import down_in_pig, name_pose
from sim.validate.bench import Bench, contact, engine_settings, solid
from sim.validate.check import Check, Finding, Reading, Rig
from sim.validate.statistics import fair

DROPS = 3000
SHOWN_DROPS = 1000
SEED = 0
GAP = 2e-5
"""Between the body's lowest point and the table at the start [m]."""

AGREEING = 0.97
"""Least share of drops that end where geometry says: 0.975 of pigs do, 0.993 if their inertia is
the same about all axes; a body near a ridge may roll either way."""


def creeping_cuboid(rig: Rig) -> list[Finding]:
    """A cuboid of 10 x 14 x 20 mm."""
    return _creeping(solid("cuboid", Cuboid((0.010, 0.014, 0.020)).surface()), "face", rig)


def creeping_pig(rig: Rig) -> list[Finding]:
    """The pig of uniform density."""
    return _creeping(load_pig("uniform"), "position", rig)


def _creeping(pig: Pig, unit: str, rig: Rig) -> list[Finding]:
    poses = stable_poses(pig.shape, pig.mass_properties.center_of_mass)
    names = np.array([name_pose(pose.carrying, pose.down) for pose in poses])
    if unit == "face":
        names = np.arange(len(poses)).astype(str)
    foretold, found = creep(pig, DROPS, 4, rig)
    probabilities = np.array([pose.probability for pose in poses])
    findings: list[Finding] = [
        _agreement(f"share of {pig.name}s that end where geometry says", foretold, found)
    ]
    kinds = [name for name in np.unique(names) if DROPS * probabilities[names == name].sum() > 5]
    shares = np.array([probabilities[names == kind].sum() for kind in kinds])
    counts = np.array([(names[found[found >= 0]] == kind).sum() for kind in kinds])
    findings.append(fair(f"{pig.name} {unit}s", counts, shares / shares.sum()))
    for kind, count, share in zip(kinds, counts, shares, strict=True):
        limit = 4 * sqrt(share * (1 - share) / DROPS)
        findings.append(
            Check(f"share of {unit} {kind}", count / DROPS, share, limit, "geometry; 4 s.e.")
        )
    for label, stop_every in (("32 /s", 16), ("none", 0)):
        foretold, found = creep(pig, SHOWN_DROPS, stop_every, rig)
        share = float((foretold == found).mean())
        error = sqrt(share * (1 - share) / SHOWN_DROPS)
        findings.append(
            Reading(f"share that ends where geometry says, damping {label}", share, error, "")
        )
    return findings


def _agreement(label: str, foretold: np.ndarray, found: np.ndarray) -> Check:
    share = float((foretold == found).mean())
    source = f"geometry, n = {len(found):,}, seed {SEED}; may miss near ridges"
    return Check(label, share, 1.0, 1.0 - AGREEING, source)


def creep(pig: Pig, drops: int, stop_every: int, rig: Rig) -> tuple[np.ndarray, np.ndarray]:
    """Set a body down in random orientations and let it creep.

    Args:
        pig: The body.
        drops: How many.
        stop_every: Checks of 1/256 s between two stops; 0 for no damping.
        rig: Engine.

    Returns:
        Stable poses (n,) as geometry foretells them, and as found; -1 for none.
    """
    center = pig.mass_properties.center_of_mass
    bench = Bench(pig, contact(0.0, 1.0), engine_settings(rig))
    hull = pig.shape.hull.vertices
    quats = uniform_orientations(drops, np.random.default_rng(SEED))
    turns = Rotation.from_quat(quats)
    heights = GAP - (turns.as_matrix()[:, 2] @ hull.T).min(axis=1)
    starts = [
        bench.start((0.0, 0.0, height), quat) for quat, height in zip(quats, heights, strict=True)
    ]
    ends = [end.quat_xyzw for end in bench.creep(starts, stop_every)]
    principal = Rotation.from_matrix(pig.mass_properties.principal()[1])
    final = down_in_pig((Rotation.from_quat(ends) * principal.inv()).as_quat())
    chart = landscape(pig.shape, center)
    first_facet = (down_in_pig(quats) @ chart.normals.T / chart.heights).argmax(axis=1)
    downs = np.array([pose.down for pose in stable_poses(pig.shape, center)])
    cosines = final @ downs.T
    lies = cosines.max(axis=1) > cos(radians(3.0))
    return chart.pose[first_facet], np.where(lies, cosines.argmax(axis=1), -1)
