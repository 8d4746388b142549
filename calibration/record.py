"""A finished calibration as data: JSON with all of it, TOML with what a pig needs to be thrown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from scipy.stats import chi2

from calibration.calibrate import Calibration, Study
from calibration.fit import Candidate
from calibration.joint import Joint
from calibration.region import CONFIDENCE, correlation, directions, extent
from calibration.sources import FRESH, fresh_seed
from sim.position import POSITIONS
from sim.records import versions
from sim.setting import SETTINGS

JSON_FILE = "calibration.json"
TOML_FILE = "calibration.toml"


def record(study: Study, found: Calibration) -> dict[str, Any]:
    """Write all of a calibration as plain JSON values."""
    joint = Joint(found.fit.surrogate, study.observed.vector)
    configuration = study.parameters.configuration(study.base, found.theta)
    return {
        "target": study.observed.as_dict(),
        "seed": study.seed,
        "fresh_seeds": [fresh_seed(study.base.seed, number) for number in range(len(FRESH))],
        "versions": versions(),
        "configuration": configuration.as_dict(),
        "plan": asdict(study.plan),
        "parameters": _parameters(study, found, joint),
        "center_of_mass": _center_of_mass(study, found, joint),
        "density": _density(study, found.theta),
        "fit": {
            "deviance": found.fit.deviance,
            "is_converged": found.fit.is_converged,
            "pigs": int(sum(one.sample.counts.sum() for one in found.path)),
            "offsets": _offsets(joint),
        },
        "terms": [[asdict(test) for test in tests] for tests in found.tests],
        "evidence": asdict(found.evidence)
        | {"is_passed": not found.evidence.shortfalls, "shortfalls": found.evidence.shortfalls},
        "spacing": None if found.spacing is None else asdict(found.spacing),
        "predictions": asdict(found.predictions),
        "sensitivity": _sensitivity(study, found, joint),
        "path": [_candidate(one) for one in found.path],
        "recovery": None,
    }


def _parameters(study: Study, found: Calibration, joint: Joint) -> dict[str, Any]:
    """Values and likelihood intervals of the parameters in use, and what the data do not see."""
    box, theta = found.subspace.box, found.fit.theta
    names = [study.parameters.names[index] for index in found.subspace.active]
    rows = []
    for index, name in enumerate(names):
        low, high = extent(joint, theta, box.low, box.high, itemgetter(index))
        rows.append(
            {
                "name": name,
                "value": float(theta[index]),
                "low": low,
                "high": high,
                "is_at_bound": bool(found.fit.at_bound[index]),
            }
        )
    return {
        "names": list(study.parameters.names),
        "about": study.parameters.model.about,
        "theta": found.theta.tolist(),
        "in_use": rows,
        "correlation": correlation(joint, theta).tolist(),
        "directions": [
            asdict(one) | {"weights": one.weights.tolist()}
            for one in directions(joint, theta, box.low, box.high, box.scale)
        ],
    }


def _center_of_mass(study: Study, found: Calibration, joint: Joint) -> dict[str, Any]:
    """The center of mass [m], pig frame, with likelihood intervals and its region's covariance."""
    box, theta = found.subspace.box, found.fit.theta
    center = partial(study.center_of_mass, found.subspace)
    here, start, slopes = center(theta), center(box.start), _center_slopes(study, found)
    covariance = slopes @ np.linalg.pinv(joint.information(theta)) @ slopes.T

    def coordinate(axis: int) -> Any:
        return lambda sub: float(here[axis] + slopes[axis] @ (sub - theta))

    intervals = [extent(joint, theta, box.low, box.high, coordinate(axis)) for axis in range(3)]
    return {
        "value": here.tolist(),
        "uniform": start.tolist(),
        "low": [low for low, _ in intervals],
        "high": [high for _, high in intervals],
        "covariance": covariance.tolist(),
        "region": f"(c - value)' covariance^-1 (c - value) <= {chi2.ppf(CONFIDENCE, 3):.3f}",
    }


def _center_slopes(study: Study, found: Calibration) -> np.ndarray:
    """How the center of mass [m] moves with the parameters in use, shape (3, p)."""
    center, theta = partial(study.center_of_mass, found.subspace), found.fit.theta
    moves = 1e-3 * np.eye(len(theta))
    return np.array([(center(theta + move) - center(theta - move)) / 2e-3 for move in moves]).T


