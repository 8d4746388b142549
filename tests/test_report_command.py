"""`pigs report` at the command line: where it writes, what it refuses."""

import json
import re
import time
from pathlib import Path

import pytest
from report_batches import likely_landings, recorded, write_batch

import calibration.report.build
from calibration import cli  # adds the command
from calibration.report.page import MARK
from sim.cli import run

assert cli.main


def refusal(capfd, *arguments: object) -> str:
    """Run a command line that must be refused; give its one line."""
    assert run(["report", *map(str, arguments)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("pigs: ")
    assert err.count("\n") == 1
    return err


def output(capfd, *arguments: object) -> str:
    assert run(["report", *map(str, arguments)]) == 0
    return capfd.readouterr().out


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


@pytest.fixture(scope="module")
def batches(tmp_path_factory):
    root = tmp_path_factory.mktemp("batches")
    for name, throws, seed in (("a", 300, 1), ("b", 260, 2)):
        write_batch(root / name, recorded(likely_landings(throws, seed)))
    return root


@pytest.fixture
def _unrendered(monkeypatch):
    monkeypatch.setattr(
        calibration.report.build, "render_pictures", lambda *_: ({}, "No pictures in this test.")
    )


def test_json_is_one_object_and_writes_nothing(capfd, batches):
    before = content(batches / "a")
    report = json.loads(output(capfd, batches / "a", "--json"))
    assert (report["kind"], report["run"]["throws"]) == ("batch", 300)
    report = json.loads(output(capfd, batches / "a", batches / "b", "--json"))
    assert (report["kind"], report["b"]["run"]["throws"]) == ("comparison", 260)
    assert content(batches / "a") == before


@pytest.mark.usefixtures("_unrendered")
def test_page_is_written_beside_the_batch_and_written_anew(capfd, tmp_path):
    batch = write_batch(tmp_path / "batch", recorded(likely_landings(20)))
    page = batch / "report.html"
    assert output(capfd, batch).startswith(f"{page}: 20 throws of two pigs, ")
    first = page.read_text()
    assert first.startswith(MARK)
    page.write_text(MARK + "an older report")
    output(capfd, batch)
    assert page.read_text() == first
    assert not list(batch.glob("*.partial"))


@pytest.mark.usefixtures("_unrendered")
def test_comparison_leaves_the_batch_s_own_report(capfd, tmp_path):
    a, b = (write_batch(tmp_path / name, recorded(likely_landings(20))) for name in "ab")
    output(capfd, a)
    report = (a / "report.html").read_text()
    assert output(capfd, a, b).startswith(f"{a / 'comparison.html'}: Two batches compared, ")
    assert (a / "report.html").read_text() == report


@pytest.mark.usefixtures("_unrendered")
def test_page_and_json_in_one_run(capfd, batches, tmp_path):
    found = output(capfd, batches / "a", "--json", "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    (embedded,) = re.findall(r'<script type="application/json" id="data">(.*)</script>', page)
    assert json.loads(embedded) == json.loads(found)


@pytest.mark.parametrize("there", ["<!doctype html><p>mine", "", "x" * 100])
def test_file_that_is_not_ours_stays(capfd, batches, tmp_path, there):
    place = tmp_path / "page.html"
    place.write_text(there)
    assert "is there and no report of ours" in refusal(capfd, batches / "a", "--out", place)
    assert place.read_text() == there


def test_link_and_directory_stay(capfd, batches, tmp_path):
    target = tmp_path / "target.html"
    target.write_text(MARK)
    link = tmp_path / "link.html"
    link.symlink_to(target)
    for place in (link, tmp_path):
        assert "is there and no regular file" in refusal(capfd, batches / "a", "--out", place)
    assert link.is_symlink()
    assert target.read_text() == MARK
    missing = tmp_path / "missing" / "page.html"
    assert f"there is no directory {missing.parent}; make it first" in refusal(
        capfd, batches / "a", "--out", missing
    )


def test_what_holds_no_batch_is_refused(capfd, tmp_path):
    file = tmp_path / "file"
    file.touch()
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    assert "there is no such directory" in refusal(capfd, tmp_path / "nowhere")
    assert "is no directory" in refusal(capfd, file)
    expected = "holds neither a batch (batch.json) nor a calibration (calibration.json)"
    assert expected in refusal(capfd, foreign)
    assert content(foreign) == {"notes.txt": b"mine"}


def test_half_written_batch_is_refused_until_its_first_block(capfd, tmp_path):
    batch = write_batch(tmp_path / "batch", recorded(likely_landings(250), planned=1000))
    report = json.loads(output(capfd, batch, "--json"))
    assert (report["run"]["throws"], report["run"]["planned_throws"]) == (250, 1000)
    for block in batch.glob("throws-*.parquet"):
        block.unlink()
    assert "holds no finished block yet" in refusal(capfd, batch)


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("throws-000000.parquet", lambda old: old[: len(old) // 2], "not readable as Parquet"),
        ("throws-000000.parquet", lambda old: b"", "not readable as Parquet"),
        ("batch.json", lambda old: old[:40], "expected JSON"),
        ("batch.json", lambda old: b"[]", "expected configuration, throws and versions"),
        ("batch.json", lambda old: b'{"configuration": {}}', "expected configuration, throws"),
    ],
)
def test_damaged_batch_is_refused(capfd, tmp_path, name, damage, message):
    batch = write_batch(tmp_path / "batch", recorded(likely_landings(20)))
    path = batch / name
    path.write_bytes(damage(path.read_bytes()))
    err = refusal(capfd, batch)
    assert message in err
    assert str(path) in err
    assert not (batch / "report.html").exists()


def test_batch_of_a_foreign_configuration_is_refused(capfd, tmp_path):
    batch = write_batch(tmp_path / "batch", recorded(likely_landings(20), {"seed": 1}))
    assert f"{batch / 'batch.json'}: its configuration lacks pigs" in refusal(capfd, batch)
    other = write_batch(tmp_path / "other", recorded(likely_landings(20)))
    assert "its configuration lacks pigs" in refusal(capfd, other, batch)


def test_only_two_different_batches_can_be_compared(capfd, batches, tmp_path):
    assert "given twice" in refusal(capfd, batches / "a", batches / "b" / ".." / "a")
    assert "one directory or two" in refusal(capfd, *[batches / "a"] * 3)
    fit = tmp_path / "fit"
    fit.mkdir()
    (fit / "calibration.json").write_text("{}")
    assert "only batches can be compared" in refusal(capfd, batches / "a", fit)


def test_empty_names_are_refused(capfd, batches):
    assert "DIR: expected a name, got ''" in refusal(capfd, "")
    assert "DIR: expected a name, got ' '" in refusal(capfd, batches / "a", " ")
    assert "--out: expected a name, got ''" in refusal(capfd, batches / "a", "--out", "")


def test_batch_whose_pig_is_gone_has_no_pictures(capfd, tmp_path):
    landings = likely_landings(20)
    known = recorded(landings).configuration
    gone = {**known, "pig": {**known["pig"], "name": "gone<b>.stl"}}
    batch = write_batch(tmp_path / "batch", recorded(landings, gone))
    output(capfd, batch)
    page = (batch / "report.html").read_text()
    assert "No pictures: the pig of this batch cannot be loaded" in page
    assert "gone&lt;b&gt;.stl" in page
    assert "<b>" not in page
    assert "<img" not in page


@pytest.mark.long
def test_five_thousand_throws_are_reported_in_twenty_seconds(capfd, tmp_path):
    batch = write_batch(tmp_path / "batch", recorded(likely_landings(5000)))
    started = time.process_time()
    output(capfd, batch)
    assert time.process_time() - started < 20
    assert (batch / "report.html").stat().st_size < 5_000_000
