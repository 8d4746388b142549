"""A film as a picture, a GIF or an MP4, drawn by PyBullet's software renderer: needs no screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from sim.engine.bullet_world import pybullet
from sim.watch.bullet_view import BulletView
from sim.watch.film import Film
from sim.watch.outcome import outcome_lines
from sim.watch.stage import INK_COLOR, Stage
from sim.watch.view import View, close_view, wide_view

SIZE = (640, 480)
"""Width and height of films [pixel]."""

PICTURE_SIZE = (1200, 800)
"""Width and height of pictures [pixel]."""

FINER = 1.5
"""Frames are drawn this much larger and reduced: the renderer draws hard edges."""

LINE = 0.05
"""Height of a line of text, in heights of the picture."""

FRAME_RATE = 25
"""Of films [1/s]."""

HOLD = 3.0
"""How long a film shows the pigs at rest [s]."""

MOMENTS = (0.0, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5)
"""Which moments a picture shows besides the end, of a throw from 8 inches [s]."""

Progress = Callable[[int, int], None]
"""Told how many frames are done, and of how many."""


class Renderer:
    """Draws films of one stage, as many of their frames at once as there are exposures.

    The table takes most of the time, so it is drawn once for each view, and lies under the bodies
    that are drawn for a frame.
    """

    def __init__(self, stage: Stage, exposures: int = 1) -> None:
        self._stage = stage
        self._client = pybullet.connect(pybullet.DIRECT)
        self._view = BulletView(self._client, stage, exposures)
        self._tables: dict[tuple[View, int, int], np.ndarray] = {}

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        pybullet.disconnect(self._client)

    def draw(self, film: Film, view: View, size: tuple[int, int], *frames: int) -> Image.Image:
        """Draw frames of a film as a camera sees them, (width, height) pixels."""
        self._view.show(film, *frames)
        self._view.cast(film, *frames)
        width, height = (round(side * FINER) for side in size)
        colors, is_body = self._view.picture(view, width, height)
        if (view, width, height) not in self._tables:
            self._tables[view, width, height] = self._table(view, width, height)
        pixels = np.where(is_body[:, :, None], colors, self._tables[view, width, height])
        return Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS)

    def _table(self, view: View, width: int, height: int) -> np.ndarray:
        client = pybullet.connect(pybullet.DIRECT)
        empty = BulletView(client, self._stage, exposures=0)
        empty.lay_table()
        colors, _ = empty.picture(view, width, height)
        pybullet.disconnect(client)
        return colors


def throw_picture(film: Film, stage: Stage) -> Image.Image:
    """Draw one throw at several moments in one picture, with what came of it."""
    frames = sorted({*(film.frame_at(time) for time in MOMENTS), len(film.time) - 1})
    with Renderer(stage, len(frames)) as renderer:
        return _captioned(renderer, film, stage, wide_view, PICTURE_SIZE, *frames)


def film_frames(
    film: Film, stage: Stage, speed: float, progress: Progress
) -> Iterator[Image.Image]:
    """Draw a whole throw, and last the pigs at rest, seen from near, with what came of it.

    Args:
        film: What happens.
        stage: Where.
        speed: 1 is real; at 0.25 the film lasts four times as long.
        progress: Told of every frame.
    """
    view = wide_view(film, stage, SIZE[0] / SIZE[1])
    times = np.arange(0.0, film.duration, speed / FRAME_RATE)
    with Renderer(stage) as renderer:
        for done, time in enumerate(times.tolist()):
            yield renderer.draw(film, view, SIZE, film.frame_at(time))
            progress(done + 1, len(times) + 1)
        yield last_picture(renderer, film, stage)
        progress(len(times) + 1, len(times) + 1)


def last_picture(renderer: Renderer, film: Film, stage: Stage) -> Image.Image:
    """Draw the pigs at rest, seen from near, with what came of the throw."""
    return _captioned(renderer, film, stage, close_view, SIZE, -1)


def _captioned(
    renderer: Renderer,
    film: Film,
    stage: Stage,
    view: Callable[[Film, Stage, float], View],
    size: tuple[int, int],
    *frames: int,
) -> Image.Image:
    """Draw frames under how the pigs lie and what they score."""
    width, height = size
    lines = outcome_lines(film)
    above = round(height * LINE * (len(lines) + 1))
    below = (width, height - above)
    drawn = renderer.draw(film, view(film, stage, below[0] / below[1]), below, *frames)
    picture = Image.new("RGB", size, "white")
    picture.paste(drawn, (0, above))
    text = height * LINE / 1.2
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(text)
    draw.multiline_text((text, text / 2), "\n".join(lines), INK_COLOR, font)
    return picture


def save_gif(frames: Iterator[Image.Image], path: Path) -> None:
    """Write frames as a GIF that runs for ever and holds its last frame."""
    pictures = [frame.quantize(dither=Image.Dither.NONE) for frame in frames]
    durations = [1000 / FRAME_RATE] * (len(pictures) - 1) + [1000 * HOLD]
    pictures[0].save(
        path, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0
    )


def save_mp4(frames: Iterator[Image.Image], path: Path) -> None:
    """Write frames as an MP4 that holds its last frame.

    Raises:
        OSError: If the encoder could not write all of them.
    """
    from imageio_ffmpeg import count_frames_and_secs, write_frames

    writer = write_frames(path, SIZE, fps=FRAME_RATE, quality=7, macro_block_size=1)
    writer.send(None)
    sent = round(HOLD * FRAME_RATE)
    for frame in frames:
        content = frame.tobytes()
        writer.send(content)
        sent += 1
    for _ in range(round(HOLD * FRAME_RATE)):
        writer.send(content)
    writer.close()
    try:
        found, _ = count_frames_and_secs(path)  # the encoder does not tell of a full disk
    except RuntimeError:
        found = 0
    if found != sent:
        raise OSError("the encoder stopped early, as on a full disk")
