"""Who is compared, and how each is made ready to throw in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

from sim.bench.cases import CASES, Case

Throw = Callable[[Sequence[int]], object]
"""Throws the pigs once per index."""


@dataclass(frozen=True)
class Contender:
    """One way to simulate throws.

    Attributes:
        name: In the report, and of the process that measures it.
        about: What it is, in a few words.
        make: Gets it ready for a case and a seed.
        cases: Names of those that it can throw.
        missing: What to do to have it; empty if it is there.
    """

    name: str
    about: str
    make: Callable[[Case, int], Throw]
    cases: tuple[str, ...]
    missing: str = ""


def _ours(engine: str, *, ends_when_decided: bool = False) -> Callable[[Case, int], Throw]:
    def make(case: Case, seed: int) -> Throw:
        from sim.throw import Thrower

        configuration = case.configuration(engine, seed)
        rest = replace(configuration.rest, ends_when_decided=ends_when_decided)
        return Thrower(replace(configuration, rest=rest)).throw

    return make


def _newcomer(rate: int) -> Callable[[Case, int], Throw]:
    def make(case: Case, seed: int) -> Throw:
        from sim.bench.newcomer import Newcomer

        return Newcomer(case, seed, rate).throw

    return make


def _until_rest(case: Case, seed: int) -> Throw:
    from sim.bench.rival import Rival

    return Rival(case, seed).throw_until_rest


def _rollout(case: Case, seed: int) -> Throw:
    from sim.bench.rival import Rival

    return Rival(case, seed).roll_out


_BARE_TABLE = tuple(case.name for case in CASES if case.device == "drop")
_ALL = tuple(case.name for case in CASES)
_MISSING = "" if find_spec("mujoco") else "not installed: pip install 'pig-throw[mujoco]'"

CONTENDERS = (
    Contender("fast", "our compiled engine, ended when decided", _ours("fast"), _ALL),
    Contender("bullet", "our PyBullet engine, stopped at rest", _ours("bullet"), _ALL),
    Contender(
        "bullet_decided",
        "our PyBullet engine, ended when decided",
        _ours("bullet", ends_when_decided=True),
        _ALL,
    ),
    Contender("plain_240hz", "plain PyBullet, 240 Hz, two seconds", _newcomer(240), _BARE_TABLE),
    Contender("plain_1khz", "plain PyBullet, 1 kHz, two seconds", _newcomer(1000), _BARE_TABLE),
    Contender(
        "mujoco_rebound",
        "MuJoCo, 16 kHz for our rebound, stopped at rest: pigs throw --engine mujoco",
        _ours("mujoco"),
        ("single",),
        _MISSING,
    ),
    Contender(
        "mujoco_rest",
        "MuJoCo, 1 kHz, no rebound, stopped at rest",
        _until_rest,
        _BARE_TABLE,
        _MISSING,
    ),
    Contender(
        "mujoco_rollout",
        "MuJoCo's rollout, 1 kHz, no rebound, two seconds",
        _rollout,
        _BARE_TABLE,
        _MISSING,
    ),
)


def find(contender: str, case: str) -> tuple[Contender, Case]:
    """Look both up by name."""
    return (
        next(each for each in CONTENDERS if each.name == contender),
        next(each for each in CASES if each.name == case),
    )
