"""What a calibration says at its end, as plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim.interval import wilson_interval
from sim.text_table import format_table, percent, percent_range

Written = Mapping[str, Any]


def calibration_text(written: Written) -> str:
    """Print a record: the fit, its evidence, its limits, its predictions."""
    parts = [
        _positions(written["evidence"]),
        _verdict(written["evidence"]),
        _touching(written),
        _parameters(written["parameters"]),
        _center_of_mass(written),
        _terms(written["terms"]),
        _sensitivity(written["sensitivity"]),
        _predictions(written["predictions"]),
        _recovery(written["recovery"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _positions(evidence: Written) -> str:
    rows = [
        (
            one["position"],
            percent(one["simulated"]),
            percent_range((one["simulated_low"], one["simulated_high"])),
            percent(one["observed"]),
            percent_range((one["low"], one["high"])),
            "inside" if one["is_inside"] else "outside",
        )
        for one in evidence["positions"]
    ]
    header = ("position", "simulated", "95 %", "observed", "95 %", "")
    return format_table(header, rows)


def _verdict(evidence: Written) -> str:
    shortfalls = "; ".join(evidence["shortfalls"])
    verdict = f"not passed, {shortfalls}" if shortfalls else "passed"
    return (
        f"fresh throws: {evidence['throws']:,}, {evidence['pigs']:,} pigs not touching, "
        f"{evidence['failed']} failed throws\n"
        f"G2 {evidence['deviance']:.1f}, p {evidence['p_value']:.3f} (the pig as given: "
        f"{evidence['p_value_as_given']:.3f}), total variation "
        f"{evidence['total_variation']:.4f}: {verdict}"
    )


def _touching(written: Written) -> str:
    evidence, target, spacing = written["evidence"], written["target"], written["spacing"]
    share = evidence["touching"] / evidence["throws"]
    range_ = percent_range(wilson_interval(evidence["touching"], evidence["throws"]))
    text = f"touching: {percent(share)} of throws ({range_}), "
    if evidence["touching_interval"] is None:
        return f"{text}the table tells no rate: the spacing was held"
    observed = percent(target["touching"] / target["throws"])
    text += f"observed {observed} ({percent_range(evidence['touching_interval'])})"
    if spacing is None:
        return text
    return (
        f"{text}\nspacing: {spacing['spacing'] * 1e3:.1f} mm "
        f"({spacing['low'] * 1e3:.1f}-{spacing['high'] * 1e3:.1f})"
    )


def _parameters(parameters: Written) -> str:
    names = [one["name"] for one in parameters["in_use"]]
    rows = [
        (
            one["name"],
            f"{one['value']:.3f}",
            f"{one['low']:.3f} to {one['high']:.3f}" + " (at a bound)" * one["is_at_bound"],
            *(f"{value:.2f}" for value in row),
        )
        for one, row in zip(parameters["in_use"], parameters["correlation"], strict=True)
    ]
    text = format_table(("parameter", "value", "95 %", *names), rows)
    text += f"\n{parameters['about']}; right: correlations"
    unseen = [one for one in parameters["directions"] if not one["is_seen"]]
    lines = [_direction(names, one) for one in unseen]
    return "\n".join([text, *lines]) if lines else f"{text}\nthe data see every direction"


def _direction(names: Sequence[str], one: Written) -> str:
    words = [f"{weight:+.2f} {name}" for weight, name in zip(one["weights"], names, strict=True)]
    return f"the data do not see {' '.join(words)}: deviation {one['deviation']:.1f}"


def _center_of_mass(written: Written) -> str:
    center, density = written["center_of_mass"], written["density"]
    rows = [
        (
            axis,
            *(f"{center[key][i] * 1e3:.2f}" for key in ("uniform", "value")),
            f"{center['low'][i] * 1e3:.2f} to {center['high'][i] * 1e3:.2f}",
        )
        for i, axis in enumerate("xyz")
    ]
    header = ("center of mass, mm", "uniform", "fitted", "95 %")
    return (
        f"{format_table(header, rows)}\n"
        f"unlike uniform by {density['nats']:.4f} nats; greatest density {density['ratio']:.2f} "
        "times the least"
    )


def _terms(rounds: Sequence[Sequence[Written]]) -> str:
    if not rounds:
        return ""
    rows = [
        (one["term"], str(number), f"{one['gain']:.1f}", f"{one['p_value']:.3f}")
        for number, tests in enumerate(rounds, start=1)
        for one in tests
    ]
    return format_table(("term of the density", "round", "fall of G2", "p"), rows)


def _sensitivity(variations: Sequence[Written]) -> str:
    if not variations:
        return ""
    shown = [name for name in variations[0]["shares"] if name != "other"]
    rows = [
        (
            one["change"],
            *(f"{100 * one['shares'][name]:.1f}" for name in shown),
            f"{one['deviance']:.0f}",
            f"{one['p_value']:.3f}",
            f"{one['refitted']:.0f}",
            *(
                f"{1e3 * moved:+.2f} ({1e3 * error:.2f})"
                for moved, error in zip(one["shift"], one["shift_error"], strict=True)
            ),
        )
        for one in variations
    ]
    header = ("change", *shown, "G2", "p", "G2 anew", "x mm", "y mm", "z mm")
    fewest = min(one["pigs"] for one in variations)
    return (
        f"{format_table(header, rows)}\n"
        f"each row: {fewest:,} pigs or more, thrown alone with the fitted mass; shares in %, the "
        f"greatest to {196 * np.sqrt(0.25 / fewest):.1f} points (95 %)\n"
        "p: that chance alone sets the row as far from the unchanged one; G2 anew: after the mass "
        "is fitted anew\nmm: how far the center of mass then moves (standard error)"
    )


def _predictions(predictions: Written) -> str:
    conditions = predictions["conditions"]
    shown = [name for name in conditions[0]["shares"] if name != "other"]
    rows = [
        (
            f"{one['height'] / 0.0254:.3g} in {one['start']}",
            *(f"{100 * one['shares'][name]:.1f}" for name in shown),
        )
        for one in conditions
    ]
    return (
        f"{format_table(('prediction, %', *shown), rows)}\n"
        f"conditions alike: G2 {predictions['differences']:.0f}, "
        f"p {predictions['differences_p_value']:.3f}; two pigs independent: "
        f"G2 {predictions['dependence']:.1f}, p {predictions['dependence_p_value']:.3f}\n"
        f"expected score of a throw: {predictions['points']:.3f}"
    )


def _recovery(found: Written | None) -> str:
    if found is None:
        return ""
    centers = [np.subtract(one["found_center"], one["planted_center"]) for one in found["planted"]]
    typical = 1e3 * np.sqrt(np.mean(np.square(centers), axis=0))
    same = sum(one["is_same"] for one in found["restarts"])
    return (
        f"recovery: {found['inside']} of {len(found['planted'])} planted densities, "
        f"{found['pigs']:,} pigs each, lie in the 95 % region found (at least "
        f"{found['least_inside']} expected); their centers of mass to "
        f"{', '.join(f'{value:.2f}' for value in typical)} mm (x, y, z)\n"
        f"far starts: {same} of {len(found['restarts'])} ended at the same optimum"
    )
