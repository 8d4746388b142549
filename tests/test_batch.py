import errno
import json
import multiprocessing
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from fake_thrower import (
    BrokenThrower,
    DeadlyThrower,
    FakeConfiguration,
    FakeThrower,
    InterruptedThrower,
    RefusingThrower,
    fake_landings,
    given_up,
)

from sim.batch import run_batch
from sim.batch_directory import open_directory
from sim.block import RecordsError
from sim.crew import DEATHS, BatchError
from sim.processes import _interrupts_held
from sim.records import read_batch
from sim.summary import summarize

THROWS = 575
FAKE = FakeConfiguration()
ENDINGS = (signal.SIGINT, signal.SIGTERM)
FILES = ["batch.json", *(f"throws-{block:06d}.parquet" for block in range(3))]


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def run(out: Path | None, configuration=FAKE, throws=THROWS, **options):
    return run_batch(configuration, throws, out=out, **{"build_thrower": FakeThrower, **options})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    run(out)
    return out


def test_batch_is_the_plain_loop(undisturbed):
    assert list(contents(undisturbed)) == FILES
    loop = fake_landings(range(THROWS))
    np.testing.assert_array_equal(read_batch(undisturbed).landings.quat_xyzw, loop.quat_xyzw)
    assert run(None).summary == summarize(loop)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_write_the_same_bytes(tmp_path, undisturbed, workers):
    batch = run(tmp_path / "out", workers=workers)
    assert contents(tmp_path / "out") == contents(undisturbed)
    assert batch.summary == summarize(fake_landings(range(THROWS)))
    assert not multiprocessing.active_children()


def test_without_out_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(None, throws=30).summary.throws == 30
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_counts_up_to_the_total(workers):
    seen = []
    run(None, workers=workers, progress=lambda done, total: seen.append((done, total)))
    done = [count for count, _ in seen]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, THROWS)
    assert {total for _, total in seen} == {THROWS}


def test_interrupted_run_resumes_at_unfinished_blocks(tmp_path, undisturbed):
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run(out, throws=THROWS + 250, build_thrower=InterruptedThrower)
    assert list(contents(out)) == FILES[:3]
    seen = []
    batch = run(out, throws=THROWS + 250, resume=True, progress=lambda done, _: seen.append(done))
    assert seen[0] == 500
    assert batch.summary == summarize(fake_landings(range(THROWS + 250)))
    whole = {name: contents(undisturbed)[name] for name in FILES[1:3]}
    assert whole.items() <= contents(out).items()


def test_missing_block_is_thrown_again_and_no_other(tmp_path, undisturbed):
    out = tmp_path / "out"
    run(out)
    (out / FILES[2]).unlink()
    batch = run(out, resume=True, workers=2)
    assert contents(out) == contents(undisturbed)
    assert batch.summary == summarize(fake_landings(range(THROWS)))


def test_finished_run_resumes_to_its_counts(tmp_path, undisturbed):
    batch = run(undisturbed, resume=True)
    assert batch.throws_per_second is None
    assert batch.summary == summarize(fake_landings(range(THROWS)))


def test_resume_of_nothing_begins(tmp_path, undisturbed):
    run(tmp_path / "out", resume=True)
    assert contents(tmp_path / "out") == contents(undisturbed)


@pytest.mark.parametrize("deaths", range(1, DEATHS))
def test_killed_worker_is_replaced_and_nothing_changes(tmp_path, deaths):
    obituary, out, notices = tmp_path / "obituary", tmp_path / "out", []
    configuration = FakeConfiguration(obituary=str(obituary), deadly=525, deaths=deaths)
    run(out, configuration, workers=2, notice=notices.append)
    assert obituary.stat().st_size == deaths
    there, loop = read_batch(out).landings, fake_landings(range(THROWS))
    np.testing.assert_array_equal(there.quat_xyzw, loop.quat_xyzw)
    np.testing.assert_array_equal(there.status, loop.status)
    assert not notices
    assert not multiprocessing.active_children()


