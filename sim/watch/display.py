"""Whether a window can be opened, and how to keep what it prints away."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def check_display() -> None:
    """Refuse if no window can be opened, where PyBullet would end the whole process.

    Raises:
        ValueError: In one line that names the other ways to watch.
    """
    if sys.platform == "darwin":  # no X11 there
        return
    problem = _problem()
    if problem:
        raise ValueError(
            f"no window: {problem}; use --browser, or --save throw.html, .gif, .mp4 or .png"
        )


def _problem() -> str | None:
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return "libX11 is not installed"
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    if not display:
        name = os.environ.get("DISPLAY")
        return f"display {name!r} cannot be opened" if name else "there is no display"
    # It stays open: a virtual screen whose last client leaves resets, and would drop the window.
    codes = [ctypes.byref(ctypes.c_int()) for _ in range(3)]
    return None if x11.XQueryExtension(display, b"GLX", *codes) else "the display has no OpenGL"


@contextmanager
def silence() -> Iterator[None]:
    """Keep what PyBullet's window prints from standard output and standard error."""
    sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    kept = {descriptor: os.dup(descriptor) for descriptor in (1, 2)}
    for descriptor in kept:
        os.dup2(nowhere, descriptor)
    try:
        yield
    finally:
        for descriptor, old in kept.items():
            os.dup2(old, descriptor)
            os.close(old)
        os.close(nowhere)
