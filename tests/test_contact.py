"""Contact values: what is stated per pair is what the products of two bodies give."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.contact import Contact, PairContact, body_factors

pairs = st.builds(PairContact, st.floats(0.01, 1.0), st.floats(0.01, 5.0))


@given(pairs, pairs, pairs)
def test_products_of_the_factors_are_the_pairs(
    table: PairContact, leaf: PairContact, pig: PairContact
) -> None:
    factors = body_factors(Contact(table, leaf, pig))
    for other, stated in (("table", table), ("leaf", leaf), ("pig", pig)):
        for name in ("restitution", "friction"):
            product = getattr(factors["pig"], name) * getattr(factors[other], name)
            assert product == pytest.approx(getattr(stated, name), rel=1e-12)


def test_one_pair_changes_no_other() -> None:
    """Every knob of every pair moves its own product, and only that one."""
    usual = Contact()

    def products(contact: Contact) -> dict[tuple[str, str], float]:
        factors = body_factors(contact)
        return {
            (other, name): getattr(factors["pig"], name) * getattr(factors[other], name)
            for other in factors
            for name in ("restitution", "friction")
        }

    before = products(usual)
    for pair in ("pig_table", "pig_leaf", "pig_pig"):
        for name in ("restitution", "friction"):
            changed = replace(usual, **{pair: replace(getattr(usual, pair), **{name: 0.41})})
            after = products(changed)
            moved = {key for key in before if after[key] != pytest.approx(before[key], rel=1e-9)}
            assert moved == {(pair.removeprefix("pig_"), name)}


def test_frictionless_and_dull_pairs() -> None:
    dead = PairContact(0.0, 0.0)
    factors = body_factors(Contact(dead, dead, dead))
    assert all(f.restitution == f.friction == 0.0 for f in factors.values())
    slippery = body_factors(Contact(pig_table=dead))
    assert slippery["table"].friction == slippery["table"].restitution == 0.0
    assert slippery["leaf"].friction * slippery["pig"].friction == pytest.approx(0.60)


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf")])
def test_impossible_restitution_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"restitution must be between 0 and 1, got"):
        PairContact(value, 0.5)


@pytest.mark.parametrize("value", [-0.01, float("nan"), float("inf")])
def test_impossible_friction_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"friction must be 0 or more, got"):
        PairContact(0.5, value)


@pytest.mark.parametrize("value", [-0.01, float("nan"), float("inf")])
def test_impossible_bounce_speed_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"bounce_speed must be 0 m/s or more"):
        Contact(bounce_speed=value)


@pytest.mark.parametrize("name", [field.name for field in fields(PairContact)])
def test_pairs_that_no_product_gives_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"pig_pig {name} of 0 makes every pair's {name} 0"):
        Contact(pig_pig=replace(PairContact(0.7, 0.8), **{name: 0.0}))