def test_throw_that_kills_each_worker_is_diverged_and_the_batch_goes_on(tmp_path):
    configuration = FakeConfiguration(obituary=str(tmp_path / "obituary"), deadly=300, deaths=9)
    notices = []
    batch = run(tmp_path / "out", configuration, workers=2, notice=notices.append)
    loop = fake_landings(range(THROWS))
    assert batch.summary == summarize(given_up(loop, loop.index == 300))
    assert (tmp_path / "obituary").stat().st_size == DEATHS
    assert notices == ["throw 300: killed its worker 3 times, recorded as diverged"]
    landings = read_batch(tmp_path / "out").landings
    np.testing.assert_array_equal(landings.quat_xyzw, loop.quat_xyzw)
    assert landings.status[300] == "diverged"


@pytest.mark.long
def test_machine_that_kills_every_worker_ends_the_batch(tmp_path):
    with pytest.raises(BatchError, match=r"workers die whatever they throw.*--resume"):
        run(tmp_path / "out", workers=2, build_thrower=DeadlyThrower)


@pytest.mark.parametrize("workers", [1, 2])
def test_bug_in_a_worker_is_shown_as_it_is(workers):
    with pytest.raises(ZeroDivisionError):
        run(None, workers=workers, build_thrower=BrokenThrower)


@pytest.mark.parametrize("workers", [1, 2])
def test_thrower_that_cannot_be_built_is_one_line(workers):
    with pytest.raises(BatchError, match=r"^pig.stl: not readable$"):
        run(None, workers=workers, build_thrower=RefusingThrower)


def take_as_another_thread_does(number: int) -> None:
    handler = signal.getsignal(number)
    assert callable(handler)
    handler(number, None)


@pytest.mark.parametrize("arrive", [signal.raise_signal, take_as_another_thread_does])
@pytest.mark.parametrize("number", ENDINGS)
def test_signal_while_processes_start_comes_afterwards(number, arrive):
    before = [signal.signal(ending, signal.default_int_handler) for ending in ENDINGS]
    reached = []

    def start() -> None:
        with _interrupts_held():
            arrive(number)
            reached.append(number)

    try:
        with pytest.raises(KeyboardInterrupt):
            start()
        assert [signal.getsignal(e) for e in ENDINGS] == [signal.default_int_handler] * 2
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & set(ENDINGS)
    finally:
        for ending, handler in zip(ENDINGS, before, strict=True):
            signal.signal(ending, handler)
    assert reached == [number]


