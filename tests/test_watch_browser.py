"""The pages in a browser, by clicking, and whom the server answers."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from sim.batch import run_batch
from sim.cli import run
from sim.configuration import configure
from sim.records import read_batch
from sim.throw import Thrower
from sim.watch.browser import HOST
from sim.watch.film import still
from sim.watch.page import saved_page
from sim.watch.stage import Stage

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs the Debian package chromium")

PIGS = [sys.executable, "-c", "from sim.cli import main; main()"]
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SMALL = {"width": 800, "height": 600}
PATIENCE = 60_000
"""For what must come [ms]; a busy machine without a graphics card is slow."""

BATCH_THROWS = 8


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("batches") / "batch"
    run_batch(configure(seed=5), BATCH_THROWS, workers=1, out=path)
    return path


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., tuple[str, subprocess.Popen]]]:
    servers: list[subprocess.Popen] = []

    def start(*arguments: str) -> tuple[str, subprocess.Popen]:
        server = subprocess.Popen(
            [*PIGS, "watch", "--browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        servers.append(server)
        return re.search(r"http://127\.0\.0\.1:\d+", server.stderr.readline()).group(), server

    yield start
    for server in servers:
        server.kill()
        server.communicate()


@pytest.fixture(scope="module")
def address(serve: Callable) -> str:
    return serve("--seed", "5")[0]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport=SMALL)
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    errors: list[object] = []
    page.on("pageerror", lambda error: errors.append(error))
    yield page
    page.close()
    assert errors == []


MEASURE_SPEED = """() => new Promise((done) => {
  const bar = document.getElementById("scrubber");
  const from = Number(bar.value), begun = performance.now();
  setTimeout(() => done((bar.value - from) / (performance.now() - begun) * 1000), 700);
})"""
WAIT_FRAMES = """() => new Promise((done) => {
  let frames = 0;
  const count = () => (++frames > 15 ? done() : requestAnimationFrame(count));
  count();
})"""


MEASURE_WAIT = """() => new Promise((done) => {
  const title = document.getElementById("title"), begun = performance.now();
  new MutationObserver(() => done((performance.now() - begun) / 1000))
    .observe(title, { childList: true });
  document.getElementById("throw").click();
})"""


def is_over(page: Page) -> None:
    expect(page.locator("#outcome")).to_be_visible()
    expect(page.locator("#play")).to_have_text("Play")


def scene(page: Page) -> bytes:
    """The drawing, once it is sharp."""
    page.evaluate(WAIT_FRAMES)
    return page.locator("canvas").screenshot()


def soon(holds: Callable[[], bool]) -> bool:
    """Whether a picture comes to hold: what a browser shows lags behind what it draws."""
    return any(holds() for _ in range(20))


def moment(page: Page) -> float:
    return float(page.locator("#scrubber").input_value())


def check_controls(page: Page) -> None:
    """Work every control of a film, from its end on."""
    is_over(page)
    end, at_rest = moment(page), scene(page)
    assert page.locator("#time").text_content() == f"{end:.3f} s"

    page.click("#back")
    expect(page.locator("#outcome")).to_be_hidden()
    assert 0.0 < end - moment(page) <= 1 / 200
    page.click("#on")
    is_over(page)
    assert moment(page) == end

    page.locator("#scrubber").evaluate(
        "(bar) => { bar.value = 0.15; bar.dispatchEvent(new Event('input')); }"
    )
    assert moment(page) == pytest.approx(0.15)
    assert soon(lambda: scene(page) != at_rest)

    page.select_option("#speed", label="1/10 speed")
    page.click("#play")
    assert 0.0 < page.evaluate(MEASURE_SPEED) < 0.5
    page.click("#play")
    expect(page.locator("#play")).to_have_text("Play")

    for camera in ("pigs at rest", "follow the pink pig", "follow the gold pig", "whole throw"):
        before = scene(page)
        page.select_option("#camera", label=camera)
        assert soon(lambda before=before: scene(page) != before)
    straight = scene(page)
    page.mouse.move(200, 300)
    page.mouse.down()
    page.mouse.move(260, 280, steps=3)
    page.mouse.up()
    assert soon(lambda: scene(page) != straight)
    page.click("#reset")
    assert soon(lambda: scene(page) == straight)

    page.select_option("#speed", label="real speed")
    page.click("#play")
    is_over(page)
    assert moment(page) == end
    assert soon(lambda: scene(page) == at_rest)


@needs_chromium
def test_saved_page_plays_without_a_network(
    browser: Browser, page: Page, directory: Path, tmp_path: Path
) -> None:
    path = tmp_path / "throw.html"
    assert (
        run(["watch", str(directory), "--throw", "3", "--speed", "1/2", "--save", str(path)]) == 0
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.split(":")[0]))
    page.context.set_offline(True)
    page.goto(path.as_uri())
    expect(page.locator("#speed")).to_have_value("0.5")
    check_controls(page)
    assert set(asked) <= {"file", "data"}
    expect(page.locator("#title")).to_have_text(f"throw 3 of {directory}")


@needs_chromium
def test_throw_without_a_path_offers_nothing_to_play(page: Page, tmp_path: Path) -> None:
    configuration = configure(seed=5)
    film = still(Thrower(configuration).throw([2]), leaf_angle=np.pi / 2)
    path = tmp_path / "throw.html"
    path.write_text(saved_page(film, Stage.of(configuration), "throw 2", 1.0))
    page.goto(path.as_uri())
    expect(page.locator("#outcome")).to_be_visible()
    for control in ("#play", "#back", "#on", "#scrubber", "#time", "#speed"):
        expect(page.locator(control)).to_be_hidden()
    cameras = ["pigs at rest", "follow the pink pig", "follow the gold pig"]
    assert page.locator("#camera option").all_text_contents() == cameras
    at_rest = scene(page)
    page.select_option("#camera", label=cameras[1])
    assert soon(lambda: scene(page) != at_rest)
    page.click("#reset")


def pigs_seen(picture: bytes) -> np.ndarray:
    """Where a pig is, by its strong color, (height, width)."""
    return np.ptp(np.array(Image.open(BytesIO(picture)).convert("RGB")).astype(int), axis=2) > 60


@needs_chromium
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_pigs_are_large_and_clear_of_the_text(
    page: Page, address: str, size: dict[str, int]
) -> None:
    page.set_viewport_size(size)
    page.goto(address)
    cameras = {"whole throw": 1200, "pigs at rest": 4000}
    large: dict[str, list[int]] = {camera: [] for camera in cameras}
    for index in ("1", "2", "3", "4", "5"):
        page.locator("#number").fill(index)
        page.locator("#number").press("Enter")
        expect(page.locator("#title")).to_have_text(f"throw {index} of seed 5")
        is_over(page)
        for camera in cameras:
            page.select_option("#camera", label=camera)
            with_text = pigs_seen(scene(page))
            page.add_style_tag(content="#text { display: none; }")
            assert np.array_equal(pigs_seen(scene(page)), with_text)
            page.locator("style").last.evaluate("(style) => style.remove()")
            large[camera].append(int(with_text.sum()))
    for camera, least in cameras.items():  # pigs that roll far apart are small
        assert np.median(large[camera]) > least, large


@needs_chromium
def test_throws_are_thrown_and_counted(page: Page, serve: Callable) -> None:
    page.goto(serve("--seed", "5")[0])
    expect(page.locator("#title")).to_have_text("throw 0 of seed 5")
    is_over(page)
    page.click("#throw")
    expect(page.locator("#title")).to_have_text("throw 1 of seed 5")
    expect(page.locator("#points")).to_contain_text("2 throws, ")
    page.click("#before")
    expect(page.locator("#title")).to_have_text("throw 0 of seed 5")
    expect(page.locator("#points")).to_contain_text("2 throws, ")
    is_over(page)
    page.click("#again")
    expect(page.locator("#outcome")).to_be_hidden()
    is_over(page)
    page.locator("#number").fill("7")
    page.locator("#number").press("Enter")
    expect(page.locator("#title")).to_have_text("throw 7 of seed 5")
    rows = page.locator("#tally tr").all_text_contents()
    assert rows[0].startswith("side, no dot")
    assert rows[0].endswith("34.97 %")
    assert rows[-1].endswith("0.38 %")


@needs_chromium
@pytest.mark.long
def test_controls_of_the_served_page(page: Page, address: str) -> None:
    """The same as the saved page's, so the quick tests work those only."""
    page.goto(address)
    check_controls(page)


