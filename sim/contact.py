"""Friction and restitution of every pair of surfaces that can meet.

Sources:
    Restitution of solid rubber: rebound resilience, the ratio of rebound height to drop height in
    the test of ASTM D2632, runs from some 30 % for damping compounds to 80 % for lively natural
    rubber; 50 % in between gives e = sqrt(0.5) = 0.7. Rubber balls on a hard table lie between
    about 0.7 and 0.9 (Cross, R., 1999, "The bounce of a ball", American Journal of Physics 67,
    222-227). The real pig's value is not published: 0.70 is our assumption.
    Loss at small speed: a dissipative contact returns less as the speed falls to that of the
    contact's own adhesion and rolling losses; 0.15 m/s is our assumption (1.1 mm of drop).
    Friction of rubber on a dry, hard, smooth surface: tables give 0.5-0.9; 0.6 is our assumption.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, sqrt


@dataclass(frozen=True)
class PairContact:
    """What one pair of surfaces does when it meets.

    Attributes:
        restitution: Ratio of normal speeds after and before, [0, 1].
        friction: Coulomb coefficient, >= 0.
    """

    restitution: float
    friction: float

    def __post_init__(self) -> None:
        if not (isfinite(self.restitution) and 0.0 <= self.restitution <= 1.0):
            raise ValueError(f"restitution must be between 0 and 1, got {self.restitution}")
        if not (isfinite(self.friction) and self.friction >= 0.0):
            raise ValueError(f"friction must be 0 or more, got {self.friction}")


@dataclass(frozen=True)
class Contact:
    """The contact values of a throw, stated per pair.

    Attributes:
        pig_table: Rubber on the standardized surface (assumed hard and smooth).
        pig_leaf: Rubber on the trap door's leaf.
        pig_pig: Rubber on rubber.
        bounce_speed: Approach speed below which nothing rebounds [m/s].
    """

    pig_table: PairContact = field(default_factory=lambda: PairContact(0.70, 0.60))
    pig_leaf: PairContact = field(default_factory=lambda: PairContact(0.70, 0.60))
    pig_pig: PairContact = field(default_factory=lambda: PairContact(0.70, 0.80))
    bounce_speed: float = 0.15

    def __post_init__(self) -> None:
        if not (isfinite(self.bounce_speed) and self.bounce_speed >= 0.0):
            raise ValueError(f"bounce_speed must be 0 m/s or more, got {self.bounce_speed}")
        for name in ("restitution", "friction"):
            own, others = getattr(self.pig_pig, name), (self.pig_table, self.pig_leaf)
            if own == 0.0 and any(getattr(other, name) > 0.0 for other in others):
                raise ValueError(f"pig_pig {name} of 0 makes every pair's {name} 0: {_RULE}")


_RULE = "a pair's value is the product of its two bodies' factors"


@dataclass(frozen=True)
class Factors:
    """One body's friction and restitution such that the products over pairs are the stated ones."""

    restitution: float
    friction: float


def body_factors(contact: Contact) -> dict[str, Factors]:
    """Split the pair values into one factor per body, for engines that multiply them.

    Bullet takes the product of the two bodies' values for friction and restitution alike. With
    pig = sqrt(pig_pig), any body B gets pig_B / pig, and every product is the pair's value.

    Returns:
        Factors of "pig", "table" and "leaf".
    """
    pig = Factors(sqrt(contact.pig_pig.restitution), sqrt(contact.pig_pig.friction))

    def against(pair: PairContact) -> Factors:
        return Factors(
            pair.restitution / pig.restitution if pig.restitution else 0.0,
            pair.friction / pig.friction if pig.friction else 0.0,
        )

    return {
        "pig": pig,
        "table": against(contact.pig_table),
        "leaf": against(contact.pig_leaf),
    }
