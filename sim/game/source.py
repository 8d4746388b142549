"""Where a game's landings come from: thrown by physics, or drawn from a table of landings."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sim.game.score import SCORED_POSITIONS, TOUCHES, score
from sim.published import PublishedTable

if TYPE_CHECKING:
    from sim.configuration import Configuration
    from sim.throw import Landings

GAME_PIGS = 2

LEAST_SCORING = 1e-3
"""Share of landings that must score; with fewer no game would end within reason."""


@dataclass(frozen=True)
class Landing:
    """How a throw of two pigs ended, as the rulebook sees it.

    Attributes:
        positions: Of both pigs, of `sim.game.score.SCORED_POSITIONS`.
        touch: Of the throw: "none", "oinker" or "piggyback".
    """

    positions: tuple[str, str]
    touch: str = "none"

    def __post_init__(self) -> None:
        """Refuse words that no landing has."""
        if len(self.positions) != GAME_PIGS:
            raise ValueError(f"positions: expected those of two pigs, got {self.positions}")
        score(*self.positions, self.touch)


class LandingSource(Protocol):
    """Throws both pigs, time and again.

    Attributes:
        thrown: Throws so far, so that a saved game can go on with the same ones.
    """

    thrown: int

    def throw(self) -> Landing:
        """Give the next throw's landing."""
        ...


class PhysicsSource:
    """Throws by physics, index by index: the seed's throw `thrown` is next."""

    def __init__(self, configuration: Configuration, thrown: int = 0) -> None:
        from sim.throw import Thrower  # the engine, for this source only

        if configuration.pigs != GAME_PIGS:
            raise ValueError(f"a game is thrown with two pigs, got {configuration.pigs}")
        self._thrower = Thrower(configuration)
        self.thrown = thrown

    def throw(self) -> Landing:
        """Throw the next index; a throw that fails lands in `other`, so it is thrown again."""
        (landing,) = landings_of(self._thrower.throw([self.thrown]))
        self.thrown += 1
        return landing


class RecordedSource:
    """Draws whole throws from a table, with replacement; draw i depends on (seed, i) alone."""

    def __init__(self, table: LandingTable, seed: int, thrown: int = 0) -> None:
        self._table, self._seed = table, seed
        self.thrown = thrown

    def throw(self) -> Landing:
        """Draw the next landing."""
        stream = np.random.SeedSequence(self._seed, spawn_key=(self.thrown,))
        self.thrown += 1
        return self._table.landings[int(self._table.draw(np.random.default_rng(stream), 1)[0])]


@dataclass(frozen=True, eq=False)
class LandingTable:
    """Landings with their probabilities.

    Attributes:
        landings: All different, each pair of positions in the order of `SCORED_POSITIONS`.
        probabilities: (n,) of the landings, above 0, sum 1; read-only.
        source: Where they come from, in words.
    """

    landings: tuple[Landing, ...]
    probabilities: np.ndarray
    source: str

    def __post_init__(self) -> None:
        """Freeze the array; refuse a table with which no game would end within reason."""
        probabilities = np.array(self.probabilities, dtype=np.float64)
        if len(self.landings) != len(probabilities) or not (probabilities > 0).all():
            raise ValueError("landings: expected a probability above 0 for each")
        if abs(probabilities.sum() - 1) > 1e-9:
            raise ValueError(f"probabilities: expected sum 1, got {probabilities.sum()}")
        points = [score(*one.positions, one.touch).points for one in self.landings]
        if probabilities[np.array(points, dtype=np.int64) > 0].sum() < LEAST_SCORING:
            few = f"fewer than 1 in {1 / LEAST_SCORING:,.0f}" if any(points) else "none"
            raise ValueError(f"{self.source}: of its throws {few} scores, so no game would end")
        probabilities.setflags(write=False)
        object.__setattr__(self, "probabilities", probabilities)

    @classmethod
    def from_counts(cls, counts: Mapping[Landing, float], source: str) -> LandingTable:
        """Take frequencies for probabilities; the order of two pigs does not matter."""
        merged: dict[Landing, float] = {}
        for landing, count in counts.items():
            one = _sorted(landing)
            merged[one] = merged.get(one, 0.0) + count
        kept = sorted((one for one in merged if merged[one] > 0), key=_rank)
        weights = np.array([merged[one] for one in kept], dtype=np.float64)
        return cls(tuple(kept), weights / weights.sum(), source)

    @classmethod
    def read(cls, directory: Path) -> LandingTable:
        """Read a recorded batch of throws of two pigs; each throw counts once.

        Raises:
            ValueError: If the directory holds none.
        """
        from sim.records import read_batch  # PyArrow, for recorded batches only

        landings = read_batch(directory).landings
        if landings.position.shape[1] != GAME_PIGS:
            pigs = landings.position.shape[1]
            raise ValueError(f"{directory}: a game needs throws of two pigs, these are of {pigs}")
        return cls.from_counts(Counter(landings_of(landings)), str(directory))

    @classmethod
    def published(cls, table: PublishedTable) -> LandingTable:
        """Build throws of two pigs from the published positions of single pigs.

        Assumptions: the pigs of a throw that do not touch land independently, and each touching
        throw is an Oinker, since the published count does not set Piggybacks apart.
        """
        apart = 1 - table.touching_share()
        counts: dict[Landing, float] = {}
        for a, b in combinations_with_replacement(table.counts, 2):
            orders = 1 if a == b else 2
            counts[Landing((a, b))] = apart * orders * table.share(a) * table.share(b)
        most = max(table.counts, key=table.share)
        counts[Landing((most, most), "oinker")] = table.touching_share()
        return cls.from_counts(counts, table.source)

    @cached_property
    def _cumulative(self) -> np.ndarray:
        return np.cumsum(self.probabilities[:-1])

    @property
    def digest(self) -> str:
        """Identify what `draw` gives: SHA-256 of landings and probabilities, in hex."""
        landings = [(*one.positions, one.touch) for one in self.landings]
        return _digest([landings, self.probabilities.tolist()])

    def draw(self, rng: np.random.Generator, throws: int) -> np.ndarray:
        """Draw throws with replacement: indices into `landings`, (throws,)."""
        return np.searchsorted(self._cumulative, rng.random(throws), side="right")


def configuration_digest(configuration: Configuration) -> str:
    """Identify what physics throws: SHA-256 of a configuration and its versions, in hex."""
    from sim.records import versions

    return _digest([configuration.as_dict(), versions()])


def _digest(values: list[Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def landings_of(landings: Landings) -> list[Landing]:
    """Read throws of two pigs as the rulebook sees them; the worst touch is the throw's."""
    worst = [max(touches, key=TOUCHES.index) for touches in landings.touch.tolist()]
    return [
        Landing((a, b), touch)
        for (a, b), touch in zip(landings.position.tolist(), worst, strict=True)
    ]


def _sorted(landing: Landing) -> Landing:
    a, b = sorted(landing.positions, key=SCORED_POSITIONS.index)
    return Landing((a, b), landing.touch)


def _rank(landing: Landing) -> tuple[int, ...]:
    return TOUCHES.index(landing.touch), *map(SCORED_POSITIONS.index, landing.positions)