def _density(study: Study, theta: np.ndarray) -> dict[str, Any]:
    unlike = study.parameters.model.unlikeness(study.parameters.mass_part(theta))
    return {"nats": unlike.nats, "ratio": unlike.ratio, "shift": unlike.shift.tolist()}


def _offsets(joint: Joint) -> dict[str, dict[str, float]]:
    """Log-shares by which other sources differ from the reference, by source and position."""
    surrogate = joint.surrogate
    names = np.delete(np.array(POSITIONS), surrogate.reference).tolist()
    first = surrogate.coefficients.shape[1] - len(surrogate.offsets)
    return {
        source: dict(zip(names, surrogate.coefficients[:, first + i].tolist(), strict=True))
        for i, source in enumerate(surrogate.offsets)
    }


def _sensitivity(study: Study, found: Calibration, joint: Joint) -> list[dict[str, Any]]:
    """Write every change; a shift's standard error is that of n and m simulated pigs.

    The refitted parameters answer for a difference of log-shares, whose covariance is that of the
    observed ones times N (1 / n + 1 / m); so is theirs, I^-1.
    """
    if not found.variations:
        return []
    center = partial(study.center_of_mass, found.subspace)
    slopes = _center_slopes(study, found)
    inverse = np.linalg.pinv(joint.information(found.fit.theta, exact_simulator=True))
    variance = study.observed.pigs * np.diag(slopes @ inverse @ slopes.T)
    unchanged = found.variations[0]
    here, unchanged_pigs = center(unchanged.theta), unchanged.counts.sum()
    rows = []
    for one in found.variations:
        pigs = one.counts.sum()
        shares = one.counts / pigs
        chance = 0.0 if one is unchanged else 1 / pigs + 1 / unchanged_pigs
        rows.append(
            {
                "change": one.change,
                "pigs": int(pigs),
                "shares": dict(zip(POSITIONS, shares.tolist(), strict=True)),
                "deviance": one.deviance,
                "p_value": one.p_value,
                "refitted": one.refitted,
                "shift": (center(one.theta) - here).tolist(),
                "shift_error": np.sqrt(chance * variance).tolist(),
            }
        )
    return rows


def _candidate(one: Candidate) -> dict[str, Any]:
    return {
        "round": one.round,
        "source": one.sample.source,
        "theta": one.sample.theta.tolist(),
        "counts": one.sample.counts.astype(int).tolist(),
        "deviance": one.deviance,
        "best": one.best,
    }


def pig_record(study: Study, written: Mapping[str, Any]) -> dict[str, Any]:
    """Take out of a record what ships with a pig: its mass, and why to believe in it."""
    evidence = written["evidence"]
    parameters, pig = written["parameters"], written["configuration"]["pig"]
    everything = dict(zip(parameters["names"], parameters["theta"], strict=True))
    in_use = [one["name"] for one in parameters["in_use"]]
    found = in_use if written["spacing"] is None else [*in_use, "spacing"]
    kept = ("throws", "pigs", "touching", "deviance", "p_value", "total_variation", "is_passed")
    return {
        "shape": pig["digest"],
        **{key: pig[key] for key in ("mass", "center_of_mass", "inertia")},
        "theta": {name: everything[name] for name in study.parameters.model.names if name in found},
        "settings": {name: everything[name] for name in SETTINGS if name in found},
        "target": written["target"],
        "fit": {
            "seed": written["seed"],
            "deviance": written["fit"]["deviance"],
            "pigs": written["fit"]["pigs"],
            "uniform_center_of_mass": written["center_of_mass"]["uniform"],
            **{key: written["density"][key] for key in ("nats", "ratio")},
        },
        "evidence": {
            "seeds": written["fresh_seeds"],
            **{key: evidence[key] for key in kept},
            "counts": evidence["counts"],
        },
        "versions": written["versions"],
    }


def to_json(written: Mapping[str, Any]) -> str:
    """Write a record as JSON."""
    return json.dumps(written, indent=1) + "\n"


def to_toml(table: Mapping[str, Any], path: str = "") -> str:
    """Write nested tables of texts, numbers, booleans and lists of them as TOML.

    TOML's plain values are written as JSON's are.
    """
    values = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    text = "\n".join([f"[{path}]", *lines] if path and lines else lines)
    for key, value in table.items():
        if isinstance(value, Mapping):
            text += "\n\n" + to_toml(value, f"{path}.{key}" if path else key).strip("\n")
    return text.strip("\n") + "\n"
