"""Everything that a calibration's report says, as plain JSON values."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from calibration.observed import published
from calibration.record import JSON_FILE
from calibration.report.frequencies import rate
from calibration.report.slices import density_slices
from calibration.report.words import chances
from meshes.mass_model import LINEAR, QUADRATIC, ExponentialDensity
from sim.interval import wilson_interval
from sim.pig import load_pig
from sim.position import POSITIONS
from sim.records import read_file, read_identity
from sim.words import plain

_REPLICATES = 9999
"""Of the evidence's bootstrap."""

_FOREIGN = (
    *(KeyError, IndexError, TypeError, AttributeError, ValueError, ArithmeticError),
    *(RecursionError, MemoryError),
)
"""What entries of another kind raise where they are used."""

_DENSITY = "density"
"""The mass model that has slices."""

_COPIED = (
    *("seed", "fresh_seeds", "target", "plan", "parameters", "center_of_mass", "density", "fit"),
    *("terms", "evidence", "predictions", "recovery"),
    *("configuration", "versions"),
)


def read_fit(directory: Path) -> dict[str, Any]:
    """Read a calibration's directory, and gather its evidence.

    Lengths are in [m], masses in [kg], shares from 0 to 1; intervals are at 95 %.

    Raises:
        ValueError: In one line, if it holds no whole calibration.
    """
    path = directory / JSON_FILE
    content = read_file(path)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"{path}: expected JSON, as 'pigs calibrate' writes it") from None
    identity = read_identity(directory)
    with foreign_entries_refused(path):
        report = fit_report(document, identity["configuration"]["calibration"])
        json.dumps(report, allow_nan=False)
    return report


@contextmanager
def foreign_entries_refused(path: Path) -> Iterator[None]:
    """Say of a file whose entries turn out to be others than expected that it is not ours.

    Raises:
        ValueError: In one line.
    """
    try:
        yield
    except _FOREIGN as error:
        what = f"lacks {error}" if isinstance(error, KeyError) else "has entries of another kind"
        raise ValueError(
            f"{path}: not as this version of 'pigs calibrate' writes it: {what}"
        ) from None