@needs_chromium
def test_choices_are_asked_for(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("#title")).to_contain_text("throw ")
    choices = {"pig": "big", "device": "hand", "start": "forward", "surface": "mat"}
    for name, word in choices.items():
        with page.expect_response(re.compile(rf"/throw\?.*{name}={word}(&|$)")):
            page.select_option(f"#{name}", word)
    expect(page.locator("#problem")).to_have_text(re.compile("random orientations"))
    with page.expect_response(re.compile("start=&")):
        page.select_option("#start", "")
    expect(page.locator("#problem")).to_be_empty()
    page.fill("#height", "12in")
    with page.expect_response(re.compile("height=12in&")):
        page.press("#height", "Enter")
    expect(page.locator("#problem")).to_be_empty()
    page.fill("#height", "high")
    page.press("#height", "Enter")
    expect(page.locator("#problem")).to_have_text(re.compile("'high': expected a length"))


@needs_chromium
def test_batch_is_browsed_by_position(page: Page, serve: Callable, directory: Path) -> None:
    address, _ = serve(str(directory))
    positions = read_batch(directory).landings.position
    page.goto(address)
    expect(page.locator("#throw")).to_have_text("Next")
    expect(page.locator("#title")).to_have_text(f"throw 0 of {directory}")
    expect(page.locator("#points")).to_contain_text(f"{BATCH_THROWS} throws, ")
    for position in np.unique(positions).tolist()[:2]:
        expected = np.flatnonzero((positions == position).any(axis=1)).tolist()
        with page.expect_response("**/throw*"):
            page.select_option("#position", position)
        for index in [*expected, expected[0]][:3]:
            expect(page.locator("#title")).to_have_text(f"throw {index} of {directory}")
            with page.expect_response("**/throw*"):
                page.click("#throw")
    page.select_option("#position", "other")
    page.select_option("#touching", "yes")
    expect(page.locator("#problem")).to_have_text(f"{directory}: no throw ended other and touching")


