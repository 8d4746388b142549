"""Whole games of Pig Party: played, stopped, saved, told; and what no game may ever do."""

import json
from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from party_games import FIVE, PAIR, TEN, TROTTER, a_game, first_throws, pigs, throw, with_seat

from sim.batch import run_batch
from sim.configuration import configure
from sim.game.party.cards import ALL_PIGS
from sim.game.party.deck_file import read_deck
from sim.game.party.drawn_table import DrawnTable
from sim.game.party.event import EVENTS, Event, describe
from sim.game.party.play import Asked, Thrifty, play_party
from sim.game.party.rules import bonus, deal, land, lose
from sim.game.party.saved import SavedGameError, as_record, from_record
from sim.game.party.state import Pose, Seat, Thrown
from sim.game.source import Landing, LandingTable
from sim.position import POSITIONS
from sim.published import KERN_2006

PUBLISHED = LandingTable.published(KERN_2006)
STANDARD = read_deck()
NAMES = ("Ann", "Bo", "Cy", "Di")


def dealt(players, seed=0, target=100):
    return deal(STANDARD, players, np.random.default_rng(seed), target).game


def assert_lawful(before, step):
    """No rule is broken between two states of a game."""
    game = step.game
    game.check()  # cards and pigs conserved, nobody throws who is out
    assert all(seat.score >= 0 for seat in game.seats)
    assert len(game.lying) + game.pigs_to_throw <= ALL_PIGS
    assert game.throws - before.throws == (before.phase != "lose")
    happened = {event.kind for event in step.events}
    left = [(before.turn + ahead) % len(game.seats) for ahead in range(1, len(game.seats) + 1)]
    if game.phase in ("lose", "bonus", "over") or "failed" in happened:
        assert game.turn == before.turn
    elif "turned" in happened:
        assert game.turn == left[0]
    else:
        assert game.turn == next(seat for seat in left if not game.seats[seat].is_out)
    for seat, (old, new) in enumerate(zip(before.seats, game.seats, strict=True)):
        assert seat == before.turn or new.cards == old.cards
    scores = [seat.score for seat in game.seats]
    is_end = max(scores) >= game.target or not (game.roll_deck or game.card)
    assert (game.phase == "over") == (is_end and game.phase != "bonus")


@st.composite
def thrown(draw, game):
    positions = draw(st.lists(st.sampled_from(POSITIONS), min_size=8, max_size=8))
    wanted = list(game.card.wanted) if game.card and draw(st.booleans()) else []
    count, lying = game.pigs_to_throw, range(len(game.lying))
    return Thrown(
        pigs(*(wanted + positions)[:count]),
        is_touching=draw(st.integers(0, 5)) == 0,
        disturbed=tuple(draw(st.lists(st.sampled_from(lying), max_size=1))) if lying else (),
        is_failed=draw(st.integers(0, 9)) == 0,
    )


@settings(max_examples=100, deadline=None)
@given(data=st.data(), players=st.integers(2, 4), target=st.integers(1, 60))
def test_no_throw_and_no_choice_breaks_a_rule(data, players, target):
    game = dealt(players, data.draw(st.integers(0, 99)), target)
    for _ in range(data.draw(st.integers(0, 40))):
        if game.phase == "over":
            break
        if game.phase == "lose":
            step = lose(game, data.draw(st.sampled_from(game.thrower.cards)))
        else:
            step = (bonus if game.phase == "bonus" else land)(game, data.draw(thrown(game)))
        assert_lawful(game, step)
        assert all(describe(event, NAMES) for event in step.events)
        assert from_record(json.loads(json.dumps(as_record(step.game)))) == step.game
        game = step.game


def play_games(games, landings):
    """Play lawful games to their end, and count what happened."""
    told = dict.fromkeys(EVENTS, 0)
    for seed in range(games):
        game = dealt(players=2 + seed % 3, seed=seed)
        deciders = [Thrifty()] * len(game.seats)
        for step in play_party(game, deciders, DrawnTable(landings, seed)):
            assert_lawful(game, step)
            for event in step.events:
                told[event.kind] += 1
            game = step.game
        assert told["over"] == seed + 1
    return told


def test_twenty_games_by_published_frequencies():
    told = play_games(20, PUBLISHED)
    assert {kind for kind, count in told.items() if not count} == {"failed"}  # all else happens


@pytest.mark.long
def test_thousand_games_by_recorded_throws(tmp_path):
    run_batch(configure(seed=7), 1000, workers=1, out=tmp_path / "batch", resume=False)
    told = play_games(1000, LandingTable.read(tmp_path / "batch"))
    assert told["over"] == 1000


def test_drawn_positions_have_the_probabilities_they_are_drawn_from():
    table, counts = DrawnTable(PUBLISHED, 5), dict.fromkeys(POSITIONS, 0)
    game = throw(a_game(TROTTER), "trotter")
    for number in range(2500):
        for pig in table.throw(replace(game, throws=number)).pigs:
            counts[pig.position] += 1
    for position, share in ((name, KERN_2006.share(name)) for name in KERN_2006.counts):
        # 6 alarms in 10,000,000 by chance
        assert counts[position] / 20_000 == pytest.approx(
            share, abs=5.3 * np.sqrt(share * (1 - share) / 20_000)
        )
    assert counts["other"] == 0


