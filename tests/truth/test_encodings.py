"""Every encoding that writers give a column: what is indexed can be read, and answers are right."""

import random
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

SPLIT = "BYTE_STREAM_SPLIT"
ENCODINGS = {
    "small": [SPLIT, "PLAIN", "DELTA_BINARY_PACKED"],
    "big": [SPLIT, "PLAIN", "DELTA_BINARY_PACKED"],
    "real": [SPLIT, "PLAIN"],
    "fixed": [SPLIT, "PLAIN", "DELTA_BYTE_ARRAY"],
    "id": [SPLIT, "PLAIN"],
    "price": [SPLIT, "PLAIN"],
    "text": ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
}
KEYED = ("small", "big", "fixed", "id", "price", "text")


def rows_of(choices, count):
    def maybe(value):
        return None if choices.random() < 0.2 else value

    def number():
        return choices.choice([0, -1, 2**31 - 1, -(2**31), choices.randrange(50)])

    return {
        "small": pa.array([maybe(number()) for _ in range(count)], pa.int32()),
        "big": pa.array([maybe(number() << 20) for _ in range(count)], pa.int64()),
        "real": pa.array([maybe(choices.choice([0.5, -0.0, 1e300])) for _ in range(count)]),
        "fixed": pa.array(
            [maybe(bytes([choices.randrange(4), 0, 255])) for _ in range(count)], pa.binary(3)
        ),
        "id": pa.array(
            [maybe(uuid.UUID(int=choices.randrange(30) << 90).bytes) for _ in range(count)],
            pa.uuid(),
        ),
        "price": pa.array(
            [maybe(str(choices.randrange(-500, 500) / 10)) for _ in range(count)]
        ).cast(pa.decimal128(25, 2)),
        "text": [maybe(f"t{choices.randrange(30)}" * choices.randrange(3)) for _ in range(count)],
        "list": pa.array(
            [maybe([number() for _ in range(choices.randrange(3))]) for _ in range(count)],
            pa.list_(pa.int32()),
        ),
    }


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    choices = random.Random(11)
    folder = tmp_path_factory.mktemp("encodings") / "a lake"
    folder.mkdir()
    for part in range(6):
        encodings = {name: choices.choice(kinds) for name, kinds in ENCODINGS.items()}
        if part == 0:
            encodings = {name: kinds[0] for name, kinds in ENCODINGS.items()}
        encodings["list.list.element"] = SPLIT
        pq.write_table(
            pa.table(rows_of(choices, choices.choice([1, 400, 900]))),
            folder / f"part {part}.parquet",
            use_dictionary=False,
            column_encoding=encodings,
            row_group_size=300,
            data_page_version=choices.choice(["1.0", "2.0"]),
            compression=choices.choice(["none", "snappy", "zstd"]),
        )
    return folder


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory, lake):
    bound = command_line.Ariadne(tmp_path_factory.mktemp("encodings-root"))
    kinds = {"small": "regular", "big": "range", "fixed": "regular", "id": "range"}
    flags = [word for name in KEYED for word in (f"--{kinds.get(name, 'regular')}", name)]
    bound.ok("create", "ix", "--schema-from", lake, *flags)
    bound.ok("add", "ix", lake)
    assert bound.json("update", "ix")["files_failed"] == []
    return bound


def plain(table):
    columns = [
        column.cast(pa.binary()) if name in ("fixed", "id") else column
        for name, column in zip(table.column_names, table.columns)
    ]
    return pa.table(columns, names=table.column_names)


@pytest.mark.parametrize("column", KEYED)
def test_a_column_of_any_encoding_is_located_and_joined(ariadne, lake, tmp_path, column):
    choices = random.Random(column)
    files = {path: plain(pq.read_table(path)) for path in sorted(lake.iterdir())}
    known = sorted({v for t in files.values() for v in t[column].to_pylist() if v is not None})
    for round_ in range(3):
        asked = choices.sample(known, min(len(known), 1 + round_ * 3))
        keys = tmp_path / f"{round_}.parquet"
        kind = plain(next(iter(files.values())))[column].type
        pq.write_table(pa.table({column: pa.array(asked, kind)}), keys)
        expected = []
        holding = set()
        for path, table in files.items():
            rows = [row for row in table.to_pylist() if row[column] in asked]
            expected += rows
            if rows:
                holding.add(path.as_uri())
        located = ariadne.json("locate", "ix", "--keys", keys, "--on", column)["files"]
        assert holding <= set(located)
        output = tmp_path / "out.parquet"
        ariadne.ok("join", "ix", keys, "--on", column, "-o", output)
        found = pq.read_table(output).to_pylist()
        def sort_key(row):
            return repr(sorted(row.items()))

        assert sorted(found, key=sort_key) == sorted(expected, key=sort_key)
        few = ariadne.json("join", "ix", keys, "--on", column, "--select", "real")
        assert few["rows"] == len(expected)
