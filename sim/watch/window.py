"""Throws in PyBullet's window: a viewer of films, with keys and with text over the scene."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from sim.engine.bullet_world import pybullet
from sim.watch.board import MARGIN, Board, Camera, Ground
from sim.watch.bullet_view import SCALE, BulletView
from sim.watch.display import check_display, silence
from sim.watch.outcome import TALLY_HEADER, outcome_lines, points_line, tally_rows
from sim.watch.player import Player
from sim.watch.stage import pig_name
from sim.watch.view import wide_view

KEYS = {
    "t": "throw",
    "b": "the throw before",
    "r": "this throw again",
    "space": "pause",
    "left, right": "a frame back, on",
    "s": "slower",
    "f": "follow a pig",
    "c": "camera back",
    "q": "quit",
}
"""What the keys do."""

SIZE = (1280, 800)
"""Width and height of the window at first [pixel]."""

PAUSE = 1 / 120
"""Between two looks at the keyboard [s]."""

LONGEST_FRAME = 0.1
"""A machine that draws slower than this shows a throw slower, rather than in leaps [s]."""

FIELD_OF_VIEW = 90.0
"""That of PyBullet's window, from the lower to the upper edge [degree]; nothing changes it."""

FOLLOWING = 2.5
"""How near the camera follows a pig, in reaches of the pig."""

KEYS_LINE = 28.0
"""Where the list of keys begins [line]."""

LEFT_GROUNDS = (Ground(0.95, 5), Ground(0.5, len(KEYS), KEYS_LINE))
RIGHT_GROUND = Ground(1.1, 10.5)
"""Of the throw and the keys, and of the tally."""

COLUMNS = (0.0, 0.5, 0.68, 0.88)
"""Of the tally [unit]; see Board.write."""


def watch_in_window(make_player: Callable[[], Player]) -> Player:
    """Show throws in a window until a key quits; closed by its frame, PyBullet ends the process.

    Args:
        make_player: Called once the window is there: PyBullet tells where the camera of a window
            is only if that is the first of its worlds.

    Raises:
        ValueError: In one line, if there is no display.
    """
    check_display()
    with silence():
        client = pybullet.connect(pybullet.GUI, options=f"--width={SIZE[0]} --height={SIZE[1]}")
        try:
            player = make_player()
            _Window(client, player).run()
        finally:
            pybullet.disconnect(client)
    return player


class _Window:
    """An open window and its player."""

    def __init__(self, client: int, player: Player) -> None:
        self._client, self._player = client, player
        self._is_open = True
        self._followed: int | None = None
        self._held: set[int] = set()
        set_up = partial(pybullet.configureDebugVisualizer, physicsClientId=client)
        for feature in (
            pybullet.COV_ENABLE_RENDERING,
            pybullet.COV_ENABLE_GUI,
            pybullet.COV_ENABLE_KEYBOARD_SHORTCUTS,
            pybullet.COV_ENABLE_MOUSE_PICKING,
        ):
            set_up(feature, 0)
        set_up(
            rgbBackground=[1.0, 1.0, 1.0],
            lightPosition=[35.0, -25.0, 90.0],
            shadowMapResolution=4096,
            shadowMapWorldSize=60,
        )
        self._view = BulletView(client, player.program.stage)
        self._view.lay_table()
        self._left = Board(client, *LEFT_GROUNDS)
        self._right = Board(client, RIGHT_GROUND)
        set_up(pybullet.COV_ENABLE_RENDERING, 1)
        self._actions: dict[int, Callable[[], None]] = {
            ord("t"): partial(self._turn_to, player.after),
            ord("b"): partial(self._turn_to, player.before),
            ord("r"): player.replay,
            ord(" "): player.pause,
            pybullet.B3G_LEFT_ARROW: partial(player.step, -1),
            pybullet.B3G_RIGHT_ARROW: partial(player.step, 1),
            ord("s"): player.slow_down,
            ord("f"): self._follow,
            ord("c"): self._reset_camera,
            ord("q"): self._close,
        }

    def run(self) -> None:
        """Play and obey the keys until one quits."""
        self._reset_camera()
        last = time.perf_counter()
        while self._is_open:
            self._obey()
            now = time.perf_counter()
            self._player.pass_time(min(now - last, LONGEST_FRAME))
            last = now
            self._show()
            time.sleep(PAUSE)

    def _obey(self) -> None:
        """Act on every key once; of one let go since the last look, only that is told."""
        events = pybullet.getKeyboardEvents(physicsClientId=self._client)
        for key, state in events.items():
            is_let_go = bool(state & pybullet.KEY_WAS_RELEASED)
            is_new = state & pybullet.KEY_WAS_TRIGGERED or (is_let_go and key not in self._held)
            if is_new and key in self._actions:
                self._actions[key]()
            (self._held.discard if is_let_go else self._held.add)(key)

    def _show(self) -> None:
        player = self._player
        self._view.show(player.film, player.frame)
        camera = Camera(self._client)
        if not camera.is_known:
            return
        if self._followed is not None:
            self._aim(self._followed_place(), camera.distance, camera.yaw, camera.pitch)
        self._left.put(camera, MARGIN - camera.half_width, 1.0 - 2 * MARGIN)
        self._right.put(camera, camera.half_width - MARGIN - 1.1, 1.0 - 2 * MARGIN)
        self._write()

    def _write(self) -> None:
        player = self._player
        state = player.state
        if self._followed is not None:
            state += f", following the {pig_name(self._followed)}"
        outcome = outcome_lines(player.film) if player.is_over else []
        self._left.write("throw", "\n".join((player.title, state, *outcome)), 0.0, 0.0)
        keys = "\n".join(f"{key}: {does}" for key, does in KEYS.items())
        self._left.write("keys", keys, 0.0, KEYS_LINE)
        if player.is_over:
            tally = player.program.tally()
            rows = [TALLY_HEADER, *tally_rows(tally)]
            for column, right in enumerate(COLUMNS):
                text = "\n".join(row[column] for row in rows)
                self._right.write(f"column {column}", text, right, 0.0)
            self._right.write("points", points_line(tally), 0.0, len(rows) + 0.5)

    def _turn_to(self, other: Callable[[], None]) -> None:
        """Show another throw, all of it unless the camera follows a pig."""
        other()
        if self._followed is None:
            self._reset_camera()

    def _close(self) -> None:
        self._is_open = False

    def _follow(self) -> None:
        """Let the camera go with the first pig, with the next one, and at last with none."""
        following = 0 if self._followed is None else self._followed + 1
        if following == self._player.film.pigs:
            self._reset_camera()
            return
        self._followed = following
        camera = Camera(self._client)
        distance = FOLLOWING * self._player.program.stage.pig.reach * SCALE
        self._aim(self._followed_place(), distance, camera.yaw, camera.pitch)

    def _followed_place(self) -> np.ndarray:
        return self._player.film.translation[self._player.frame, self._followed] * SCALE

    def _reset_camera(self) -> None:
        self._followed = None
        film, stage = self._player.film, self._player.program.stage
        view = wide_view(film, stage, SIZE[0] / SIZE[1], FIELD_OF_VIEW)
        self._aim(np.array(view.target) * SCALE, view.distance * SCALE, view.yaw, view.pitch)

    def _aim(self, target: np.ndarray, distance: float, yaw: float, pitch: float) -> None:
        """Turn the camera to a place; lengths in units."""
        pybullet.resetDebugVisualizerCamera(
            distance, yaw, pitch, target.tolist(), physicsClientId=self._client
        )
