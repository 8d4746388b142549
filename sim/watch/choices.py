"""What a viewer in the browser can choose, and the throws that it gets for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from sim.configuration import DEVICES, configure
from sim.contact import PairContact
from sim.device import STARTS
from sim.lengths import parse_length
from sim.pig import PIGS
from sim.position import POSITIONS
from sim.watch.program import NewThrows, Program, RecordedThrows
from sim.words import plain

SURFACES: dict[str, tuple[str, PairContact | None]] = {
    "standard": ("the standard one", None),
    "lively": ("lively: rebounds more", PairContact(restitution=0.85, friction=0.60)),
    "mat": ("mat: soft and rough", PairContact(restitution=0.40, friction=0.90)),
    "slippery": ("slippery", PairContact(restitution=0.70, friction=0.15)),
}
"""Tables to try, all assumptions; None leaves the pig's own."""


@dataclass(frozen=True)
class Choice:
    """One thing to choose.

    Attributes:
        name: In what a browser sends.
        label: For people.
        options: Words to choose from, each with what people read; none for free text.
        chosen: To begin with.
    """

    name: str
    label: str
    options: Mapping[str, str]
    chosen: str


class Choices(Protocol):
    """All there is to choose.

    Attributes:
        choices: Each of them.
        forward: What the button says that goes on to another throw.
    """

    choices: list[Choice]
    forward: str

    def program(self, chosen: Mapping[str, str]) -> Program:
        """Find the throws for a choice of each.

        Raises:
            ValueError: In one line, if there are none.
        """
        ...


class NewChoices:
    """Pig, device and surface of new throws; each combination goes on where it was left."""

    forward = "Throw"

    def __init__(self, seed: int, pig: str, device: str, height: str, start: str) -> None:
        self._seed = seed
        self._pigs = tuple(dict.fromkeys((*PIGS, pig)))
        self.choices = [
            Choice("pig", "Pig", {name: name for name in self._pigs}, pig),
            Choice("device", "Device", {name: name for name in DEVICES}, device),
            Choice("height", "Height", {}, height),
            Choice("start", "Start", {"": "the device's"} | {s: s for s in STARTS}, start),
            Choice(
                "surface",
                "Surface",
                {name: label for name, (label, _) in SURFACES.items()},
                "standard",
            ),
        ]
        self._programs: dict[tuple[str, ...], NewThrows] = {}

    def program(self, chosen: Mapping[str, str]) -> Program:
        """Configure throws, or take up those configured alike; see Choices."""
        key = tuple(chosen.get(choice.name, choice.chosen) for choice in self.choices)
        if key not in self._programs:
            self._programs[key] = self._configured(*key)
        return self._programs[key]

    def _configured(
        self, pig: str, device: str, height: str, start: str, surface: str
    ) -> NewThrows:
        if pig not in self._pigs:
            raise ValueError(f"unknown pig '{pig}': expected {', '.join(self._pigs)}")
        if surface not in SURFACES:
            raise ValueError(f"unknown surface '{surface}': expected {', '.join(SURFACES)}")
        configuration = configure(
            seed=self._seed,
            pig=pig,
            device=device,
            height=parse_length(height) if height.strip() else None,
            start=start or None,
        )
        pair = SURFACES[surface][1]
        if pair is not None:
            contact = replace(configuration.contact, pig_table=pair)
            configuration = replace(configuration, contact=contact)
        return NewThrows(configuration)


class RecordedChoices:
    """Which throws of a recorded batch to go through."""

    forward = "Next"

    def __init__(self, program: RecordedThrows, position: str | None, touching: bool) -> None:
        self._program = program
        counts = {name: len(program.select(name, False)) for name in POSITIONS}
        touching_throws = len(program.select(None, True))
        self.choices = [
            Choice(
                "position",
                "Position",
                {"": "any"} | {n: f"{plain(n)} ({count:,} throws)" for n, count in counts.items()},
                position or "",
            ),
            Choice(
                "touching",
                "Touching",
                {"": "either way", "yes": f"touching ({touching_throws:,} throws)"},
                "yes" if touching else "",
            ),
        ]

    def program(self, chosen: Mapping[str, str]) -> Program:
        """Pick throws of the batch; see Choices."""
        position, touching = (chosen.get(choice.name, choice.chosen) for choice in self.choices)
        self._program.pick(position or None, touching == "yes")
        return self._program
