"""A game of Pig Party in the terminal."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sim.configuration import configure
from sim.game.party.cards import Deck
from sim.game.party.deck_file import read_deck
from sim.game.party.drawn_table import DrawnTable
from sim.game.party.event import describe
from sim.game.party.physics_table import PhysicsTable
from sim.game.party.play import Asked, Decider, PartyTable, Thrifty, play_party
from sim.game.party.rules import Step, deal
from sim.game.party.saved import as_record, from_record
from sim.game.party.state import TARGET, PartyGame
from sim.game.play import Wish, play_until_left, read_table
from sim.game.player import PlayerWord, name_players, read_people
from sim.game.saved import SavedGame, SaveFile
from sim.game.terminal import Terminal
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
    saved = SavedGame("party", text, seed, wish.source, as_record(step.game))
    _play(saved, players, step, SaveFile(save, None))


def resume_party_game(saved: SavedGame, place: SaveFile) -> None:
    """Go on with a saved party."""
    players = read_people(saved.players, THRIFTY)
    game = from_record(dict(saved.game))
    if len(game.seats) != len(players):
        raise Refusal(f"saved game: expected {len(game.seats)} players, got {len(players)}")
    _play(saved, players, Step(game, ()), place)


def _deal(deck: Deck, players: int, seed: int, target: int | None) -> Step:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=_SHUFFLE))
    return deal(deck, players, rng, TARGET if target is None else target)


def _play(saved: SavedGame, players: Sequence[PlayerWord], step: Step, place: SaveFile) -> None:
    names, terminal = name_players(players), Terminal()
    deciders: list[Decider] = [
        Asked(_asker(terminal, name)) if player.is_person else Thrifty()
        for player, name in zip(players, names, strict=True)
    ]
    table, at = _table(saved), [step.game]
    terminal.say(f"Pig Party to {step.game.target}, seed {saved.seed}. q leaves")
    _tell(terminal, step, names)

    def run() -> None:
        for after in play_party(at[0], deciders, table):
            at[0] = after.game
            _tell(terminal, after, names)

    def record() -> SavedGame | None:
        if not at[0].throws:
            return None
        given = saved.rules, saved.players, saved.seed, saved.source
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


def _table(saved: SavedGame) -> PartyTable:
    landings = read_table(saved.source, saved.rules)
    if landings is None:
        return PhysicsTable(configure(seed=saved.seed))
    return DrawnTable(landings, saved.seed)
