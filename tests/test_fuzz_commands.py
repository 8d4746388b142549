"""Command lines of odd words, and files in the place of others: done or one line, nothing lost."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_thrower import fake_landings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calibration.cli
import sim.batch
from calibration.observed import read_observed
from sim import cli
from sim.batch import Batch
from sim.game.party.deck_file import read_deck
from sim.game.saved import read_saved
from sim.position import POSITIONS
from sim.summary import summarize

assert calibration.cli

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
_LIMIT = 60  # [s] for one command line, on a busy machine

ODD = [
    *("", "-", "--", "-n", "--json", "=", "0", "-1", "1", "2", "8", "9" * 400, "1e3", "nan", "0x1"),
    *("8in", "5 in", "1e999m", "0.127m", "-1mm", "standard", "big", "uniform", "cow", "\x1b[31m"),
    *("forward", "mixed", "drop", "hand", "kern2006", "bullet", "fast", "steam", "\u0665", "a\nb"),
    *("trotter", "other", "side_dot", "default", "party", "call_gain=turn", "=", "hold:20", "a,b"),
    *("mine.stl", "mine.txt", "empty", "full", "loop", "pipe", "nowhere/a", "/dev/null", "/proc"),
    *("dask://", "dask://a:b", "mpi:", "processes", "\udc80", "..", "../..", "a" * 300, "%s", "{}"),
]
word = st.sampled_from(ODD) | st.text(max_size=4)
OPTIONS = {
    "throw": [
        *("-n", "--seed", "--device", "--height", "--start", "--pig", "--pigs", "--engine"),
        *("--workers", "--out", "--executor", "--throws"),
    ],
    "poses": ["--pig"],
    "score": ["--oinker"],
    "play": [
        "--rules",
        "--target",
        "--seed",
        "--from",
        "--hog-call",
        "--house",
        "--save",
        "--deck",
    ],
    "watch": [
        "--throw",
        "--position",
        "--save",
        "--port",
        "--speed",
        "--seed",
        "--pig",
        "--height",
    ],
    "calibrate": ["--target", "--out", "--seed", "--model", "--free", "--fresh", "--workers"],
}
FLAGS = ["--json", "--resume", "--help", "--shared", "--oinker", "--piggyback", "--touching"]
ALWAYS = {  # what keeps a command short: what it would do for long is asked for in vain
    "play": ["--players", "hold:20,keen", "--games", "2"],
    "watch": ["empty"],
    "calibrate": ["--model", "cheese"],
}


@st.composite
def command_line(draw) -> list[str]:
    command = draw(st.sampled_from(sorted(OPTIONS)))
    option = st.tuples(st.sampled_from(OPTIONS[command]), word)
    words = [one for pair in draw(st.lists(option, max_size=4)) for one in pair]
    words += draw(st.lists(word, max_size=2 if command == "score" else 1))
    words += draw(st.lists(st.sampled_from(FLAGS), max_size=2))
    return [command, *words, *ALWAYS.get(command, [])]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[Path]:
    """Stand in a directory with things that a command may be pointed at."""
    directory = tmp_path_factory.mktemp("place")
    for name in ("mine.txt", "mine.stl", "mine.csv", "full/thesis.tex"):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text("mine")
    (directory / "empty").mkdir()
    (directory / "loop").symlink_to(directory / "loop")
    os.mkfifo(directory / "pipe")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setattr(sim.batch, "run_batch", instead_of_throwing)
        yield directory


def instead_of_throwing(configuration, throws, *, out=None, **options) -> Batch:
    return Batch(summarize(fake_landings(range(min(throws, 5)), configuration.pigs)), 1.0)


def mine(directory: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in sorted(directory.rglob("*mine*"))} | {
        "thesis": (directory / "full" / "thesis.tex").read_text()
    }


def too_long(*_: object) -> None:
    raise AssertionError(f"went on for {_LIMIT} s")


def ran(words: list[str], capfd) -> tuple[int, str, str]:
    capfd.readouterr()
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(_LIMIT)
    try:
        status = cli.run(words)
    finally:
        signal.alarm(0)
    return status, *capfd.readouterr()


@settings(FUZZ, max_examples=40)
@given(command_line())
def test_any_command_line_is_done_or_refused_in_a_line(place, capfd, monkeypatch, words):
    check_command_line(place, capfd, monkeypatch, words)


@pytest.mark.long
@settings(FUZZ, max_examples=1000)
@given(command_line())
def test_a_thousand_command_lines_are_done_or_refused_in_a_line(place, capfd, monkeypatch, words):
    check_command_line(place, capfd, monkeypatch, words)


def check_command_line(place, capfd, monkeypatch, words) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    before = mine(place)
    status, out, err = ran(words, capfd)
    assert status in (0, 2), (words, status)
    if status == 0:
        assert out, words
    else:
        assert (out, err.count("\n")) == ("", 1), (words, out, err)
        assert err.startswith("pigs: ")
    assert "Traceback" not in err
    assert mine(place) == before


def refusal(read, path: Path) -> str:
    try:
        read(path)
    except ValueError as error:
        return str(error)
    return ""


CSV = "# source: a shelf\nposition,count\n" + "".join(f"{one},7\n" for one in POSITIONS)
TOML = 'source = "a shelf"\n[counts]\n' + "".join(f"{one} = 7\n" for one in POSITIONS)


@pytest.mark.parametrize(("text", "name"), [(CSV, "a.csv"), (TOML, "a.toml")])
def test_what_is_varied_below_is_a_target(tmp_path, text, name):
    (tmp_path / name).write_text(text)
    assert read_observed(tmp_path / name).pigs == 49


@FUZZ
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.toml", "a"]))
def test_target_of_random_bytes_is_refused(place, data, name):
    (place / name).write_bytes(data)
    assert "\n" not in refusal(read_observed, place / name)


@FUZZ
@given(
    st.sampled_from([(CSV, "a.csv"), (TOML, "a.toml")]),
    st.integers(0, 200),
    word,
    st.integers(0, 9),
)
def test_target_with_odd_words_is_read_or_refused(place, target, at, odd, left_out):
    text, name = target
    at = at % len(text)
    changed = text[:at] + odd + text[at + left_out :]
    (place / name).write_bytes(changed.encode(errors="surrogatepass"))
    assert "\n" not in refusal(read_observed, place / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "a = " + "[" * 100_000),
        ("a.toml", "a = " + "[" * 19_000),
        ("a.toml", ".".join("a" * 200_000) + " = 1"),
        ("a.toml", ".".join("a" * 4_000) + " = 1"),
        ("a.toml", "".join(f"[{'.'.join('a' * n)}]\n" for n in range(1, 130))),
        ("a.toml", f"[counts]\ntrotter = {'9' * 19_000}"),
        ("a.toml", f"[counts]\ntrotter = 0x{'f' * 19_000}"),
        ("a.csv", f"position,count\ntrotter,{'9' * 19_000}"),
        ("a.csv", "position,count\n" + '"' * 19_001),
        ("a.csv", "position,count\n" + "trotter,1\n" * 1_900),
    ],
)
def test_target_made_to_hurt_is_refused_soon(place, name, text):
    (place / name).write_text(text)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(_LIMIT)
    try:
        found = refusal(read_observed, place / name)
    finally:
        signal.alarm(0)
    assert found
    assert "\n" not in found


@FUZZ
@given(st.text(max_size=60) | st.lists(word, max_size=9).map(",".join))
def test_deck_of_odd_lines_is_refused(place, text):
    (place / "deck.csv").write_bytes(f"kind,positions,points\n{text}".encode(errors="replace"))
    assert "\n" not in refusal(read_deck, place / "deck.csv")


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(ODD[:40]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=9,
)


@FUZZ
@given(any_json | st.binary(max_size=60))
def test_saved_game_of_anything_is_refused(place, content):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (place / "game.json").write_bytes(data)
    found = refusal(read_saved, place / "game.json")
    assert found
    assert "\n" not in found
