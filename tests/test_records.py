import json
import os
import shutil
import subprocess
import sys
from dataclasses import fields, replace
from math import inf, nan

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_thrower import FakeConfiguration, FakeThrower, fake_landings, recorded

from sim.batch import run_batch
from sim.block import RecordsError, encode_block
from sim.records import block_throws, read_batch, read_block, versions
from sim.throw import Landings

COLUMNS = [
    *("throw", "pig", "height", "start", "status", "position", "touch"),
    *("x", "y", "z", "qx", "qy", "qz", "qw", "rest_time", "margin"),
]
IDENTITY = {"configuration": {"seed": 3}, "versions": {"numpy": "2"}}


def assert_same(a: Landings, b: Landings) -> None:
    for field in fields(Landings):
        np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name))


@pytest.mark.parametrize("pigs", [1, 2, 8])
def test_poses_come_back_bit_for_bit(tmp_path, pigs):
    landings = fake_landings(range(40, 90), pigs)
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(landings, IDENTITY))
    assert_same(read_block(path, IDENTITY), recorded(landings))


def test_one_row_per_pig_under_the_documented_columns(tmp_path):
    landings = fake_landings(range(5))
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(landings, IDENTITY))
    table = pq.read_table(path)
    assert table.column_names == COLUMNS
    assert table["throw"].to_pylist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert table["pig"].to_pylist() == [0, 1] * 5
    assert table["z"].to_numpy().tolist() == landings.translation[:, :, 2].ravel().tolist()
    assert table["qw"].to_numpy().tolist() == landings.quat_xyzw[:, :, 3].ravel().tolist()


def test_metadata_holds_configuration_and_versions(tmp_path):
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(fake_landings([0]), IDENTITY))
    metadata = pq.read_schema(path).metadata
    assert {key: json.loads(metadata[key.encode()]) for key in IDENTITY} == IDENTITY
    assert {
        "python",
        "numpy",
        "scipy",
        "pybullet",
        "numba",
        "mujoco",
        "pig-throw",
        "sources",
    } == versions().keys()


def test_few_bytes_per_throw():
    content = encode_block(fake_landings(range(2500)), IDENTITY)
    assert len(content) / 2500 < 125  # measured 121; the poses' 14 doubles are 112 of them


@pytest.mark.parametrize(
    ("throws", "size"), [(1, 250), (10**5, 250), (10**6, 2500), (10**6 + 1, 2501), (10**9, 10_000)]
)
def test_files_grow_with_the_batch_up_to_a_size(throws, size):
    assert block_throws(throws) == size


def test_same_landings_same_bytes():
    landings = fake_landings(range(100))
    assert encode_block(landings, IDENTITY) == encode_block(landings, IDENTITY)


def test_batch_reads_back_whole(tmp_path):
    out = tmp_path / "out"
    run_batch(FakeConfiguration(seed=5), 2300, out=out, build_thrower=FakeThrower)
    batch = read_batch(out)
    assert batch.throws == 2300
    assert batch.configuration["seed"] == 5
    assert batch.versions == versions()
    assert_same(batch.landings, recorded(fake_landings(range(2300), seed=5)))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"garbage" * 100])
def test_damaged_block_is_refused_by_name(tmp_path, content):
    path = tmp_path / "throws-000000.parquet"
    path.write_bytes(content)
    with pytest.raises(RecordsError, match=r"throws-000000\.parquet: not readable as Parquet"):
        read_block(path, IDENTITY)


def test_truncated_block_is_refused(tmp_path):
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(fake_landings(range(50)), IDENTITY)[:-20])
    with pytest.raises(RecordsError, match="not readable as Parquet"):
        read_block(path, IDENTITY)


def test_no_flipped_bit_passes_unnoticed(tmp_path):
    landings = fake_landings(range(60))
    path, whole = tmp_path / "block.parquet", encode_block(landings, IDENTITY)
    refusals = []
    for bit in np.random.default_rng(1).integers(8 * len(whole), size=500):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            assert_same(read_block(path, IDENTITY), recorded(landings))
        except RecordsError as refusal:
            refusals.append(str(refusal))
    assert len(refusals) > 400
    assert all(line.startswith(f"{path}: ") and "\n" not in line for line in refusals)


def test_reading_starts_no_thread(tmp_path):
    """A thread that is still starting when the process exits would abort it."""
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(fake_landings(range(50)), IDENTITY))
    count = (
        "import sys, os, pathlib\n"
        "from sim.records import read_block\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        f"read_block(pathlib.Path(sys.argv[1]), {IDENTITY!r})\n"
        "print(len(os.listdir('/proc/self/task')) - before)\n"
    )
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("needs /proc")
    command = [sys.executable, "-c", count, str(path)]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"0\n"


def test_pipe_in_the_place_of_a_block_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordsError, match="expected a regular file"):
        read_block(tmp_path / "pipe", IDENTITY)


