"""Saved games: there and back, damaged files, and files that are not ours."""

import io
import json
import os
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_game_rules import all_rules

from sim.game.hog_call import LEAST_POINTS, Call
from sim.game.rules import Game, Rules
from sim.game.saved import (
    DEFAULT_NAME,
    SavedGame,
    SaveError,
    SaveFile,
    game_record,
    read_game,
    read_saved,
)

GAME = Game(
    Rules(),
    ("a", "b"),
    (30, 40),
    thrower=1,
    turn=6,
    throws=2,
    is_rethrow=True,
    standing=Call(0, "sider"),
)
SAVED = SavedGame("standard", "me:a,me:b", 5, None, "digest", game_record(GAME, 17))


@given(all_rules, st.integers(3, 50), st.booleans())
def test_game_there_and_back(rules, thrown, is_standing):
    rules = replace(rules, target=max(rules.target, LEAST_POINTS + 1))
    game = Game(rules, ("a", "b", "c"), (LEAST_POINTS, 0, 0), (False, True, False), 2, 7, 1)
    if is_standing and rules.hog_call != "off" and rules.call_on_other == "stands":
        game = replace(game, is_rethrow=True, standing=Call(0, "trotter+snouter"))
    record = json.loads(json.dumps(game_record(game, thrown)))
    assert read_game(record, game.players) == (game, thrown)


def test_file_there_and_back(tmp_path):
    path = SaveFile(tmp_path / "game.json", None).write(SAVED)
    saved = read_saved(path)
    assert saved == SAVED
    assert read_game(saved.game, ("a", "b")) == (GAME, 17)


def test_resumed_file_is_renewed_and_no_other_is_overwritten(tmp_path):
    path = SaveFile(tmp_path / "game.json", None).write(SAVED)
    later = replace(SAVED, seed=6)
    assert SaveFile(None, path).write(later) == path
    assert SaveFile(path, path).write(later) == path
    assert read_saved(path).seed == 6
    with pytest.raises(SaveError, match="is there already"):
        SaveFile(path, None)
    with pytest.raises(SaveError, match="no directory"):
        SaveFile(tmp_path / "none" / "game.json", None)
    assert [one.name for one in tmp_path.iterdir()] == ["game.json"]


def test_default_name_is_the_next_free_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [SaveFile(None, None).write(SAVED).name for _ in range(3)]
    assert names == [DEFAULT_NAME, "pigs-game-2.json", "pigs-game-3.json"]


def test_file_that_came_meanwhile_is_kept(tmp_path):
    place = SaveFile(tmp_path / "game.json", None)
    (tmp_path / "game.json").write_text("mine")
    with pytest.raises(SaveError, match="not saved"):
        place.write(SAVED)
    assert (tmp_path / "game.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected JSON"),
        ("{", "expected JSON"),
        ("[" * 100_000, "expected JSON"),
        ("[]", "not a game"),
        ('{"format": "pigs"}', "not a game"),
        ('{"format": "pigs play", "version": 1}', "another version"),
        ('{"format": "pigs play", "version": true}', "another version"),
        ('{"format": "pigs play", "version": 2.0}', "another version"),
        ('{"format": "pigs play", "version": 2}', "expected rules, players"),
        (" " * 1_000_001, "at most 1,000,000 bytes"),
    ],
)
def test_what_is_no_saved_game_is_refused(tmp_path, text, problem):
    path = tmp_path / "game.json"
    path.write_text(text)
    with pytest.raises(SaveError, match=problem):
        read_saved(path)


@pytest.mark.parametrize(
    "change",
    [
        {"rules": 3},
        {"players": None},
        {"seed": -1},
        {"seed": "1"},
        {"seed": True},
        {"source": 3},
        {"origin": 3},
        {"game": []},
    ],
)
def test_wrong_kinds_are_refused(change):
    with pytest.raises(SaveError, match="expected"):
        replace(SAVED, **change)


LEGAL = [("standing", None), ("thrown", 10**6)]


