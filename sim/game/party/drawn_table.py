"""A table of Pig Party without physics, for many games in little time."""

from __future__ import annotations

import numpy as np

from sim.game.party.cards import PICTURED
from sim.game.party.state import PAIR, LandedPig, PartyGame, Thrown
from sim.game.source import LandingTable


class DrawnTable:
    """Draws positions and touches from frequencies: no pig knows of another, and none fails.

    Attributes:
        disturbing_own: Probability that a throw touches or moves the thrower's pig that stays.
        disturbing_other: The same for each pig of another player. Both are shares of about
            430 and 2,200 such pigs in physics, with four players.
    """

    disturbing_own = 0.05
    disturbing_other = 0.01

    def __init__(self, landings: LandingTable, seed: int) -> None:
        """Take each pig's position from the throws that do not touch, touching from the others.

        Args:
            landings: Throws of two pigs.
            seed: Of all throws, >= 0.

        Raises:
            ValueError: If a position that cards want never occurs: a game might not end.
        """
        shares: dict[str, float] = {}
        for landing, probability in zip(landings.landings, landings.probabilities, strict=True):
            for position in landing.positions if landing.touch == "none" else ():
                shares[position] = shares.get(position, 0.0) + float(probability) / PAIR
        missing = [position for position in PICTURED if position not in shares]
        if missing:
            raise ValueError(
                f"{landings.source}: no pig lands in {', '.join(missing)}, so a game might not end"
            )
        self._positions = list(shares)
        self._touching = 1.0 - sum(shares.values())
        self._cumulative = np.cumsum(list(shares.values()))[:-1] / sum(shares.values())
        self._seed = seed

    def check(self, game: PartyGame) -> None:
        """Refuse pigs that lie somewhere: here they have no poses."""
        if any(pig.pose is not None for seat in game.seats for pig in seat.pigs):
            raise ValueError("a pig that was drawn has no pose, but one of the game's has")

    def throw(self, game: PartyGame) -> Thrown:
        """Draw a throw; throw i of a game depends on the seed and i."""
        child = np.random.SeedSequence(self._seed, spawn_key=(game.throws,))
        rng = np.random.default_rng(child)
        pigs = game.pigs_to_throw
        drawn = np.searchsorted(self._cumulative, rng.random(pigs), side="right")
        luck = rng.random(1 + len(game.lying)).tolist()
        return Thrown(
            pigs=tuple(LandedPig(self._positions[number]) for number in drawn.tolist()),
            is_touching=pigs == PAIR and luck[0] < self._touching,
            disturbed=tuple(
                number
                for number, (owner, _) in enumerate(game.lying)
                if luck[1 + number] < self._disturbing(owner == game.turn)
            ),
        )

    def _disturbing(self, is_own: bool) -> float:
        return self.disturbing_own if is_own else self.disturbing_other
