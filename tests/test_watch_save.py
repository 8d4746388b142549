"""Throws saved as a picture, a film or a page, and what the command refuses."""

from __future__ import annotations

import json
import re
import resource
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image, ImageSequence
from scipy.spatial.transform import Rotation

from sim.batch import run_batch
from sim.block import encode_block
from sim.cli import run
from sim.configuration import configure
from sim.engine.bullet_world import pybullet
from sim.records import IDENTITY_FILE, block_name, read_batch
from sim.throw import Landings, Thrower
from sim.watch.bullet_view import SCALE, BulletView
from sim.watch.film import Film, Filmmaker
from sim.watch.outcome import outcome_lines, points_line, tally_text
from sim.watch.pictures import FINER, HOLD, SIZE, Renderer, last_picture
from sim.watch.stage import PIG_COLORS, Stage
from sim.watch.view import CLEAR, NEAR, View, close_view, wide_view
from sim.watch.window import FIELD_OF_VIEW

CONFIGURATION = configure(seed=5, height=0.2032, start="forward")
ASPECT = SIZE[0] / SIZE[1]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage.of(CONFIGURATION)


@pytest.fixture(scope="module")
def film() -> Film:
    return Filmmaker(CONFIGURATION).film(3)


@pytest.fixture
def few_frames(monkeypatch: pytest.MonkeyPatch) -> int:
    """Films of so few frames a second that they are soon drawn."""
    monkeypatch.setattr("sim.watch.pictures.FRAME_RATE", 4)
    return 4


@pytest.fixture(scope="module")
def landing() -> Landings:
    return Thrower(CONFIGURATION).throw([3])


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    """The share of pixels that differ by less than a tenth of the range."""
    return float((np.abs(a.astype(int) - b.astype(int)).max(axis=-1) < 25).mean())


def save(path: Path, *more: str) -> int:
    return run(["watch", "--seed", "5", "--throw", "3", "--save", str(path), *more])


THROW = ("--height", "8in", "--start", "forward")


def test_picture_shows_the_throw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "throw.png"
    assert save(path, *THROW) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"{path}: throw 3 of seed 5"
    picture = np.array(Image.open(path).convert("RGB")).astype(int)
    assert picture.shape == (800, 1200, 3)
    for _, color in PIG_COLORS[:2]:
        likely = np.abs(picture - color).max(axis=2) < 40
        assert likely.sum() > 2000  # nine pigs of each color, none of them tiny


def last_frames(film: Film, stage: Stage) -> tuple[np.ndarray, np.ndarray]:
    """What the last frame of a film must show, and the same picture without the pigs' end."""
    begun = replace(
        film, translation=film.translation[:1].copy(), quat_xyzw=film.quat_xyzw[:1].copy()
    )
    with Renderer(stage) as renderer:
        right, wrong = (last_picture(renderer, one, stage) for one in (film, begun))
    return np.array(right), np.array(wrong)


def test_gif_plays_the_throw_and_ends_with_the_pigs_at_rest(
    film: Film, stage: Stage, few_frames: int, tmp_path: Path
) -> None:
    path = tmp_path / "throw.gif"
    assert save(path, *THROW) == 0
    gif = Image.open(path)
    frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(gif)]
    assert len(frames) == np.ceil(film.duration * few_frames) + 1
    durations = [frame.info["duration"] for frame in ImageSequence.Iterator(gif)]
    assert set(durations[:-1]) == {1000 / few_frames}
    assert durations[-1] == 1000 * HOLD
    right, wrong = last_frames(film, stage)
    assert likeness(np.array(frames[-1]), right) > 0.99
    assert likeness(np.array(frames[-1]), right) > likeness(np.array(frames[-1]), wrong)
    assert path.stat().st_size < 2e6


def test_mp4_plays_the_throw_slowly_and_ends_with_the_pigs_at_rest(
    film: Film, stage: Stage, few_frames: int, tmp_path: Path
) -> None:
    path = tmp_path / "throw.MP4"
    assert save(path, *THROW, "--speed", "1/2") == 0
    reader = imageio_ffmpeg.read_frames(path)
    told = next(reader)
    assert told["size"] == SIZE
    assert told["fps"] == few_frames
    frames = [np.frombuffer(content, np.uint8) for content in reader]
    expected = np.ceil(film.duration * few_frames / 0.5) + 1 + HOLD * few_frames
    assert len(frames) == pytest.approx(expected, abs=2)
    right, wrong = last_frames(film, stage)
    last = frames[-1].reshape(right.shape)
    assert likeness(last, right) > 0.97
    assert likeness(last, right) > likeness(last, wrong)


