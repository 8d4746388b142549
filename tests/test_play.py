"""`pigs play` as a person meets it: a scripted terminal, and tournaments."""

import json
import os
import signal
import subprocess
import sys

import pytest

from sim import cli
from sim.game.source import LandingTable
from sim.published import KERN_2006

PIGS = [sys.executable, "-c", "from sim.cli import main; main()", "play"]
DRAWN = ["--from", "kern2006"]


def session(folder, answers: str, *options: str) -> subprocess.CompletedProcess:
    """Play with these lines of input, in this folder."""
    return subprocess.run(
        [*PIGS, *options], input=answers, cwd=folder, capture_output=True, text=True, check=False
    )


def output(capfd, *arguments: str) -> str:
    assert cli.run(["play", *arguments]) == 0
    return capfd.readouterr().out


def refusal(capfd, *arguments: str) -> str:
    assert cli.run(["play", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("pigs: ")
    assert err.count("\n") == 1
    return err


def test_scripted_game_to_its_end(tmp_path):
    answers = "what\ns\n" + "t\n" * 3 + "s\n" + "\n" * 500
    done = session(tmp_path, answers, *DRAWN, "--seed", "3", "--target", "30")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Pass the Pigs to 30, seed 3, hog calls default" in done.stdout
    assert "Swineherd, who keeps the score: keen" in done.stdout
    assert "expected Enter or t, or q to leave" in done.stdout
    assert "the pigs must be thrown before you stop" in done.stdout
    assert done.stdout.rstrip().endswith("wins!")
    assert list(tmp_path.iterdir()) == []


def test_same_seed_plays_the_same_game_by_physics_too(tmp_path):
    for source in (DRAWN, []):
        games = [
            session(tmp_path, "\n" * 400, *source, "--seed", "4", "--target", "15") for _ in "ab"
        ]
        assert games[0].stdout == games[1].stdout
        assert "wins!" in games[0].stdout


def test_left_game_goes_on_as_if_it_had_not_been_left(tmp_path):
    options = [*DRAWN, "--seed", "8", "--players", "me:Ann,optimal", "--target", "60"]
    whole = session(tmp_path, "\n" * 900, *options).stdout
    left = session(tmp_path, "\n" * 3 + "q\n", *options)
    assert left.returncode == 0
    assert "left: the game is saved, go on with: pigs play --resume pigs-game.json" in left.stdout
    for _ in range(2):  # end of input instead of q
        again = session(tmp_path, "\n" * 2, "--resume", "pigs-game.json")
        assert again.returncode == 0
        assert again.stdout.rstrip().endswith("pigs play --resume pigs-game.json")
    rest = session(tmp_path, "\n" * 900, "--resume", "pigs-game.json").stdout
    assert whole.endswith(rest[rest.index("Ann:") :])
    assert [one.name for one in tmp_path.iterdir()] == ["pigs-game.json"]


def test_end_of_input_ends_cleanly(tmp_path):
    done = session(tmp_path, "", *DRAWN)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("end of input: nothing was thrown yet, so nothing is saved\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rules", ["standard", "party"])
def test_interrupt_saves_the_game(tmp_path, rules):
    process = subprocess.Popen(
        [*PIGS, *DRAWN, "--rules", rules, "--save", "mine.json", "--seed", "1"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdin.write("\n")
    process.stdin.flush()
    thrown = "me throws" if rules == "party" else "me:  "
    while thrown not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == (
        "pigs: interrupted: the game is saved, go on with: pigs play --resume mine.json\n"
    )
    again = session(tmp_path, "q\n", "--resume", "mine.json")
    assert (again.returncode, again.stderr) == (0, "")


def test_hog_call_of_a_person(tmp_path):
    answers = "\n" * 4 + "pig out\nrazorback\n" + "\n" * 30
    options = [*DRAWN, "--players", "me:Ann,me:Bob", "--seed", "0", "--target", "300"]
    record = {
        "format": "pigs play",
        "version": 2,
        "rules": "standard",
        "players": "me:Ann,me:Bob",
        "seed": 0,
        "source": "kern2006",
        "origin": LandingTable.published(KERN_2006).digest,
        "game": {
            "rules": {
                "target": 300,
                "hog_call": "default",
                "called_throw": "counted",
                "called_turn": "kept",
                "call_gain": "score",
                "older_wrong": "mirrored",
                "call_on_other": "stands",
            },
            "scores": [50, 60],
            "out": [False, False],
            "thrower": 0,
            "turn": 0,
            "throws": 0,
            "is_rethrow": False,
            "standing": None,
            "thrown": 1,
        },
    }
    (tmp_path / "game.json").write_text(json.dumps(record))
    done = session(tmp_path, "\npig out\nrazorback\nq\n", "--resume", "game.json")
    assert "Bob, a hog call? [Enter: none]" in done.stdout
    assert "'pig out' cannot be called: expected one of sider, trotter" in done.stdout
    assert "Sooee! Bob calls razorback" in done.stdout
    assert "Bob's call of razorback is" in done.stdout
    off = session(tmp_path, answers, *options, "--hog-call", "off")
    assert "a hog call?" not in off.stdout


def test_strategies_play_by_themselves(tmp_path):
    done = session(
        tmp_path, "", *DRAWN, "--players", "hold:20,hold:20,throws:3+call", "--seed", "2"
    )
    assert done.returncode == 0
    assert "hold:20 2" in done.stdout
    assert done.stdout.rstrip().endswith("wins!")


def test_party_is_played_and_resumed(tmp_path):
    options = [*DRAWN, "--rules", "party", "--seed", "2", "--players", "me,thrifty"]
    whole = session(tmp_path, "\n" * 900, *options)
    assert whole.returncode == 0
    assert "the game is over" in whole.stdout
    left = session(tmp_path, "\n\n", *options)
    assert "go on with: pigs play --resume pigs-game.json" in left.stdout
    rest = session(tmp_path, "\n" * 900, "--resume", "pigs-game.json")
    assert rest.stdout[-300:] == whole.stdout[-300:]


def test_batch_is_drawn_from_and_must_be_of_the_rules_pigs(tmp_path, capfd):
    out = str(tmp_path / "throws")
    assert cli.run(["throw", "-n", "30", "--workers", "1", "--out", out]) == 0
    capfd.readouterr()
    options = ["--from", out, "--games", "50", "--players", "hold:20,hold:10"]
    found = json.loads(output(capfd, *options, "--json"))
    assert found["source"] == out
    assert "record big ones" in refusal(capfd, *options, "--rules", "big")


def test_tournament_json_adds_up(capfd):
    options = ["--players", "optimal,hold:20", "--games", "4000", *DRAWN, "--json"]
    found = json.loads(output(capfd, *options))
    wins = [player["wins"] for player in found["players"]]
    assert sum(wins) == found["games"] == 4000
    for player in (*found["players"], found["first"]):
        low, high = player["interval"]
        assert low <= player["share"] == player["wins"] / 4000 <= high
    assert found["players"][0]["name"] == "optimal"
    assert found["optimal"]["first_wins"] == pytest.approx(0.53034, abs=1e-4)
    assert found["optimal"]["residual"] < 1e-9
    assert found["rules"]["hog_call"] == "default"
    again = json.loads(output(capfd, *options))
    assert [player["wins"] for player in again["players"]] == wins


def test_tournament_text_says_who_won_and_how_surely(capfd):
    text = output(capfd, "--players", "keen,hold:20,throws:4", "--games", "3000", *DRAWN)
    for word in (
        "keen",
        "hold:20",
        "throws:4",
        "(who begins)",
        "95 % interval",
        "games per second",
    ):
        assert word in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--players", "x,me"], "unknown player 'x': expected me, me:NAME"),
        (["--players", "me+call,keen"], "unknown player"),
        (["--players", "me"], "expected 2 to 10, got 1"),
        (["--players", "hold:0,me"], "from 1 to 10,000"),
        (["--players", "me,optimal,keen"], "known for two players"),
        (["--players", "me,optimal", "--target", "500"], "targets up to 200"),
        (["--players", "me:\x1b[31m,keen"], "unknown player"),
        (["--rules", "chess"], "expected standard, big, party"),
        (["--target", "0"], "--target: expected a whole number of 1 or more"),
        (["--hog-call", "loud"], "--hog-call 'loud': expected default or older or off"),
        (["--house", "a=b"], "expected RULE=CHOICE, RULE one of called_throw"),
        (
            ["--house", "called-turn=maybe"],
            "--house 'called-turn=maybe': expected called_turn=kept",
        ),
        (["--house", "a=b", "--house", "a=b"], "--house 'a=b': expected RULE=CHOICE"),
        (
            ["--house", "called-turn=lost", "--house", "called_turn=kept"],
            "--house 'called_turn=kept': called_turn is given twice",
        ),
        (["--house", "older_wrong=nothing"], "--house older_wrong: by these rules"),
        (
            ["--hog-call", "older", "--house", "older_wrong=nothing", "--house", "call_gain=turn"],
            "--house call_gain: by these rules",
        ),
        *(
            ([option, ""], f"{option}: expected a value, got ''")
            for option in (
                *("--players", "--rules", "--from", "--hog-call", "--save", "--resume", "--deck"),
            )
        ),
        (["--house", ""], "--house '': expected RULE=CHOICE"),
        *(
            ([option, value], f"{option}: expected a whole number of {bound}")
            for option, low, high in (
                ("--target", 1, 10_000),
                ("--seed", 0, 2**63 - 1),
                ("--games", 1, 10**8),
            )
            for value, bound in (
                ("", f"{low} or more"),
                ("1e3", f"{low} or more"),
                ("\u0665", f"{low} or more"),
                (str(low - 1), f"{low} or more"),
                (str(high + 1), f"{high} or less"),
                ("9" * 5000, f"{high} or less"),
            )
        ),
        (["--players", "me,hold:" + "9" * 5000], "expected a number from 1 to 10,000"),
        (["--rules", "party", "--target", "10001"], "--target: expected a whole number of 10000"),
        (["--resume", "."], ".: Is a directory"),
        (["--resume", "/dev/zero"], "/dev/zero: expected a regular file"),
        (["--rules", "party", "--deck", "/dev/zero"], "/dev/zero: expected a regular file"),
        (["--save", "."], "is there already"),
        (["--from", "x" * 300], "holds no batch"),
        (["--house", "called_turn=lost", "--hog-call", "off"], "hog calls are off"),
        (["--games", "100000"], "by physics these would take some 13.9 hours"),
        (["--games", "5", *DRAWN, "--players", "me,keen"], "people play one game"),
        (["--games", "5", *DRAWN, "--rules", "party"], "a tournament is of Pass the Pigs"),
        (["--games", "5", *DRAWN, "--save", "x"], "neither saved nor resumed"),
        (["--json"], "give --games"),
        (["--from", "nowhere"], "holds no batch"),
        (["--from", "kern2006", "--rules", "big"], "small pigs landed so"),
        (["--resume", "nowhere.json"], "No such file"),
        (["--resume", "nowhere.json", "--seed", "3"], "the file says all"),
        (["--save", "nowhere/x.json"], "there is no directory"),
        (["--deck", "x.csv"], "only Pig Party has cards"),
        (["--rules", "party", "--hog-call", "off"], "Pig Party has no hog calls"),
        (["--rules", "party", "--players", "me,keen"], "expected me, me:NAME or thrifty"),
    ],
)
def test_wrong_use_is_one_clear_line(capfd, tmp_path, monkeypatch, arguments, problem):
    monkeypatch.chdir(tmp_path)
    assert problem in refusal(capfd, *arguments)
    assert os.listdir(tmp_path) == []


def test_help_has_examples(capfd):
    text = output(capfd, "--help")
    assert "Example: pigs play --players me,optimal" in text