def test_full_disk_is_one_line_and_finished_blocks_are_kept(tmp_path, undisturbed, monkeypatch):
    out, real, calls = tmp_path / "out", os.fsync, []

    def full_at_second_block(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 5:  # each file and its name
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", full_at_second_block)
    with pytest.raises(BatchError, match=r"throws-000001.*No space left.*--resume"):
        run(out)
    assert list(contents(out)) == FILES[:2]
    run(out, resume=True)
    assert contents(out) == contents(undisturbed)


def test_same_run_needs_resume(undisturbed):
    before = contents(undisturbed)
    with pytest.raises(BatchError, match="already holds this run; continue it with --resume"):
        run(undisturbed)
    assert contents(undisturbed) == before


@pytest.mark.parametrize(
    ("configuration", "throws", "difference"),
    [
        (FakeConfiguration(seed=1), THROWS, "configuration.seed 0 there, 1 here"),
        (
            FakeConfiguration(device=("a",)),
            THROWS,
            "configuration.device.parts.0 fake there, a here",
        ),
        (FAKE, 100, "throws 575 there, 100 here"),
        (
            FakeConfiguration(seed=1, pigs=3),
            THROWS,
            "configuration.seed 0 there, 1 here, configuration.pigs 2 there, 3 here",
        ),
    ],
)
@pytest.mark.parametrize("resume", [True, False])
def test_other_run_is_refused_with_the_difference(
    undisturbed, configuration, throws, difference, resume
):
    before = contents(undisturbed)
    with pytest.raises(BatchError) as refusal:
        run(undisturbed, configuration, throws, resume=resume)
    assert f"holds another run ({difference}); give a new directory" in str(refusal.value)
    assert contents(undisturbed) == before


def test_other_versions_are_another_run(tmp_path, monkeypatch):
    run(tmp_path / "out", throws=5)
    monkeypatch.setattr("sim.batch.versions", lambda: {"numpy": "0.1"})
    with pytest.raises(BatchError, match=r"versions.numpy .* there, 0.1 here"):
        run(tmp_path / "out", throws=5, resume=True)


def test_file_is_refused(tmp_path):
    path = tmp_path / "out"
    path.write_text("mine")
    with pytest.raises(BatchError, match="expected a directory, but it is a file"):
        run(path, throws=5)
    assert path.read_text() == "mine"


def test_link_that_leads_nowhere_is_refused_in_its_own_words(tmp_path):
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    with pytest.raises(BatchError, match="expected a directory, but it is a link to nothing"):
        run(tmp_path / "dangling", throws=5)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(BatchError, match="but it is a link that leads nowhere: Too many levels"):
        run(tmp_path / "loop", throws=5)


def test_link_to_a_directory_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    run(tmp_path / "link", throws=5)
    assert list(contents(tmp_path / "real")) == FILES[:2]


def test_absent_parent_is_refused_not_made(tmp_path):
    with pytest.raises(BatchError, match=r"there is no directory .*absent; make it first"):
        run(tmp_path / "absent" / "out", throws=5)
    assert not (tmp_path / "absent").exists()


def test_foreign_directory_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BatchError, match=r"not empty \(holds thesis.tex\) and no batch"):
        run(tmp_path, throws=5)
    assert list(contents(tmp_path)) == ["thesis.tex"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_directory_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(BatchError, match="cannot write in this directory"):
        run(tmp_path, throws=5)
    with pytest.raises(BatchError, match="cannot create it: Permission denied"):
        run(tmp_path / "out", throws=5)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a place where root cannot write")
def test_place_that_takes_no_directory_is_refused():
    with pytest.raises(BatchError, match="/proc/pigs: cannot create it"):
        run(Path("/proc/pigs"), throws=5)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "batch.json: expected JSON"),
        ("[" * 100_000, "batch.json: expected JSON"),
        ('{"configuration": 5, "throws": null, "versions": []}', "expected configuration, throws"),
    ],
)
def test_damaged_identity_is_refused(tmp_path, content, message):
    (tmp_path / "batch.json").write_text(content)
    with pytest.raises(BatchError, match=f"{message}.*give a new directory"):
        run(tmp_path, throws=5, resume=True)


@pytest.mark.parametrize("depth", range(50, 1000, 50))
def test_deeply_nested_identity_is_refused(tmp_path, depth):
    nested = '{"a":' * depth + "1" + "}" * depth
    text = f'{{"configuration": {nested}, "throws": 5, "versions": {{}}}}'
    (tmp_path / "batch.json").write_text(text)
    with pytest.raises(BatchError, match=r"holds another run|expected JSON"):
        run(tmp_path, throws=5, resume=True)


