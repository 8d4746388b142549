"""A bench for the fast engine: any body in any motion, stepped or thrown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from workbench import Body, standard

from sim.contact import Contact, PairContact
from sim.device import Device, Drop, Releases
from sim.engine.fast.engine import FastEngine
from sim.engine.fast.scene import SteppedScene
from sim.engine.fast.settings import FastSettings
from sim.engine.flight import Motion
from sim.rest import RestRule

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
STILL = (0.0, 0.0, 0.0)


def uniform_contact(restitution: float, friction: float, bounce_speed: float = 0.15) -> Contact:
    pair = PairContact(restitution, friction)
    return Contact(pair, pair, pair, bounce_speed)


def engine(
    body: Body | None = None,
    *,
    device: Device | None = None,
    contact: Contact | None = None,
    rest: RestRule | None = None,
    **settings: Any,
) -> FastEngine:
    return FastEngine(
        *(body or standard()),
        device or Drop(),
        contact or Contact(),
        FastSettings(**settings),
        rest or RestRule(),
    )


def at(
    of: FastEngine,
    translation: Sequence[float],
    quat_xyzw: Sequence[float] = UPRIGHT,
    velocity: Sequence[float] = STILL,
    spin: Sequence[float] = STILL,
) -> Motion:
    """The motion of a body whose pose is given as world_from_pig."""
    turn = Rotation.from_quat(quat_xyzw)
    center = np.array(translation) + turn.as_matrix() @ of.center
    return Motion.of(center, (turn * Rotation.from_matrix(of.axes)).as_quat(), velocity, spin)


def releases(motions: Sequence[Sequence[Motion]], of: FastEngine, height: float = 1.0) -> Releases:
    """Throws of bodies as they are, principal axes at the center of mass."""
    pig_from_principal = Rotation.from_matrix(of.axes)
    turns = [
        [Rotation.from_quat(m.quat_xyzw) * pig_from_principal.inv() for m in t] for t in motions
    ]
    return Releases(
        index=np.arange(len(motions)),
        height=np.full(len(motions), height),
        start=np.full(len(motions), "random"),
        translation=np.array(
            [
                [
                    np.array(m.position) - turn.as_matrix() @ of.center
                    for m, turn in zip(t, r, strict=True)
                ]
                for t, r in zip(motions, turns, strict=True)
            ]
        ),
        quat_xyzw=np.array([[turn.as_quat() for turn in row] for row in turns]),
        velocity=np.array([[m.velocity for m in t] for t in motions]),
        spin=np.array([[m.spin for m in t] for t in motions]),
        leaf_angle=np.zeros(len(motions)),
        leaf_speed=np.zeros(len(motions)),
        time=np.zeros(len(motions)),
        thrown=len(motions[0]),
    )


@contextmanager
def stepped(
    of: FastEngine, motions: Sequence[Motion], height: float = 1.0
) -> Iterator[SteppedScene]:
    with of.scene(releases([motions], of, height), 0) as (scene, _):
        yield scene
