"""A loaded die: the whole line finds where a cuboid's center of mass was moved to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.calibrate import Plan
from calibration.fit import search
from calibration.joint import Joint
from calibration.journal import Journal
from calibration.parameters import Parameters
from calibration.region import is_in_region
from calibration.simulator import Recipe, simulator
from meshes.density import uniform
from meshes.mass_model import ExponentialDensity
from meshes.shape import ConvexPart, Shape
from meshes.solids import Cuboid
from sim.configuration import Configuration
from sim.device import Condition, Drop
from sim.engine.fast.settings import FastSettings
from sim.pig import RUBBER_DENSITY, Pig

SIDES = np.array([0.016, 0.014, 0.012])
PLANTED = np.array([0.4, -0.3, 0.4])


def die() -> Shape:
    """A cuboid whose parts name its faces as a pig's do: feet below, body above, snout in front.

    Down on the feet it is a trotter, on the body a razorback, on a flank a side, on the front a
    snouter, on the rear none of these: six faces, six of the seven positions.
    """

    def block(name: str, center: tuple[float, ...], size: tuple[float, ...]) -> ConvexPart:
        corners = Cuboid(tuple(SIDES * size)).surface().vertices
        return ConvexPart.from_points(name, corners + SIDES * center)

    feet = [
        block(f"{end}_foot_{side}", (x, y, -0.4), (0.2, 0.2, 0.2))
        for end, x in (("front", 0.4), ("hind", -0.4))
        for side, y in (("left", 0.4), ("right", -0.4))
    ]
    body = block("body", (0.0, 0.0, 0.1), (1.0, 1.0, 0.8))
    snout = block("snout", (0.45, 0.0, 0.0), (0.1, 0.2, 0.2))
    named = Shape.from_parts("die", [body, snout, *feet])
    return replace(named, surface=Cuboid(tuple(SIDES)).surface())


@pytest.mark.long
def test_loaded_die_is_found_out(tmp_path: Path) -> None:
    """A table of 11,954 throws of a die whose center is a millimeter off the middle."""
    shape = die()
    even = uniform(shape.surface, RUBBER_DENSITY)
    base = Configuration(
        3,
        Pig("die", shape, even),
        1,
        Drop(),
        (Condition(0.1, "random"),),
        engine=FastSettings(),
    )
    model = ExponentialDensity(shape, even.mass)
    parameters = Parameters(model, ())
    with simulator(Recipe(parameters, {"": base}), Journal(tmp_path), 2) as throw:
        observed = throw(PLANTED, "", range(10**6, 10**6 + 11_954))
        stage = replace(Plan().search, source="")
        found = search(parameters.box(base), throw, observed, [stage], 1)
    assert found.is_converged
    assert (observed > 0).sum() == 6
    assert is_in_region(Joint(found.surrogate, observed), found.theta, PLANTED)
    planted, center = (
        model.mass_properties(theta).center_of_mass for theta in (PLANTED, found.theta)
    )
    assert np.linalg.norm(planted - even.center_of_mass) > 0.0007
    assert np.linalg.norm(center - planted) < 0.0002
