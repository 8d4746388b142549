"""Agreement: another engine's throws land as often in every position as the reference's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from meshes.solids import CornerTetrahedron, Cuboid, Cylinder
from meshes.stable import stable_poses
from sim.configuration import Configuration, configure
from sim.pig import Pig
from sim.position import POSITIONS, down_in_pig
from sim.throw import Landings
from sim.validate.bench import drop_configuration, engine_settings, landings, solid
from sim.validate.check import Check, Rig
from sim.validate.statistics import position_counts, same

PIGS = 100_000
HEIGHT = 0.127
VARIATION = 0.01
"""Largest total variation between the two engines' frequencies."""

REFERENCE = "bullet"
TOUCHING = ("touching", "apart")


def pigs(rig: Rig) -> list[Check]:
    """The pig from rest, and two from the trap door, with how often these touch."""
    alone, ours_alone = (
        position_counts(_thrown(configure(device="drop", pigs=1, engine=name), PIGS, rig))
        for name in (REFERENCE, rig.engine)
    )
    pairs, our_pairs = (
        _thrown(configure(device="kern2006", engine=name), PIGS // 2, rig)
        for name in (REFERENCE, rig.engine)
    )
    return [
        *_agree("drop", ours_alone, alone, POSITIONS),
        *_agree("kern2006", position_counts(our_pairs), position_counts(pairs), POSITIONS),
        *same("kern2006, throws", _touching(our_pairs), _touching(pairs), TOUCHING),
    ]


def solids(rig: Rig) -> list[Check]:
    """Five solids from rest, by the stable pose that they end in."""
    bodies = {
        "cube": Cuboid((0.016, 0.016, 0.016)).surface(),
        "block": Cuboid((0.010, 0.014, 0.022)).surface(),
        "slab": Cuboid((0.008, 0.018, 0.020)).surface(),
        "tetrahedron": CornerTetrahedron((0.012, 0.016, 0.020)).surface(),
        "prism": Cylinder(0.009, 0.016).surface(7),
    }
    checks = []
    for name, surface in bodies.items():
        body = solid(name, surface)
        ours, reference = (
            _pose_counts(
                body,
                _thrown(
                    drop_configuration(body, HEIGHT, engine_settings(replace(rig, engine=engine))),
                    PIGS,
                    rig,
                ),
            )
            for engine in (rig.engine, REFERENCE)
        )
        checks += _agree(name, ours, reference, [f"pose {one}" for one in range(len(ours))])
    return checks


def _thrown(configuration: Configuration, throws: int, rig: Rig) -> Landings:
    rest = replace(configuration.rest, ends_when_decided=configuration.pigs == 1)
    return landings(replace(configuration, rest=rest), throws, rig.workers)


def _touching(thrown: Landings) -> np.ndarray:
    """Count throws by whether the pigs touch, (2,)."""
    touching = int((thrown.touch != "none").any(axis=1).sum())
    return np.array((touching, len(thrown.touch) - touching))


def _pose_counts(body: Pig, thrown: Landings) -> np.ndarray:
    """Count the bodies by the stable pose that is nearest, (p,)."""
    poses = stable_poses(body.shape, body.mass_properties.center_of_mass)
    downs = np.array([pose.down for pose in poses])
    nearest = (down_in_pig(thrown.quat_xyzw[:, 0]) @ downs.T).argmax(axis=1)
    return np.bincount(nearest, minlength=len(poses))


def _agree(
    label: str, ours: np.ndarray, reference: np.ndarray, names: Sequence[str]
) -> list[Check]:
    apart = 0.5 * float(np.abs(ours / ours.sum() - reference / reference.sum()).sum())
    variation = Check(f"{label}: total variation", apart, 0.0, VARIATION, "reference engine")
    return [variation, *same(label, ours, reference, names)]
