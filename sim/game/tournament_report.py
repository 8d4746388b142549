"""A tournament of strategies, from its options to its outcome in words or JSON."""

from __future__ import annotations

import json
import time
from typing import Any

from sim.game.optimum import Optimum, Outcomes
from sim.game.player import find_optimum, name_players, read_players, seat_strategy
from sim.game.rules import Rules, rules_as_dict
from sim.game.tournament import Standings, play_tournament
from sim.game.wish import Wish, read_rules, read_table
from sim.interval import wilson_interval
from sim.progress import LateProgress
from sim.refusal import Refusal
from sim.text_table import format_table, percent, percent_range

_DEFAULT_PLAYERS = "optimal,hold:20"
_PHYSICS_SECONDS = 0.5
"""Of a game thrown by physics: some 50 throws of some 10 ms [s]."""


def report_tournament(wish: Wish, games: int, as_json: bool) -> str:
    """Play a tournament; give its outcome as text or JSON."""
    if wish.rules == "party":
        raise Refusal("--games: a tournament is of Pass the Pigs; Pig Party leaves no choice")
    if wish.source is None:
        raise Refusal(
            f"--games {games}: by physics these would take some {_lasting(games)}; draw the "
            "throws with --from kern2006, or --from DIR after pigs throw -n 10000 --out DIR"
        )
    players, rules = read_players(wish.players or _DEFAULT_PLAYERS), read_rules(wish)
    if any(player.is_person for player in players):
        raise Refusal("--games: people play one game at a time; give strategies as --players")
    table = read_table(wish.source, wish.rules)
    assert table is not None
    optimum = find_optimum(players, rules, Outcomes.of_pigs(table))
    seats = [seat_strategy(player, rules, table, optimum) for player in players]
    seed, begun = wish.seed or 0, time.perf_counter()
    with LateProgress("games") as progress:
        standings = play_tournament(seats, rules, table, games, seed, progress)
    found = _gather(name_players(players), standings, games)
    found |= {"seed": seed, "pigs": wish.rules, "rules": rules_as_dict(rules)}
    found |= {"source": table.source, "optimal": _optimal(optimum)}
    found["games_per_second"] = games / (time.perf_counter() - begun)
    return json.dumps(found) if as_json else _text(found, rules)


def _lasting(games: int) -> str:
    minutes = games * _PHYSICS_SECONDS / 60
    return f"{minutes / 60:,.1f} hours" if minutes >= 60 else f"{minutes:.1f} minutes"


def _gather(names: tuple[str, ...], standings: Standings, games: int) -> dict[str, Any]:
    wins, points = standings.wins.tolist(), standings.points.tolist()
    return {
        "games": games,
        "players": [
            {"name": name, **_share(won, games), "mean_score": scored / games}
            for name, won, scored in zip(names, wins, points, strict=True)
        ],
        "first": _share(standings.first_wins, games),
        "throws_per_game": standings.throws / games,
    }


def _share(wins: int, games: int) -> dict[str, Any]:
    return {"wins": wins, "share": wins / games, "interval": wilson_interval(wins, games)}


def _optimal(optimum: Optimum | None) -> dict[str, float] | None:
    """Give the winning chance of whoever begins, both playing optimally without hog calls."""
    if optimum is None:
        return None
    return {"first_wins": float(optimum.win[0, 0]), "residual": optimum.residual}


def _text(found: dict[str, Any], rules: Rules) -> str:
    rows = [
        (one["name"], f"{one['wins']:,}", *_cells(one), f"{one['mean_score']:.1f}")
        for one in found["players"]
    ]
    first = found["first"]
    rows.append(("(who begins)", f"{first['wins']:,}", *_cells(first), "-"))
    table = format_table(("player", "wins", "share", "95 % interval", "mean score"), rows)
    lines = [
        f"{found['games']:,} games to {rules.target}, hog calls {rules.hog_call}, "
        f"seed {found['seed']}, the first turn going round",
        f"throws drawn from: {found['source']}",
        "",
        table,
        "",
        f"{found['throws_per_game']:.1f} throws per game, "
        f"{found['games_per_second']:,.0f} games per second",
    ]
    if found["optimal"]:
        chance, residual = found["optimal"]["first_wins"], found["optimal"]["residual"]
        lines.append(
            f"both optimal, no hog calls: who begins wins {100 * chance:.3f} % "
            f"(value iteration, residual {residual:.0e})"
        )
    return "\n".join(lines)


def _cells(share: dict[str, Any]) -> tuple[str, str]:
    return percent(share["share"]), percent_range(share["interval"])
