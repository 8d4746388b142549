"""Unfinished games as JSON files that are read back with care and never written over others."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.game.hog_call import Call
from sim.game.rules import CHOICES, Game, Rules, rules_as_dict

FORMAT = "pigs play"
VERSION = 1
DEFAULT_NAME = "pigs-game.json"
_STATE = ("rules", "scores", "out", "thrower", "turn", "throws", "is_rethrow", "standing", "thrown")
_MOST_BYTES = 10_000_000
_MOST_FILES = 1000


class SaveError(ValueError):
    """A game cannot be saved or read back; the message is one line that says why."""


@dataclass(frozen=True)
class SavedGame:
    """What a game needs to go on.

    Attributes:
        rules: "standard", "big" or "party".
        players: As the command line names them.
        seed: Of the throws.
        source: Where they are drawn from; None for physics.
        game: The state, by the rules' own reader.
    """

    rules: str
    players: str
    seed: int
    source: str | None
    game: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse values of the wrong kind."""
        if not (isinstance(self.rules, str) and isinstance(self.players, str)):
            raise SaveError("rules and players: expected text")
        if type(self.seed) is not int or not 0 <= self.seed < 2**63:
            raise SaveError(f"seed: expected a whole number of 0 or more, got {self.seed!r}")
        if self.source is not None and not isinstance(self.source, str):
            raise SaveError("source: expected text or null")
        if not isinstance(self.game, Mapping):
            raise SaveError("game: expected a state")


def read_saved(path: Path) -> SavedGame:
    """Read a saved game.

    Raises:
        SaveError: In one line, if it is none.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise SaveError(f"{path}: too large to be a saved game")
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SaveError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, SaveError):
            raise
        raise SaveError(f"{path}: expected JSON, as a saved game is") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise SaveError(f"{path}: not a game that 'pigs play' has saved")
    if record.get("version") != VERSION:
        raise SaveError(f"{path}: saved by another version; expected format {VERSION}")
    del record["format"], record["version"]
    try:
        return SavedGame(**record)
    except TypeError:
        raise SaveError(f"{path}: expected rules, players, seed, source and game") from None
    except SaveError as error:
        raise SaveError(f"{path}: {error}") from None


class SaveFile:
    """Where a game is saved: in the file it came from, or in one that was not there before.

    Without a name given it is DEFAULT_NAME in the current directory, or the next free number of it.
    """

    def __init__(self, given: Path | None, resumed: Path | None) -> None:
        """Check the place before the game begins.

        Raises:
            SaveError: If a file is there that this game does not come from, or no directory is.
        """
        self._path = given or resumed
        self._is_ours = False
        if self._path is None:
            return
        self._is_ours = resumed is not None and resumed.resolve() == self._path.resolve()
        if self._path.exists() and not self._is_ours:
            raise SaveError(f"--save {self._path}: is there already; give a new file")
        if not self._path.parent.is_dir():
            raise SaveError(f"--save {self._path}: there is no directory {self._path.parent}")

    def write(self, saved: SavedGame) -> Path:
        """Write the game; give the file.

        Raises:
            SaveError: If the system refuses.
        """
        text = json.dumps({"format": FORMAT, "version": VERSION, **vars(saved)}, indent=1) + "\n"
        path = self._path or _free_path()
        try:
            return _replace(path, text) if self._is_ours else _create(path, text)
        except FileExistsError:
            raise SaveError(f"{path}: is there already; the game is not saved") from None
        except OSError as error:
            raise SaveError(f"{path}: the game is not saved: {error.strerror}") from None


def _free_path() -> Path:
    first = Path(DEFAULT_NAME)
    numbered = (first.with_stem(f"{first.stem}-{number}") for number in range(2, _MOST_FILES))
    return next((path for path in (first, *numbered) if not os.path.lexists(path)), first)


def _create(path: Path, text: str) -> Path:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    return path


def _replace(path: Path, text: str) -> Path:
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        _create(partial, text)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
    return path


def game_record(game: Game, thrown: int) -> dict[str, Any]:
    """Write a game as plain JSON values; the players' names are not part of it."""
    return {
        "rules": rules_as_dict(game.rules),
        "scores": list(game.scores),
        "out": list(game.out),
        "thrower": game.thrower,
        "turn": game.turn,
        "throws": game.throws,
        "is_rethrow": game.is_rethrow,
        "standing": None if game.standing is None else vars(game.standing),
        "thrown": thrown,
    }


def read_game(record: Mapping[str, Any], players: tuple[str, ...]) -> tuple[Game, int]:
    """Read what `game_record` wrote: the game, and the throws its source had made.

    Raises:
        SaveError: In one line, for anything missing, of the wrong kind or against the rules.
    """
    try:
        fields = _only(record, _STATE)
        thrown = _whole(fields.pop("thrown"))
        _whole(fields["thrower"])
        fields["rules"] = Rules(**_only(fields["rules"], ("target", *CHOICES)))
        fields["scores"], fields["out"] = tuple(fields["scores"]), tuple(fields["out"])
        if not (fields["scores"] and fields["out"]):
            raise ValueError("scores and out: expected one for each player")
        if fields["standing"] is not None:
            call = _only(fields["standing"], ("caller", "outcome"))
            fields["standing"] = Call(_whole(call["caller"]), str(call["outcome"]))
        return Game(players=players, **fields), thrown
    except (KeyError, TypeError, AttributeError):
        raise SaveError("game: expected the state of a game of Pass the Pigs") from None
    except ValueError as error:
        raise SaveError(f"game: {error}") from None


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"expected a whole number of 0 or more, got {value!r}")
    return value


def _only(record: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    if set(record) != set(names):
        raise ValueError(f"expected {', '.join(names)}")
    return dict(record)
