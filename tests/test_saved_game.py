"""Saved games: there and back, damaged files, and files that are not ours."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_game_rules import all_rules

from sim.game.hog_call import Call
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
SAVED = SavedGame("standard", "me:a,me:b", 5, None, game_record(GAME, 17))


@given(all_rules, st.integers(0, 50), st.booleans())
def test_game_there_and_back(rules, thrown, is_standing):
    game = Game(rules, ("a", "b", "c"), (0, 0, 0), (False, True, False), 2, 7, 1)
    if is_standing:
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
        ('{"format": "pigs play", "version": 2}', "another version"),
        ('{"format": "pigs play", "version": 1}', "expected rules, players"),
    ],
)
def test_what_is_no_saved_game_is_refused(tmp_path, text, problem):
    path = tmp_path / "game.json"
    path.write_text(text)
    with pytest.raises(SaveError, match=problem):
        read_saved(path)


@pytest.mark.parametrize(
    "change",
    [{"rules": 3}, {"players": None}, {"seed": -1}, {"seed": "1"}, {"source": 3}, {"game": []}],
)
def test_wrong_kinds_are_refused(change):
    with pytest.raises(SaveError, match="expected"):
        replace(SAVED, **change)


LEGAL = [("standing", None), ("turn", 10**6), ("throws", 10**6), ("thrown", 10**6)]


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
