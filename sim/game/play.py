"""A game in the terminal from its options to its end: begun, left, saved and resumed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.configuration import Configuration, configure
from sim.game.leave import play_until_left
from sim.game.optimum import Outcomes
from sim.game.player import PlayerWord, find_optimum, name_players, read_players, seat_strategy
from sim.game.rules import CHOICES, Game, Rules
from sim.game.saved import SavedGame, SaveFile, game_record, read_game, read_saved
from sim.game.session import Session, lying_line
from sim.game.source import (
    LandingSource,
    LandingTable,
    PhysicsSource,
    RecordedSource,
    configuration_digest,
)
from sim.game.terminal import Terminal
from sim.game.tournament import Seat
from sim.pig import BIG
from sim.published import KERN_2006
from sim.refusal import Refusal

RULE_SETS = ("standard", "big", "party")
PUBLISHED = "kern2006"
_DEFAULT_PLAYERS = "me,keen"


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


def play(wish: Wish, save: Path | None) -> None:
    """Begin a game and play it in the terminal."""
    if wish.rules == "party":
        from sim.game.party_session import play_party_game

        return play_party_game(wish, save)
    text = wish.players or _DEFAULT_PLAYERS
    seed = secrets.randbelow(2**32) if wish.seed is None else wish.seed
    game = Game(read_rules(wish), name_players(read_players(text)))
    place = SaveFile(save, None)
    table = read_table(wish.source, wish.rules)
    origin = find_origin(wish.rules, seed, table)
    source = absolute_source(wish.source)
    saved = SavedGame(wish.rules, text, seed, source, origin, game_record(game, 0))
    return _play(saved, table, place)


def absolute_source(source: str | None) -> str | None:
    """Write where throws are drawn from so that any directory can read it."""
    return source if source in (None, PUBLISHED) else str(Path(str(source)).absolute())


def find_origin(rules: str, seed: int, table: LandingTable | None) -> str:
    """Identify what decides the throws of a game; see `SavedGame`."""
    return configuration_digest(_configuration(rules, seed)) if table is None else table.digest


def check_origin(saved: SavedGame, table: LandingTable | None) -> None:
    """Refuse to go on with other throws than the game began with."""
    if find_origin(saved.rules, saved.seed, table) == saved.origin:
        return
    if table is None:
        raise Refusal("saved game: begun with another version or configuration of the simulator")
    raise Refusal(f"saved game: {saved.source} holds other throws than when the game began")


def resume_play(resumed: Path, save: Path | None) -> None:
    """Go on with a saved game."""
    saved = read_saved(resumed)
    place = SaveFile(save, resumed)
    if saved.rules not in RULE_SETS:
        raise Refusal(f"{resumed}: rules: expected {', '.join(RULE_SETS)}")
    if saved.rules == "party":
        from sim.game.party_session import resume_party_game

        return resume_party_game(saved, place)
    table = read_table(saved.source, saved.rules)
    check_origin(saved, table)
    return _play(saved, table, place)


def _play(saved: SavedGame, table: LandingTable | None, place: SaveFile) -> None:
    players = read_players(saved.players)
    game, thrown = read_game(saved.game, name_players(players))
    seats = _seats(players, game.rules, table)
    terminal = Terminal()
    for line in _heading(saved, game, has_strategies=any(seats)):
        terminal.say(line)
    source = _source(saved, table, max(thrown - 1, 0))
    if thrown:
        terminal.say(f"The last throw: {lying_line(source.throw())}")
    session = Session(terminal, game, seats, source)

    def record() -> SavedGame | None:
        state, throws = session.at
        if not throws:
            return None
        given = saved.rules, saved.players, saved.seed, saved.source, saved.origin
        return SavedGame(*given, game_record(state, throws))

    play_until_left(terminal, session.play, record, place)


def _seats(
    players: Sequence[PlayerWord], rules: Rules, table: LandingTable | None
) -> list[Seat | None]:
    """Seat everybody; strategies expect the published landings where they know no others."""
    expected = table or LandingTable.published(KERN_2006)
    optimum = find_optimum(players, rules, Outcomes.of_pigs(expected))
    return [
        None if player.is_person else seat_strategy(player, rules, expected, optimum)
        for player in players
    ]


def _source(saved: SavedGame, table: LandingTable | None, thrown: int) -> LandingSource:
    if table is not None:
        return RecordedSource(table, saved.seed, thrown)
    return PhysicsSource(_configuration(saved.rules, saved.seed), thrown)


def _configuration(rules: str, seed: int) -> Configuration:
    if rules == "big":
        return configure(seed=seed, pig=BIG, device="drop")
    return configure(seed=seed)


def _heading(saved: SavedGame, game: Game, has_strategies: bool) -> list[str]:
    name = "Big Pigs" if saved.rules == "big" else "Pass the Pigs"
    calls = game.rules.hog_call
    lines = [
        f"{name} to {game.rules.target}, seed {saved.seed}, hog calls {calls}. "
        f"Swineherd, who keeps the score: {game.players[-1]}",
        "Enter or t throws, s stops, q leaves",
    ]
    if has_strategies and saved.source is None:
        lines.append("Strategies expect the pigs to land as those of the published experiment")
    return lines
