"""The window on a virtual screen, with real key presses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import ImageGrab

from sim.batch import run_batch
from sim.configuration import configure

MISSING = [program for program in ("Xvfb", "xdotool") if shutil.which(program) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"needs the Debian packages of {' and '.join(MISSING)}"
)

PIGS = [sys.executable, "-c", "from sim.cli import main; main()"]
PATIENCE = 60.0
"""For a picture that must come [s]; a busy machine without a graphics card is slow."""

TITLE = (slice(20, 40), slice(0, 400))
STATE = (slice(40, 62), slice(0, 600))
OUTCOME = (slice(62, 130), slice(0, 400))
KEYS = (slice(560, 780), slice(0, 260))
TALLY = (slice(20, 240), slice(800, 1280))
SCENE = (slice(250, 800), slice(270, 1280))
"""Rows and columns of the screen."""

Area = tuple[slice, slice]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    reading, writing = os.pipe()
    screen = subprocess.Popen(
        # without -noreset it would be gone for a moment whenever a window closes
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-noreset", "-r"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        yield f":{told.readline().strip()}"
    screen.terminate()
    screen.wait()


@dataclass
class Window:
    """A window on a screen of its own."""

    display: str
    process: subprocess.Popen

    def press(self, key: str) -> None:
        subprocess.run(["xdotool", "key", key], env=self._environment, check=True)

    def drag(self) -> None:
        """Turn the camera with the mouse."""
        words = "mousemove 700 500 keydown ctrl mousedown 1 mousemove 760 480 mouseup 1 keyup ctrl"
        subprocess.run(["xdotool", *words.split()], env=self._environment, check=True)

    @property
    def _environment(self) -> dict[str, str]:
        return {**os.environ, "DISPLAY": self.display}

    def picture(self, area: Area | None = None) -> np.ndarray:
        whole = np.array(ImageGrab.grab(xdisplay=self.display).convert("RGB")).astype(int)
        return whole if area is None else whole[area]

    def wait(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, "the window does not get there"
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)

    def wait_for_change(self, area: Area, before: np.ndarray) -> None:
        self.wait(lambda: not np.array_equal(self.picture(area), before))

    def wait_for_text(self, area: Area) -> None:
        self.wait(lambda: self.has_text(area))

    def has_text(self, area: Area) -> bool:
        """Whether something dark is on light ground there; an empty screen is black."""
        dark = self.picture(area).max(axis=2) < 90
        return 20 < dark.sum() < dark.size / 4

    def settled(self) -> np.ndarray:
        """The picture, once it stays the same for a while."""
        pictures = [self.picture()]

        def stays() -> bool:
            time.sleep(0.3)
            pictures.append(self.picture())
            return len(pictures) > 3 and all(
                np.array_equal(pictures[-1], one) for one in pictures[-4:]
            )

        self.wait(stays)
        return pictures[-1]


@pytest.fixture
def watch(display: str) -> Iterator[Callable[..., Window]]:
    windows: list[Window] = []

    def start(*arguments: str) -> Window:
        process = subprocess.Popen(
            [*PIGS, "watch", *arguments],
            env={**os.environ, "DISPLAY": display},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        windows.append(Window(display, process))
        windows[-1].wait(lambda: bool((windows[-1].picture()[10, 10] == 255).all()))
        windows[-1].wait_for_text(TALLY)  # the first throw is over
        return windows[-1]

    yield start
    for window in windows:
        window.process.kill()
        window.process.communicate()


def text_differs(a: np.ndarray, b: np.ndarray, area: Area) -> bool:
    return bool(((a[area].max(axis=2) < 90) != (b[area].max(axis=2) < 90)).any())


def check_steps(window: Window, at_rest: np.ndarray) -> np.ndarray:
    """Step back from the end and slow down; give the picture then."""
    window.press("Left")
    back = [window.settled()]
    assert text_differs(back[0], at_rest, STATE)
    assert not window.has_text(OUTCOME)
    for _ in range(60):  # over the last 0.1 s a pig moves less than a picture shows
        window.press("Left")
    window.wait_for_change(SCENE, back[0][SCENE])
    back.append(window.settled())

    window.press("Right")
    window.wait_for_change(SCENE, back[1][SCENE])
    on = window.settled()
    window.press("Left")
    window.wait_for_change(SCENE, on[SCENE])
    window.wait(lambda: np.array_equal(window.settled(), back[1]))

    window.press("s")
    window.wait_for_change(STATE, back[1][STATE])
    slow = window.settled()
    assert text_differs(slow, back[1], STATE)
    assert np.array_equal(slow[SCENE], back[1][SCENE])
    return slow


def check_camera(window: Window, before: np.ndarray) -> None:
    """Follow one pig and the other, turn the camera with the mouse, and bring it back."""
    seen = before
    for _ in range(2):
        window.press("f")
        window.wait_for_change(STATE, seen[STATE])
        window.wait_for_change(SCENE, seen[SCENE])
        seen = window.settled()
    window.press("c")
    window.wait(lambda: np.array_equal(window.settled(), before))
    window.drag()
    window.wait_for_change(SCENE, before[SCENE])
    window.wait_for_text(TITLE)
    window.press("c")
    window.wait(lambda: np.array_equal(window.settled(), before))


def check_playing(window: Window, before: np.ndarray, at_rest: np.ndarray) -> None:
    """Play from the release on, with a pause."""
    window.press("r")
    window.wait_for_change(SCENE, before[SCENE])
    window.press("space")
    halted = window.settled()
    assert not window.has_text(OUTCOME)
    assert not np.array_equal(halted[SCENE], at_rest[SCENE])
    window.press("space")
    window.wait_for_text(OUTCOME)
    window.wait(lambda: np.array_equal(window.settled()[SCENE], at_rest[SCENE]))


def check_other_throws(window: Window, at_rest: np.ndarray) -> None:
    """Throw, and go back."""
    window.press("t")
    window.wait(lambda: text_differs(window.picture(), at_rest, TITLE))
    window.wait_for_text(OUTCOME)
    following = window.settled()
    assert not np.array_equal(following[SCENE], at_rest[SCENE])
    assert text_differs(following, at_rest, TALLY)
    window.press("b")
    window.wait(lambda: text_differs(window.picture(), following, TITLE))
    window.wait_for_text(OUTCOME)
    window.wait(lambda: not text_differs(window.settled(), at_rest, OUTCOME))


@pytest.mark.long
def test_every_key_does_what_the_list_says(watch: Callable[..., Window]) -> None:
    window = watch("--seed", "5", "--throw", "2")
    at_rest = window.settled()
    for area in (TITLE, STATE, OUTCOME, KEYS):
        assert window.has_text(area)
    assert np.median(at_rest[KEYS]) > 235  # the text's ground; the table has 219 at most
    slow = check_steps(window, at_rest)
    check_camera(window, slow)
    check_playing(window, slow, at_rest)
    check_other_throws(window, at_rest)
    window.press("q")
    out, error = window.process.communicate(timeout=PATIENCE)
    assert (window.process.returncode, error) == (0, "")
    assert out.startswith("position")
    assert "2 throws, " in out


def test_recorded_throws_are_gone_through_in_the_window(
    watch: Callable[..., Window], tmp_path: Path
) -> None:
    directory = tmp_path / "batch"
    run_batch(configure(seed=5), 6, workers=1, out=directory)
    window = watch(str(directory), "--throw", "2")
    title = window.settled()[TITLE]
    window.press("t")
    window.wait_for_change(TITLE, title)
    window.wait_for_text(OUTCOME)
    window.press("q")
    out, error = window.process.communicate(timeout=PATIENCE)
    assert (window.process.returncode, error) == (0, "")
    assert "6 throws, " in out


def test_termination_ends_the_command(watch: Callable[..., Window]) -> None:
    window = watch("--device", "drop", "--seed", "1")
    window.process.terminate()
    out, error = window.process.communicate(timeout=PATIENCE)
    assert (window.process.returncode, out, error) == (143, "", "pigs: interrupted\n")
