"""The published experiment: how 11,954 real pigs landed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sim.interval import wilson_interval


@dataclass(frozen=True)
class PublishedTable:
    """Counted positions of real pigs.

    Attributes:
        counts: Pigs by position; pigs that touched another are not among them.
        throws: Throws of two pigs, touching ones included.
        touching: Throws that ended with the pigs touching.
        source: Where the counts were published.
    """

    counts: Mapping[str, int]
    throws: int
    touching: int
    source: str

    def __post_init__(self) -> None:
        """Freeze the counts; refuse a table that does not add up."""
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))
        expected = 2 * (self.throws - self.touching)
        if self.pigs != expected:
            raise ValueError(f"counts: expected {expected} pigs not touching, got {self.pigs}")

    @property
    def pigs(self) -> int:
        """Pigs counted."""
        return sum(self.counts.values())

    def share(self, position: str) -> float:
        """Give the share of the counted pigs that landed in this position."""
        return self.counts[position] / self.pigs

    def interval(self, position: str) -> tuple[float, float]:
        """Give the 95 % Wilson interval of the share."""
        return wilson_interval(self.counts[position], self.pigs)

    def touching_share(self) -> float:
        """Give the share of throws that ended touching."""
        return self.touching / self.throws

    def touching_interval(self) -> tuple[float, float]:
        """Give the 95 % Wilson interval of the touching share."""
        return wilson_interval(self.touching, self.throws)


KERN_2006 = PublishedTable(
    counts={
        "side_no_dot": 4180,
        "side_dot": 3607,
        "razorback": 2674,
        "trotter": 1057,
        "snouter": 363,
        "leaning_jowler": 73,
    },
    throws=6000,
    touching=23,
    source=(
        'Kern, J. C. (2006), "Pig Data and Bayesian Inference on Multinomial Probabilities", '
        "Journal of Statistics Education 14(3)"
    ),
)
