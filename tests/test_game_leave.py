"""Ways out of an unfinished game: none loses it, none ends in more than a plain line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = "from sim.cli import main; main()"
PIGS = [sys.executable, "-c", MAIN, "play"]
DRAWN = ["--from", "kern2006", "--seed", "1"]
GO_ON = "the game is saved, go on with: pigs play --resume pigs-game.json\n"


def play(folder: Path, *options: str, **streams: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*PIGS, *options], cwd=folder, text=True, check=False, timeout=60, **streams
    )


def in_shell(folder: Path, line: str) -> subprocess.CompletedProcess:
    """Run a line of shell, in which "$@" is `pigs play`."""
    command = ["sh", "-c", line, "sh", *PIGS]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("rules", ["standard", "party"])
def test_closed_standard_input_is_the_end_of_input(tmp_path, rules):
    done = in_shell(tmp_path, f'"$@" {" ".join(DRAWN)} --rules {rules} <&-')
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("end of input: nothing was thrown yet, so nothing is saved\n")


def test_input_that_cannot_be_read_is_one_line(tmp_path):
    done = in_shell(tmp_path, f'"$@" {" ".join(DRAWN)} 0>/dev/null')
    assert done.returncode == 2
    assert done.stderr.startswith("pigs: the system refused: Bad file descriptor: nothing")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("rules", ["standard", "party"])
def test_reader_that_leaves_does_not_take_the_game_along(tmp_path, rules):
    read, write = os.pipe()
    with subprocess.Popen(
        [*PIGS, *DRAWN, "--rules", rules],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(write)
        process.stdin.write("\n")
        process.stdin.flush()
        seen = ""
        while ("me throws" if rules == "party" else "me:  ") not in seen:
            part = os.read(read, 1000).decode()
            assert part, "it ended too early"
            seen += part
        os.close(read)
        _, err = process.communicate("\n" * 300, timeout=60)
    assert (process.returncode, err) == (2, f"pigs: nobody reads the output: {GO_ON}")
    again = play(tmp_path, "--resume", "pigs-game.json", input="q\n", capture_output=True)
    assert (again.returncode, again.stderr) == (0, "")


def test_full_output_is_one_line(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    done = in_shell(tmp_path, f'"$@" {" ".join(DRAWN)} --players keen,keen >/dev/full')
    assert done.returncode == 2
    assert done.stderr == "pigs: No space left on device\n"


def test_error_in_the_midst_of_play_saves_the_game(tmp_path):
    broken = (
        "from sim.game.source import RecordedSource as Source\n"
        "throw = Source.throw\n"
        "def third(self):\n"
        "    if self.thrown == 2:\n"
        "        raise ValueError('the table broke')\n"
        "    return throw(self)\n"
        f"Source.throw = third\n{MAIN}"
    )
    command = [sys.executable, "-c", broken, "play", *DRAWN, "--players", "hold:99,keen"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"pigs: the table broke: {GO_ON}")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_that_end_save_the_game(tmp_path, number, status):
    with subprocess.Popen(
        [*PIGS, *DRAWN],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdin.write("\n")
        process.stdin.flush()
        while "me:  " not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (status, f"pigs: interrupted: {GO_ON}")


def test_hint_can_be_pasted_whatever_the_file_is_called(tmp_path):
    options = [*DRAWN, "--save", "it's mine.json"]
    done = play(tmp_path, *options, input="\nq\n", capture_output=True)
    hint = done.stdout.rstrip().rpartition("pigs play ")[2]
    again = in_shell(tmp_path, f'"$@" {hint} <&-')
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize("rules", ["standard", "party"])
def test_resumed_game_shows_how_the_pigs_lie(tmp_path, rules):
    options = [*DRAWN, "--rules", rules, "--players", "me:Ann,me:Bob"]
    left = play(tmp_path, *options, input="\nq\n", capture_output=True).stdout
    again = play(tmp_path, "--resume", "pigs-game.json", input="q\n", capture_output=True).stdout
    if rules == "party":
        thrown = left.partition("Ann throws ")[2].partition("\n")[0]
        assert f"Ann's pigs lie: {thrown}\n" in again
        assert "the roll card wants" in again
        assert "Ann 0   Bob 0" in again
    else:
        thrown = left.partition("\nAnn:  ")[2].partition("\n")[0]
        assert f"The last throw: {thrown}\n" in again


def test_party_asks_again_after_bad_input_and_explains(tmp_path):
    options = [*DRAWN, "--rules", "party", "--players", "me:Ann,me:Bob"]
    done = play(tmp_path, *options, input="s\nhelp\n?\nt\nthrow\nq\n", capture_output=True).stdout
    assert "'s' is no answer. Enter or t throws, q leaves" in done
    assert done.count("Enter or t throws, q leaves") == 3
    assert done.count(" throws ") - done.count("or t throws ") == 2, "t and throw, nothing else"


def saved(folder: Path, *options: str) -> dict:
    """A game that was left after a throw, as its file has it."""
    play(folder, *options, "--save", "game.json", input="\nq\n", capture_output=True)
    return json.loads((folder / "game.json").read_text())


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (DRAWN, "kern2006 holds other throws than when the game began"),
        ([], "begun with another version or configuration of the simulator"),
        (["--rules", "party"], "begun with another version or configuration of the simulator"),
    ],
)
def test_game_goes_on_only_with_the_throws_it_began_with(tmp_path, options, problem):
    record = saved(tmp_path, *options)
    resume = ["--resume", "game.json"]
    assert play(tmp_path, *resume, input="q\n", capture_output=True).returncode == 0
    (tmp_path / "game.json").write_text(json.dumps({**record, "origin": "another"}))
    done = play(tmp_path, *resume, input="q\n", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"pigs: saved game: {problem}\n")


def two_pigs_lying(folder: Path) -> tuple[Path, dict]:
    """A saved party whose first player's pigs both stayed where they landed, and its folder."""
    for seed in range(20):
        place = folder / str(seed)
        place.mkdir()
        record = saved(place, "--rules", "party", "--seed", str(seed))
        if len(record["game"]["seats"][0]["pigs"]) == 2:
            return place, record
    raise AssertionError("no party of twenty has two pigs lying after its first throw")


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ([9.0, 0.0, 0.0], "lies off it"),
        ([0.0, 0.0, 0.5], "lies off it"),
        (None, "two pigs that should lie apart touch"),
    ],
)
def test_party_of_pigs_that_cannot_lie_so_is_refused(tmp_path, place, problem):
    folder, record = two_pigs_lying(tmp_path)
    pigs = record["game"]["seats"][0]["pigs"]
    pigs[0]["pose"] = {**pigs[0]["pose"], "translation": place} if place else pigs[1]["pose"]
    (folder / "game.json").write_text(json.dumps(record))
    done = play(folder, "--resume", "game.json", input="q\n", capture_output=True)
    assert done.returncode == 2
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
