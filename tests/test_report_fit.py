"""The calibration's report: what it computes, and what it refuses."""

import json
from math import inf

import numpy as np
import pytest
from report_fits import ASKED, TERMS, fitted_document, write_fit

from calibration.report.build import build
from calibration.report.fit import combination, fit_report
from calibration.report.fit_page import evidence_section
from calibration.report.fit_sections import sensitivity_section
from calibration.report.slices import VIEWS, density_slices
from meshes.shape import ConvexPart, Shape
from sim.pig import load_pig
from sim.position import POSITIONS


@pytest.fixture(scope="module")
def report():
    return fit_report(fitted_document(), ASKED)


SIZE = np.array((0.04, 0.02, 0.01))


def box() -> Shape:
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    return Shape.from_parts("box", [ConvexPart.from_points("box", np.array(corners) * SIZE)])


def middles(one: dict, axis: int) -> np.ndarray:
    """Coordinates of the cells' middles across (0) or up (1) [m]."""
    cells = np.array(one["density"]).shape[1 - axis]
    return one["corner"][axis] + one["cell"] * (np.arange(cells) + 0.5)


def test_uniform_density_is_the_mean_everywhere():
    shape = load_pig("uniform").shape
    for one in density_slices(shape, (0.003, 0.0, 0.009), ("x", "yz"), (0, 0), (0, 0, 0), 0.013):
        values = {value for row in one["density"] for value in row}
        assert values == {None, 1.0}


def test_exponential_of_a_box_is_the_closed_form():
    """The mean of exp(a x / L) over a box of length 2 L about 0 is sinh(a) / a."""
    a, length = 0.8, SIZE[0] / 2
    slices = density_slices(box(), (0, 0, 0), ("x",), (a,), (0, 0, 0), length)
    for one in slices:
        found = np.array(one["density"], dtype=np.float64)
        along = middles(one, 0) / length if one["view"] != "front" else np.zeros(found.shape[1])
        expected = np.exp(a * along) * a / np.sinh(a)
        np.testing.assert_allclose(found, np.tile(expected, (len(found), 1)), atol=1e-4)


def test_slices_go_through_the_center_of_mass_and_see_products():
    center = np.array((0.005, -0.004, 0.002))
    slices = density_slices(box(), center, ("yz",), (1.0,), (0, 0, 0), 0.01)
    each = {one["view"]: np.log(np.array(one["density"], dtype=float)) for one in slices}
    side, front = slices[0], slices[2]
    slope = np.diff(each["side"], axis=0) / side["cell"]
    assert slope == pytest.approx(center[1] / 0.01**2, abs=0.2), "log density is y z / L^2"
    y, z = np.meshgrid(middles(front, 0), middles(front, 1))
    spread = each["front"] - y * z / 0.01**2
    assert np.ptp(spread) < 2e-3


def test_outline_holds_the_slice():
    shape = load_pig("uniform").shape
    for one in density_slices(shape, (0.003, 0, 0.009), ("x",), (0.1,), (0, 0, 0), 0.013):
        corners = np.concatenate([np.array(part) for part in one["outline"]])
        axes = list(VIEWS[one["view"]])
        np.testing.assert_allclose(corners.min(axis=0), one["corner"], atol=1e-6)
        hull = shape.hull.vertices[:, axes]
        np.testing.assert_allclose(corners.max(axis=0), hull.max(axis=0), atol=1e-6)


def test_positions_are_those_of_the_file(report):
    document = fitted_document()
    first = document["path"][0]["counts"]
    for number, row in enumerate(report["positions"]):
        position = row["position"]
        assert row["observed"]["pigs"] == document["target"]["counts"][position]
        assert row["after"]["pigs"] == document["evidence"]["counts"][position]
        assert row["before"]["pigs"] == first[number], "the search begins at the uniform pig"
    assert [row["position"] for row in report["positions"]] == list(POSITIONS)
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_fit_of_drawn_throws_shows_where_it_leads(report):
    """The shares were drawn so that the table is met at theta = (0.5, -0.3, 0.2)."""
    assert [one["name"] for one in report["parameters"]["in_use"]] == list(TERMS)
    assert report["density"]["shift"][0] > 0, "theta x > 0 moves the center of mass forward"
    side = np.array(report["slices"][0]["density"], dtype=np.float64)
    assert np.nanmin(side[:, -3]) > 1 > np.nanmax(side[:, 10]), "snout and rump"


def test_finding_follows_the_verdict():
    document = fitted_document()
    evidence = document["evidence"]
    evidence |= {"is_passed": True, "p_value": 0.31}
    assert "agree with the table within chance" in (
        finding := fit_report(document, ASKED)["finding"]
    )
    assert "about 31 in 100 cases" in finding
    evidence |= {"is_passed": False, "p_value": 1e-4, "shortfalls": ["p is below 0.05"]}
    evidence["positions"][3] |= {"simulated": 0.2, "is_inside": False}
    finding = fit_report(document, ASKED)["finding"]
    assert "do not agree with the table as well as they should: p is below 0.05." in finding
    assert finding.endswith("trotter: 20.00 % thrown, 8.84 % in the table.")


