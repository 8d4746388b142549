"""The command line as a person or a script meets it: output, one-line refusals, statuses."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import meshes
from sim import cli
from sim.lengths import parse_length
from sim.position import POSITIONS
from sim.rest import STATUSES
from sim.whole_number import parse_whole_number

PIGS = [sys.executable, "-c", "from sim.cli import main; main()"]
MESHES = Path(meshes.__file__).parent / "data"
FEW = ["throw", "-n", "6", "--workers", "1"]


def refusal(capfd, *arguments: str) -> str:
    """Run a command line that must be refused; give its one line."""
    assert cli.run(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("pigs: ")
    assert err.count("\n") == 1
    return err


def output(capfd, *arguments: str) -> str:
    assert cli.run(arguments) == 0
    return capfd.readouterr().out


def test_throw_json_has_the_promised_keys_and_adds_up(capfd):
    found = json.loads(output(capfd, *FEW, "--seed", "3", "--json"))
    assert (found["throws"], found["seed"], found["engine"]) == (6, 3, "bullet")
    assert list(found["positions"]) == list(POSITIONS)
    assert list(found["status"]) == list(STATUSES)
    assert sum(found["status"].values()) == 6
    touching = found["oinker"] + found["piggyback"]
    assert sum(found["positions"].values()) == 2 * (6 - touching)
    assert found["throws_per_second"] > 0
    assert sum(found["score"]["shares"].values()) == pytest.approx(1)
    assert found["configuration"]["seed"] == 3
    for position, count in found["positions"].items():
        frequency = found["frequencies"][position]
        assert frequency["share"] == pytest.approx(count / sum(found["positions"].values()))
        low, high = frequency["interval"]
        assert low <= frequency["share"] <= high


def test_throw_table_stands_beside_the_published_one(capfd):
    text = output(capfd, *FEW)
    for published in ("34.97 %", "30.17 %", "22.37 %", "8.84 %", "3.04 %", "0.61 %"):
        assert published in text
    for word in (*POSITIONS, *STATUSES, "oinker", "piggyback", "pig_out", "throws per second"):
        assert word in text
    assert "23 of 6,000 throws" in text


def test_throw_of_one_pig_has_no_score(capfd):
    found = json.loads(output(capfd, *FEW, "--pigs", "1", "--device", "drop", "--json"))
    assert found["score"] is None
    assert sum(found["positions"].values()) == 6


def test_height_and_start_reach_the_configuration(capfd):
    words = ["--height", "127mm", "--start", "backward", "--json"]
    conditions = json.loads(output(capfd, *FEW, *words))["configuration"]["conditions"]
    assert conditions == [{"height": pytest.approx(0.127), "start": "backward"}]


def test_records_are_refused_twice_and_resumed(capfd, tmp_path):
    out = str(tmp_path / "out")
    first = json.loads(output(capfd, *FEW, "--out", out, "--json"))
    assert "--resume" in refusal(capfd, *FEW, "--out", out)
    assert "seed 0 there, 1 here" in refusal(capfd, *FEW, "--out", out, "--seed", "1")
    again = json.loads(output(capfd, *FEW, "--out", out, "--resume", "--json"))
    assert again["throws_per_second"] is None
    assert again["positions"] == first["positions"]
    assert "all throws were there already" in output(capfd, *FEW, "--out", out, "--resume")


def test_stable_poses_are_listed_once_each(capfd):
    found = json.loads(output(capfd, "poses", "--json"))
    assert found["pig"] == "standard"
    poses = found["poses"]
    assert sum(pose["probability"] for pose in poses) == pytest.approx(1)
    assert {pose["position"] for pose in poses} >= set(POSITIONS) - {"other"}
    keys = [(pose["position"], tuple(pose["carrying"])) for pose in poses]
    assert len(set(keys)) == len(keys)
    assert all(0 < pose["height"] < 0.02 for pose in poses)
    text = output(capfd, "poses", "--pig", "uniform")
    assert "front_foot_left front_foot_right hind_foot_left hind_foot_right" in text


def test_score_says_points_effect_and_why(capfd):
    text = output(capfd, "score", "snouter", "trotter")
    assert text == "mixed_combo: 15 points\ntwo different positions: trotter 5 + snouter 10\n"
    assert output(capfd, "score", "side_dot", "side_dot").startswith("sider: 1 point\n")
    text = output(capfd, "score", "side_dot", "side_no_dot")
    assert text.startswith("pig_out: 0 points, turn lost\n")
    found = json.loads(output(capfd, "score", "trotter", "trotter", "--oinker", "--json"))
    assert (found["name"], found["points"]) == ("oinker", 0)
    assert found["effect"] == "game_points_lost"
    found = json.loads(output(capfd, "score", "trotter", "trotter", "--piggyback", "--json"))
    assert found["effect"] == "out_of_game"


@pytest.mark.parametrize("command", [[], ["throw"], ["poses"], ["score"]])
def test_help_has_an_example_that_is_accepted_up_to_its_options(capfd, command):
    text = output(capfd, *command, "--help")
    assert f"Example: pigs {' '.join(command)}".strip() in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing command"),
        (["roll"], "No such command 'roll'"),
        (["throw", "--speed", "3"], "--speed"),
        (["throw", "5"], "unexpected extra argument"),
        (["throw", "-n", "0"], "--throws: expected a whole number of 1 or more, got '0'"),
        (["throw", "-n", "-3"], "--throws: expected a whole number of 1 or more, got '-3'"),
        (["throw", "-n", "1000000001"], "--throws: expected a whole number of 1000000000 or less"),
        (["throw", "-n", "many"], "--throws: expected a whole number of 1 or more, got 'many'"),
        (["throw", "-n", ""], "--throws: expected a whole number of 1 or more, got ''"),
        (["throw", "-n"], "requires an argument"),
        (["throw", "--seed", "-1"], "--seed"),
        (["throw", "--seed", "9223372036854775808"], "--seed"),
        (["throw", "--seed", "1_0"], "--seed: expected a whole number of 0 or more, got '1_0'"),
        (["throw", "--seed", "9" * 5000], "--seed: expected a whole number of 9223372036854775807"),
        (["throw", "--workers", "0"], "--workers"),
        (["throw", "--workers", "257"], "--workers"),
        (["throw", "--workers", "two"], "--workers: expected a whole number of 1 or more"),
        (["throw", "--pigs", "0"], "--pigs: expected a whole number of 1 or more, got '0'"),
        (["throw", "--pigs", "9"], "--pigs: expected a whole number of 8 or less, got '9'"),
        (["throw", "--device", "cannon"], "'cannon': expected kern2006, drop"),
        (["throw", "--engine", "steam"], "'steam': expected bullet"),
        (["throw", "--start", "up"], "'up': expected forward, backward, mixed"),
        (["throw", "--device", "drop", "--start", "forward"], "leave --start out"),
        (["throw", "--height", "8"], "--height '8': no unit; write it as 8in"),
        (["throw", "--height", "0in"], "--height '0in': expected a length above zero"),
        (["throw", "--height", "-5in"], "--height '-5in': expected a length above zero"),
        (["throw", "--height", "tall"], "--height 'tall': expected a length, such as 8in"),
        (["throw", "--height", "1e9m"], "height must be"),
        (["throw", "--pig", "cow"], "unknown pig 'cow'"),
        (["throw", "--pig", "absent.stl"], "absent.stl"),
        (["throw", "--pig", ""], "--pig: expected standard, uniform, big, or a mesh file, got ''"),
        (["poses", "--pig", ""], "--pig: expected standard, uniform, big, or a mesh file, got ''"),
        (["throw", "--out", ""], "--out: expected a name, got ''"),
        (["throw", "--height", "8\nin"], "expected a length, such as 8in"),
        (["throw", "--resume"], "--resume: needs the directory"),
        (["throw", "-n", "1", "--out", "absent/out"], "there is no directory absent"),
        (["poses", "--pig", "cow"], "unknown pig 'cow'"),
        (["score"], "Missing argument"),
        (["score", "trotter"], "Missing argument"),
        (["score", "trotter", "cow"], "position 'cow': expected one of side_no_dot"),
        (["score", "trotter", "two\nlines"], "position 'two lines'"),
        (["score", "trotter", "\x1b[31mred\x07"], r"position '\x1b[31mred\x07'"),
        (["score", "trotter", "trotter", "--oinker", "--piggyback"], "one of them at most"),
    ],
)
def test_wrong_use_is_one_line(capfd, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refusal(capfd, *arguments)
    assert not list(tmp_path.iterdir())


def test_long_message_is_shortened_and_keeps_its_end(capfd):
    line = refusal(capfd, "score", "trotter", "x" * 5000)
    assert len(line) < 650
    assert line.startswith("pigs: position 'xxx")
    assert " ... xxx" in line
    assert line.endswith("leaning_jowler, other\n")


@pytest.mark.parametrize("columns", ["40", "80"])
def test_example_stays_on_one_line(capfd, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    text = output(capfd, "throw", "--help")
    example = next(line for line in text.splitlines() if "Example: " in line)
    assert example.endswith("--device kern2006 --height 8in --start forward --out throws")


@pytest.mark.parametrize(("text", "number"), [("5", 5), ("+5", 5), ("007", 7), ("10", 10)])
def test_whole_number_is_read(text, number):
    assert parse_whole_number(text, 5, 10) == number


@pytest.mark.parametrize("text", ["", "-", "4", "-5", "1e1", "5.0", "0x5", "5 ", "5\n", "\u0665"])
def test_no_whole_number_is_refused(text):
    with pytest.raises(ValueError, match="expected a whole number of 5 or more, got"):
        parse_whole_number(text, 5, 10)


@pytest.mark.parametrize("content", [b"", b"garbage", b"solid pig\nendsolid pig\n", b"\0" * 200])
def test_mesh_that_is_none_is_one_line(capfd, tmp_path, content):
    path = tmp_path / "pig.stl"
    path.write_bytes(content)
    for command in ("throw", "poses"):
        assert "pig.stl" in refusal(capfd, command, "--pig", str(path))


def test_a_bug_is_not_dressed_as_wrong_use(monkeypatch):
    def broken(*words: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("sim.game.score.score", broken)
    with pytest.raises(ZeroDivisionError):
        cli.run(["score", "trotter", "trotter"])


@pytest.mark.parametrize(
    ("text", "meters"),
    [
        ("8in", 0.2032),
        ("5 in", 0.127),
        ("127mm", 0.127),
        ("12.7cm", 0.127),
        (" 0.127 m ", 0.127),
        ("1e2mm", 0.1),
        (".5m", 0.5),
        ("8IN", 0.2032),
        ("127 Mm", 0.127),
    ],
)
def test_length_is_read(text, meters):
    assert parse_length(text) == pytest.approx(meters)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "in",
        "8",
        "8ft",
        "8\nin",
        "8in\n",
        "eight in",
        "nan m",
        "inf m",
        "1e999m",
        "0m",
        "-1m",
        "1.2.3m",
    ],
)
def test_no_length_is_refused_in_one_line(text):
    with pytest.raises(ValueError, match=r"expected a length|no unit|unknown unit") as error:
        parse_length(text)
    assert "\n" not in str(error.value)


def start(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [*PIGS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(condition, seconds: float = 60.0):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.1)
    return found


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_process_prints_json_alone_and_exits_zero():
    process = start(*FEW, "--json")
    out, _ = process.communicate()
    assert process.returncode == 0
    assert json.loads(out)["throws"] == 6
    assert out.count("\n") == 1


def test_workers_change_nothing(capfd):
    words = ["throw", "-n", "60", "--device", "drop", "--json", "--workers"]
    one, two = (json.loads(output(capfd, *words, workers)) for workers in "12")
    for found in (one, two):
        del found["throws_per_second"]
    assert one == two


def test_wrong_use_exits_two_with_one_line_of_the_process():
    process = start("throw", "-n", "0")
    out, err = process.communicate()
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)


def test_score_starts_without_what_throws_need():
    code = "import sys; from sim import cli; cli.run(['score', 'trotter', 'other']); "
    code += "sys.exit(bool({'numpy', 'scipy', 'pyarrow', 'pybullet'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("arguments", [["score", "trotter", "trotter"], ["throw", "--help"]])
def test_closed_pipe_ends_quietly(arguments):
    process = start(*arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0
    process.stderr.close()


def shell(redirections: str, *arguments: str) -> subprocess.CompletedProcess:
    line = f"{shlex.join([*PIGS, *arguments])} {redirections}"
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True)


@pytest.mark.parametrize("arguments", [["score", "trotter", "trotter"], ["throw", "--help"]])
def test_closed_output_is_one_line(arguments):
    done = shell(">&-", *arguments)
    assert done.returncode == 2
    assert done.stderr == "pigs: cannot write the output: standard output is closed\n"


@pytest.mark.parametrize("redirections", ["2>&-", "2>&- <&-", "2>/dev/full"])
def test_errors_that_cannot_be_written_change_nothing_else(redirections):
    refused = shell(redirections, "score", "trotter", "cow")
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", "")
    done = shell(redirections, "throw", "-n", "50", "--workers", "2", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["throws"] == 50


SLOW = """
import time
from sim.progress import LateProgress
from sim.standard_streams import prepare_streams
prepare_streams()
with LateProgress() as progress:
    for done in range(16):
        progress(done, 15)
        time.sleep(0.1)
