"""Recorded pigs rendered as they lay, without a screen."""

from __future__ import annotations

import base64
import io
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from math import degrees

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from calibration.report.frequencies import select
from calibration.report.page import Picture
from calibration.report.rare import Chosen
from sim.pig import Pig, load_pig
from sim.position import OTHER
from sim.progress import LateProgress
from sim.records import RecordedBatch
from sim.standard_streams import printable
from sim.summary import worst_touch
from sim.throw import Landings
from sim.watch.film import Film, still
from sim.watch.pictures import Renderer
from sim.watch.stage import Stage
from sim.watch.view import FIELD_OF_VIEW, View
from sim.words import plain

SIZE = (320, 240)
"""Width and height [pixel]."""

_COLORS = 255
"""Of a picture's palette."""

_TURNS = (30.0, 210.0)
"""Of the line of sight, from one looking at the pig's right flank [degree]."""

_PITCH = -28.0
"""Of the line of sight: from above [degree]."""

_ROOM = 1.1
"""Of the ball around what is shown to the height of the picture."""


def render_pictures(
    batch: RecordedBatch, chosen: Sequence[Chosen]
) -> tuple[dict[str, list[Picture]], str | None]:
    """Render chosen pigs, seen from the same side of each.

    Returns:
        pictures: By the reason for which they were chosen.
        note: Why there are none, if the batch's pig is not to be had.
    """
    recorded = batch.configuration["pig"]
    try:
        pig = load_pig(recorded["name"])
    except (ValueError, OSError) as error:
        return {}, f"No pictures: the pig of this batch cannot be loaded ({printable(str(error))})."
    if pig.shape.digest != recorded["digest"]:
        return {}, f"No pictures: the pig {pig.name} has another shape now than in this batch."
    pictures: dict[str, list[Picture]] = defaultdict(list)
    with LateProgress("pictures") as progress, ExitStack() as stack:

        @cache
        def renderer(pigs: int) -> Renderer:
            return stack.enter_context(Renderer(Stage(pig, pigs, None)))

        for done, one in enumerate(chosen):
            film = _arranged(batch.landings, one)
            view = _view(film, pig, _TURNS[one.side])
            image = renderer(film.pigs).draw(film, view, SIZE, 0)
            pictures[one.reason].append(_picture(image, batch.landings, one))
            progress(done + 1, len(chosen))
    return dict(pictures), None


def _arranged(landings: Landings, one: Chosen) -> Film:
    """Take the chosen pigs out of their throw, and put them over the middle of the table."""
    throw = select(landings, np.array([one.row]))
    if one.pig is not None:
        each_pig = ("position", "touch", "translation", "quat_xyzw", "rest_time", "margin")
        throw = replace(throw, **{k: getattr(throw, k)[:, [one.pig]] for k in each_pig})
    middle = throw.translation[0].mean(axis=0) * (1.0, 1.0, 0.0)
    return still(replace(throw, translation=throw.translation - middle), 0.0)


def _view(film: Film, pig: Pig, turn: float) -> View:
    """Stand beside a pig alone, or beside the line between two pigs, and turn about them [deg]."""
    axes = Rotation.from_quat(film.quat_xyzw[0]).as_matrix()
    centers = film.translation[0] + axes @ pig.mass_properties.center_of_mass
    along = axes[0, :, 0] if film.pigs == 1 else centers[1] - centers[0]
    middle = centers.mean(axis=0)
    reach = float(np.linalg.norm(centers - middle, axis=1).max()) + pig.reach / 2
    distance = _ROOM * reach / np.sin(np.radians(FIELD_OF_VIEW / 2))
    x, y, z = middle.tolist()
    return View((x, y, z), distance, degrees(np.arctan2(along[1], along[0])) + turn, _PITCH)


def _picture(image: Image.Image, landings: Landings, one: Chosen) -> Picture:
    sink = io.BytesIO()
    image.quantize(_COLORS, dither=Image.Dither.NONE).save(sink, "PNG", optimize=True)
    source = f"data:image/png;base64,{base64.b64encode(sink.getvalue()).decode()}"
    index = int(landings.index[one.row])
    if one.pig is None:
        names = " and ".join(plain(position) for position in landings.position[one.row])
        touch = worst_touch(landings.touch[[one.row]])[0]
        is_named = (landings.position[one.row] != OTHER).any()
        lying = f"{touch}: {names}" if is_named else touch
        return Picture(source, f"Touching pigs: {names}", f"{lying}; throw {index}")
    if one.pose is not None:
        caption = f"pose {one.pose}; throw {index}, pig {one.pig}"
        return Picture(source, f"A pig at rest in pose {one.pose}", caption)
    name = plain(str(landings.position[one.row, one.pig]))
    margin = degrees(landings.margin[one.row, one.pig])
    caption = f"{name}; throw {index}, pig {one.pig}, margin {margin:.2f}°"
    return Picture(source, f"A pig at rest: {name}", caption)
