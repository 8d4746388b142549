"""Mass models: against closed forms, refinement, and what they must refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meshes import mass_model
from meshes.anatomy import standard_pig
from meshes.density import uniform, volume_moments, volume_nodes
from meshes.inserts import Insert, TwoMaterials
from meshes.mass_model import LINEAR, QUADRATIC, ExponentialDensity, MassModel
from meshes.shape import ConvexPart, Shape
from meshes.solids import CornerTetrahedron, Cuboid

SIDES = (0.027, 0.012, 0.018)
BOX = Shape.from_parts("box", [ConvexPart.from_points("box", Cuboid(SIDES).surface().vertices)])
PIG = standard_pig()
MASS = 0.0022
MODELS: list[MassModel] = [
    ExponentialDensity(PIG, MASS, LINEAR + QUADRATIC),
    Insert.weight(PIG, MASS),
    Insert.hollow(PIG, MASS),
    TwoMaterials(PIG, MASS),
]


@settings(max_examples=20, deadline=None)
@given(st.tuples(*[st.integers(0, 4)] * 3))
def test_nodes_integrate_monomials_exactly(powers: tuple[int, int, int]) -> None:
    """Over a corner tetrahedron: a! b! c! / (a + b + c + 3)! times legs^(powers + 1)."""
    legs = np.array([1.0, 0.7, 1.3])
    surface = CornerTetrahedron(tuple(legs)).surface()
    nodes, weights = volume_nodes(surface, 7)  # degree 13
    factorial = np.vectorize(lambda n: float(np.prod(np.arange(1, n + 1))))
    expected = factorial(np.array(powers)).prod() / factorial(np.array(sum(powers) + 3))
    expected *= np.prod(legs ** (np.array(powers) + 1))
    got = weights @ np.prod(nodes ** np.array(powers), axis=1)
    assert got == pytest.approx(expected, rel=1e-11)


def test_theta_zero_is_the_uniform_pig() -> None:
    model = ExponentialDensity(PIG, MASS, LINEAR + QUADRATIC)
    exact = uniform(PIG.surface, MASS / volume_moments(PIG.surface).volume)
    got = model.mass_properties(model.start)
    assert got.mass == MASS
    np.testing.assert_allclose(got.center_of_mass, exact.center_of_mass, rtol=0, atol=1e-15)
    scale = np.abs(exact.inertia).max()
    np.testing.assert_allclose(got.inertia, exact.inertia, rtol=0, atol=1e-12 * scale)
    unlike = model.unlikeness(model.start)
    assert unlike.nats == pytest.approx(0.0, abs=1e-12)
    assert unlike.ratio == 1.0


@pytest.mark.parametrize("theta", [0.3, -1.0, 2.0])
def test_linear_exponent_over_a_box_is_closed_form(theta: float) -> None:
    """Along x a truncated exponential: mean coth t - 1/t, variance 1/t^2 - 1/sinh^2 t.

    Twelve large tetrahedra and a ratio of 55: measured 1.1e-5 and 7.6e-5.
    """
    model = ExponentialDensity(BOX, MASS)
    got = model.mass_properties(np.array([theta, 0.0, 0.0]))
    half, (_, b, c) = SIDES[0] / 2, SIDES
    mean, variance = 1 / np.tanh(theta) - 1 / theta, 1 / theta**2 - 1 / np.sinh(theta) ** 2
    assert got.center_of_mass[0] == pytest.approx(half * mean, rel=3e-5)
    np.testing.assert_allclose(got.center_of_mass[1:], 0.0, atol=1e-12)
    along = half**2 * variance
    expected = MASS * np.array([(b**2 + c**2) / 12, along + c**2 / 12, along + b**2 / 12])
    np.testing.assert_allclose(np.diag(got.inertia), expected, rtol=1e-4)
    unlike = model.unlikeness(np.array([theta, 0.0, 0.0]))
    assert unlike.ratio == pytest.approx(np.exp(2 * abs(theta)))
    expected_nats = theta * mean - np.log(np.sinh(theta) / theta)
    assert unlike.nats == pytest.approx(expected_nats, rel=3e-5)
    assert unlike.shift[0] == pytest.approx(half * mean, rel=3e-5)


def test_quadrature_error_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A density ratio of 20: against twice the Gauss points. Measured 4e-11 m and 3e-7."""
    theta = np.array([1.0, -0.7, 0.9, 0.3, 0.0, -0.2, 0.0, 0.2, 0.1])
    coarse = ExponentialDensity(PIG, MASS, LINEAR + QUADRATIC).mass_properties(theta)
    monkeypatch.setattr(mass_model, "_ORDER", 8)
    fine = ExponentialDensity(PIG, MASS, LINEAR + QUADRATIC).mass_properties(theta)
    np.testing.assert_allclose(coarse.center_of_mass, fine.center_of_mass, rtol=0, atol=1e-9)
    scale = np.abs(fine.inertia).max()
    np.testing.assert_allclose(coarse.inertia, fine.inertia, rtol=0, atol=1e-6 * scale)


