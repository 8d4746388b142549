"""The surrogate, the joint likelihood and the search, on simulators whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2
from toy_simulator import SHARES, ToySimulator, toy_box

from calibration.fit import Box, Stage, search
from calibration.growth import Probe, judge_term, most_wanted, probe
from calibration.joint import Joint
from calibration.likelihood import deviance
from calibration.region import correlation, directions, extent, is_in_region
from calibration.subspace import Subspace
from calibration.surrogate import Sample, fit_surrogate, shares_of

PIGS = 11954
QUICK = Stage("toy", throws=400, most_throws=2000, rounds=15, chance=0.25)


def samples_of(toy: ToySimulator, points: np.ndarray, pigs: float = 1e9) -> list[Sample]:
    return [Sample(theta, "", pigs * toy.probabilities(theta)) for theta in points]


def planted(toy: ToySimulator, truth: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.multinomial(PIGS, toy.probabilities(truth)).astype(float)


def test_surrogate_of_exact_counts_is_the_simulator() -> None:
    toy = ToySimulator.random(3, 0)
    rng = np.random.default_rng(1)
    samples = samples_of(toy, rng.uniform(-1, 1, (30, 3)))
    surrogate = fit_surrogate(samples, np.zeros(3), np.ones(3), "")
    for theta in rng.uniform(-1, 1, (10, 3)):
        np.testing.assert_allclose(
            surrogate.probabilities(theta), toy.probabilities(theta), rtol=1e-3
        )
    lack, freedom = surrogate.lack_of_fit(samples_of(toy, rng.uniform(-1, 1, (30, 3)), 1e4))
    assert lack < 1.0 < freedom


def test_surrogate_tells_sources_apart() -> None:
    shift = np.array([0.0, 0.2, -0.1, 0.0, 0.3, -0.2, 0.1])
    toy = ToySimulator(*vars(ToySimulator.random(2, 3)).values())
    toy = ToySimulator(toy.linear, toy.quadratic, {"other engine": shift})
    rng = np.random.default_rng(2)
    samples = [
        Sample(theta, source, 1e8 * toy.probabilities(theta, source))
        for source in ("", "other engine")
        for theta in rng.uniform(-1, 1, (20, 2))
    ]
    surrogate = fit_surrogate(samples, np.zeros(2), np.ones(2), "")
    theta = np.array([0.3, -0.4])
    for source in ("", "other engine"):
        np.testing.assert_allclose(
            surrogate.probabilities(theta, source), toy.probabilities(theta, source), rtol=1e-3
        )


def test_surrogate_jacobian_is_the_derivative() -> None:
    toy = ToySimulator.random(3, 4)
    samples = samples_of(toy, np.random.default_rng(5).uniform(-1, 1, (25, 3)), 1e4)
    surrogate = fit_surrogate(samples, np.full(3, 0.1), np.array([0.5, 1.0, 2.0]), "")
    theta, step = np.array([0.2, -0.3, 0.4]), 1e-6
    numeric = [
        (surrogate.logits(theta + move) - surrogate.logits(theta - move)) / (2 * step)
        for move in step * np.eye(3)
    ]
    np.testing.assert_allclose(surrogate.jacobian(theta), np.array(numeric).T, rtol=1e-6, atol=1e-8)


def test_surrogate_stands_positions_never_seen() -> None:
    toy = ToySimulator.random(2, 6)
    points = np.random.default_rng(7).uniform(-1, 1, (12, 2))
    samples = samples_of(toy, points, 1e4)
    blind = [Sample(one.theta, "", one.counts * (np.arange(7) != 6)) for one in samples]
    shares = fit_surrogate(blind, np.zeros(2), np.ones(2), "").probabilities(np.zeros(2))
    assert 0 < shares[6] < 1e-4


def test_shares_of_inverts_log_shares() -> None:
    for reference in range(7):
        logits = np.delete(np.log(SHARES / SHARES[reference]), reference)
        np.testing.assert_allclose(shares_of(logits, reference), SHARES, rtol=1e-12)


def test_surrogate_covariance_is_that_of_repeated_fits() -> None:
    """120 fits of fresh counts: deviations agree with the predicted ones within 25 %."""
    toy = ToySimulator.random(1, 8)
    points = np.linspace(-1, 1, 9)[:, None]
    rng = np.random.default_rng(9)
    theta = np.array([0.2])
    fits = [
        fit_surrogate(
            [
                Sample(p, "", rng.multinomial(20000, toy.probabilities(p)).astype(float))
                for p in points
            ],
            np.zeros(1),
            np.ones(1),
            "",
        )
        for _ in range(120)
    ]
    found = np.std([fit.logits(theta)[:4] for fit in fits], axis=0)
    expected = np.sqrt(np.diag(fits[0].logit_covariance(theta)))[:4]
    np.testing.assert_allclose(found, expected, rtol=0.25)


def test_joint_deviance_lies_below_the_misfit_and_tends_to_it() -> None:
    toy = ToySimulator.random(2, 10)
    observed = planted(toy, np.array([0.4, -0.2]), 11)
    points = np.random.default_rng(12).uniform(-1, 1, (15, 2))
    theta = np.array([0.1, 0.1])
    gaps = []
    for pigs in (1e3, 1e5, 1e7):
        surrogate = fit_surrogate(samples_of(toy, points, pigs), np.zeros(2), np.ones(2), "")
        joint = Joint(surrogate, observed)
        gaps.append(joint.misfit(theta) - joint.deviance(theta))
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 0.5
    exact = float(deviance(observed, toy.probabilities(theta)))
    assert joint.deviance(theta) == pytest.approx(exact, rel=0.02)


def test_information_counts_both_samples() -> None:
    toy = ToySimulator.random(2, 13)
    points = np.random.default_rng(14).uniform(-1, 1, (15, 2))
    theta = np.zeros(2)
    shares = []
    for pigs in (1e3, 1e4, 1e5):
        surrogate = fit_surrogate(samples_of(toy, points, pigs), np.zeros(2), np.ones(2), "")
        shares.append(Joint(surrogate, planted(toy, theta, 15)).simulation_share(theta))
    assert shares[0] > shares[1] > shares[2] > 0
    assert shares[1] / shares[2] == pytest.approx(10, rel=0.3)


@pytest.mark.parametrize("seed", range(4))
def test_search_finds_the_planted_truth(seed: int) -> None:
    toy = ToySimulator.random(3, seed)
    truth = np.random.default_rng(seed).uniform(-0.8, 0.8, 3)
    observed = planted(toy, truth, seed)
    found = search(toy_box(3), toy, observed, [QUICK], seed)
    joint = Joint(found.surrogate, observed)
    assert joint.deviance(truth) - found.deviance < chi2.ppf(0.999, 3)
    assert found.deviance < chi2.ppf(0.999, 3)
    assert not found.at_bound.any()


def test_search_ends_at_one_optimum_from_far_starts() -> None:
    toy = ToySimulator.random(2, 21)
    observed = planted(toy, np.array([0.3, -0.3]), 22)
    ends = []
    for start in ((0.0, 0.0), (1.5, 1.5), (-1.5, 1.0)):
        box = toy_box(2)
        box = Box(box.low, box.high, np.array(start), box.scale)
        ends.append(search(box, toy, observed, [QUICK], 1))
    first = Joint(ends[0].surrogate, observed)
    for end in ends[1:]:
        assert first.deviance(end.theta) - ends[0].deviance < chi2.ppf(0.99, 2)


def test_search_is_a_function_of_its_seed() -> None:
    toy = ToySimulator.random(2, 23)
    observed = planted(toy, np.array([0.3, 0.1]), 24)
    stage = Stage("toy", 200, 200, 2, 0.1)
    one, two, other = (search(toy_box(2), toy, observed, [stage], seed) for seed in (5, 5, 6))
    assert one.theta.tobytes() == two.theta.tobytes()
    assert one.theta.tobytes() != other.theta.tobytes()


def test_search_says_when_it_ends_at_a_bound() -> None:
    toy = ToySimulator.random(2, 25)
    observed = planted(toy, np.array([1.5, 0.0]), 26)
    box = Box(np.array([-0.5, -3.0]), np.array([0.5, 3.0]), np.zeros(2), np.full(2, 0.3))
    found = search(box, toy, observed, [QUICK], 3)
    assert found.at_bound.tolist() == [True, False]


def test_search_corrects_for_an_engine_that_differs() -> None:
    shift = np.array([0.0, 0.15, -0.1, 0.1, 0.2, -0.3, 0.0])
    plain = ToySimulator.random(2, 27)
    toy = ToySimulator(plain.linear, plain.quadratic, {"search": shift})
    truth = np.array([0.4, -0.3])
    observed = planted(plain, truth, 28)
    stages = [
        Stage("search", 400, 2000, 12, 0.25),
        Stage("reference", 8000, 8000, 2, 0.5, is_around=False),
    ]
    found = search(toy_box(2), toy, observed, stages, 4)
    assert Joint(found.surrogate, observed).deviance(truth) - found.deviance < chi2.ppf(0.999, 2)
    uncorrected = search(toy_box(2), toy, observed, stages[:1], 4)
    assert uncorrected.deviance > found.deviance + 50


def exact(toy: ToySimulator, truth: np.ndarray, seed: int) -> Joint:
    """The likelihood, with a simulator as good as known on a region that holds the truth."""
    points = truth + np.random.default_rng(seed).uniform(-0.5, 0.5, (25, len(truth)))
    surrogate = fit_surrogate(samples_of(toy, points, 1e7), truth, np.full(len(truth), 0.5), "")
    return Joint(surrogate, planted(toy, truth, seed))


def test_intervals_agree_with_the_information_where_the_likelihood_is_gaussian() -> None:
    truth, box = np.array([0.2, 0.3]), toy_box(2)
    joint = exact(ToySimulator.random(2, 30), truth, 31)
    theta, _ = joint.minimize(truth - 0.5, truth + 0.5, [truth])
    deviation = np.sqrt(np.diag(np.linalg.inv(joint.information(theta))))
    for index in range(2):
        low, high = extent(joint, theta, box.low, box.high, lambda v, i=index: float(v[i]))
        assert low < theta[index] < high
        assert (high - low) / (2 * 1.96 * deviation[index]) == pytest.approx(1, abs=0.1)
    assert is_in_region(joint, theta, theta)
    assert not is_in_region(joint, theta, theta + 6 * deviation)


def test_intervals_end_where_little_was_thrown() -> None:
    """Far out the surrogate knows nothing, and nothing there can be called likely for that."""
    truth, box, half = np.array([0.2, 0.3]), toy_box(2), np.full(2, 0.1)
    toy = ToySimulator.random(2, 30)
    points = truth + np.random.default_rng(5).uniform(-half, half, (12, 2))
    joint = Joint(
        fit_surrogate(samples_of(toy, points, 4e3), truth, half, ""), planted(toy, truth, 3)
    )
    theta, _ = joint.minimize(truth - half, truth + half, [truth])
    deviation = np.sqrt(np.diag(np.linalg.inv(joint.information(theta))))
    assert joint.deviance(theta + 30 * deviation) - joint.deviance(theta) < 3.84, "anything is"
    for index in range(2):
        low, high = extent(joint, theta, box.low, box.high, lambda v, i=index: float(v[i]))
        assert (high - low) / (2 * 1.96 * deviation[index]) == pytest.approx(1, abs=0.5)
    assert not is_in_region(joint, theta, theta + 30 * deviation)


def test_region_holds_the_truth_as_often_as_it_says() -> None:
    """100 tables from one truth, exact simulator: fewer than 89 of 95 % has chance 1 %."""
    toy, truth = ToySimulator.random(2, 37), np.array([0.2, -0.1])
    points = truth + np.random.default_rng(38).uniform(-0.5, 0.5, (25, 2))
    surrogate = fit_surrogate(samples_of(toy, points, 1e7), truth, np.full(2, 0.5), "")
    inside = 0
    for seed in range(100):
        joint = Joint(surrogate, planted(toy, truth, seed))
        theta, _ = joint.minimize(truth - 0.5, truth + 0.5, [truth])
        inside += is_in_region(joint, theta, truth)
    assert inside >= 89


def test_direction_that_changes_nothing_is_named_unseen() -> None:
    toy = ToySimulator.random(2, 32)
    blind = ToySimulator(toy.linear * [1.0, 0.0], toy.quadratic * [[1.0, 0.0], [0.0, 0.0]], {})
    points = np.random.default_rng(33).uniform(-1, 1, (20, 2))
    observed = planted(blind, np.zeros(2), 34)
    surrogate = fit_surrogate(samples_of(blind, points), np.zeros(2), np.ones(2), "")
    box = toy_box(2)
    found = directions(Joint(surrogate, observed), np.zeros(2), box.low, box.high, box.scale)
    assert [one.is_seen for one in found] == [True, False]
    assert abs(found[1].weights[1]) > 0.99


def test_correlation_has_ones_on_its_diagonal() -> None:
    theta = np.array([0.2, 0.3])
    found = correlation(exact(ToySimulator.random(2, 35), theta, 36), theta)
    np.testing.assert_allclose(np.diag(found), 1.0)
    assert np.abs(found).max() <= 1 + 1e-12


@pytest.mark.parametrize("needed", [True, False])
def test_term_is_asked_for_only_where_it_is_needed(needed: bool) -> None:
    """Three parameters, the third held at 0 in the search; the planted truth may need it."""
    toy = ToySimulator.random(3, 40)
    truth = np.array([0.3, -0.2, 0.6 * needed])
    observed = planted(toy, truth, 41)
    space = Subspace(toy_box(3), (0, 1))
    known: list[Sample] = []

    def simulate(theta: np.ndarray, source: str, throws: range) -> np.ndarray:
        counts = toy(space.embed(theta), source, throws)
        known.append(Sample(space.embed(theta), source, counts))
        return counts

    found = search(space.box, simulate, observed, [QUICK], 42)
    wider = space.with_also(2)
    look = Probe(wider.box, found.theta, "toy", range(10**6, 10**6 + 2000))
    half = found.surrogate.scale
    probed = probe(look, lambda theta, s, t: toy(wider.embed(theta), s, t), half, 43)
    result = judge_term(look, [*wider.samples(known), *probed], half, observed, "toy", "third")
    assert most_wanted([result]) == ("third" if needed else None)


def test_subspace_keeps_samples_whose_other_parameters_are_at_their_start() -> None:
    space = Subspace(toy_box(3), (0, 2))
    samples = [Sample(np.array(t), "", np.ones(7)) for t in ((1.0, 0.0, 2.0), (1.0, 0.5, 2.0))]
    kept = space.samples(samples)
    assert len(kept) == 1
    np.testing.assert_array_equal(kept[0].theta, [1.0, 2.0])
    np.testing.assert_array_equal(space.embed(kept[0].theta), [1.0, 0.0, 2.0])
    assert space.with_also(1).active == (0, 2, 1)