@pytest.mark.parametrize("key", list(game_record(GAME, 0)))
@pytest.mark.parametrize("value", [None, -1, "x", [], {}, [1], {"a": 1}, 1e9, 10**6])
def test_damaged_states_are_refused_or_legal(key, value):
    """Whatever stands in a field, reading gives a legal game or one line that refuses it."""
    record = {**game_record(GAME, 17), key: value}
    is_legal = (key, value) in LEGAL
    with nullcontext() if is_legal else pytest.raises(SaveError, match=r"^[^\n]+$"):
        game, thrown = read_game(record, GAME.players)
        assert game_record(game, thrown)[key] == value
    with pytest.raises(SaveError):
        read_game({name: entry for name, entry in record.items() if name != key}, GAME.players)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"turn": 121}, "turn: expected 2 to 120 by its throws, got 121"),
        ({"turn": 1}, "turn: expected 2 to 120 by its throws, got 1 points"),
        ({"throws": 0}, "turn: no throw, so expected 0 points, got 6"),
        ({"turn": True}, "expected whole numbers"),
        ({"scores": [30, True]}, "expected whole numbers"),
        ({"scores": [30, 40.0]}, "expected whole numbers"),
        ({"scores": [30, 100]}, "who reached 100 would have won"),
        ({"thrower": True}, "expected a whole number"),
        ({"thrown": True}, "expected a whole number"),
        ({"thrown": 10**9 + 1}, "thrown: expected at most 1,000,000,000"),
        ({"thrown": 2}, "2 throws cannot have led to this game"),
        ({"scores": [99, 99], "turn": 0, "throws": 0, "thrown": 1}, "1 throws cannot have led"),
        ({"scores": [19, 40]}, "standing: a call stands for a throw that is thrown again, made"),
        ({"is_rethrow": False}, "standing: a call stands"),
        ({"standing": {"caller": 1, "outcome": "sider"}}, "standing: a call stands"),
        ({"standing": {"caller": False, "outcome": "sider"}}, "expected a whole number"),
        ({"standing": {"caller": 0, "outcome": 5}}, "call '5': expected one of"),
        ({"rules": {"hog_call": "off"}}, "standing: a call stands"),
        ({"rules": {"call_on_other": "lapses"}}, "standing: by these rules a call lapses"),
        ({"rules": {"target": True}}, "target: expected 1 to 10,000"),
        ({"rules": {"target": 10**30}}, "target: expected 1 to 10,000"),
    ],
)
def test_states_that_no_game_has_are_refused(changes, problem):
    record = game_record(GAME, 17)
    house = {**record["rules"], **changes.get("rules", {})}
    with pytest.raises(SaveError, match=problem):
        read_game({**record, **changes, "rules": house}, GAME.players)


@pytest.mark.parametrize("target", ["nowhere", "itself.json"])
def test_link_in_the_place_of_a_new_file_is_refused_before_the_game(tmp_path, target):
    (tmp_path / "itself.json").symlink_to(target)
    with pytest.raises(SaveError, match="is there already"):
        SaveFile(tmp_path / "itself.json", None)


def test_game_resumed_through_a_link_is_written_where_the_link_leads(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    path = SaveFile(there / "game.json", None).write(SAVED)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    SaveFile(None, link).write(replace(SAVED, seed=6))
    assert link.is_symlink()
    assert read_saved(path).seed == 6
    assert [one.name for one in there.iterdir()] == ["game.json"]


def test_place_that_cannot_be_written_is_refused_before_the_game(tmp_path, monkeypatch):
    """As of a full disk, a read-only directory (which does not stop root) or a name too long."""
    with pytest.raises(SaveError, match="File name too long"):
        SaveFile(tmp_path / ("x" * 250), None)

    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "game.json"
    for asked, resumed in ((path, None), (None, path), (None, None)):
        with pytest.raises(SaveError, match="could not be saved: No space left on device"):
            SaveFile(asked, resumed)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_resumed", [False, True])
def test_disk_that_fills_up_leaves_no_half_file(tmp_path, monkeypatch, is_resumed):
    path = tmp_path / "game.json"
    if is_resumed:
        SaveFile(path, None).write(SAVED)
    place = SaveFile(path, path if is_resumed else None)

    class Full(io.StringIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    def half_open(self, *_, **__):
        self.touch()
        return Full()

    monkeypatch.setattr(Path, "open", half_open)
    with pytest.raises(SaveError, match="not saved: No space left on device"):
        place.write(SAVED)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == [path] * is_resumed


def test_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SaveError, match="expected a regular file"):
        read_saved(tmp_path / "pipe")
    with pytest.raises(SaveError, match="expected a regular file"):
        read_saved(Path("/dev/zero"))
