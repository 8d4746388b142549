import pytest

from sim.interval import wilson_interval
from sim.position import POSITIONS
from sim.published import KERN_2006, PublishedTable


def test_kern2006_table():
    assert KERN_2006.pigs == 11954
    assert KERN_2006.throws == 6000
    shares = {position: round(100 * KERN_2006.share(position), 2) for position in KERN_2006.counts}
    assert shares == {
        "side_no_dot": 34.97,
        "side_dot": 30.17,
        "razorback": 22.37,
        "trotter": 8.84,
        "snouter": 3.04,
        "leaning_jowler": 0.61,
    }
    assert set(KERN_2006.counts) == set(POSITIONS) - {"other"}
    assert round(100 * KERN_2006.touching_share(), 2) == 0.38


def test_counts_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="expected 18 pigs not touching, got 17"):
        PublishedTable({"trotter": 17}, throws=10, touching=1, source="none")


def test_counts_cannot_be_changed():
    with pytest.raises(TypeError):
        KERN_2006.counts["trotter"] = 0


def test_interval_solves_the_score_equation():
    """Wilson (1927): at each bound p, the count is exactly z standard deviations from n p."""
    z = 1.959963984540054
    for count, total in ((1, 10), (73, 11954), (4180, 11954), (9, 10)):
        for bound in wilson_interval(count, total):
            distance = (count - total * bound) ** 2
            assert distance == pytest.approx(z**2 * total * bound * (1 - bound), rel=1e-9)


def test_interval_at_its_ends():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(0, 100)[0] == 0.0
    assert wilson_interval(100, 100)[1] == 1.0
    assert wilson_interval(0, 100)[1] == pytest.approx(1 - wilson_interval(100, 100)[0])


@pytest.mark.parametrize(("count", "total"), [(-1, 10), (11, 10), (1, 0)])
def test_impossible_counts_are_refused(count, total):
    with pytest.raises(ValueError, match="successes"):
        wilson_interval(count, total)