def test_table_drawn_once_lies_where_it_would_be_drawn_with_the_pigs(
    film: Film, stage: Stage
) -> None:
    view = wide_view(film, stage, ASPECT)
    client = pybullet.connect(pybullet.DIRECT)
    whole = BulletView(client, stage)
    whole.lay_table()
    with Renderer(stage) as renderer:
        for frame in (0, 60, -1):
            whole.show(film, frame)
            whole.cast(film, frame)
            colors, _ = whole.picture(view, *(round(side * FINER) for side in SIZE))
            expected = Image.fromarray(colors).resize(SIZE, Image.Resampling.LANCZOS)
            assert np.array_equal(renderer.draw(film, view, SIZE, frame), expected)
    pybullet.disconnect(client)


@pytest.mark.parametrize("suffix", [".png", ".gif", ".mp4", ".html"])
def test_disk_that_is_full_is_one_line_and_leaves_nothing(
    suffix: str, few_frames: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A limit on the size of a file stands for a full disk: the system writes no further."""
    path = tmp_path / f"throw{suffix}"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, before[1]))
    try:
        status = save(path, *THROW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert status == 2
    assert f"{path}: cannot write it: " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_full_disk_for_temporary_files_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        assert run(["throw", "-n", "1", "--workers", "1"]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert re.search(
        r"^pigs: the system refused: .*pigs-.*\.obj: File too large$", capsys.readouterr().err, re.M
    )


def test_page_holds_the_bits_of_the_end_and_needs_no_network(
    landing: Landings, tmp_path: Path
) -> None:
    path = tmp_path / "throw.html"
    assert save(path, *THROW) == 0
    page = path.read_text()
    assert len(page) < 5e6
    record = json.loads(re.search(r'id="film">(.*?)</script>', page, re.DOTALL).group(1))
    assert re.search(r": \d+ points?(, turn lost)?$", record["outcome"])
    for name, expected in (
        ("translation", landing.translation),
        ("quaternion", landing.quat_xyzw),
    ):
        bits = np.frombuffer(b64decode(record[name]))
        assert np.array_equal(bits[-expected.size :], expected.ravel())
    without_modules = re.sub(r"data:text/javascript;base64,[A-Za-z0-9+/=]*", "", page)
    assert not re.search(r"""(src|href|url|from|import)\W{0,4}(https?:)?//""", without_modules)


def test_bodies_of_the_window_lie_where_the_batch_ends(
    film: Film, stage: Stage, landing: Landings
) -> None:
    client = pybullet.connect(pybullet.DIRECT)
    view = BulletView(client, stage)
    view.show(film, -1)
    poses = [
        pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
        for body in range(pybullet.getNumBodies(physicsClientId=client))
    ]
    pybullet.disconnect(client)
    for pig in range(2):
        expected = (landing.translation[0, pig] * SCALE, landing.quat_xyzw[0, pig])
        lying = [pose for pose in poses if np.allclose(pose[0], expected[0], rtol=0, atol=1e-12)]
        assert len(lying) == 2  # the skin and the dot
        assert abs(np.dot(lying[0][1], expected[1])) == pytest.approx(1.0, abs=1e-15)


def seen(view: View, points: np.ndarray, aspect: float) -> np.ndarray:
    """Where points are in a picture, from -1 to 1 in both directions."""
    forward = view.forward
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    arms = points - view.eye
    depth = arms @ forward * np.tan(np.radians(15.0))
    return (
        np.stack((arms @ right / aspect, arms @ np.cross(right, forward)), axis=-1)
        / depth[..., None]
    )


@pytest.mark.parametrize("aspect", [0.5, 1.0, 1.6])
def test_cameras_see_all_of_what_they_are_for(film: Film, stage: Stage, aspect: float) -> None:
    wide, close = wide_view(film, stage, aspect), close_view(film, stage, aspect)
    hull = stage.pig.shape.hull.vertices
    for frame in range(0, len(film.time), 10):
        for pig in range(2):
            turn = Rotation.from_quat(film.quat_xyzw[frame, pig])
            points = hull @ turn.as_matrix().T + film.translation[frame, pig]
            assert np.abs(seen(wide, points, aspect)).max() < 1.0
    ends = film.translation[-1]
    assert np.abs(seen(close, ends, aspect)).max() < 1.0


@pytest.mark.parametrize("aspect", [0.5, 1.0, 1.6])
def test_cameras_stand_as_near_as_they_can(film: Film, stage: Stage, aspect: float) -> None:
    """The balls that must be seen reach from edge to edge, or no pig may come nearer."""
    view, ends = close_view(film, stage, aspect), film.translation[-1]
    angles = np.linspace(0.0, 2 * np.pi, 60)[:, None, None]
    right = np.cross(view.forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, view.forward)
    rims = ends + NEAR * stage.pig.reach * (np.cos(angles) * right + np.sin(angles) * up)
    places = seen(view, rims.reshape(-1, 3), aspect)
    low, high = places.min(axis=0), places.max(axis=0)
    fitted = np.argmax(high - low)
    nearest = ((ends - view.eye) @ view.forward).min() / (NEAR * stage.pig.reach)
    assert (high - low)[fitted] / 2 > 0.85 or nearest < 1.1 * CLEAR
    assert abs(low + high)[fitted] < 0.1
    assert np.abs(places).max() < 1.0


def test_no_pig_flies_into_the_camera_of_the_window() -> None:
    configuration = configure(seed=4)
    stage, film = Stage.of(configuration), Filmmaker(configuration).film(1)
    view = wide_view(film, stage, 1.6, FIELD_OF_VIEW)
    depth = (film.translation - view.eye) @ view.forward
    assert depth.min() > 3 * stage.pig.reach  # 1.3 if only all of the throw had to be seen


def test_leaf_hides_no_pig_at_its_end(stage: Stage) -> None:
    """A picture without the leaf has no more of the pigs than one with it."""
    filmmaker = Filmmaker(CONFIGURATION)
    clients = [pybullet.connect(pybullet.DIRECT) for _ in range(2)]
    views = [
        BulletView(client, one)
        for client, one in zip(clients, (stage, replace(stage, door=None)), strict=True)
    ]
    for film in map(filmmaker.film, range(12)):
        camera, seen = close_view(film, stage, ASPECT), []
        for view in views:
            view.show(film, -1)
            colors, _ = view.picture(camera, 160, 120)
            seen.append((np.ptp(colors.astype(int), axis=2) > 60).sum())
        assert seen[0] == seen[1]
    for client in clients:
        pybullet.disconnect(client)


def test_shadow_lies_on_the_table_away_from_the_light(film: Film, stage: Stage) -> None:
    shadow = stage.shadow(film, 0)
    assert (shadow.vertices[:, 2] == 0.0).all()
    assert (shadow.normals[:, 2] >= 0.0).all()
    aloft = film.translation[0, :, 2].mean()
    moved = shadow.vertices[:, :2].mean(axis=0) - film.translation[0, :, :2].mean(axis=0)
    assert moved[0] < 0.0 < moved[1]
    assert np.linalg.norm(moved) < aloft


def test_body_without_a_dot_is_drawn_too(tmp_path: Path) -> None:
    from meshes.export import write_stl

    mesh = tmp_path / "plain.stl"
    write_stl(CONFIGURATION.pig.shape, mesh)
    path = tmp_path / "throw.html"
    assert run(["watch", "--pig", str(mesh), "--device", "drop", "--save", str(path)]) == 0
    record = json.loads(re.search(r'id="film">(.*?)</script>', path.read_text()).group(1))
    assert [len(pig["patches"]) for pig in record["pigs"]] == [1, 1]
    assert record["leaf"] == []


def test_outcome_is_said_in_words(film: Film) -> None:
    lines = outcome_lines(film)
    assert [line.split(":")[0] for line in lines[:2]] == ["pink pig", "gold pig"]
    assert len(lines) == 3


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("batches") / "batch"
    run_batch(configure(seed=5), 4, workers=1, out=path)
    return path


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--save", ""], "--save: expected a name, got ''"),
        (["--save", " "], "--save: expected a name, got ' '"),
        ([""], "DIR: expected a name, got ''"),
        (["--save", "throw.txt"], "expected a name that ends in .png, .gif, .mp4, .html"),
        (["--save", "nowhere/throw.png"], "there is no directory nowhere; make it first"),
        (["--save", "a.png", "--browser"], "--save and --browser: give one of them"),
        (["--port", "80"], "--port: needs --browser"),
        (["--browser", "--port", "70000"], "--port: "),
        (["--speed", "2"], "--speed: expected 1, 1/2, 1/4, 1/10, got '2'"),
        (["--throw", "-1"], "--throw: "),
        (["--position", "snouter"], "need the directory of a recorded batch"),
        (["--touching"], "need the directory of a recorded batch"),
        (["--device", "cannon", "--save", "a.png"], "unknown device 'cannon'"),
        (["--height", "8", "--save", "a.png"], "no unit"),
        (["--pig", "", "--save", "a.png"], "--pig: expected"),
        (["nowhere", "--save", "a.png"], "nowhere: holds no batch"),
        (["{batch}", "--seed", "1"], "leave --seed, --pig, --device, --height and --start out"),
        (["{batch}", "--position", "flying"], "--position: expected one of side_no_dot"),
        (["{batch}", "--throw", "9", "--save", "a.png"], "throw 9: the batch has no such throw"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str],
    complaint: str,
    directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [word.replace("{batch}", str(directory)) for word in arguments]
    assert run(["watch", *words]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert complaint in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_throws_that_ended_so_are_found(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = read_batch(directory)
    position, touch = (
        words.astype("<U14") for words in (batch.landings.position, batch.landings.touch)
    )
    position[2, 1], touch[3] = "snouter", "oinker"
    landings = replace(batch.landings, position=position, touch=touch)
    identity = {name: getattr(batch, name) for name in ("configuration", "throws", "versions")}
    (tmp_path / IDENTITY_FILE).write_text(json.dumps(identity))
    (tmp_path / block_name(0)).write_bytes(encode_block(landings, identity))
    for option, index in ((["--position", "snouter"], 2), (["--touching"], 3)):
        path = tmp_path / f"{index}.html"
        assert run(["watch", str(tmp_path), *option, "--save", str(path)]) == 0
        assert capsys.readouterr().out.startswith(f"{path}: throw {index} of {tmp_path}\n")


def test_file_that_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "throw.html"
    path.write_text("mine")
    assert save(path) == 2
    assert path.read_text() == "mine"
    assert "is there already; give another name" in capsys.readouterr().err


def test_missing_encoder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sim.watch.save.find_spec", lambda _: None)
    assert save(tmp_path / "throw.mp4") == 2
    assert "pip install imageio-ffmpeg" in capsys.readouterr().err


@pytest.mark.parametrize("display", [None, ":93"])
def test_no_display_names_the_other_ways(
    display: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if display is None:
        monkeypatch.delenv("DISPLAY", raising=False)
    else:
        monkeypatch.setenv("DISPLAY", display)
    assert run(["watch"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("pigs: no window: ")
    assert "--browser" in error
    assert "--save" in error
    assert error.count("\n") == 1


def test_help_lists_the_keys(capsys: pytest.CaptureFixture[str]) -> None:
    from sim.watch.window import KEYS

    assert run(["watch", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for key, does in KEYS.items():
        assert f"{key} {does}" in text
    assert "Example: pigs watch" in text


def test_tally_stands_beside_the_published_table(film: Film) -> None:
    from sim.summary import summarize

    summary = summarize(film.landing)
    text = tally_text(summary)
    assert re.search(r"leaning jowler +\d+ +\d+\.\d\d % +0\.61 %", text)
    assert re.search(r"touching throws +0 +0\.00 % +0\.38 %", text)
    assert text.endswith(points_line(summary))
    assert points_line(summary).startswith("1 throw, ")
    assert re.match(r"1 throw, 1 point, ", points_line(replace(summary, points=1)))
