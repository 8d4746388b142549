import json
import re
from dataclasses import replace

import numpy as np
import pytest
from fake_thrower import fake_landings
from report_batches import die_batch, likely_landings, part_of, recorded, with_positions

from calibration.report.batch import batch_report
from calibration.report.batch_page import batch_page
from calibration.report.comparison import comparison_report
from calibration.report.comparison_page import comparison_page
from calibration.report.page import Picture, render
from calibration.report.run import command
from sim.configuration import configure
from sim.position import POSITIONS
from sim.published import KERN_2006
from sim.summary import summarize


@pytest.fixture(scope="module")
def landings():
    return likely_landings(2000, failing=0.01)


@pytest.fixture(scope="module")
def report(landings):
    return batch_report(recorded(landings))


def test_counts_are_those_of_the_summary(landings, report):
    summary = summarize(landings)
    assert {row["position"]: row["pigs"] for row in report["positions"]} == summary.positions
    assert {row["status"]: row["throws"] for row in report["status"]} == summary.statuses
    touching = {row["touch"]: row["throws"] for row in report["touching"]}
    assert touching == {
        "oinker": summary.touches["oinker"],
        "piggyback": summary.touches["piggyback"],
        "touching": summary.touching,
    }
    for row in report["positions"]:
        assert row["share"] == summary.share(row["position"])
        assert tuple(row["interval"]) == summary.interval(row["position"])


def test_conditions_add_up_to_the_batch(report):
    rows = report["conditions"]["rows"]
    assert len(rows) == 4
    assert sum(row["throws"] for row in rows) == 2000
    for number, whole in enumerate(report["positions"]):
        assert sum(row["positions"][number]["pigs"] for row in rows) == whole["pigs"]


def test_pairs_add_up_to_throws_at_rest_apart(landings, report):
    pairs = report["two_pigs"]
    apart = (landings.status == "at_rest") & (landings.touch == "none").all(axis=1)
    assert np.sum(pairs["counts"]) == pairs["throws"] == apart.sum()
    assert np.sum(pairs["expected"]) == pytest.approx(pairs["throws"])
    first, second = POSITIONS.index("razorback"), POSITIONS.index("trotter")
    both = (landings.position[apart] == ["razorback", "trotter"]).all(axis=1)
    assert pairs["counts"][first][second] == both.sum()


def test_scores_add_up_and_have_the_summary_s_mean(landings, report):
    scores, summary = report["scores"], summarize(landings)
    assert sum(row["throws"] for row in scores["rows"]) == 2000
    assert sum(row["published_share"] for row in scores["rows"]) == pytest.approx(1)
    assert sum(row["share"] for row in scores["points"]) == pytest.approx(1)
    assert scores["mean_points"] == pytest.approx(summary.mean_points)
    low, high = scores["mean_points_interval"]
    assert low < scores["published_mean_points"] < high


def test_every_resting_pig_is_on_the_map_and_in_the_histogram(landings, report):
    pigs = 2 * int((landings.status == "at_rest").sum())
    places, times = report["resting_places"], report["rest_time"]
    assert places["pigs"] == times["pigs"] == pigs
    assert np.sum(places["cell_pigs"]) + places["outside"] == pigs
    assert sum(times["bin_pigs"]) + times["later"] == pigs
    x = landings.translation[landings.status == "at_rest"][..., 0]
    column = np.sum(places["cell_pigs"][3])
    low = places["corner"][0] + 3 * places["cell"]
    assert 0 <= ((x >= low) & (x < low + places["cell"])).sum() - column <= places["outside"]


def test_published_shares_agree_with_themselves_and_pigs_are_independent(report):
    sound = batch_report(recorded(likely_landings(900, 5)))["goodness_of_fit"]
    assert sound["p_value"] > 0.05
    assert "agree within chance" in sound["sentence"]
    assert report["two_pigs"]["p_value"] > 0.01
    assert report["conditions"]["test"]["p_value"] > 0.01


