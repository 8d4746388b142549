"""The same drops in two engines that share nothing but the releases and the names of positions.

A difference within 2 points is what two contact models may leave; a larger one has a cause that
must be named. MuJoCo differs from an impulse with Coulomb friction in three ways: a bounce lasts
half a millisecond, in which the pig turns on; what slips on the table is lifted a little; and there
is no speed below which nothing rebounds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.configuration import Configuration
from sim.engine.mujoco_settings import MujocoSettings
from sim.pig import load_pig
from sim.position import POSITIONS
from sim.validate.bench import drop_configuration, engine_settings, landings
from sim.validate.check import Check, Finding, Reading, Rig
from sim.validate.statistics import joint_error, position_counts

DROPS = 4000
HEIGHT = 0.127
AGREEING = 0.02


def second_engine(rig: Rig) -> list[Finding]:
    """Drop single pigs in an engine and in MuJoCo; compare position by position."""
    usual = drop_configuration(load_pig("standard"), HEIGHT, engine_settings(rig))
    usual = replace(usual, rest=replace(usual.rest, ends_when_decided=True))
    ours = _counts(usual, rig)
    theirs = _counts(replace(usual, engine=MujocoSettings()), rig)
    findings: list[Finding] = []
    for name, count, other in zip(POSITIONS, theirs, ours, strict=True):
        error = joint_error(count, other, DROPS, DROPS)
        source = f"engine {rig.engine}, {DROPS:,} drops each; joint s.e. {error:.4f}"
        findings.append(
            Check(f"mujoco: share of {name}", count / DROPS, other / DROPS, AGREEING, source, False)
        )
    worst = np.abs(theirs - ours).argmax()
    findings.append(
        Reading(
            f"largest difference, {POSITIONS[worst]}",
            float(theirs[worst] - ours[worst]) / DROPS,
            joint_error(theirs[worst], ours[worst], DROPS, DROPS),
            "s.e. of one position; the largest of seven",
        )
    )
    return findings


def _counts(configuration: Configuration, rig: Rig) -> np.ndarray:
    return position_counts(landings(configuration, DROPS, rig.workers))