def fit_report(document: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Gather the evidence of a calibration.

    Args:
        document: The record of what it found.
        asked: The model, freed settings and plan that it was asked for.
    """
    parameters, spacing = document["parameters"], document["spacing"]
    names = [one["name"] for one in parameters["in_use"]]
    return {
        "kind": "calibration",
        **{key: document[key] for key in _COPIED},
        "model": asked["model"],
        "command": _command(document, asked),
        "spacing": spacing and {**spacing, "rates": _rates(spacing)},
        "sensitivity": [{**one, "intervals": _intervals(one)} for one in document["sensitivity"]],
        "path": [{**one, "pigs": sum(one["counts"])} for one in document["path"]],
        "positions": _positions(document),
        "touching": _touching(document),
        "finding": _finding(document["evidence"]),
        "identifiability": _identifiability(names, parameters["directions"]),
        "slices": _slices(document) if asked["model"] == _DENSITY else [],
    }


def _command(document: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Give the command line that fits again; a table of one's own has no name in the record."""
    words = ["pigs", "calibrate", "--seed", str(document["seed"]), "--model", asked["model"]]
    if asked["free"]:
        words += ["--free", ",".join(asked["free"])]
    if document["target"] != published().as_dict():
        words += ["--target", "FILE"]
    words += ["--fresh", str(asked["plan"]["fresh_throws"])]
    if document["recovery"] is not None:
        words += ["--recover", str(len(document["recovery"]["planted"]))]
    words += ["--out", "DIR"]
    return shlex.join(words)


def _touching(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give the rate of touching throws, and the table's, if it tells one."""
    evidence, target = document["evidence"], document["target"]
    told = rate(target["touching"], target["throws"]) if "throws" in target else None
    return {**rate(evidence["touching"], evidence["throws"]), "observed": told}


def _intervals(change: Mapping[str, Any]) -> dict[str, list[float]]:
    """Give the 95 % intervals of the shares under a change."""
    pigs = change["pigs"]
    return {
        name: list(wilson_interval(round(value * pigs), pigs))
        for name, value in change["shares"].items()
    }


def _rates(spacing: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [rate(*one) for one in zip(spacing["touching"], spacing["throws"], strict=True)]


def _positions(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Set the table beside the fitted pig and the uniform one, from which the search began."""
    path = document["path"]
    first = (path[0]["theta"], path[0]["source"])
    starts = [one["counts"] for one in path if (one["theta"], one["source"]) == first]
    before = dict(zip(POSITIONS, np.sum(starts, axis=0).tolist(), strict=True))
    columns = {
        "observed": document["target"]["counts"],
        "after": document["evidence"]["counts"],
        "before": before,
    }
    rows = []
    for position in POSITIONS:
        row: dict[str, Any] = {"position": position}
        for key, counts in columns.items():
            row[key] = {"pigs": counts[position], **rate(counts[position], sum(counts.values()))}
        low, high = row["observed"]["interval"]
        row["is_inside"] = low <= row["after"]["share"] <= high
        rows.append(row)
    return rows


def _finding(evidence: Mapping[str, Any]) -> str:
    often = chances(evidence["p_value"], _REPLICATES)
    checks = evidence["positions"]
    inside = sum(one["is_inside"] for one in checks)
    where = f"{inside} of {len(checks)} positions lie in the table's 95 % intervals"
    if evidence["is_passed"]:
        return (
            "Throws that the fit never saw agree with the table within chance: if the fitted pig "
            f"were the real one, the misfit would be at least this great in {often}; {where}."
        )
    worst = max(checks, key=_distance)
    return (
        "Throws that the fit never saw do not agree with the table as well as they should: "
        f"{'; '.join(evidence['shortfalls'])}. If the fitted pig were the real one, the misfit "
        f"would be this great in {often}; {where}. What stands out "
        f"most is {plain(worst['position'])}: {100 * worst['simulated']:.2f} % thrown, "
        f"{100 * worst['observed']:.2f} % in the table."
    )


def _distance(check: Mapping[str, Any]) -> float:
    """Give a share's distance from the table's, in widths of its interval."""
    return float(abs(check["simulated"] - check["observed"]) / (check["high"] - check["low"]))


def _identifiability(names: Sequence[str], directions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say what the table tells about the parameters, and what it does not."""
    seen = [one for one in directions if one["is_seen"]]
    lines = [
        f"The table tells {len(seen)} of {len(directions)} combinations of the parameters, each "
        "counted in steps as the search began with."
    ]
    if seen:
        lines.append(f"Best told is {combination(names, seen[0])}, to ± {_deviation(seen[0])}.")
    if len(seen) > 1:
        lines.append(f"Least told is {combination(names, seen[-1])}, to ± {_deviation(seen[-1])}.")
    return lines + [
        f"Not told is {combination(names, one)}: two standard deviations, ± "
        f"{2 * one['deviation']:.3g}, reach beyond the bounds."
        for one in directions
        if not one["is_seen"]
    ]


def _deviation(direction: Mapping[str, Any]) -> str:
    return f"{direction['deviation']:.3g}"


def combination(names: Sequence[str], direction: Mapping[str, Any]) -> str:
    """Write a direction as a sum of parameters, without those that hardly take part."""
    terms = sorted(zip(direction["weights"], names, strict=True), key=lambda term: -abs(term[0]))
    kept = [(weight, name) for weight, name in terms if abs(weight) >= 0.2] or terms[:1]
    sign = -1.0 if kept[0][0] < 0 else 1.0
    first, *others = [(sign * weight, plain(name)) for weight, name in kept]
    words = [f"{'-' if weight < 0 else '+'} {abs(weight):.2f} {name}" for weight, name in others]
    return " ".join([f"{first[0]:.2f} {first[1]}", *words])


def _slices(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Cut the density, if the pig's shape is still the one that was fitted."""
    recorded, center = document["configuration"]["pig"], document["center_of_mass"]
    shape = load_pig(recorded["name"]).shape
    if shape.digest != recorded["digest"]:
        return []
    parameters = document["parameters"]
    theta = dict(zip(parameters["names"], parameters["theta"], strict=True))
    terms = tuple(name for name in theta if name in LINEAR + QUADRATIC)
    return density_slices(
        shape,
        center["value"],
        terms,
        [theta[term] for term in terms],
        center["uniform"],
        ExponentialDensity(shape, recorded["mass"], terms).length,
    )