@pytest.mark.parametrize("name", ["batch.json", "throws-000001.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "device", "directory"])
def test_what_is_no_file_is_refused_at_once(tmp_path, name, kind):
    out = tmp_path / "out"
    run(out)
    (out / name).unlink()
    if kind == "pipe":
        os.mkfifo(out / name)
    elif kind == "device":
        (out / name).symlink_to("/dev/zero")
    else:
        (out / name).mkdir()
    with pytest.raises(BatchError, match=rf"{name}: (expected a regular file|Is a directory)"):
        run(out, resume=True)
    with pytest.raises(RecordsError, match=name):
        read_batch(out)


def test_block_that_is_a_link_to_nothing_is_not_replaced(tmp_path):
    out = tmp_path / "out"
    run(out)
    (out / FILES[2]).unlink()
    (out / FILES[2]).symlink_to(tmp_path / "absent")
    with pytest.raises(BatchError, match=r"throws-000001.parquet: No such file"):
        run(out, resume=True)
    assert (out / FILES[2]).is_symlink()
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize("name", ["batch.json.partial", "throws-000001.parquet.partial"])
@pytest.mark.parametrize("kind", ["pipe", "link", "directory"])
def test_what_a_run_does_not_leave_is_neither_followed_nor_removed(tmp_path, name, kind):
    out, mine = tmp_path / "out", tmp_path / "mine"
    mine.write_text("mine")
    if name.startswith("throws"):
        run(out)
        (out / FILES[2]).unlink()
    else:
        out.mkdir()
    if kind == "pipe":
        os.mkfifo(out / name)
    elif kind == "link":
        (out / name).symlink_to(mine)
    else:
        (out / name).mkdir()
    with pytest.raises(
        BatchError, match=r"partial: is in the way; move it|not empty \(holds batch"
    ):
        run(out, resume=True)
    assert mine.read_text() == "mine"
    assert os.path.lexists(out / name)


@pytest.mark.parametrize(
    "name", ["thesis.partial", "batch.json.partial", "throws-000000.parquet.partial"]
)
def test_users_file_is_kept_whatever_its_name(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(BatchError, match=rf"not empty \(holds {name}\) and no batch"):
        run(tmp_path, throws=5)
    assert contents(tmp_path) == {name: b"mine"}


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda whole, first, other: b"PAR1", "not readable as Parquet"),
        (lambda whole, first, other: b"", "not readable as Parquet"),
        (lambda whole, first, other: whole[:-9], "not readable as Parquet"),
        (lambda whole, first, other: whole[:2000] + b"oink" + whole[2004:], "not readable"),
        (lambda whole, first, other: first, "expected throws 250 to 499"),
        (lambda whole, first, other: other, "holds throws of another run"),
    ],
)
def test_damaged_block_is_named_kept_and_thrown_again(tmp_path, undisturbed, damage, reason):
    out, notices = tmp_path / "out", []
    run(out)
    run(tmp_path / "other", FakeConfiguration(seed=1))
    blocks = (out / FILES[2], out / FILES[1], tmp_path / "other" / FILES[2])
    damaged = damage(*(path.read_bytes() for path in blocks))
    (out / FILES[2]).write_bytes(damaged)
    batch = run(out, resume=True, notice=notices.append)
    assert batch.summary == summarize(fake_landings(range(THROWS)))
    assert contents(out) == contents(undisturbed) | {f"{FILES[2]}.damaged": damaged}
    (line,) = notices
    assert line.startswith(f"{out / FILES[2]}: {reason}")
    assert line.endswith(f"kept as {FILES[2]}.damaged, its throws are thrown again")


def test_damaged_block_never_takes_the_place_of_a_file(tmp_path):
    out = tmp_path / "out"
    run(out)
    (out / FILES[2]).write_bytes(b"PAR1")
    (out / f"{FILES[2]}.damaged").write_text("mine")
    before = contents(out)
    with pytest.raises(BatchError, match=r"throws-000001.parquet: not readable .* in the way"):
        run(out, resume=True)
    assert contents(out) == before


def test_what_a_kill_left_half_written_does_no_harm(tmp_path, undisturbed):
    out = tmp_path / "out"
    out.mkdir()
    (out / "batch.json.partial").write_text("{")
    run(out, throws=THROWS)
    assert json.loads((out / "batch.json").read_text())["throws"] == THROWS
    (out / FILES[3]).unlink()
    (out / f"{FILES[3]}.partial").write_bytes(b"PAR1")
    run(out, resume=True)
    assert contents(out) == contents(undisturbed)


def test_second_run_in_a_directory_is_refused(tmp_path):
    with (
        open_directory(tmp_path / "out", {"throws": 1}, resume=False),
        pytest.raises(BatchError, match="another run is writing here; wait for it to end"),
    ):
        run(tmp_path / "out", throws=5)


@pytest.mark.parametrize(("throws", "workers"), [(0, 1), (-1, 1), (1, 0)])
def test_bounds(throws, workers):
    with pytest.raises(ValueError, match="expected 1 throw or more and 1 worker or more"):
        run(None, throws=throws, workers=workers)