def test_planted_faults_are_found():
    landings = likely_landings(2000)
    rolled = np.where(landings.position == "side_dot", "razorback", landings.position)
    twins = np.repeat(landings.position[:, :1], 2, axis=1)
    high = np.where((landings.height > 0.15)[:, None], rolled, landings.position)
    smallest = 1e-4
    for position, part in ((rolled, "goodness_of_fit"), (twins, "two_pigs")):
        found = batch_report(recorded(with_positions(landings, position)))
        assert found[part]["p_value"] == smallest, part
    assert (
        "side, dot"
        in batch_report(recorded(with_positions(landings, rolled)))["goodness_of_fit"]["sentence"]
    )
    failing = batch_report(recorded(likely_landings(2000, failing=0.02)))["goodness_of_fit"]
    assert "What stands out most is other: 2." in failing["sentence"]
    found = batch_report(recorded(with_positions(landings, high)))
    assert found["conditions"]["test"]["p_value"] == smallest
    assert found["two_pigs"]["p_value"] > 0.01, "heights must not look like dependence"


def test_rare_pigs_come_first():
    landings = likely_landings(500, failing=0.02)
    position, margin = landings.position.copy(), landings.margin.copy()
    row = int(
        np.flatnonzero((landings.touch == "none").all(axis=1) & (landings.status == "at_rest"))[7]
    )
    position[row, 1], margin[row, 1] = "other", -0.02
    near = int(np.flatnonzero(margin[:, 0] > 0.5)[3])
    margin[near, 0] = 0.09
    report = batch_report(recorded(replace(landings, position=position, margin=margin)))
    first = report["pictures"][0]
    assert (first["reason"], first["throw"], first["pig"]) == ("other", row, 1)
    reasons = list(dict.fromkeys(one["reason"] for one in report["pictures"]))
    assert reasons == ["other", "near", "touching", "example"]
    (doubtful,) = [one for one in report["pictures"] if one["reason"] == "near"]
    assert (doubtful["throw"], doubtful["pig"], doubtful["margin"]) == (near, 0, 0.09)
    smallest = {one["position"]: one for one in report["margins"]}[doubtful["position"]]
    assert (smallest["throw"], smallest["pig"], smallest["smallest"]) == (near, 0, 0.09)
    assert all(one["smallest"] <= one["median"] for one in report["margins"])
    failed = np.flatnonzero(landings.status != "at_rest").tolist()
    assert [one["throw"] for one in report["failed_throws"]] == failed


@pytest.mark.parametrize("pigs", [1, 2, 3])
@pytest.mark.parametrize("throws", [1, 2, 60])
def test_any_batch_can_be_reported(pigs, throws):
    report = batch_report(recorded(fake_landings(range(throws), pigs)))
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    page = render(batch_page(report, {}, "none"))
    assert f"<h1>{throws} throw" in page
    assert (report["scores"] is None) == (report["two_pigs"] is None) == (pigs != 2)


def test_batch_of_failures_can_be_reported():
    landings = likely_landings(30, failing=1.0)
    lost = replace(landings, translation=np.full_like(landings.translation, np.nan))
    report = batch_report(recorded(lost))
    assert report["rest_time"] is report["resting_places"] is report["goodness_of_fit"] is None
    assert report["scores"]["mean_points"] is None
    assert json.dumps(report, allow_nan=False)
    assert "No throw counts" in render(batch_page(report, {}, None))


def test_pigs_far_from_every_border_are_not_shown_as_near(landings, report):
    assert report["margins"][0]["smallest"] > 0.2
    assert all(one["reason"] != "near" for one in report["pictures"])
    page = render(batch_page(report, {}, "No pictures."))
    smallest = min(one["smallest"] for one in report["margins"] if one["position"] != "other")
    assert "No pig in a named position is near the border of it" in page
    assert f"the smallest margin is {np.degrees(smallest):.2f}°" in page
    margin = np.where(landings.position == "trotter", 0.09, landings.margin)
    near = batch_report(recorded(replace(landings, margin=margin)))
    assert "is near the border of it" not in render(batch_page(near, {}, "No pictures."))