def test_identifiability_in_words():
    document = fitted_document()
    document["parameters"]["directions"] = [
        {"weights": [0.8, -0.6, 0.0], "deviation": 0.01, "is_seen": True},
        {"weights": [0.6, 0.8, 0.1], "deviation": 0.2, "is_seen": True},
        {"weights": [0.0, 0.1, -0.99], "deviation": 9.0, "is_seen": False},
    ]
    counted, *lines = fit_report(document, ASKED)["identifiability"]
    assert counted.startswith("The table tells 2 of 3 combinations of the parameters")
    assert lines == [
        "Best told is 0.80 x - 0.60 y, to ± 0.01.",
        "Least told is 0.80 y + 0.60 x, to ± 0.2.",
        "Not told is 0.99 z: two standard deviations, ± 18, reach beyond the bounds.",
    ]
    assert combination(["a", "b"], {"weights": [-0.3, -0.95]}) == "0.95 b + 0.30 a"


def test_command_line_fits_again(report):
    assert (
        report["command"]
        == "pigs calibrate --seed 1 --model density --fresh 3000 --recover 3 --out DIR"
    )
    document = fitted_document()
    document["target"]["counts"]["snouter"] += 1
    asked = ASKED | {"free": ["friction", "restitution"]}
    assert " --free friction,restitution --target FILE " in fit_report(document, asked)["command"]


def test_only_a_density_of_the_same_shape_has_slices():
    assert fit_report(fitted_document(), ASKED | {"model": "weight"})["slices"] == []
    document = fitted_document()
    document["configuration"]["pig"]["digest"] = "0" * 64
    assert fit_report(document, ASKED)["slices"] == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected JSON"),
        ("[" * 10**5, "expected JSON"),
        ("\xff", "expected JSON"),
        ("[]", "has entries of another kind"),
        ("{}", "lacks 'parameters'"),
        ('{"seed": ' + "9" * 9000 + "}", "expected JSON"),
        ({"seed": inf}, "has entries of another kind"),
        ({"sensitivity": [{"shares": 10**400}]}, r"has entries of another kind|lacks"),
        ({"evidence": 3}, "has entries of another kind"),
        ({"path": []}, "has entries of another kind"),
        ({"center_of_mass": {"value": None}}, "lacks 'uniform'"),
        ({"predictions": None}, "has entries of another kind"),
    ],
)
def test_what_no_calibration_wrote_is_refused_in_one_line(tmp_path, content, message):
    damaged = fitted_document() | content if isinstance(content, dict) else {}
    fit = write_fit(tmp_path / "fit", damaged)
    if isinstance(content, str):
        (fit / "calibration.json").write_text(content, encoding="latin-1")
    with pytest.raises(ValueError, match=message) as caught:
        build([fit]).page()
    assert str(fit / "calibration.json") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unfinished_calibration_is_refused(tmp_path):
    fit = write_fit(tmp_path / "fit", {})
    (fit / "calibration.json").unlink()
    with pytest.raises(ValueError, match="its calibration is unfinished; go on"):
        build([fit])


def test_sensitivity_tells_what_is_more_than_chance(report):
    usual, *changed = report["sensitivity"]
    assert usual["change"] == "none"
    calm = {**report, "sensitivity": [usual, *({**one, "p_value": 0.2} for one in changed)]}
    section = sensitivity_section(calm)
    assert section.text[0].startswith(f"None of {len(changed)} changes sets the shares apart")
    first = {**changed[0], "p_value": 1e-4, "shift": [0.0, -0.0003, 0.0], "deviance": 99.0}
    first["shift_error"] = [0.0, 0.00004, 0.0]
    others = [{**one, "p_value": 0.2, "shift": [0.0] * 3} for one in changed[1:]]
    section = sensitivity_section({**report, "sensitivity": [usual, first, *others]})
    assert f"Of {len(changed)} changes, 1 set the shares apart" in section.text[0]
    assert "(misfit 99.0, fitted anew" in section.text[0]
    assert "at most 0.30 ± 0.04 mm (standard error; along y," in section.text[1]


def test_touching_stands_beside_the_table(report):
    document = fitted_document()
    touching = report["touching"]
    assert touching["share"] == document["evidence"]["touching"] / document["evidence"]["throws"]
    assert touching["observed"]["share"] == 23 / 6000
    section = evidence_section(report)
    assert section.text[-1].endswith("; in the table 0.38 % (0.26-0.57 %).")
    del document["target"]["throws"], document["target"]["touching"]
    untold = fit_report(document, ASKED)
    assert evidence_section(untold).text[-1].endswith("; the table tells no rate.")