@needs_chromium
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_page_fits_its_screen(page: Page, address: str, size: dict[str, int]) -> None:
    page.set_viewport_size(size)
    page.goto(address)
    is_over(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    for button in ("#throw", "#play", "#camera", "#reset"):
        box = page.locator(button).bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= size["width"]
        assert box["y"] + box["height"] <= size["height"]  # without scrolling
        assert box["height"] >= 36


@needs_chromium
def test_throw_begins_within_a_second_of_the_click(page: Page, address: str) -> None:
    page.goto(address)
    is_over(page)
    waited = [page.evaluate(MEASURE_WAIT) for _ in range(3)]
    assert min(waited) < 1.0  # the machine may be busy with other tests


def ask(address: str, path: str, **headers: str) -> http.client.HTTPResponse:
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in (
        {"Host": host} | {k.replace("_", "-"): v for k, v in headers.items()}
    ).items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://example.com"},
        {"Origin": "null"},
        {"Host": "example.com"},
        {"Host": "example.com:80"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/", "/throw", "/viewer.js"])
def test_foreign_pages_are_refused(address: str, path: str, headers: dict[str, str]) -> None:
    assert ask(address, path, **headers).status == 403


def test_no_request_is_too_odd_for_an_answer(address: str) -> None:
    for index in (2**53 + 1, 2**63, 10**50):
        answer = json.loads(ask(address, f"/throw?index={index}&move=after").read())
        assert "expected a whole number from 0 to" in answer["problem"]
    assert ask(address, "http://[").status == 400


def test_own_page_is_served_and_nothing_else(address: str) -> None:
    host = address.removeprefix("http://")
    served = ask(address, "/", Origin=address, Sec_Fetch_Site="same-origin")
    assert served.status == 200
    assert "default-src 'self'" in served.headers["Content-Security-Policy"]
    assert ask(address, "/", Host=host.replace(HOST, "localhost")).status == 200
    for path in ("/../page.py", "/%2e%2e/page.py", "/three/LICENSE", "/page.html", "/x"):
        assert ask(address, path).status == 404


def test_every_choice_changes_the_throw(address: str) -> None:
    questions = ["", "surface=mat", "surface=lively", "surface=slippery", "start=backward"]
    questions += ["height=12in", "pig=big", "device=hand", "device=drop", "start=mixed"]
    ends = {
        json.loads(ask(address, f"/throw?index=0&move=at&{question}").read())["film"]["translation"]
        for question in questions
    }
    assert len(ends) == len(questions)


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ("index=-1&move=at", "throw '-1': expected a whole number"),
        ("index=1&move=sideways", "sideways"),
        ("pig=/etc/passwd", "unknown pig '/etc/passwd': expected standard"),
        ("surface=lava", "unknown surface 'lava': expected standard"),
        ("device=drop&start=forward", "drop starts in random orientations"),
    ],
)
def test_wrong_question_is_answered_with_what_is_wrong(
    address: str, question: str, problem: str
) -> None:
    answer = json.loads(ask(address, f"/throw?{question}").read())
    assert problem in answer["problem"]


def test_server_listens_on_loopback_alone(address: str) -> None:
    port = int(address.split(":")[-1])
    listening = [
        line.split()[1]
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
    ]
    assert listening == [f"0100007F:{port:04X}"]


def test_server_ends_on_interrupt_with_the_tally(serve: Callable) -> None:
    address, server = serve("--throw", "4")
    answer = json.loads(ask(address, "/throw").read())
    assert answer["index"] == 4
    server.send_signal(signal.SIGINT)
    out, error = server.communicate(timeout=60)
    assert (server.returncode, error) == (0, "")
    assert "1 throw, " in out


def test_busy_port_is_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    port = address.split(":")[-1]
    assert run(["watch", "--browser", "--port", port]) == 2
    assert (
        capsys.readouterr().err
        == f"pigs: port {port}: Address already in use; give another --port\n"
    )