def test_body_without_positions_is_told_by_its_poses():
    landings = likely_landings(600, failing=0.05)
    faces, batch = die_batch(landings)
    report = batch_report(batch)
    apart = (landings.status == "at_rest") & (landings.touch == "none").all(axis=1)
    counts = np.bincount(faces[apart].ravel())
    poses = report["poses"]
    assert [row["pigs"] for row in poses["rows"]] == counts.tolist()
    assert (poses["pigs"], poses["elsewhere"]) == (counts.sum(), 0)
    for row, down in zip(poses["rows"], ((0, 0, -1), (0, -1, 0), (0, 0, 1)), strict=True):
        assert row["down"] == pytest.approx(down, abs=2e-3)
        assert row["interval"][0] < row["share"] < row["interval"][1]
    shown = [one for one in report["pictures"] if one["reason"] == "pose"]
    assert [faces[one["throw"], one["pig"]] for one in shown] == [0, 1, 2]
    assert [one["pose"] for one in shown] == [1, 2, 3]
    picture = Picture("data:,", "a die", "pose 1; throw 2, pig 1")
    page = render(batch_page(report, {"pose": [picture]}, None))
    assert "pose 1; throw 2, pig 1" in page
    assert "rest in the most frequent pose; 3 poses are listed." in page
    for senseless in ("degrees of freedom", "published", "points", "Margin"):
        assert senseless not in page.split('<script type="application/json"')[0], senseless
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_body_that_rests_anywhere_has_its_most_frequent_poses_listed():
    landings = likely_landings(600)
    known = recorded(landings).configuration
    ball = {**known, "pig": {**known["pig"], "name": "ball.stl"}}
    everywhere = with_positions(landings, np.full_like(landings.position, "other"))
    poses = batch_report(recorded(everywhere, ball))["poses"]
    assert len(poses["rows"]) == 24
    assert sum(row["pigs"] for row in poses["rows"]) + poses["elsewhere"] == poses["pigs"]
    lost = batch_report(recorded(replace(likely_landings(9, failing=1.0)), ball))
    assert "No throw came to rest without touching." in render(batch_page(lost, {}, None))


def test_tests_that_can_tell_nothing_are_not_shown():
    landings = likely_landings(40)
    same = with_positions(landings, np.full((40, 2), "trotter"))
    report = batch_report(recorded(same))
    page = render(batch_page(report, {}, "No pictures."))
    assert "with 0 degrees of freedom" not in page
    assert "Too few pigs in different positions to tell whether two" in page
    assert "Too few pigs in different positions to tell whether height" in page
    found = comparison_report(recorded(same), recorded(same), ["a", "b"])
    assert found["test"] is None
    assert "nothing to compare" in render(comparison_page(found))


def test_batch_thrown_otherwise_than_the_published_pigs_says_so():
    def said(landings=None, **options):
        batch = recorded(landings or likely_landings(30), configure(**options).as_dict())
        report = batch_report(batch)
        return report["run"]["unlike_published"], render(batch_page(report, {}, "No pictures."))

    unlike, page = said()
    assert unlike == []
    assert "thrown otherwise" not in page
    unlike, page = said(device="drop", height=0.254)
    assert unlike == ["device drop", "height 10 inches", "start random"]
    assert "This batch was thrown otherwise: device drop, height 10 inches, start random." in page
    assert said(start="mixed")[0] == ["height 8 inches", "start mixed"]
    assert said(height=0.3048)[0] == ["height 12 inches"]
    assert said(pig="big", device="drop")[0][0] == "pig big"
    assert said(pig="uniform")[0] == []
    assert said(likely_landings(30, pigs=1), pigs=1)[0] == ["pigs a throw 1"]