def test_only_pigs_of_a_pair_touch_each_other():
    often = LandingTable.from_counts(
        {
            **{Landing((name, "trotter")): 1 for name in KERN_2006.counts},
            Landing(("trotter", "trotter"), "oinker"): 18,
        },
        "often",
    )
    two, one, eight = a_game(PAIR), a_game(TROTTER), throw(a_game(TROTTER), "trotter")
    touching = [
        sum(DrawnTable(often, 1).throw(replace(game, throws=n)).is_touching for n in range(200))
        for game in (two, one, eight)
    ]
    assert 120 < touching[0] < 180  # expected 150; beyond 4.9 standard deviations otherwise
    assert touching[1:] == [0, 0]


def test_table_without_a_position_is_refused_since_its_games_might_not_end():
    with pytest.raises(ValueError, match="few: no pig lands in snouter, leaning_jowler"):
        DrawnTable(
            LandingTable.from_counts(
                {
                    Landing(("trotter", "razorback")): 2,
                    Landing(("side_dot", "side_no_dot")): 1,
                    Landing(("snouter", "leaning_jowler"), "oinker"): 1,
                },
                "few",
            ),
            0,
        )


def test_stopped_and_saved_game_goes_on_as_if_it_was_not():
    deciders, table = [Thrifty()] * 3, DrawnTable(PUBLISHED, 3)
    whole = list(play_party(dealt(3), deciders, table))
    for stop in (1, 10, len(whole) - 1):
        *_, last = islice(play_party(dealt(3), deciders, DrawnTable(PUBLISHED, 3)), stop)
        read = from_record(json.loads(json.dumps(as_record(last.game))))
        assert list(play_party(read, deciders, DrawnTable(PUBLISHED, 3))) == whole[stop:]


def test_thrifty_loses_the_cheapest_card_and_of_equal_ones_the_point_card():
    game = a_game(PAIR)
    assert Thrifty().card_to_lose(game, (PAIR, TROTTER, TEN)) == TROTTER
    assert Thrifty().card_to_lose(game, (PAIR, TROTTER, FIVE)) == FIVE


def test_choice_of_one_is_not_asked():
    game = throw(a_game(PAIR, seats=[Seat(point_cards=(FIVE, FIVE)), Seat()]), "other", "other")
    game = throw(first_throws(game, 1), "other", "other", is_touching=True)
    step = next(play_party(game, [SimpleNamespace(), SimpleNamespace()], None))
    assert step.game.seats[0].cards == (FIVE,)


def test_person_is_asked_until_the_answer_is_a_card():
    answers, prompts = iter(["", "", "0", "3", "x", " 2 "]), []

    def ask(prompt):
        prompts.append(prompt)
        return next(answers)

    person, game = Asked(ask), a_game(PAIR)
    person.ready(game)
    person.ready(throw(a_game(TROTTER), "trotter"))
    assert prompts == [
        "Press Enter to throw (2 pigs): ",
        "Press Enter for the bonus roll (8 pigs): ",
    ]
    assert person.card_to_lose(game, (PAIR, TEN)) == TEN
    assert "1 razorback + snouter (15), 2 point card (10)" in prompts[2]
    assert prompts[3:] == ["Please type a number from 1 to 2: "] * 3


def test_every_player_needs_a_decider():
    with pytest.raises(ValueError, match="deciders: expected 3, got 2"):
        next(play_party(a_game(PAIR), [Thrifty()] * 2, DrawnTable(PUBLISHED, 0)))


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Event("turned", 1, cards=(PAIR,)), "the next roll card wants razorback + snouter (15)"),
        (Event("threw", 0, positions=("side_dot", "side_dot")), "Ann throws 2 side dot"),
        (Event("oinker", 0), "Oinker! Ann's pigs touch each other"),
        (Event("oinker", 0, others=(0,)), "Oinker! Ann's pigs touch each other"),
        (Event("oinker", 0, others=(1, 2)), "Oinker! Ann's pigs touch Bo's and Cy's pigs"),
        (Event("lost", 2, cards=(TEN,)), "Cy loses point card (10) to the bottom of its deck"),
        (Event("over", 0), "the game is over: Ann wins"),
        (Event("over", 0, others=(2,)), "the game is over: Ann wins, and so does Cy"),
    ],
)
def test_events_are_told_in_words(event, text):
    assert describe(event, NAMES).startswith(text)


