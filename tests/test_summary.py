from dataclasses import replace

import numpy as np
import pytest
from fake_thrower import fake_landings

from sim.game.score import score
from sim.summary import Summary, summarize, worst_touch


@pytest.mark.parametrize("pigs", [1, 2, 3, 8])
def test_positions_add_up_to_the_pigs_of_throws_not_touching(pigs):
    landings = fake_landings(range(400), pigs)
    summary = summarize(landings)
    assert summary.throws == 400
    assert summary.counted_pigs == pigs * (400 - summary.touching)
    assert sum(summary.touches.values()) == 400
    failed = 400 - summary.statuses["at_rest"]
    assert failed > 0
    assert summary.positions["other"] >= pigs * failed
    if pigs > 1:
        assert summary.touches["oinker"] > 0
        assert summary.touches["piggyback"] > 0


def test_one_pig_in_three_touching_takes_all_three_out_of_the_positions():
    landings = replace(
        fake_landings([0], 3),
        status=np.array(["at_rest"]),
        position=np.array([["trotter", "trotter", "snouter"]]),
        touch=np.array([["oinker", "oinker", "none"]]),
    )
    summary = summarize(landings)
    assert summary.counted_pigs == 0
    assert summary.touches["oinker"] == 1
    assert summary.share("trotter") is None
    assert summary.interval("trotter") == (0.0, 1.0)


def test_worst_touch_of_a_throw_counts():
    touch = np.array([["none", "none"], ["oinker", "none"], ["oinker", "piggyback"]])
    assert worst_touch(touch).tolist() == ["none", "oinker", "piggyback"]


def test_blocks_add_up_to_the_whole():
    whole = summarize(fake_landings(range(300)))
    blocks = [summarize(fake_landings(block)) for block in (range(100), range(100, 300))]
    assert sum(blocks, Summary.empty(2)) == whole


def test_scores_are_those_of_the_plain_loop():
    landings = fake_landings(range(300))
    worths = [
        score(a, b, touch)
        for (a, b), touch in zip(
            landings.position.tolist(), worst_touch(landings.touch).tolist(), strict=True
        )
    ]
    summary = summarize(landings)
    assert summary.points == sum(worth.points for worth in worths)
    names = [worth.name for worth in worths]
    assert {name: names.count(name) for name in summary.scores} == dict(summary.scores)
    counting = len(names) - names.count("other")
    assert summary.mean_points == pytest.approx(summary.points / counting)


def test_only_pairs_are_scored():
    summary = summarize(fake_landings(range(10), 3))
    assert summary.scores == {}
    assert summary.mean_points is None


def test_summaries_of_different_throws_do_not_add():
    with pytest.raises(ValueError, match="expected 2 in each throw, got 3"):
        Summary.empty(2) + Summary.empty(3)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("position", np.array([["lying", "trotter"]])),
        ("touch", np.array([["kiss", "none"]])),
        ("status", np.array(["gone"])),
    ],
)
def test_unknown_words_are_refused_not_dropped(field, words):
    landings = fake_landings([4])
    assert landings.status[0] == "at_rest"
    assert (landings.touch == "none").all()
    with pytest.raises(ValueError, match=words.ravel()[0]):
        summarize(replace(landings, **{field: words}))
