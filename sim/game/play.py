"""A game in the terminal from its options to its end: begun, left, saved and resumed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from sim.game.leave import play_until_left
from sim.game.optimum import Outcomes
from sim.game.party_session import play_party_game, resume_party_game
from sim.game.player import PlayerWord, find_optimum, name_players, read_players, seat_strategy
from sim.game.rules import Game, Rules
from sim.game.saved import SavedGame, SaveFile, game_record, read_game, read_saved
from sim.game.session import Session, lying_line
from sim.game.source import (
    LandingSource,
    LandingTable,
    PhysicsSource,
    RecordedSource,
)
from sim.game.terminal import Terminal
from sim.game.tournament import Seat
from sim.game.wish import (
    RULE_SETS,
    Wish,
    absolute_source,
    check_origin,
    find_origin,
    read_rules,
    read_table,
    throws_of,
)
from sim.published import KERN_2006
from sim.refusal import Refusal

_DEFAULT_PLAYERS = "me,keen"


def play(wish: Wish, save: Path | None) -> None:
    """Begin a game and play it in the terminal."""
    if wish.rules == "party":
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


def resume_play(resumed: Path, save: Path | None) -> None:
    """Go on with a saved game."""
    saved = read_saved(resumed)
    place = SaveFile(save, resumed)
    if saved.rules not in RULE_SETS:
        raise Refusal(f"{resumed}: rules: expected {', '.join(RULE_SETS)}")
    if saved.rules == "party":
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
    return PhysicsSource(throws_of(saved.rules, saved.seed), thrown)


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
