"""What is thrown in the comparison: the standard pig, alone and in pairs."""

from __future__ import annotations

from dataclasses import dataclass

from sim.configuration import Configuration, configure


@dataclass(frozen=True)
class Case:
    """One way to throw, which every contender throws from the same releases.

    Attributes:
        name: On the command line's report and in JSON.
        device: Of sim.configuration.DEVICES; only our own engines swing a trap door's leaf.
        pigs: Thrown together.
    """

    name: str
    device: str
    pigs: int

    def configuration(self, engine: str, seed: int) -> Configuration:
        """Configure the case for one of our engines."""
        return configure(seed=seed, device=self.device, pigs=self.pigs, engine=engine)


CASES = (
    Case("single", "drop", 1),
    Case("pair", "drop", 2),
    Case("pair_trap_door", "kern2006", 2),
)
