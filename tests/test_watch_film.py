"""Films of throws, and the program of which throws are shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from math import pi
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim.batch import run_batch
from sim.block import encode_block
from sim.configuration import Configuration, configure
from sim.engine.flight import GRAVITY
from sim.records import IDENTITY_FILE, RecordedBatch, block_name, read_batch
from sim.throw import Landings, Thrower
from sim.watch.film import Film, Filmmaker
from sim.watch.player import SPEEDS, Player
from sim.watch.program import NewThrows, RecordedThrows, read_recorded, rebuild

THROWS = 8


@pytest.fixture(scope="module")
def configuration() -> Configuration:
    return configure(seed=5)


@pytest.fixture(scope="module")
def landings(configuration: Configuration) -> Landings:
    return Thrower(configuration).throw(range(THROWS))


@pytest.fixture(scope="module")
def films(configuration: Configuration) -> list[Film]:
    filmmaker = Filmmaker(configuration)
    return [filmmaker.film(index) for index in range(THROWS)]


@pytest.fixture(scope="module")
def directory(configuration: Configuration, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("batches") / "batch"
    run_batch(configuration, THROWS, workers=1, out=path)
    return path


@pytest.fixture
def batch(directory: Path) -> RecordedBatch:
    return read_batch(directory)


def test_film_ends_in_the_bits_of_the_batch(films: list[Film], landings: Landings) -> None:
    for index, film in enumerate(films):
        assert np.array_equal(film.translation[-1], landings.translation[index])
        assert np.array_equal(film.quat_xyzw[-1], landings.quat_xyzw[index])
        assert film.landing.position.tolist() == landings.position[index : index + 1].tolist()


@pytest.mark.parametrize("device", ["drop", "hand"])
@pytest.mark.parametrize("pigs", [1, 3])
def test_film_of_any_device_ends_in_the_bits_of_the_batch(device: str, pigs: int) -> None:
    configuration = configure(seed=1, device=device, pigs=pigs)
    film, landing = Filmmaker(configuration).film(3), Thrower(configuration).throw([3])
    assert np.array_equal(film.translation[-1:], landing.translation)
    assert np.array_equal(film.quat_xyzw[-1:], landing.quat_xyzw)


def test_film_begins_at_the_release_and_has_no_gap(films: list[Film]) -> None:
    for film in films:
        assert film.time[0] == 0.0
        assert (np.diff(film.time) > 0.0).all()
        assert np.diff(film.time).max() <= 1 / 240
        height = film.landing.height[0]
        assert film.translation[0, :, 2] == pytest.approx([height, height], abs=1e-12)
        assert film.leaf_angle[0] == 0.0
        assert film.leaf_angle[-1] == pytest.approx(pi / 2, abs=1e-3)


def test_no_frame_leaps(films: list[Film]) -> None:
    """No pig moves faster than a fall from the release, or turns by more than 60 degrees."""
    for film in films:
        fastest = np.sqrt(2 * GRAVITY * film.landing.height[0]) * 1.2
        speed = np.linalg.norm(np.diff(film.translation, axis=0), axis=2)
        assert (speed / np.diff(film.time)[:, None]).max() < fastest
        for pig in range(film.pigs):
            turns = Rotation.from_quat(film.quat_xyzw[:, pig])
            assert (turns[1:] * turns[:-1].inv()).magnitude().max() < pi / 3


def test_pig_that_nothing_touches_falls_freely() -> None:
    configuration = configure(seed=2, device="drop", height=0.3, pigs=1)
    film = Filmmaker(configuration).film(0)
    flying = film.time < 0.2  # from 300 mm the lowest point arrives at 247 ms
    center = configuration.pig.mass_properties.center_of_mass.copy()
    at = film.translation[:, 0] + Rotation.from_quat(film.quat_xyzw[:, 0]).apply(center)
    fallen = at[0, 2] - at[flying, 2]
    assert fallen == pytest.approx(GRAVITY / 2 * film.time[flying] ** 2, abs=1e-9)
    assert at[flying, :2] == pytest.approx(np.tile(at[0, :2], (flying.sum(), 1)), abs=1e-12)


def test_frame_at_is_the_last_that_is_not_after(films: list[Film]) -> None:
    film = films[0]
    for frame in (0, 7, len(film.time) - 1):
        assert film.frame_at(float(film.time[frame])) == frame
        assert film.frame_at(float(np.nextafter(film.time[frame], np.inf))) == frame
    assert film.frame_at(-1.0) == 0
    assert film.frame_at(1e9) == len(film.time) - 1


def test_recorded_configuration_is_rebuilt(configuration: Configuration) -> None:
    for one in (configuration, configure(pig="big", device="hand", pigs=1)):
        recorded = json.loads(json.dumps(one.as_dict()))
        assert json.loads(json.dumps(rebuild(recorded).as_dict())) == recorded


def test_recorded_throw_is_thrown_again(directory: Path, landings: Landings) -> None:
    program = read_recorded(directory)
    film = program.film(6)
    assert film.note == ""
    assert np.array_equal(film.translation[-1], landings.translation[6])
    with pytest.raises(ValueError, match="no such throw, its last is 7"):
        program.film(THROWS)


def test_replay_that_ends_elsewhere_says_so(batch: RecordedBatch) -> None:
    moved = batch.landings.translation + 1e-15
    landings = replace(batch.landings, translation=moved)
    film = RecordedThrows(replace(batch, landings=landings), "x").film(0)
    assert film.note == "this replay ends in another pose than the batch recorded"


def changed(batch: RecordedBatch, room: str, name: str, value: object) -> RecordedBatch:
    configuration = {**batch.configuration, room: {**batch.configuration[room], name: value}}
    return replace(batch, configuration=configuration)


def test_batch_of_another_pig_is_refused(batch: RecordedBatch) -> None:
    other = changed(batch, "pig", "digest", "0" * 64)
    with pytest.raises(ValueError, match=r"cannot throw this batch again: pig\.digest 0+ there"):
        RecordedThrows(other, "x")


def test_batch_of_other_sources_is_thrown_and_compared(batch: RecordedBatch) -> None:
    other = replace(batch, versions={**batch.versions, "sources": "0" * 16})
    assert RecordedThrows(other, "x").film(int(batch.landings.index[0])).note == ""


def test_batch_of_another_version_is_refused(batch: RecordedBatch) -> None:
    other = replace(batch, versions={**batch.versions, "pybullet": "3.0.0"})
    with pytest.raises(ValueError, match=r"cannot throw this batch again: pybullet 3\.0\.0 there"):
        RecordedThrows(other, "x")


def test_configuration_that_is_not_known_is_refused(batch: RecordedBatch, tmp_path: Path) -> None:
    winged = changed(batch, "device", "wings", 2)
    identity = {name: getattr(winged, name) for name in ("configuration", "throws", "versions")}
    (tmp_path / IDENTITY_FILE).write_text(json.dumps(identity))
    (tmp_path / block_name(0)).write_bytes(encode_block(batch.landings, identity))
    with pytest.raises(ValueError, match="recorded by another version"):
        read_recorded(tmp_path)


def test_throw_of_another_engine_is_shown_as_it_ended(batch: RecordedBatch) -> None:
    program = RecordedThrows(changed(batch, "engine", "name", "fast"), "x")
    film = program.film(3)
    assert film.note == "thrown by the fast engine, which keeps no path: shown as it ended"
    assert np.array_equal(film.translation, batch.landings.translation[3:4])
    assert film.duration == 0.0
    assert film.leaf_angle.tolist() == [pi / 2]


@pytest.mark.parametrize("pose", ["lost", "far", "turned by nothing"])
def test_failed_throw_without_a_pose_is_passed_over(batch: RecordedBatch, pose: str) -> None:
    landings = batch.landings
    place, quat = landings.translation.copy(), landings.quat_xyzw.copy()
    if pose == "turned by nothing":
        quat[3, 0] = 0.0
    else:
        place[3, 1, 0] = np.nan if pose == "lost" else 1e300
    odd = replace(landings, translation=place, quat_xyzw=quat)
    other = changed(replace(batch, landings=odd), "engine", "name", "fast")
    program = RecordedThrows(other, "x")
    assert program.after(2) == 4
    assert program.tally().throws == THROWS
    with pytest.raises(ValueError, match="throw 3: failed, and left no pose that can be shown"):
        program.film(3)
    odd = replace(landings, translation=np.full_like(place, np.nan))
    with pytest.raises(ValueError, match="x: its throws failed, and left no pose"):
        RecordedThrows(replace(other, landings=odd), "x")


def test_number_beyond_any_is_refused(batch: RecordedBatch, tmp_path: Path) -> None:
    endless = changed(batch, "contact", "bounce_speed", 10**400)
    identity = {name: getattr(endless, name) for name in ("configuration", "throws", "versions")}
    (tmp_path / IDENTITY_FILE).write_text(json.dumps(identity))
    (tmp_path / block_name(0)).write_bytes(encode_block(batch.landings, identity))
    with pytest.raises(ValueError, match="recorded by another version"):
        read_recorded(tmp_path)


def test_select_finds_what_ended_so(batch: RecordedBatch) -> None:
    program = RecordedThrows(batch, "x")
    positions = batch.landings.position.tolist()
    for position in {word for pair in positions for word in pair}:
        expected = [index for index, pair in enumerate(positions) if position in pair]
        assert program.select(position, touching=False) == expected
        program.pick(position, touching=False)
        assert program.indices == expected
        assert program.first == expected[0]
    touching = [i for i, pair in enumerate(batch.landings.touch.tolist()) if set(pair) != {"none"}]
    assert program.select(None, touching=True) == touching
    with pytest.raises(ValueError, match="x: no throw ended other and touching"):
        program.pick("other", touching=True)


def test_recorded_throws_go_round(batch: RecordedBatch) -> None:
    program = RecordedThrows(batch, "x")
    program.indices = [2, 5, 9]
    assert [program.after(index) for index in (0, 2, 4, 5, 9)] == [2, 5, 5, 9, 2]
    assert [program.before(index) for index in (11, 9, 7, 5, 2)] == [9, 5, 5, 2, 9]


def test_tally_counts_each_new_throw_once(configuration: Configuration) -> None:
    program = NewThrows(configuration)
    for index in (0, 1, 1, 0):
        program.film(index)
    assert program.tally().throws == 2
    assert program.first == 2
    assert (program.before(0), program.before(3), program.after(3)) == (0, 2, 4)


def test_tally_of_a_batch_is_the_batch(batch: RecordedBatch) -> None:
    program = RecordedThrows(batch, "x")
    program.film(0)
    assert program.tally().throws == THROWS


class FilmStock:
    """A program whose films are already made."""

    title = "stock"

    def __init__(self, films: list[Film]) -> None:
        self.film: Callable[[int], Film] = films.__getitem__

    def after(self, index: int) -> int:
        return index + 1

    def before(self, index: int) -> int:
        return index - 1


@pytest.fixture
def player(films: list[Film]) -> Player:
    return Player(FilmStock(films), 3, "1")


def test_time_passes_at_the_chosen_speed(player: Player) -> None:
    player.pass_time(0.2)
    assert player.time == pytest.approx(0.2)
    for word, share in [*list(SPEEDS.items())[1:], ("1", 1.0)]:
        player.slow_down()
        assert player.speed == word
        before = player.time
        player.pass_time(0.1)
        assert player.time - before == pytest.approx(0.1 * share)


def test_throw_ends_at_its_last_frame(player: Player) -> None:
    player.pass_time(100.0)
    assert player.is_over
    assert not player.is_playing
    assert player.frame == len(player.film.time) - 1
    assert player.state == "at rest"
    player.pause()
    assert (player.time, player.is_playing) == (0.0, True)


def test_pause_holds_time(player: Player) -> None:
    player.pass_time(0.1)
    player.pause()
    player.pass_time(1.0)
    assert player.time == pytest.approx(0.1)
    assert player.state == "real speed, paused at 0.100 s"
    player.pause()
    assert player.state == "real speed"


def test_step_goes_from_frame_to_frame(player: Player) -> None:
    player.pass_time(0.1)
    frame = player.frame
    for step, expected in ((1, frame + 1), (1, frame + 2), (-1, frame + 1), (-(10**6), 0)):
        player.step(step)
        assert player.frame == expected
        assert not player.is_playing
    player.step(10**6)
    assert player.is_over


def test_other_throws_begin_at_their_release(player: Player) -> None:
    player.seek(0.5)
    player.after()
    assert (player.index, player.time, player.is_playing) == (4, 0.0, True)
    player.seek(0.5)
    player.before()
    assert (player.index, player.time, player.title) == (3, 0.0, "throw 3 of stock")