def test_comparison_says_first_which_conditions_differ():
    landings = likely_landings(40)

    def page(**options):
        a, b = (recorded(landings, configure(**one).as_dict()) for one in ({}, options))
        report = comparison_report(a, b, ["a", "b"])
        return report["conditions"], render(comparison_page(report)).split("<main>")[0]

    conditions, top = page(seed=7)
    assert conditions == []
    assert "same conditions" not in top
    conditions, top = page(device="drop", engine="fast")
    assert [row["name"] for row in conditions] == ["device", "height", "start", "engine"]
    assert (
        "conditions: device (A: kern2006, B: drop), height (A: 5 and 8 inches, B: 5 inches), "
        in top
    )
    assert "engine (A: bullet, B: fast)" in top
    assert "B was thrown otherwise: device drop, height 5 inches, start random." in top
    changed = configure().as_dict()
    changed["contact"]["pig_table"]["friction"] = 0.1
    report = comparison_report(recorded(landings), recorded(landings, changed), ["a", "b"])
    assert report["conditions"] == [{"name": "contact", "a": None, "b": None}]
    assert "contact (see What differs)" in render(comparison_page(report))


def test_failed_throws_are_named_apart_from_other():
    whole = likely_landings(2000, 1)
    failed = np.zeros(2000, bool)
    failed[np.flatnonzero((whole.touch == "none").all(axis=1))[:60]] = True
    failing = replace(
        whole,
        status=np.where(failed, "escaped", whole.status),
        position=np.where(failed[:, None], "other", whole.position),
    )
    found = comparison_report(recorded(whole), recorded(failing), ["a", "b"])
    rows = {row["name"]: row for row in found["positions"]}
    assert (rows["other"]["b"]["count"], rows["failed_throws"]["b"]["count"]) == (0, 120)
    assert sum(row["b"]["count"] for row in rows.values()) == summarize(failing).counted_pigs
    assert (
        "What stands out most is failed throws: 0.0 % in A, 3.1 % in B"
        in (found["test"]["sentence"])
    )
    alone = batch_report(recorded(failing))["goodness_of_fit"]["sentence"]
    assert "other: 3.1 % here, 0.0 % published. Pigs of throws that failed are 3.1 %." in alone


def test_long_name_of_a_pig_is_shortened_in_the_header():
    landings = likely_landings(20)
    known = recorded(landings).configuration
    name = "/home/" + "very-" * 60 + "long/pig.stl"
    odd = {**known, "pig": {**known["pig"], "name": name}}
    page = render(batch_page(batch_report(recorded(landings, odd)), {}, "none"))
    header = page.split("<main>")[0]
    assert name not in header
    assert "pig /home/very-very-very-ve…" in header
    assert "long/pig.stl, device kern2006" in header
    assert name in page
    found = comparison_report(recorded(landings, odd), recorded(landings), [name, "b"])
    assert name not in render(comparison_page(found)).split("<main>")[0]
    odd["pig"]["name"] = "pig\udcff.stl"
    assert "pig pig\\udcff.stl" in render(batch_page(batch_report(recorded(landings, odd)), {}, ""))


def test_times_and_places_of_any_size_are_counted():
    landings = likely_landings(400)
    time, place = landings.rest_time.copy(), landings.translation.copy()
    time[:3], place[:3] = 1e30, 999.0
    report = batch_report(recorded(replace(landings, rest_time=time, translation=place)))
    assert len(report["rest_time"]["bin_pigs"]) < 200
    assert sum(report["rest_time"]["bin_pigs"]) + report["rest_time"]["later"] == 800
    still = batch_report(recorded(replace(landings, rest_time=np.where(time > 1, 1e30, 0.0))))
    assert sum(still["rest_time"]["bin_pigs"]) + still["rest_time"]["later"] == 800


def test_batch_of_a_shape_without_positions_can_be_reported():
    landings = likely_landings(40)
    report = batch_report(recorded(with_positions(landings, np.full((40, 2), "other"))))
    assert report["goodness_of_fit"] is None
    assert "No pig lies in a published position." in render(batch_page(report, {}, None))
    a, b = recorded(landings), recorded(likely_landings(1, failing=1.0))
    for pair in ((a, b), (b, b), (b, a)):
        assert render(comparison_page(comparison_report(*pair, ["a", "b"])))


