"""A game of Pig Party in the terminal."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sim.configuration import configure
from sim.game.leave import play_until_left
from sim.game.party.cards import Deck, write_positions
from sim.game.party.deck_file import read_deck
from sim.game.party.drawn_table import DrawnTable
from sim.game.party.event import describe
from sim.game.party.physics_table import PhysicsTable
from sim.game.party.play import Asked, Decider, PartyTable, Thrifty, play_party
from sim.game.party.rules import Step, deal
from sim.game.party.saved import as_record, from_record
from sim.game.party.state import TARGET, PartyGame
from sim.game.player import PlayerWord, name_players, read_people
from sim.game.saved import SavedGame, SaveFile
from sim.game.source import LandingTable
from sim.game.terminal import Terminal
from sim.game.wish import Wish, absolute_source, check_origin, find_origin, read_table
from sim.refusal import Refusal

THRIFTY = "thrifty"
_DEFAULT_PLAYERS = "me,thrifty"
_SHUFFLE = (2**32 - 1, 0)
"""Child of the seed that shuffles; throw i draws from child (i,)."""


def play_party_game(wish: Wish, save: Path | None) -> None:
    """Deal, and play in the terminal."""
    text = wish.players or _DEFAULT_PLAYERS
    seed = secrets.randbelow(2**32) if wish.seed is None else wish.seed
    players = read_people(text, THRIFTY)
    deck = read_deck() if wish.deck is None else read_deck(wish.deck)
    step = _deal(deck, len(players), seed, wish.target)
    place = SaveFile(save, None)
    landings = read_table(wish.source, "party")
    origin = find_origin("party", seed, landings)
    source = absolute_source(wish.source)
    saved = SavedGame("party", text, seed, source, origin, as_record(step.game))
    _play(saved, players, step, landings, place)


def resume_party_game(saved: SavedGame, place: SaveFile) -> None:
    """Go on with a saved party."""
    players = read_people(saved.players, THRIFTY)
    game = from_record(dict(saved.game))
    if len(game.seats) != len(players):
        raise Refusal(f"saved game: expected {len(game.seats)} players, got {len(players)}")
    landings = read_table(saved.source, saved.rules)
    check_origin(saved, landings)
    _play(saved, players, Step(game, ()), landings, place)


def _deal(deck: Deck, players: int, seed: int, target: int | None) -> Step:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=_SHUFFLE))
    return deal(deck, players, rng, TARGET if target is None else target)


def _play(
    saved: SavedGame,
    players: Sequence[PlayerWord],
    step: Step,
    landings: LandingTable | None,
    place: SaveFile,
) -> None:
    names, terminal = name_players(players), Terminal()
    deciders: list[Decider] = [
        Asked(_asker(terminal, name)) if player.is_person else Thrifty()
        for player, name in zip(players, names, strict=True)
    ]
    table, at = _table(saved.seed, landings), [step.game]
    table.check(step.game)
    terminal.say(f"Pig Party to {step.game.target}, seed {saved.seed}. ? explains, q leaves")
    _tell(terminal, step, names)
    if not step.events:
        _tell_table(terminal, step.game, names)

    def run() -> None:
        for after in play_party(at[0], deciders, table):
            at[0] = after.game
            _tell(terminal, after, names)

    def record() -> SavedGame | None:
        if not at[0].throws:
            return None
        given = saved.rules, saved.players, saved.seed, saved.source, saved.origin
        return SavedGame(*given, as_record(at[0]))

    play_until_left(terminal, run, record, place)


def _asker(terminal: Terminal, name: str) -> Callable[[str], str]:
    return lambda prompt: terminal.ask(f"{name}: {prompt}")


def _tell(terminal: Terminal, step: Step, names: Sequence[str]) -> None:
    for event in step.events:
        terminal.say(describe(event, names))
        if event.kind in ("turned", "over"):
            terminal.say(f"  {_scores(step.game, names)}")


def _scores(game: PartyGame, names: Sequence[str]) -> str:
    return "   ".join(f"{name} {seat.score}" for name, seat in zip(names, game.seats, strict=True))


def _tell_table(terminal: Terminal, game: PartyGame, names: Sequence[str]) -> None:
    """Say what is on the table of a game that goes on."""
    terminal.say(f"  {_scores(game, names)}")
    if game.card is not None:
        covered = f", {len(game.covered)} under it" if game.covered else ""
        terminal.say(f"the roll card wants {_words(str(game.card))}{covered}")
    for name, seat in zip(names, game.seats, strict=True):
        if seat.pigs:
            lying = _words(write_positions([pig.position for pig in seat.pigs]))
            terminal.say(f"{name}'s pigs lie: {lying}")


def _words(text: str) -> str:
    return text.replace("_", " ")


def _table(seed: int, landings: LandingTable | None) -> PartyTable:
    if landings is None:
        return PhysicsTable(configure(seed=seed))
    return DrawnTable(landings, seed)
