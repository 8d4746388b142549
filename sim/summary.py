"""Counts of a batch: positions, touching throws, statuses and scores, without keeping the rows.

Summaries add up, so a batch of any length is counted block by block in constant memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from sim.game.score import SCORE_NAMES, TOUCHES, score
from sim.interval import wilson_interval
from sim.position import POSITIONS
from sim.rest import STATUSES
from sim.throw import Landings

HANDED_OVER = ("no", "yes")

SCORED_PIGS = 2
"""The rulebook scores throws of two pigs."""


@dataclass(frozen=True)
class Summary:
    """How many throws ended how.

    As in the published table, the pigs of touching throws are not among the positions. A pig of
    a failed throw that does not touch another is counted as `other`, so the positions add up to
    the pigs of the throws that ended without touching.

    Attributes:
        pigs: In each throw.
        positions: Pigs by position, of throws that ended without touching.
        touches: Throws by their worst touch: `none`, `oinker`, `piggyback`.
        statuses: Throws by status, failed ones included.
        scores: Throws by name of score; empty unless the throws are of two pigs.
        points: Total of the throws' points.
        handed_over: Throws by whether another engine ended them, `yes` or `no`; those read from
            files do not say.
    """

    pigs: int
    positions: Mapping[str, int]
    touches: Mapping[str, int]
    statuses: Mapping[str, int]
    scores: Mapping[str, int]
    points: int
    handed_over: Mapping[str, int]

    @classmethod
    def empty(cls, pigs: int) -> Summary:
        """Count no throw of this many pigs."""
        scores = dict.fromkeys(SCORE_NAMES, 0) if pigs == SCORED_PIGS else {}
        positions, touches, statuses = (dict.fromkeys(k, 0) for k in (POSITIONS, TOUCHES, STATUSES))
        return cls(pigs, positions, touches, statuses, scores, 0, dict.fromkeys(HANDED_OVER, 0))

    def __add__(self, more: Summary) -> Summary:
        if self.pigs != more.pigs:
            raise ValueError(f"pigs: expected {self.pigs} in each throw, got {more.pigs}")
        return Summary(
            self.pigs,
            _sum(self.positions, more.positions),
            _sum(self.touches, more.touches),
            _sum(self.statuses, more.statuses),
            _sum(self.scores, more.scores),
            self.points + more.points,
            _sum(self.handed_over, more.handed_over),
        )

    @property
    def throws(self) -> int:
        """Throws counted."""
        return sum(self.statuses.values())

    @property
    def touching(self) -> int:
        """Throws that ended with pigs touching, in either way."""
        return self.throws - self.touches["none"]

    @property
    def counted_pigs(self) -> int:
        """Pigs among the positions."""
        return sum(self.positions.values())

    def share(self, position: str) -> float | None:
        """Give a position's share of the counted pigs, None if there are none."""
        pigs = self.counted_pigs
        return self.positions[position] / pigs if pigs else None

    def interval(self, position: str) -> tuple[float, float]:
        """Give the 95 % Wilson interval of the share."""
        return wilson_interval(self.positions[position], self.counted_pigs)

    @property
    def handed_over_share(self) -> float | None:
        """Share of throws that another engine ended, of those that say; None if none does."""
        known = sum(self.handed_over.values())
        return self.handed_over["yes"] / known if known else None

    @property
    def mean_points(self) -> float | None:
        """Points a throw on average, over throws that count: `other` is thrown again."""
        counting = sum(self.scores.values()) - self.scores.get("other", 0)
        return self.points / counting if counting else None


def summarize(landings: Landings) -> Summary:
    """Count the landings of some throws."""
    pigs = landings.position.shape[1]
    touch = worst_touch(landings.touch)
    positions = _counts(POSITIONS, landings.position[touch == "none"].ravel())
    scores: Counter[str] = Counter()
    points = 0
    if pigs == SCORED_PIGS:
        for (a, b, touched), throws in Counter(_triples(landings.position, touch)).items():
            worth = score(a, b, touched)
            scores[worth.name] += throws
            points += throws * worth.points
    return Summary.empty(pigs) + Summary(
        pigs,
        positions,
        _counts(TOUCHES, touch),
        _counts(STATUSES, landings.status),
        scores,
        points,
        {word: int((landings.handed_over == code).sum()) for code, word in enumerate(HANDED_OVER)},
    )


def worst_touch(touch: np.ndarray) -> np.ndarray:
    """Reduce the touch of every pig, shape (n, k), to that of every throw, shape (n,)."""
    ranks = np.select([touch == word for word in TOUCHES], range(len(TOUCHES)), default=-1)
    if (ranks < 0).any():
        raise ValueError(f"touch: expected {', '.join(TOUCHES)}, got {touch[ranks < 0][0]}")
    return np.array(TOUCHES)[ranks.max(axis=1)]


def _triples(position: np.ndarray, touch: np.ndarray) -> Iterable[tuple[str, str, str]]:
    first, second = (sorted_column.tolist() for sorted_column in np.sort(position, axis=1).T)
    return zip(first, second, touch.tolist(), strict=True)


def _counts(words: tuple[str, ...], found: np.ndarray) -> dict[str, int]:
    counts = Counter(found.tolist())
    if unknown := counts.keys() - set(words):
        raise ValueError(f"landings: expected {', '.join(words)}, got {', '.join(unknown)}")
    return {word: counts[word] for word in words}


def _sum(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    return {word: count + b.get(word, 0) for word, count in a.items()}