def test_footer_that_cannot_be_decoded_is_refused(tmp_path):
    path = tmp_path / "block.parquet"
    whole = encode_block(fake_landings(range(5)), IDENTITY)
    path.write_bytes(whole.replace(b"margin", b"\xffargin"))
    with pytest.raises(RecordsError, match="not readable as Parquet"):
        read_block(path, IDENTITY)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("touch", "kiss", "expected touch to be one of none, oinker, piggyback"),
        ("status", "", "expected status to be one of"),
        ("position", None, "expected a value in every cell"),
        ("pig", None, "expected a value in every cell"),
        ("margin", None, "expected a value in every cell"),
    ],
)
def test_words_and_gaps_that_no_run_writes_are_refused(tmp_path, column, value, message):
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(fake_landings(range(5)), IDENTITY))
    table = pq.read_table(path)
    place, kind = table.column_names.index(column), table.schema.field(column)
    plain = kind.type.value_type if pa.types.is_dictionary(kind.type) else kind.type
    cells = pa.array([value, *table[column].to_pylist()[1:]], plain).cast(kind.type)
    pq.write_table(table.set_column(place, kind, cells), path)
    with pytest.raises(RecordsError, match=message):
        read_block(path, IDENTITY)


def test_block_of_another_run_is_refused(tmp_path):
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(fake_landings(range(5)), IDENTITY))
    with pytest.raises(RecordsError, match="holds throws of another run"):
        read_block(path, {**IDENTITY, "configuration": {"seed": 4}})


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((name, nan) for name in ("x", "y", "z", "qx", "qy", "qz", "qw", "margin")),
        *(("x", inf), ("z", -1e300), ("qw", 1e300), ("margin", 3.2), ("margin", -inf)),
        *(("rest_time", -0.1), ("rest_time", inf)),
    ],
)
def test_numbers_that_no_pig_at_rest_has_are_refused_by_their_column(tmp_path, column, value):
    path = tmp_path / "block.parquet"
    landings = fake_landings(range(60))
    name, place = (
        ("quat_xyzw", (..., "xyzw".index(column[1])))
        if column[0] == "q"
        else ("translation", (..., "xyz".index(column)))
        if column in "xyz"
        else (column, (...,))
    )
    values = getattr(landings, name).copy()
    failed = landings.status != "at_rest"
    values[(failed, *place)] = value
    odd = replace(landings, **{name: values})
    path.write_bytes(encode_block(odd, IDENTITY))
    assert_same(read_block(path, IDENTITY), recorded(odd))
    row = int(np.flatnonzero(~failed)[3])
    values = getattr(landings, name).copy()
    values[(row, *place)] = value
    path.write_bytes(encode_block(replace(landings, **{name: values}), IDENTITY))
    with pytest.raises(RecordsError, match=rf"block\.parquet: expected .*{column}.* throw {row}$"):
        read_block(path, IDENTITY)


def test_quaternion_of_no_length_is_refused(tmp_path):
    path = tmp_path / "block.parquet"
    landings = fake_landings([0])
    assert landings.status[0] == "at_rest"
    none = np.zeros_like(landings.quat_xyzw)
    path.write_bytes(encode_block(replace(landings, quat_xyzw=none), IDENTITY))
    with pytest.raises(RecordsError, match="a unit quaternion, got one of length 0 in throw 0"):
        read_block(path, IDENTITY)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"status": "escaped"}, "expected position to be other in a throw that failed"),
        ({"status": "escaped", "position": "other"}, "expected touch to be none in a throw"),
        ({"status": "at_rest"}, "expected touch of no pig or of two or more"),
        ({"start": "sideways"}, "expected start to be one of forward, backward, mixed, random"),
    ],
)
def test_words_that_contradict_each_other_are_refused(tmp_path, changed, message):
    path = tmp_path / "block.parquet"
    landings = fake_landings([0])
    values = {name: np.full_like(getattr(landings, name), word) for name, word in changed.items()}
    touch = np.array([["oinker", "none"]])
    path.write_bytes(encode_block(replace(landings, touch=touch, **values), IDENTITY))
    with pytest.raises(RecordsError, match=message):
        read_block(path, IDENTITY)


@pytest.fixture
def batch(tmp_path):
    out = tmp_path / "out"
    run_batch(FakeConfiguration(), 600, out=out, build_thrower=FakeThrower)
    return out


def identity_of(batch):
    return json.loads((batch / "batch.json").read_text())


@pytest.mark.parametrize(
    "name",
    [
        *("throws-000000-copy.parquet", "throws-000003.parquet", "throws-0.parquet"),
        *("throws-0000000.parquet", "throws-x.parquet"),
    ],
)
def test_copy_of_a_block_is_not_counted_again(batch, name):
    shutil.copy(batch / "throws-000000.parquet", batch / name)
    with pytest.raises(RecordsError, match=f"{name}: .* (move it elsewhere|throws 0 to)"):
        read_batch(batch)


