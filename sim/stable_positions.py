"""The positions a pig can rest in, by geometry alone."""

from __future__ import annotations

from dataclasses import dataclass

from meshes.density import MassProperties
from meshes.shape import Shape
from meshes.stable import stable_poses
from sim.position import name_pose


@dataclass(frozen=True)
class StablePosition:
    """Stable poses with one position and the same carrying parts, taken together.

    Attributes:
        position: Its name.
        carrying: Names of the parts that touch the table, sorted.
        probability: Quasi-static: geometry alone, no impacts.
        height: Of the center of mass above the table [m], the mean by probability.
    """

    position: str
    carrying: tuple[str, ...]
    probability: float
    height: float


def stable_positions(shape: Shape, mass_properties: MassProperties) -> list[StablePosition]:
    """List the stable positions of a body on a table, most probable first."""
    merged: dict[tuple[str, tuple[str, ...]], StablePosition] = {}
    for pose in stable_poses(shape, mass_properties.center_of_mass):
        key = name_pose(pose.carrying, pose.down), tuple(sorted(pose.carrying))
        one = StablePosition(*key, pose.probability, pose.height)
        merged[key] = _together(merged[key], one) if key in merged else one
    return sorted(merged.values(), key=lambda found: -found.probability)


def _together(a: StablePosition, b: StablePosition) -> StablePosition:
    probability = a.probability + b.probability
    weighted = a.probability * a.height + b.probability * b.height
    height = weighted / probability if probability else min(a.height, b.height)
    return StablePosition(a.position, a.carrying, probability, height)
