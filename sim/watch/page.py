"""A film as one web page that needs no network: three.js draws it, its files are inside.

`data/three` holds the files of the npm package three 0.185.1 as published, with its license (MIT).
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim.watch.film import Film
from sim.watch.outcome import outcome_lines
from sim.watch.stage import SHADOW_COLOR, SUN, Patch, Stage, pig_name
from sim.watch.view import FIELD_OF_VIEW, View, close_view, wide_view

DATA = Path(__file__).parent / "data"

MODULES = {
    "three": "three/three.module.min.js",
    "three/core": "three/three.core.min.js",
    "three/orbit": "three/OrbitControls.js",
    "viewer": "viewer.js",
}
"""By the name that scripts import, the file in `data`."""

ASPECTS = np.geomspace(0.4, 2.0, 12).round(3).tolist()
"""Width over height that cameras are fitted to; a page takes the widest that it holds."""


def saved_page(film: Film, stage: Stage, title: str, speed: float) -> str:
    """Write one throw as a page that holds everything it needs.

    Args:
        film: What happens.
        stage: Where.
        title: Which throw it is.
        speed: At which it starts to play: 1, 0.5, 0.25 or 0.1.
    """
    imports = {name: _as_url(_read(file)) for name, file in MODULES.items()}
    record = json.dumps(film_record(film, stage, title, speed)).replace("<", "\\u003c")
    body = f"""<script type="application/json" id="film">{record}</script>
<script type="module">
import {{ load }} from "viewer";
load(JSON.parse(document.getElementById("film").textContent));
</script>"""
    return write_page(title, imports, body)


def write_page(title: str, imports: dict[str, str], body: str) -> str:
    """Fill the page: its title, where its modules are, and what comes after the controls."""
    page = _read("page.html").replace("__TITLE__", html.escape(title))
    return page.replace("__IMPORTS__", json.dumps({"imports": imports})).replace("__BODY__", body)


def _read(file: str) -> str:
    return (DATA / file).read_text(encoding="utf-8")


def _as_url(module: str) -> str:
    """Give a module as a URL that holds it, from where a relative path leads nowhere."""
    module = module.replace('"./three.core.min.js"', '"three/core"')
    return f"data:text/javascript;base64,{base64.b64encode(module.encode()).decode()}"


def film_record(film: Film, stage: Stage, title: str, speed: float) -> dict[str, Any]:
    """Gather what the viewer draws, JSON-able; numbers that must keep their bits are base64."""
    views = {"whole throw": wide_view, "pigs at rest": close_view}
    if film.duration == 0.0:
        del views["whole throw"]
    frames = range(len(film.time))
    leaf = [] if stage.leaf is None else [stage.leaf]
    poses = [stage.leaf_pose(film, frame) for frame in frames] if leaf else []
    return {
        "title": title,
        "outcome": "\n".join(outcome_lines(film)),
        "time": _bits(film.time),
        "translation": _bits(film.translation),
        "quaternion": _bits(film.quat_xyzw),
        "leafTranslation": _bits(np.array([translation for translation, _ in poses])),
        "leafQuaternion": _bits(np.array([quat for _, quat in poses])),
        "pigs": [
            {"name": pig_name(pig), "patches": _patches(stage.patches(pig))}
            for pig in range(film.pigs)
        ],
        "leaf": _patches(leaf),
        "table": _patches(stage.table),
        "views": [
            {"name": name, "cameras": [_camera(view(film, stage, a), a) for a in ASPECTS]}
            for name, view in views.items()
        ],
        "fieldOfView": FIELD_OF_VIEW,
        "sun": SUN,
        "reach": stage.pig.reach,
        "shadow": SHADOW_COLOR,
        "speed": speed,
    }


def _camera(view: View, aspect: float) -> dict[str, Any]:
    forward = view.forward.tolist()
    return {"target": view.target, "distance": view.distance, "forward": forward, "aspect": aspect}


def _patches(patches: Sequence[Patch]) -> list[dict[str, Any]]:
    return [
        {"corners": _bits(patch.corners.astype(np.float32)), "color": patch.color}
        for patch in patches
    ]


def _bits(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
