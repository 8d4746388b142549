"""A film to a file: a picture, a GIF, an MP4 or a web page, by the file's ending."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from sim.watch.film import Film
from sim.watch.page import saved_page
from sim.watch.pictures import Progress, film_frames, save_gif, save_mp4, throw_picture
from sim.watch.stage import Stage

SUFFIXES = (".png", ".gif", ".mp4", ".html")


def check_path(path: Path) -> None:
    """Refuse a file that cannot be written, before the work is done.

    Raises:
        ValueError: In one line, for an unknown ending, a file that is there, a missing directory.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: expected a name that ends in {', '.join(SUFFIXES)}")
    if suffix == ".mp4" and find_spec("imageio_ffmpeg") is None:
        raise ValueError(f"{path}: needs one more package: pip install imageio-ffmpeg")
    if os.path.lexists(path):
        raise ValueError(f"{path}: is there already; give another name")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no directory {path.parent}; make it first")


def save(
    film: Film, stage: Stage, title: str, speed: float, path: Path, progress: Progress
) -> None:
    """Write a film where no file is, whole or not at all.

    Args:
        film: What happens.
        stage: Where.
        title: Which throw it is.
        speed: At which it plays; 1 is real.
        path: Its ending says what is written; see check_path.
        progress: Told of every frame of a GIF or an MP4.

    Raises:
        ValueError: In one line, if it cannot be written.
    """
    check_path(path)
    suffix = path.suffix.lower()
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial{suffix}")
    try:
        if suffix == ".html":
            partial.write_text(saved_page(film, stage, title, speed), encoding="utf-8")
        elif suffix == ".png":
            throw_picture(film, stage).save(partial)
        elif suffix == ".gif":
            save_gif(film_frames(film, stage, speed, progress), partial)
        else:
            save_mp4(film_frames(film, stage, speed, progress), partial)
        partial.rename(path)
    except OSError as error:
        raise ValueError(
            f"{path}: cannot write it: {error.strerror or error}; make room or give another place"
        ) from None
    finally:
        partial.unlink(missing_ok=True)
