"""Damaged and crafted files of a batch: refused or redone in a line, nothing overwritten."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_thrower import FakeConfiguration, FakeThrower, fake_landings, recorded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sim.block
from sim.batch import run_batch
from sim.block import SCHEMA, RecordsError, decode_block, encode_block
from sim.crew import BatchError
from sim.records import read_batch

IDENTITY = {"configuration": {"seed": 3}, "versions": {"numpy": "2"}, "throws": 60}
LANDINGS = recorded(fake_landings(range(60)))
WHOLE = encode_block(LANDINGS, IDENTITY)

FUZZ = settings(max_examples=100, deadline=5000, suppress_health_check=list(HealthCheck))


def outcome(call: Callable[[], Any], refusal: type[Exception]) -> tuple[Any, str]:
    """Give what a call returns, or what it says when it refuses."""
    try:
        return call(), ""
    except refusal as error:
        return None, str(error)


def is_whole_or_refused(content: bytes) -> None:
    """Anything but the throws as they were, or one line, is a failure."""
    found, refusal = outcome(lambda: decode_block(content, IDENTITY), RecordsError)
    assert "\n" not in refusal
    for name, values in vars(LANDINGS).items() if found else ():
        np.testing.assert_array_equal(getattr(found, name), values)


@FUZZ
@given(st.binary(max_size=400))
def test_random_bytes_are_refused(data):
    is_whole_or_refused(data)


@FUZZ
@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=9))
def test_overwritten_bytes_are_noticed(place, patch):
    is_whole_or_refused(WHOLE[:place] + patch + WHOLE[place + len(patch) :])


@FUZZ
@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)))
def test_cut_and_repeated_bytes_are_noticed(end, start):
    is_whole_or_refused(WHOLE[:end] + WHOLE[start:])


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def test_few_bytes_that_unpack_to_many_are_refused_before_they_do(monkeypatch):
    monkeypatch.setattr(sim.block, "_MOST_BYTES", 1_000_000)
    good = pq.read_table(io.BytesIO(WHOLE))
    zeros = pa.nulls(10_000_000, pa.int8()).fill_null(0)
    content = parquet(pa.table({"throw": zeros}))
    assert len(content) < 100_000
    with pytest.raises(RecordsError, match="expected the columns"):
        decode_block(content, IDENTITY)
    words = pa.array(["a" * 2**21]).dictionary_encode()
    bomb = good.slice(0, 1).set_column(3, SCHEMA.field(3), words.cast(SCHEMA.field(3).type))
    with pytest.raises(RecordsError, match="expected at most 1,000,000 bytes"):
        decode_block(parquet(bomb), IDENTITY)
    monkeypatch.setattr(sim.block, "LARGEST_BLOCK", 100)
    many = pa.concat_tables([good] * 7)
    with pytest.raises(RecordsError, match="expected at most 800 rows"):
        decode_block(parquet(many), IDENTITY)


def test_throw_that_is_two_is_refused():
    table = pq.read_table(io.BytesIO(WHOLE))
    other = pa.array(np.arange(len(table)))
    with pytest.raises(RecordsError, match="expected the pigs of a throw to have the same throw"):
        decode_block(parquet(table.set_column(0, SCHEMA.field(0), other)), IDENTITY)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)
FAKE = FakeConfiguration()


def resumed(directory: Path, manifest: bytes) -> None:
    """A manifest is this run's or refused; nothing there is changed unless it is this run's."""
    (directory / "batch.json").write_bytes(manifest)
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    run = partial(run_batch, FAKE, 5, out=directory, resume=True, build_thrower=FakeThrower)
    _, refusal = outcome(run, BatchError)
    assert "\n" not in refusal
    if refusal:
        assert {path.name: path.read_bytes() for path in directory.iterdir()} == before
    assert "\n" not in outcome(lambda: read_batch(directory), RecordsError)[1]


@pytest.fixture(scope="module")
def batch(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("batch") / "out"
    run_batch(FAKE, 5, out=out, build_thrower=FakeThrower)
    return out, json.loads((out / "batch.json").read_text())


@FUZZ
@given(st.binary(max_size=99))
def test_manifest_of_random_bytes_is_refused(batch, data):
    resumed(batch[0], data)


@FUZZ
@given(json_values)
def test_manifest_of_any_json_is_refused(batch, value):
    resumed(batch[0], json.dumps(value).encode())


@FUZZ
@given(st.sampled_from(["configuration", "throws", "versions", "more"]), json_values)
def test_manifest_with_any_value_is_refused(batch, key, value):
    resumed(batch[0], json.dumps({**batch[1], key: value}).encode())


@FUZZ
@given(st.integers(0, 600), st.binary(min_size=1, max_size=4))
def test_overwritten_manifest_is_refused(batch, place, patch):
    whole = json.dumps(batch[1], indent=2).encode()
    resumed(batch[0], whole[:place] + patch + whole[place + len(patch) :])
