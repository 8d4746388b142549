"""Unfinished games as JSON files that are read back with care and never written over others."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.game.hog_call import Call
from sim.game.rules import CHOICES, Game, Rules, rules_as_dict
from sim.regular_file import FileError, read_regular_file

FORMAT = "pigs play"
VERSION = 2
DEFAULT_NAME = "pigs-game.json"
_STATE = ("rules", "scores", "out", "thrower", "turn", "throws", "is_rethrow", "standing", "thrown")
_MOST_BYTES = 1_000_000
_MOST_THROWS = 10**9
_PROBE = b" " * 65_536
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
        origin: Digest of what decides the throws: landings, or a configuration and its versions.
        game: The state, by the rules' own reader.
    """

    rules: str
    players: str
    seed: int
    source: str | None
    origin: str
    game: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse values of the wrong kind."""
        if not all(isinstance(text, str) for text in (self.rules, self.players, self.origin)):
            raise SaveError("rules, players and origin: expected text")
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
        record = json.loads(read_regular_file(path, _MOST_BYTES).decode())
    except FileError as error:
        raise SaveError(str(error)) from None
    except (ValueError, RecursionError):
        raise SaveError(f"{path}: expected JSON, as a saved game is") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise SaveError(f"{path}: not a game that 'pigs play' has saved")
    if type(record.get("version")) is not int or record["version"] != VERSION:
        raise SaveError(f"{path}: saved by another version; expected format {VERSION}")
    del record["format"], record["version"]
    try:
        return SavedGame(**record)
    except TypeError:
        raise SaveError(f"{path}: expected rules, players, seed, source, origin and game") from None
    except SaveError as error:
        raise SaveError(f"{path}: {error}") from None


class SaveFile:
    """Where a game is saved: in the file it came from, or in one that was not there before.

    Without a name given it is DEFAULT_NAME in the current directory, or the next free number of it.
    """

    def __init__(self, given: Path | None, resumed: Path | None) -> None:
        """Check the place before the game begins, so that no game is lost at its end.

        Raises:
            SaveError: If a file is there that this game does not come from, or none can be made.
        """
        self._path = given or resumed
        self._is_ours = False
        if self._path is None:
            _probe(Path(), "--save: in the current directory")
            if os.path.lexists(_free_path()):
                raise SaveError(f"--save: {DEFAULT_NAME} and its {_MOST_FILES:,} numbers are taken")
            return
        real = Path(os.path.realpath(self._path))
        self._is_ours = resumed is not None and real == Path(os.path.realpath(resumed))
        if os.path.lexists(self._path) and not self._is_ours:
            raise SaveError(f"--save {self._path}: is there already; give a new file")
        if not os.path.isdir(real.parent):
            raise SaveError(
                f"--save {self._path}: there is no directory {self._path.parent}; make it first"
            )
        _probe(real.parent, f"--save {self._path}")
        try:
            with suppress(FileNotFoundError):
                os.lstat(_partial(real))
        except OSError as error:  # such as a name too long
            raise SaveError(f"--save {self._path}: {error.strerror}") from None

    def write(self, saved: SavedGame) -> Path:
        """Write the game; give the file.

        Raises:
            SaveError: If the system refuses.
        """
        text = json.dumps({"format": FORMAT, "version": VERSION, **vars(saved)}, indent=1) + "\n"
        path = self._path or _free_path()
        try:
            if self._is_ours:
                _replace(Path(os.path.realpath(path)), text)  # where a link leads
            else:
                _create(path, text)
            return path
        except FileExistsError:
            raise SaveError(f"{path}: is there already; the game is not saved") from None
        except OSError as error:
            raise SaveError(f"{path}: the game is not saved: {error.strerror}") from None


def _probe(directory: Path, what: str) -> None:
    """Write in a directory, and leave nothing there."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(_PROBE)
    except OSError as error:
        raise SaveError(
            f"{what}: an unfinished game could not be saved: {error.strerror}"
        ) from None


def _free_path() -> Path:
    first = Path(DEFAULT_NAME)
    numbered = (first.with_stem(f"{first.stem}-{number}") for number in range(2, _MOST_FILES))
    return next((path for path in (first, *numbered) if not os.path.lexists(path)), first)


def _create(path: Path, text: str) -> Path:
    file = path.open("x", encoding="utf-8")
    try:
        with file:
            file.write(text)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    return path


def _replace(path: Path, text: str) -> Path:
    partial = _create(_partial(path), text)
    try:
        return partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise


def _partial(path: Path) -> Path:
    return path.with_name(f"{path.name}.{os.getpid()}.partial")


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
            fields["standing"] = Call(_whole(call["caller"]), call["outcome"])
        game = Game(players=players, **fields)
        _check_thrown(game, thrown)
        return game, thrown
    except (KeyError, TypeError, AttributeError):
        raise SaveError("game: expected the state of a game of Pass the Pigs") from None
    except ValueError as error:
        raise SaveError(f"game: {error}") from None


def _check_thrown(game: Game, thrown: int) -> None:
    """Refuse a game that its turn's throws, or all throws of its source, cannot have led to."""
    if thrown > _MOST_THROWS:
        raise ValueError(f"thrown: expected at most {_MOST_THROWS:,}, got {thrown}")
    low, high = (game.throws * points for points in game.rules.turn_gains)
    if not low <= game.turn <= high:
        raise ValueError(f"turn: expected {low} to {high} by its throws, got {game.turn} points")
    least = game.throws + game.is_rethrow + sum(game.out)
    points = sum(game.scores) + game.turn
    if thrown < least or points > thrown * game.rules.most_gained:
        raise ValueError(f"thrown: {thrown} throws cannot have led to this game")


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"expected a whole number of 0 or more, got {value!r}")
    return value


def _only(record: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    if set(record) != set(names):
        raise ValueError(f"expected {', '.join(names)}")
    return dict(record)