def test_report_of_the_same_batch_is_the_same(landings, report):
    assert batch_report(recorded(landings)) == report


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seed": 5, "height": 0.127},
        {"height": 0.3, "start": "backward"},
        {"start": "mixed"},
        {"pigs": 3, "device": "drop"},
        {"device": "hand", "height": 0.2, "pig": "big"},
    ],
)
def test_command_line_throws_the_batch_again(options):
    configuration = json.loads(json.dumps(configure(**options).as_dict()))
    line = command(configuration, 70)
    assert line is not None
    assert line.startswith("pigs throw --throws 70 ")
    for name, value in options.items():
        assert f"--{name} {value}{'m' * (name == 'height')}" in line


def test_no_command_line_for_numbers_that_no_option_sets():
    configuration = json.loads(json.dumps(configure().as_dict()))
    configuration["contact"]["pig_table"] = {"friction": 0.1, "restitution": 0.5}
    assert command(configuration, 70) is None
    assert command({"seed": 0}, 70) is None
    configuration["pig"]["name"] = 300 * "x"  # too long for a file's name
    assert command(configuration, 70) is None


def test_comparison_of_a_batch_with_itself_shows_no_difference(landings):
    batch = recorded(landings)
    found = comparison_report(batch, batch, ["a", "b"])
    assert all(row["difference"] == 0 for row in found["positions"] + found["endings"])
    assert found["points"]["difference"] == 0
    assert found["test"]["p_value"] == 1
    assert found["configuration"] == found["versions"] == []
    assert found["agreement"]["same"] == found["agreement"]["pigs"] == 4000


def test_comparison_turns_with_its_batches():
    a, b = recorded(likely_landings(400, 1)), recorded(likely_landings(700, 2))
    there, back = (comparison_report(*pair, ["a", "b"]) for pair in ((a, b), (b, a)))
    for one, other in zip(there["positions"], back["positions"], strict=True):
        assert one["difference"] == pytest.approx(-other["difference"])
        low, high = one["difference_interval"]
        assert (-high, -low) == pytest.approx(tuple(other["difference_interval"]))
        assert low <= one["difference"] <= high
    assert there["points"]["difference"] == pytest.approx(-back["points"]["difference"])
    assert json.loads(json.dumps(there, allow_nan=False)) == there


def test_comparison_finds_a_planted_difference_and_names_it():
    a = likely_landings(2000, 1)
    changed = np.where(a.position == "trotter", "snouter", a.position)
    b = with_positions(a, changed)
    found = comparison_report(recorded(a), recorded(b), ["a", "b"])
    assert found["test"]["p_value"] == 1e-4
    assert "differ by more than chance" in found["test"]["sentence"]
    assert "trotter" in found["test"]["sentence"]
    agreement = found["agreement"]
    assert agreement["same"] == (a.position == changed).sum()
    assert 0.2 < agreement["by_chance"] < 0.4


def test_comparison_names_what_differs_in_the_configurations():
    landings = likely_landings(40)
    a = recorded(landings, configure(seed=1).as_dict())
    b = recorded(part_of(landings, slice(0, 20)), configure(seed=2).as_dict())
    found = comparison_report(a, b, ["a", "b"])
    assert found["configuration"] == [{"entry": "seed", "a": "1", "b": "2"}]
    assert found["agreement"] is None


def test_published_table_is_the_reference(report):
    for row in report["positions"][:-1]:
        assert row["published_pigs"] == KERN_2006.counts[row["position"]]
        assert row["difference"] == row["share"] - KERN_2006.share(row["position"])
        low, high = row["difference_interval"]
        assert low <= row["difference"] <= high
    assert "published_share" not in report["positions"][-1]


def test_differences_that_could_hide_reach_to_the_far_ends_of_the_intervals():
    report = batch_report(recorded(likely_landings(2000)))
    sentence = report["goodness_of_fit"]["sentence"]
    told = float(re.search(r"up to about ([\d.]+) percentage points", sentence)[1])
    ends = [end for row in report["positions"] for end in row.get("difference_interval", ())]
    assert told == pytest.approx(100 * max(map(abs, ends)), abs=0.05)


def test_calibrated_pig_is_said_to_be_fitted(report):
    words = "the standard one in mass, spacing and form to the published one"
    assert words in render(batch_page(report, {}, None))
    uniform = {**report, "run": {**report["run"], "pig": "uniform"}}
    assert words not in render(batch_page(uniform, {}, None))
