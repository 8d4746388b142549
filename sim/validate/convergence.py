"""Convergence: a finer computation of the same throw gives the same frequencies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from meshes.shape import convex_hull
from sim.configuration import Configuration
from sim.pig import Pig, load_pig
from sim.validate.bench import drop_configuration, landings
from sim.validate.check import Check
from sim.validate.statistics import position_counts, same

PIGS = 50_000
HEIGHT = 0.127


def convergence(workers: int) -> list[Check]:
    """Halve the step, double iterations and hull vertices, tighten the thresholds of rest."""
    usual = drop_configuration(load_pig("standard"), HEIGHT)
    reference = position_counts(landings(usual, PIGS, workers))
    checks = []
    for seed, (label, finer) in enumerate(_finer(usual).items(), start=1):
        counts = position_counts(landings(replace(finer, seed=seed), PIGS, workers))
        checks += same(label, counts, reference)
    return checks


def _finer(usual: Configuration) -> dict[str, Configuration]:
    engine, rest = usual.engine, usual.rest
    return {
        "half the time step": replace(
            usual,
            engine=replace(
                engine, time_step=engine.time_step / 2, steps_per_check=2 * engine.steps_per_check
            ),
        ),
        "twice the iterations": replace(
            usual, engine=replace(engine, solver_iterations=2 * engine.solver_iterations)
        ),
        "twice the hull vertices": replace(usual, pig=_subdivided(usual.pig)),
        "rest at half the speeds for twice the time": replace(
            usual,
            rest=replace(rest, speed=rest.speed / 2, spin=rest.spin / 2, window=2 * rest.window),
        ),
    }


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
