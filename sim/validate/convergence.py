"""Convergence: a finer or rescaled computation of a throw gives the same frequencies."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from meshes.shape import convex_hull
from sim.configuration import Configuration
from sim.engine.bullet import BulletSettings
from sim.engine.fast.settings import FastSettings
from sim.pig import Pig, load_pig
from sim.rest import RestRule
from sim.validate.bench import drop_configuration, engine_settings, landings
from sim.validate.check import Check, Rig
from sim.validate.statistics import position_counts, same

PIGS = 50_000
HEIGHT = 0.127


def half_step(rig: Rig) -> list[Check]:
    """Half the time step."""
    usual = _usual(rig)
    engine = replace(usual.engine, time_step=usual.engine.time_step / 2)
    if not isinstance(engine, FastSettings):
        engine = replace(engine, steps_per_check=2 * engine.steps_per_check)
    return _compare("half the time step", replace(usual, seed=1, engine=engine), rig)


def twice_iterations(rig: Rig) -> list[Check]:
    """Twice the solver's iterations."""
    usual = _usual(rig)
    engine = replace(usual.engine, solver_iterations=2 * usual.engine.solver_iterations)
    return _compare("twice the iterations", replace(usual, seed=2, engine=engine), rig)


def twice_vertices(rig: Rig) -> list[Check]:
    """Twice the hull's vertices."""
    usual = _usual(rig)
    fine = replace(usual, seed=3, pig=_subdivided(usual.pig))
    return _compare("twice the hull vertices", fine, rig)


def stricter_rest(rig: Rig) -> list[Check]:
    """Tighter thresholds of rest, for pigs followed until they rest, whatever is decided."""
    usual = _usual(rig)
    old = usual.rest
    rest = RestRule(old.speed / 2, old.spin / 2, 2 * old.window, old.max_time)
    label = "rest at half the speeds for twice the time"
    return _compare(label, replace(usual, seed=4, rest=rest), rig)


def engine_scale(rig: Rig) -> list[Check]:
    """Half and twice the engine's internal length scale."""
    usual, checks = _usual(rig), []
    assert isinstance(usual.engine, BulletSettings), "a case names the engines that it applies to"
    for seed, factor in ((5, 0.5), (6, 2.0)):
        scale = factor * usual.engine.scale
        scaled = replace(usual, seed=seed, engine=replace(usual.engine, scale=scale))
        checks += _compare(f"scale {scale:g}", scaled, rig)
    return checks


def _usual(rig: Rig) -> Configuration:
    """Throw until every pig's stable pose is decided, in which it then comes to rest."""
    usual = drop_configuration(load_pig("standard"), HEIGHT, engine_settings(rig))
    return replace(usual, rest=replace(usual.rest, ends_when_decided=True))


def _compare(label: str, finer: Configuration, rig: Rig) -> list[Check]:
    return same(label, position_counts(landings(finer, PIGS, rig.workers)), _reference(rig))


@lru_cache(maxsize=1)
def _reference(rig: Rig) -> np.ndarray:
    """Count the usual throws, once for all cases of a run."""
    return position_counts(landings(_usual(rig), PIGS, rig.workers))


def _subdivided(pig: Pig) -> Pig:
    """Give the same solid a hull with at least twice the vertices: new ones along its edges.

    New points are pushed out by a ten-thousandth of their distance, 1 um, so that the engine's own
    hull keeps them.
    """
    hull = pig.shape.hull
    edges = np.unique(np.sort(hull.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)), axis=0)
    center = pig.mass_properties.center_of_mass
    middles = hull.vertices[edges].mean(axis=1)
    raised = center + (middles - center) * (1 + 1e-4)
    fine = convex_hull(np.vstack((hull.vertices, raised)))
    return replace(pig, shape=replace(pig.shape, hull=fine))
