"""Which throws are shown, in which order: new ones of a seed, or those that a batch recorded."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sim.batch_directory import differences
from sim.block import FARTHEST, UNIT_ERROR
from sim.configuration import Configuration
from sim.contact import Contact, PairContact
from sim.device import Condition, Device, Drop, Hand, TrapDoor
from sim.engine.bullet import BulletEngine
from sim.engine.bullet_world import BulletSettings
from sim.pig import load_pig
from sim.records import RecordedBatch, read_batch, versions
from sim.rest import RestRule
from sim.summary import Summary, summarize, worst_touch
from sim.throw import Landings
from sim.touch import TouchRule
from sim.watch.film import Film, Filmmaker, still
from sim.watch.stage import Stage

_DEVICES = {kind.__name__: kind for kind in (TrapDoor, Drop, Hand)}


class Program(Protocol):
    """Throws in an order, each known by its index in its run."""

    stage: Stage
    title: str

    @property
    def first(self) -> int:
        """The throw to begin with."""
        ...

    def film(self, index: int) -> Film:
        """Show one throw."""
        ...

    def after(self, index: int) -> int:
        """Find the throw to show next."""
        ...

    def before(self, index: int) -> int:
        """Find the throw to show before it."""
        ...

    def tally(self) -> Summary:
        """Count how the throws ended."""
        ...


class NewThrows:
    """The throws of a configuration, from index 0 on; the tally has those that were shown."""

    def __init__(self, configuration: Configuration) -> None:
        self.stage = Stage.of(configuration)
        self.title = f"seed {configuration.seed}"
        self._configuration = configuration
        self._seen: dict[int, Summary] = {}

    @cached_property
    def _filmmaker(self) -> Filmmaker:
        return Filmmaker(self._configuration)

    @property
    def first(self) -> int:
        """One after the last that was shown; see Program."""
        return max(self._seen, default=-1) + 1

    def film(self, index: int) -> Film:
        """Throw; see Program."""
        film = self._filmmaker.film(index)
        self._seen[index] = summarize(film.landing)
        return film

    def after(self, index: int) -> int:
        """Go on without end; see Program."""
        return index + 1

    def before(self, index: int) -> int:
        """Go back to the first throw at most; see Program."""
        return max(0, index - 1)

    def tally(self) -> Summary:
        """Count every throw shown once; see Program."""
        return sum(self._seen.values(), Summary.empty(self.stage.pigs))


class RecordedThrows:
    """The throws of a recorded batch, all or those that ended in some way; the tally has all.

    Attributes:
        indices: Of the throws to show, rising.
    """

    def __init__(self, batch: RecordedBatch, title: str) -> None:
        self._configuration = rebuild(batch.configuration)
        self.stage, self.title = Stage.of(self._configuration), title
        self._landings = batch.landings
        self._engine = str(batch.configuration["engine"]["name"])
        if self._keeps_paths:
            _check_same(batch, self._configuration)
        self.indices: Sequence[int] = self.select(None, False)
        if not self.indices:
            raise ValueError(f"{title}: its throws failed, and left no pose that can be shown")

    @property
    def first(self) -> int:
        """The first of those to show; see Program."""
        return self.indices[0]

    @property
    def _keeps_paths(self) -> bool:
        return self._engine == BulletEngine.name

    @cached_property
    def _filmmaker(self) -> Filmmaker:
        return Filmmaker(self._configuration)

    @cached_property
    def _is_shown(self) -> np.ndarray:
        """Which throws can be shown, (n,): of those not thrown again, the ones with poses."""
        if self._keeps_paths:
            return np.ones(len(self._landings.index), bool)
        return _has_poses(self._landings)

    def select(self, position: str | None, touching: bool) -> list[int]:
        """Find the throws in which a pig ended in a position, and those that ended touching."""
        chosen = self._is_shown.copy()
        if position is not None:
            chosen &= (self._landings.position == position).any(axis=1)
        if touching:
            chosen &= worst_touch(self._landings.touch) != "none"
        found: list[int] = self._landings.index[chosen].tolist()
        return found

    def pick(self, position: str | None, touching: bool) -> None:
        """Show only the throws that `select` finds; refuse if there are none."""
        found = self.select(position, touching)
        if not found:
            ended = " and ".join(filter(None, (position, "touching" if touching else None)))
            raise ValueError(f"{self.title}: no throw ended {ended}")
        self.indices = found

    def film(self, index: int) -> Film:
        """Throw as it was recorded, and say so if it ends elsewhere; see Program."""
        recorded = self._recorded(index)
        if not self._keeps_paths:
            if not _has_poses(recorded).all():
                raise ValueError(f"throw {index}: failed, and left no pose that can be shown")
            note = f"thrown by the {self._engine} engine, which keeps no path: shown as it ended"
            return replace(still(recorded, self.stage.open_angle), note=note)
        film = self._filmmaker.film(index)
        same = (film.landing.translation, film.landing.quat_xyzw)
        if all(map(np.array_equal, same, (recorded.translation, recorded.quat_xyzw))):
            return film
        return replace(film, note="this replay ends in another pose than the batch recorded")

    def after(self, index: int) -> int:
        """Go to the next throw that is to be shown, from the last to the first; see Program."""
        return self.indices[bisect_right(self.indices, index) % len(self.indices)]

    def before(self, index: int) -> int:
        """Go to the throw before, from the first to the last; see Program."""
        return self.indices[bisect_left(self.indices, index) - 1]

    def tally(self) -> Summary:
        """Count the whole batch; see Program."""
        return self._tally

    @cached_property
    def _tally(self) -> Summary:
        return summarize(self._landings)

    def _recorded(self, index: int) -> Landings:
        row = int(np.searchsorted(self._landings.index, index))
        if row == len(self._landings.index) or self._landings.index[row] != index:
            last = int(self._landings.index[-1])
            raise ValueError(f"throw {index}: the batch has no such throw, its last is {last}")
        return Landings(
            **{name: values[row : row + 1] for name, values in vars(self._landings).items()}
        )


def read_recorded(directory: Path) -> RecordedThrows:
    """Read a batch whose throws are to be seen again.

    Raises:
        ValueError: In one line, if there is no batch, or one that cannot be thrown again here.
    """
    try:
        return RecordedThrows(read_batch(directory), str(directory))
    except (KeyError, TypeError, AttributeError, ArithmeticError):
        raise ValueError(
            f"{directory}: recorded by another version, which configures a throw in another way"
        ) from None


def rebuild(recorded: Mapping[str, Any]) -> Configuration:
    """Build the configuration that a batch recorded; another engine's becomes the reference's."""
    contact, engine = dict(recorded["contact"]), dict(recorded["engine"])
    pairs = {
        name: PairContact(**value) for name, value in contact.items() if isinstance(value, dict)
    }
    is_ours = engine.pop("name") == BulletEngine.name
    return Configuration(
        seed=recorded["seed"],
        pig=load_pig(recorded["pig"]["name"]),
        pigs=recorded["pigs"],
        device=_device(recorded["device"]),
        conditions=tuple(Condition(**condition) for condition in recorded["conditions"]),
        contact=Contact(**{**contact, **pairs}),
        engine=BulletSettings(**engine) if is_ours else BulletSettings(),
        rest=RestRule(**recorded["rest"]),
        touch=TouchRule(**recorded["touch"]),
    )


def _has_poses(landings: Landings) -> np.ndarray:
    """Tell which throws have a pose of every pig, (n,); one that failed may have none."""
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(landings.quat_xyzw, axis=-1)
    is_near = (np.abs(landings.translation) <= FARTHEST).all(axis=-1)
    is_pose: np.ndarray = (is_near & (np.abs(lengths - 1.0) <= UNIT_ERROR)).all(axis=1)
    return is_pose


def _device(recorded: Mapping[str, Any]) -> Device:
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in recorded.items()
        if name != "name"
    }
    return _DEVICES[recorded["name"]](**values)


def _check_same(batch: RecordedBatch, configuration: Configuration) -> None:
    """Refuse a batch of another pig, or of other versions, whose throws would end elsewhere.

    Sources that changed within a version may have changed nothing: every replay is compared with
    what was recorded.
    """
    here = json.loads(json.dumps(configuration.as_dict()))
    same_sources = {"sources": batch.versions.get("sources")}
    found = differences(batch.configuration, here)
    found = found or differences(batch.versions, versions() | same_sources)
    if found:
        raise ValueError(f"cannot throw this batch again: {found[0]}")