def test_greatest_ratio_bounds_that_of_random_points_inside() -> None:
    theta = np.array([0.5, -0.4, 0.3, -1.0, 0.3, 0.0, 0.8, 0.0, 0.5])
    model = ExponentialDensity(PIG, MASS, LINEAR + QUADRATIC)
    rng = np.random.default_rng(0)
    inside = np.concatenate(
        [rng.dirichlet(np.ones(len(p.vertices)), 300) @ p.vertices for p in PIG.parts]
    )
    y = (inside - uniform(PIG.surface, 1.0).center_of_mass) / model.length
    products = [y[:, "xyz".index(a)] * y[:, "xyz".index(b)] for a, b in QUADRATIC]
    exponent = y @ theta[:3] + np.array(products).T @ theta[3:]
    assert np.exp(np.ptp(exponent)) <= model.unlikeness(theta).ratio


def test_gradient_of_entropy_is_the_moment() -> None:
    """d nats / d theta_i = theta . cov_i; along x: nats grows as theta^2 var / 2 near 0."""
    model = ExponentialDensity(BOX, MASS)
    nats = model.unlikeness(np.array([0.01, 0.0, 0.0])).nats
    assert nats == pytest.approx(0.01**2 / 2 / 3, rel=1e-3)  # variance of x / half on the box


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_hold_the_mass_and_start_inside_their_bounds(model: MassModel) -> None:
    low, high = model.bounds.T
    assert len(model.names) == len(model.start) == len(model.scale) == len(low)
    assert ((low < model.start) & (model.start < high)).all()
    rng = np.random.default_rng(1)
    for theta in rng.uniform(low, high, (5, len(low))) / 2:
        got = model.mass_properties(theta)  # refuses impossible inertia by itself
        assert got.mass == pytest.approx(MASS, rel=1e-12)
        shift = got.center_of_mass - model.mass_properties(model.start).center_of_mass
        np.testing.assert_allclose(model.unlikeness(theta).shift, shift, atol=1e-12)
        assert model.unlikeness(theta).nats >= 0
        assert model.unlikeness(theta).ratio >= 1


def test_weight_in_a_box_moves_the_center_by_its_excess() -> None:
    weight = Insert(BOX, MASS, 0.002, 0.2)
    got = weight.mass_properties(np.array([0.003, 0.0, 0.0]))
    np.testing.assert_allclose(got.center_of_mass, [0.0006, 0, 0], atol=1e-15)
    box = Cuboid(SIDES).mass_properties(0.8 * MASS / np.prod(SIDES))
    ball = 0.2 * MASS * 0.4 * 0.002**2 * np.eye(3)
    arms = 0.8 * MASS * 0.0006**2 + 0.2 * MASS * 0.0024**2
    expected = box.inertia + ball + arms * np.diag([0.0, 1.0, 1.0])
    np.testing.assert_allclose(got.inertia, expected, rtol=1e-12, atol=1e-22)


def test_hollow_box_weighs_nothing_inside() -> None:
    hollow = Insert.hollow(BOX, MASS)
    volume = np.prod(SIDES)
    ball = 4 / 3 * np.pi * hollow.radius**3
    density = MASS / (volume - ball)
    inertia = Cuboid(SIDES).mass_properties(density).inertia - density * ball * (
        0.4 * hollow.radius**2 * np.eye(3)
    )
    got = hollow.mass_properties(hollow.start)
    np.testing.assert_allclose(got.inertia, inertia, rtol=1e-12, atol=1e-22)
    assert hollow.unlikeness(hollow.start).ratio == np.inf
    nats = np.log(volume / (volume - ball))
    assert hollow.unlikeness(hollow.start).nats == pytest.approx(nats)


def test_ball_stays_inside_the_pig() -> None:
    weight = Insert.weight(PIG, MASS)
    corner = weight.bounds[:, 1]
    triangles = PIG.surface.triangles.reshape(-1, 3)
    center = uniform(PIG.surface, 1.0).center_of_mass + corner
    assert np.linalg.norm(triangles - center, axis=1).min() > weight.radius


def test_two_materials_of_a_box_are_two_boxes() -> None:
    model = TwoMaterials(BOX, MASS)
    got = model.mass_properties(np.array([0.0, np.log(3.0)]))
    np.testing.assert_allclose(got.center_of_mass, [SIDES[0] / 8, 0, 0], atol=1e-12)
    assert model.unlikeness(np.array([0.0, np.log(3.0)])).ratio == pytest.approx(3.0)
    same = model.mass_properties(np.array([0.002, 0.0]))
    np.testing.assert_allclose(
        same.inertia, Cuboid(SIDES).mass_properties(MASS / np.prod(SIDES)).inertia, atol=1e-18
    )


def test_bad_models_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown term 'xw'"):
        ExponentialDensity(BOX, MASS, ("x", "xw"))
    with pytest.raises(ValueError, match="expected different ones"):
        ExponentialDensity(BOX, MASS, ("x", "x"))
    with pytest.raises(ValueError, match=r"expected more than 0 and less than 6\.0 mm"):
        Insert(BOX, MASS, 0.006, 0.1)
