"""The deck that ships, and what a file in its place must be."""

import os

import pytest

from sim.game.party.cards import MAX_CARDS, Deck, PointCard, RollCard, parse_positions
from sim.game.party.deck_file import MAX_BYTES, STANDARD_DECK, read_deck

HEADER = "kind,positions,points\n"


@pytest.fixture
def deck_of(tmp_path):
    def read(text):
        path = tmp_path / "deck.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_deck(path)

    return read


def test_standard_deck_has_twenty_roll_cards_and_can_be_won():
    deck = read_deck()
    assert len(deck.roll_cards) == 20
    assert {len(card.wanted) for card in deck.roll_cards} == {1, 2}
    assert {position for card in deck.roll_cards for position in card.wanted} == {
        "side_no_dot",
        "side_dot",
        "razorback",
        "trotter",
        "snouter",
        "leaning_jowler",
    }
    assert sum(card.points for card in deck.roll_cards) >= 200
    assert {line.points for line in deck.bonus} == {card.points for card in deck.point_cards}


def test_standard_deck_says_that_it_is_ours():
    assert "It is ours, not the publisher's" in STANDARD_DECK.read_text()


def test_file_replaces_the_deck(deck_of):
    text = "# mine\n\nroll, snouter + 1 razorback ,7\npoint,,3\nbonus,2 trotter,3\n"
    deck = deck_of("\ufeff" + HEADER + text)
    assert deck.roll_cards == (RollCard(("razorback", "snouter"), 7),)
    assert deck.point_cards == (PointCard(3),)
    (line,) = deck.bonus
    assert [line.is_reached(("trotter",) * count) for count in (1, 2, 8)] == [False, True, True]
    assert not line.is_reached(("trotter", *["snouter"] * 7))


def test_order_of_wanted_positions_does_not_matter():
    assert RollCard(("snouter", "razorback"), 1) == RollCard(("razorback", "snouter"), 1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("roll,other,5", "line 2: position 'other': expected one of side_no_dot, "),
        ("roll,hog,5", "line 2: position 'hog'"),
        ("roll,3 trotter,5", "line 2: positions: expected 1 to 2, got 3"),
        ("roll,,5", "line 2: positions '': expected such as 2 trotter"),
        ("roll,trotter +,5", "line 2: positions"),
        ("roll,0 trotter,5", "line 2: positions '0 trotter'"),
        ("roll,trotter,0", "line 2: points: expected 1 to 1000, got 0"),
        ("roll,trotter,1001", "line 2: points: expected 1 to 1000"),
        ("roll,trotter,-5", "line 2: points '-5': expected a whole number"),
        ("roll,trotter,5.0", "line 2: points '5.0'"),
        ("roll,trotter,\u0665", "line 2: points"),
        ("roll,trotter", "line 2: expected 3 columns, got 2"),
        ("roll,trotter,5,6", "line 2: expected 3 columns, got 4"),
        ("joker,trotter,5", "line 2: kind 'joker': expected one of roll, point, bonus"),
        ("point,trotter,5", "line 2: a point card has no positions"),
        ("point,,5", "a deck needs at least one roll card, got none"),
        ("bonus,9 trotter,5\nroll,trotter,5", "line 2: positions: expected 1 to 8, got 9"),
        ('roll,"trotter\nroll,trotter,5', "line 2: expected 3 columns"),
        ("roll,trotter,5\n" * (MAX_CARDS + 1), f"at most {MAX_CARDS} cards and lines"),
    ],
)
def test_bad_row_is_refused_in_one_line(deck_of, row, message):
    with pytest.raises(ValueError, match=r"deck\.csv") as refusal:
        deck_of(HEADER + row)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected a first row kind,positions,points"),
        ("roll,trotter,5", "expected a first row"),
        (b"\xff\xfe\x00", "expected a CSV file in UTF-8"),
        (b"#" * (MAX_BYTES + 1), "at most 100,000 bytes"),
    ],
)
def test_file_that_is_no_deck_is_refused_in_one_line(deck_of, content, message):
    with pytest.raises(ValueError, match=message):
        deck_of(content)


def test_missing_file_and_directory_are_refused_in_one_line(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(ValueError, match=str(path)):
            read_deck(path)


def test_pipe_and_device_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ValueError, match="expected a regular file"):
            read_deck(path)


def test_positions_are_read_as_they_are_written():
    for card in read_deck().roll_cards:
        assert parse_positions(str(card).rsplit(" ", 1)[0]) == card.wanted


def test_deck_without_roll_cards_is_refused():
    with pytest.raises(ValueError, match="at least one roll card"):
        Deck((), (PointCard(5),), ())
