import json
import os
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_thrower import FakeConfiguration, FakeThrower, fake_landings, recorded

from sim.batch import run_batch
from sim.block import RecordsError, encode_block
from sim.records import block_name, block_throws, read_batch, read_block, versions
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


def test_blocks_are_read_in_the_order_of_their_numbers(tmp_path):
    identity = {**IDENTITY, "throws": 10**9}
    (tmp_path / "batch.json").write_text(json.dumps(identity))
    size = block_throws(10**9)
    for block in (1_000_000, 999_999):
        landings = fake_landings([block * size])
        (tmp_path / block_name(block)).write_bytes(encode_block(landings, identity))
    index = read_batch(tmp_path).landings.index
    assert index.tolist() == [999_999 * size, 1_000_000 * size]


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
        ('{"configuration": {}, "throws": 1, "versions": {}}', "holds no finished block"),
    ],
)
def test_directory_without_a_batch_is_refused(tmp_path, content, message):
    if content is not None:
        (tmp_path / "batch.json").write_text(content)
    with pytest.raises(RecordsError, match=message):
        read_batch(tmp_path)