print("done")
"""


@pytest.mark.parametrize("closed", ["full", "pipe"])
def test_progress_that_cannot_be_shown_ends_no_work(closed):
    if closed == "full":
        errors = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, errors = os.pipe()
        os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", SLOW],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "FORCE_COLOR": "1"},
    )
    os.close(errors)
    assert (done.returncode, done.stdout) == (0, "done\n")


def test_name_that_the_output_cannot_encode_is_escaped(tmp_path):
    path = tmp_path / "f\u00e4rkel.stl"
    path.write_bytes((MESHES / "pig_standard.stl").read_bytes())
    done = subprocess.run(
        [*PIGS, *FEW, "--pig", str(path)],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert r"f\xe4rkel.stl" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_full_output_is_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PIGS, "score", "trotter", "trotter"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "pigs: cannot write the output: No space left on device\n"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads children from /proc")
@pytest.mark.parametrize("moment", ["while workers start", "while they throw"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_run_says_one_line_and_ends_the_workers(tmp_path, moment, number, status):
    out = tmp_path / "out"
    process = subprocess.Popen(
        [*PIGS, "throw", "-n", "100000", "--workers", "2", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    workers = wait_for(lambda: len(children(process.pid)) >= 3 and children(process.pid))
    if moment == "while they throw":
        time.sleep(8)
    if number == signal.SIGINT:  # from a terminal, to all
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == status
    assert stdout == ""
    last = stderr.splitlines()[-1]
    assert last == f"pigs: interrupted; finished blocks are kept in {out}: continue with --resume"
    for word in ("Traceback", "resource_tracker"):
        assert word not in stderr
    wait_for(lambda: not any(is_alive(worker) for worker in workers), seconds=5)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads children from /proc")
def test_workers_end_with_a_killed_parent():
    process = start("throw", "-n", "100000", "--workers", "2")
    workers = wait_for(lambda: len(children(process.pid)) >= 3 and children(process.pid))
    time.sleep(4)
    process.kill()
    process.communicate()
    assert wait_for(lambda: not any(is_alive(worker) for worker in workers))
