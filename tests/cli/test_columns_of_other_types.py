"""Files of which a column has another type than the index's schema says."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import FAILED

OTHER_TYPES = {
    "text": pa.array(["a", "b"]),
    "double": pa.array([0.5, 1.5]),
    "list": pa.array([[1], [2]]),
    "struct": pa.array([{"x": 1}, {"x": 2}]),
    "timestamp": pa.array([0, 1], pa.timestamp("us", "UTC")),
}


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory):
    """Files "odd" have an `amount` that is no integer; each holds the keys k0 and its own."""
    lake = tmp_path_factory.mktemp("lake")
    pq.write_table(pa.table({"key": ["k0", "even"], "name": ["p", "q"], "amount": [1, 2]}), lake / "a.parquet")
    for i, (kind, column) in enumerate(OTHER_TYPES.items()):
        table = {"key": ["k0", kind], "name": [f"n{i}", "o"], "amount": column}
        pq.write_table(pa.table(table), lake / f"odd {kind}.parquet")
    bound = command_line.Ariadne(tmp_path_factory.mktemp("root"))
    bound.ok("create", "ix", "--schema-from", lake / "a.parquet", "--regular", "key")
    bound.ok("add", "ix", lake)
    bound.ok("update", "ix")
    return bound


def test_only_columns_that_sql_reads_matter(ariadne):
    def rows(sql):
        return ariadne.json("sql", sql)["data"]

    files = 1 + len(OTHER_TYPES)
    assert rows("SELECT count(*) FROM ix") == [[2 * files]]
    assert len(rows("SELECT name FROM ix WHERE key = 'k0'")) == files
    assert rows("SELECT key, name FROM ix WHERE key = 'list'") == [["list", "o"]]
    assert rows("SELECT amount FROM ix WHERE key = 'even'") == [[2]]


def test_only_columns_that_a_join_reads_matter(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text("key\nk0\n")
    joined = ariadne.json("join", "ix", keys, "--on", "key", "--select", "name")
    assert joined["rows"] == 1 + len(OTHER_TYPES)
    assert ariadne.json("join", "ix", keys, "--on", "key", "--keys-left", "--how", "left_semi")["rows"] == 1
    keys.write_text("key\neven\n")
    assert ariadne.json("join", "ix", keys, "--on", "key")["data"] == [["even", "q", 2]]


def test_texts_that_are_no_utf8_are_refused_with_the_way_out(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    pq.write_table(pa.table({"id": [1], "s": ["a"]}), lake / "a.parquet")
    pq.write_table(pa.table({"id": [2, 3], "s": [b"bin\xff", b"a"]}), lake / "b.parquet")
    bound = command_line.Ariadne(tmp_path / "root")
    bound.ok("create", "ix", "--schema-from", lake / "a.parquet", "--regular", "id", "--regular", "s")
    bound.ok("sync", "ix", lake)
    keys = tmp_path / "keys.csv"
    keys.write_text("id\n3\n")
    for command in (["join", "ix", keys, "--on", "id"], ["sql", "SELECT * FROM ix"]):
        message = bound.refused(*command, code=FAILED)
        assert "b.parquet" in message and message.count("b.parquet") == 1, message
        for way in ("Write the file again", "--select", "SQL"):
            assert way in message
    assert bound.json("join", "ix", keys, "--on", "id", "--select", "id")["data"] == [[3]]
    assert bound.json("sql", "SELECT count(id) FROM ix")["data"] == [[3]]


@pytest.mark.parametrize("kind", OTHER_TYPES)
def test_a_column_that_is_read_is_named_with_its_file_and_types(ariadne, kind, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text(f"key\n{kind}\n")
    for command in (
        ["join", "ix", keys, "--on", "key"],
        ["join", "ix", keys, "--on", "key", "--select", "amount"],
        ["sql", f"SELECT * FROM ix WHERE key = '{kind}'"],
        ["sql", f"SELECT name FROM ix WHERE key = '{kind}' AND amount > 0"],
    ):
        message = ariadne.refused(*command, code=FAILED)
        assert all(word in message for word in (f"odd {kind}.parquet", '"amount"', "BIGINT")), message
