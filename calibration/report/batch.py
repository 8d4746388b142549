"""Everything that a batch's report says, as plain JSON values."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.report.frequencies import (
    by_condition,
    goodness_of_fit,
    position_rows,
    status_rows,
    touching_rows,
)
from calibration.report.places import rest_times, resting_places
from calibration.report.poses import find_poses, has_positions, pose_rows
from calibration.report.rare import chosen_pigs, chosen_rows, failed_throws, margin_rows
from calibration.report.run import run_of
from calibration.report.scores import scores
from calibration.report.two_pigs import two_pigs
from sim.published import KERN_2006
from sim.records import RecordedBatch
from sim.summary import summarize

SEED = 2006
"""Of the tables that tests draw, so that a report of the same batch says the same."""


def batch_report(batch: RecordedBatch) -> dict[str, Any]:
    """Gather the evidence of a batch.

    Lengths are in [m], times in [s], angles in [rad], shares from 0 to 1; intervals are at 95 %.
    """
    landings, is_named = batch.landings, has_positions(batch)
    run, summary, rng = run_of(batch), summarize(landings), generator()
    return {
        "kind": "batch",
        "run": run,
        "published": {"source": KERN_2006.source, "pigs": KERN_2006.pigs},
        "counted_pigs": summary.counted_pigs,
        "positions": position_rows(summary),
        "goodness_of_fit": goodness_of_fit(summary, rng),
        "poses": None if is_named else pose_rows(find_poses(landings)),
        "touching": touching_rows(summary, is_named),
        "status": status_rows(summary),
        "failed_throws": failed_throws(landings),
        "two_pigs": two_pigs(landings, rng) if is_named else None,
        "scores": scores(landings) if is_named else None,
        "conditions": by_condition(landings, rng),
        "rest_time": rest_times(landings),
        "resting_places": resting_places(landings),
        "margins": margin_rows(landings) if is_named else [],
        "pictures": chosen_rows(landings, chosen_pigs(batch)),
        "configuration": batch.configuration,
        "versions": batch.versions,
    }


def generator() -> np.random.Generator:
    """Give the generator that a report's tests draw from."""
    return np.random.default_rng(np.random.SeedSequence(SEED))
