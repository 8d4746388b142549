"""What the command line asks of a game, and where its throws come from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sim.configuration import Configuration, configure
from sim.game.rules import CHOICES, Rules
from sim.game.saved import SavedGame
from sim.game.source import LandingTable, configuration_digest
from sim.pig import BIG
from sim.published import KERN_2006
from sim.refusal import Refusal

RULE_SETS = ("standard", "big", "party")
PUBLISHED = "kern2006"


@dataclass(frozen=True)
class Wish:
    """What the command line asks for; None where it does not say."""

    players: str | None = None
    rules: str = "standard"
    target: int | None = None
    seed: int | None = None
    source: str | None = None
    hog_call: str | None = None
    house: tuple[str, ...] = ()
    deck: Path | None = None

    def __post_init__(self) -> None:
        """Refuse a rule set that there is not, and options of another one."""
        if self.rules not in RULE_SETS:
            raise Refusal(f"unknown rules '{self.rules}': expected {', '.join(RULE_SETS)}")
        if self.rules == "party" and (self.hog_call or self.house):
            raise Refusal("--hog-call, --house: Pig Party has no hog calls")
        if self.rules != "party" and self.deck:
            raise Refusal("--deck: only Pig Party has cards; add --rules party")
        if self.hog_call == "off" and self.house:
            raise Refusal("--house: hog calls are off, so there is no case to decide")


def read_rules(wish: Wish) -> Rules:
    """Build the rules of Pass the Pigs."""
    hog_call = wish.hog_call or "default"
    if hog_call not in CHOICES["hog_call"]:
        raise Refusal(f"--hog-call '{hog_call}': expected {' or '.join(CHOICES['hog_call'])}")
    chosen: dict[str, str] = {}
    for word in wish.house:
        name, _, choice = word.partition("=")
        name = name.replace("-", "_")
        if name in chosen:
            raise Refusal(f"--house '{word}': {name} is given twice")
        _check_house(word, name, choice)
        chosen[name] = choice
    rules = Rules(100 if wish.target is None else wish.target, hog_call, **chosen)
    for name in chosen:
        if name not in rules.deciding:
            raise Refusal(f"--house {name}: by these rules of hog calls it decides nothing")
    return rules


def _check_house(word: str, name: str, choice: str) -> None:
    house = [option for option in CHOICES if option != "hog_call"]
    if name not in house:
        raise Refusal(f"--house '{word}': expected RULE=CHOICE, RULE one of {', '.join(house)}")
    if choice not in CHOICES[name]:
        raise Refusal(f"--house '{word}': expected {name}={' or '.join(CHOICES[name])}")


def read_table(source: str | None, rules: str) -> LandingTable | None:
    """Read the landings to draw from; None for physics.

    Raises:
        ValueError: If there are none, or they are of pigs of another size.
    """
    if source is None:
        return None
    is_big = rules == "big"
    if source == PUBLISHED and is_big:
        raise Refusal(f"--from {PUBLISHED}: small pigs landed so; {_RECORD_BIG}")
    if source == PUBLISHED:
        return LandingTable.published(KERN_2006)
    from sim.records import read_identity

    table = LandingTable.read(Path(source))
    pig = read_identity(Path(source))["configuration"].get("pig", {}).get("name")
    if is_big and pig != BIG:
        raise Refusal(f"--from {source}: thrown with the pig '{pig}'; {_RECORD_BIG}")
    if pig == BIG and not is_big:
        raise Refusal(f"--from {source}: thrown with big pigs; add --rules big")
    return table


_RECORD_BIG = "record big ones: pigs throw --pig big --device drop --out DIR"


def absolute_source(source: str | None) -> str | None:
    """Write where throws are drawn from so that any directory can read it."""
    return source if source in (None, PUBLISHED) else str(Path(str(source)).absolute())


def find_origin(rules: str, seed: int, table: LandingTable | None) -> str:
    """Identify what decides the throws of a game; see `SavedGame`."""
    return configuration_digest(throws_of(rules, seed)) if table is None else table.digest


def check_origin(saved: SavedGame, table: LandingTable | None) -> None:
    """Refuse to go on with other throws than the game began with."""
    if find_origin(saved.rules, saved.seed, table) == saved.origin:
        return
    if table is None:
        raise Refusal("saved game: begun with another version or configuration of the simulator")
    raise Refusal(f"saved game: {saved.source} holds other throws than when the game began")


def throws_of(rules: str, seed: int) -> Configuration:
    """Configure the throws of a game by physics."""
    if rules == "big":
        return configure(seed=seed, pig=BIG, device="drop")
    return configure(seed=seed)