def damaged(path, value):
    """A saved game with one value replaced, or left out for `...`."""
    game = with_seat(throw(a_game(PAIR), "snouter", "other"), 1, is_out=True, throws=1)
    record = json.loads(json.dumps(as_record(replace(game, turn=2, throws=2))))
    *way, last = path
    at = record
    for key in way:
        at = at[key]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return record


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["phase"], ..., "game: expected an object of deck, target"),
        (["phase"], "lunch", "phase 'lunch': expected one of throw, lose, bonus, over"),
        (["phase"], 3, "phase: expected a word"),
        (["phase"], "over", "a card is face up as long as"),
        (["phase"], "lose", "player 3 has no card to lose"),
        (["turn"], 1, "player 2 is out and cannot throw"),
        (["turn"], 3, "turn: expected 0 to 2, got 3"),
        (["turn"], True, "turn: expected a whole number"),
        (["target"], 0, "target: expected 1 to 10,000 points, got 0"),
        (["target"], 10_001, "target: expected 1 to 10,000 points, got 10001"),
        (["throws"], 1, "throws: players threw 2 times, more than 1 in all"),
        (["throws"], True, "throws: expected a whole number"),
        (["seats", 0, "throws"], 0, "player 1: pigs lie or are out that nobody threw"),
        (["covered"], [{"wanted": ["trotter"], "points": 5}], "covered: trotter (5) wants no"),
        (["target"], True, "target: expected a whole number"),
        (["throws"], -1, "throws: expected 0 to 1,000,000,000, got -1"),
        (["throws"], 10**30, "throws: expected 0 to"),
        (["seats"], {}, "seats: expected a list"),
        (["seats"], [], "Pig Party is for 2 to 4, got 0"),
        (["seats", 0], None, "seat: expected an object of roll_cards"),
        (["seats", 0, "throws"], -1, "player 1: throws: expected 0 or more"),
        (["seats", 0, "is_out"], 0, "is_out: expected true or false"),
        (["seats", 0, "pigs", 0, "position"], "trotter", "a pig stays that the card does not"),
        (["seats", 0, "pigs", 1, "position"], "upside", "position 'upside': expected one of"),
        (["seats", 0, "pigs", 1, "pose", "translation"], [1.0, 2.0], "expected 3 finite numbers"),
        (["seats", 0, "pigs", 1, "pose", "quat_xyzw", 0], float("nan"), "4 finite numbers"),
        (["seats", 0, "pigs", 1, "pose", "quat_xyzw", 3], 0.0, "a quaternion of length 1"),
        (["seats", 0, "pigs", 1, "stays"], True, "a pig stays that the card does not want"),
        (["roll_deck"], [], "roll cards: trotter (5) is missing"),
        (["card", "points"], 5, "razorback + snouter (5) is there more often than in the deck"),
        (["card", "wanted"], [1], "wanted: expected words"),
        (["card", "wanted"], ["other"], "position 'other': expected one of"),
        (["point_deck"], [{"points": 7}], "point card (7) is there more often"),
        (["deck", "roll_cards"], [], "at least one roll card"),
        (["deck", "bonus", 0, "points"], "5", "bonus line: points: expected a whole number"),
    ],
)
def test_damaged_save_is_refused_in_one_line(path, value, message):
    with pytest.raises(SavedGameError, match="saved game: ") as refusal:
        from_record(damaged(path, value))
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_too_many_pigs_on_the_table_are_refused():
    game = with_seat(a_game(PAIR), 0, pigs=pigs("other", "other", "other"), throws=1)
    game = replace(game, throws=1)
    with pytest.raises(SavedGameError, match="player 1: too many pigs on the table"):
        from_record(as_record(game))


@pytest.mark.parametrize("record", [None, [], "game", 3, {}])
def test_what_is_no_save_is_refused(record):
    with pytest.raises(SavedGameError, match="saved game: game: expected an object"):
        from_record(record)


@pytest.mark.parametrize("target", [0, -1, 10_001])
def test_target_that_no_saved_game_has_is_refused_at_the_deal(target):
    with pytest.raises(ValueError, match="target: expected 1 to 10,000 points"):
        dealt(2, target=target)


def test_game_that_would_be_over_is_refused():
    game = a_game(PAIR, seats=[Seat(roll_cards=(TROTTER,)), Seat()], target=6)
    with pytest.raises(SavedGameError, match="a player has 5 points, so the game would be over"):
        from_record(as_record(replace(game, target=5)))


def test_drawn_pigs_have_no_pose():
    with pytest.raises(ValueError, match="a pig that was drawn has no pose"):
        DrawnTable(PUBLISHED, 0).check(throw(a_game(PAIR), "other", "other"))


def test_person_is_told_what_the_keys_are_until_the_pigs_are_thrown():
    answers, prompts = iter(["s", "?", "HELP", "T"]), []

    def ask(prompt):
        prompts.append(prompt)
        return next(answers)

    Asked(ask).ready(a_game(PAIR))
    question = "Press Enter to throw (2 pigs): "
    help_line = "Enter or t throws, q leaves and saves the game, ? or help says this. "
    assert prompts == [
        question,
        f"'s' is no answer. {help_line}{question}",
        *[f"{help_line}{question}"] * 2,
    ]


def test_poses_are_saved_exactly():
    pose = Pose((0.1, 1e-17, -2 / 3), (0.0, 0.6, 0.0, 0.8))
    game = throw(a_game(PAIR), "other", "other")
    game = with_seat(game, 0, pigs=(replace(game.seats[0].pigs[0], pose=pose),))
    assert from_record(json.loads(json.dumps(as_record(game)))) == game