def test_block_under_the_name_of_another_is_refused(batch):
    shutil.copy(batch / "throws-000000.parquet", batch / "throws-000001.parquet")
    expected = r"throws-000001\.parquet: expected throws 250 to 499, each once"
    with pytest.raises(RecordsError, match=expected):
        read_batch(batch)


def test_blocks_that_are_missing_yet_do_not_matter(batch):
    (batch / "throws-000001.parquet").unlink()
    index = read_batch(batch).landings.index
    assert index.tolist() == [*range(250), *range(500, 600)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: {"index": one.index[::-1]}, "expected throws 500 to 599, each once"),
        (lambda one: {"index": one.index // 2 * 2}, "expected throws 500 to 599, each once"),
        (lambda one: {"index": one.index + 1}, "expected throws 500 to 599, each once"),
        (lambda one: {"height": one.height + 0.1}, "expected every height to be the one that"),
        (lambda one: {"start": np.roll(one.start, 1)}, "expected every start to be the one that"),
    ],
)
def test_throws_that_are_not_those_of_the_run_are_refused(batch, change, message):
    block = batch / "throws-000002.parquet"
    landings = fake_landings(range(500, 600))
    content = encode_block(replace(landings, **change(landings)), identity_of(batch))
    block.write_bytes(content)
    with pytest.raises(RecordsError, match=rf"throws-000002\.parquet: {message}"):
        read_batch(batch)


def test_block_without_one_of_the_pigs_is_refused(batch):
    content = encode_block(fake_landings(range(500, 600), pigs=1), identity_of(batch))
    (batch / "throws-000002.parquet").write_bytes(content)
    with pytest.raises(RecordsError, match="expected 2 rows for every throw"):
        read_batch(batch)


@pytest.mark.parametrize("throws", ["true", "-7", "0", "1" + 400 * "0", "1" + 9000 * "0", "1.5"])
def test_number_of_throws_that_no_run_has_is_refused(batch, throws):
    manifest = batch / "batch.json"
    manifest.write_text(manifest.read_text().replace('"throws": 600', f'"throws": {throws}'))
    with pytest.raises(RecordsError, match=r"batch\.json: expected (throws|JSON|configuration)"):
        read_batch(batch)


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("pig", {"digest": "0"}, r"its configuration lacks pig\.name"),
        ("pig", "standard", r"its configuration lacks pig\.name"),
        ("pig", {"name": {"a": 1}, "digest": "0"}, r"expected pig\.name of its .* to be text"),
        ("device", {"name": 5}, r"expected device\.name of its configuration to be text"),
        ("seed", 1.5, "expected seed of its configuration to be a whole number"),
        ("pigs", True, "expected pigs of its configuration to be a whole number"),
        ("pigs", 10**400, "expected pigs of its configuration to be from 1 to 8"),
        ("conditions", {}, "expected conditions of its configuration to be a list"),
        ("conditions", [], "expected conditions of its configuration to be heights and starts"),
        ("conditions", [{"height": -1.0, "start": "mixed"}], "expected conditions of .* heights"),
        ("conditions", [{"height": 1.0, "start": ["mixed"]}], "expected conditions of .* heights"),
        ("more", inf, "expected JSON"),
    ],
)
def test_configuration_that_no_run_has_is_refused(batch, entry, value, message):
    identity = identity_of(batch)
    identity["configuration"][entry] = value
    (batch / "batch.json").write_text(json.dumps(identity))
    with pytest.raises(RecordsError, match=rf"batch\.json: {message}"):
        read_batch(batch)


def test_calibration_is_no_batch_and_says_what_to_do(batch):
    identity = identity_of(batch)
    identity["configuration"]["calibration"] = {}
    (batch / "batch.json").write_text(json.dumps(identity))
    expected = "is a calibration, which keeps no throws; see it with 'pigs report'"
    with pytest.raises(RecordsError, match=expected):
        read_batch(batch)


def test_foreign_parquet_is_refused(tmp_path):
    path = tmp_path / "block.parquet"
    path.write_bytes(encode_block(fake_landings(range(5)), IDENTITY))
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["margin"]), path)
    with pytest.raises(RecordsError, match="expected the columns throw, pig"):
        read_block(path, IDENTITY)
    pq.write_table(table.slice(1), path)
    with pytest.raises(RecordsError, match="expected 2 rows for every throw"):
        read_block(path, IDENTITY)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "holds no batch"),
        ("{", "expected JSON"),
        ("[1]", "expected configuration, throws and versions"),
        ("[" * 100_000, "expected JSON"),
        ('{"configuration": 5, "throws": null, "versions": []}', "expected configuration, throws"),
        ('{"throws": 1}', "expected configuration, throws and versions"),
        ('{"configuration": {}, "throws": 1, "versions": {}}', "its configuration lacks seed"),
    ],
)
def test_directory_without_a_batch_is_refused(tmp_path, content, message):
    if content is not None:
        (tmp_path / "batch.json").write_text(content)
    with pytest.raises(RecordsError, match=message):
        read_batch(tmp_path)
