"""Lakes whose files have nested columns in different shapes, against the engine's own reader."""

import json

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

LIST, STRUCT, TEXT, LONG, INT = pa.list_, pa.struct, pa.string(), pa.int64(), pa.int32()
FULL = STRUCT([("k", TEXT), ("n", LONG)])
ELEMENTS = {
    "the same": (FULL, {"k": "q", "n": 2}),
    "a field less": (STRUCT([("k", TEXT)]), {"k": "q"}),
    "the other field alone": (STRUCT([("n", LONG)]), {"n": 2}),
    "a field more": (STRUCT([("k", TEXT), ("n", LONG), ("x", LONG)]), {"k": "q", "n": 2, "x": 3}),
    "another order": (STRUCT([("n", LONG), ("k", TEXT)]), {"k": "q", "n": 2}),
    "a narrower type": (STRUCT([("k", TEXT), ("n", INT)]), {"k": "q", "n": 2}),
    "no field in common": (STRUCT([("x", LONG), ("k", TEXT)]), {"x": 1, "k": None}),
}
WRAPPINGS = {
    "array": (LIST, lambda element: [element, None, element]),
    "array of arrays": (lambda t: LIST(LIST(t)), lambda element: [[element], None, [], [element, None]]),
    "struct of array": (lambda t: STRUCT([("l", LIST(t))]), lambda element: {"l": [element]}),
    "array of struct of array": (
        lambda t: LIST(STRUCT([("l", LIST(t)), ("m", LONG)])),
        lambda element: [{"l": [element, None], "m": 1}, None, {"l": None, "m": 2}],
    ),
    "map": (lambda t: pa.map_(TEXT, t), lambda element: [("a", element), ("b", None)]),
    "map of arrays": (lambda t: pa.map_(TEXT, LIST(t)), lambda element: [("a", [element])]),
}  # fmt: skip


def _write(path, number, element_type, element, wrapping):
    typed, wrapped = WRAPPINGS[wrapping]
    arr = pa.array([wrapped(element), None, wrapped(None)], typed(element_type))
    table = pa.table({"id": [number, number + 100, number + 200], "arr": arr})
    pq.write_table(table, path)


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("evolved", ELEMENTS)
def test_every_file_is_read_in_the_shape_that_the_index_declares(evolved, wrapping, tmp_path):
    (tmp_path / "lake").mkdir()
    _write(tmp_path / "lake" / "0.parquet", 1, FULL, {"k": "p", "n": 1}, wrapping)
    _write(tmp_path / "lake" / "1.parquet", 2, *ELEMENTS[evolved], wrapping)
    ariadne = command_line.Ariadne(tmp_path / "root")
    derived = ["--exploded", "arr.k:ak"] if wrapping == "array" else []
    declared = ["--schema-from", tmp_path / "lake" / "0.parquet", "--regular", "id", *derived]
    ariadne.ok("create", "t", *declared)
    ariadne.ok("add", "t", tmp_path / "lake")
    ariadne.ok("update", "t")
    with duckdb.connect() as database:
        database.execute("SET preserve_insertion_order = true")
        shape = database.execute(
            f"SELECT typeof(arr) FROM '{tmp_path}/lake/0.parquet' LIMIT 1"
        ).fetchall()[0][0]
        union = f"read_parquet('{tmp_path}/lake/*.parquet', union_by_name = true)"
        rows = database.execute(f"SELECT id, to_json(arr::{shape}) FROM {union} ORDER BY id")
        expected = [(number, text and json.loads(text)) for number, text in rows.fetchall()]
        keyed = database.execute(
            f"SELECT id FROM (SELECT id, unnest(arr).k AS ak FROM {union}) WHERE ak = 'q'"
        ).fetchall() if derived else []  # fmt: skip
    lines = ariadne.ok("sql", "SELECT id, to_json(arr) AS j FROM t ORDER BY id", "--json")
    answer = json.loads(lines.stdout)["data"]
    assert [(number, text and json.loads(text)) for number, text in answer] == expected
    (tmp_path / "ids.csv").write_text("id\n" + "".join(f"{number}\n" for number, _ in expected))
    joined = ariadne.json("join", "t", tmp_path / "ids.csv", "--on", "id")
    assert len(joined["data"]) == len(expected)
    if derived:
        found = ariadne.json("sql", "SELECT id FROM t WHERE ak = 'q'")["data"]
        assert sorted(map(tuple, found)) == sorted(keyed)
        (tmp_path / "keys.csv").write_text("ak\nq\n")
        rows = ariadne.json("join", "t", tmp_path / "keys.csv", "--on", "ak", "--select", "id")
        assert sorted(row[-1] for row in rows["data"]) == sorted(row[0] for row in keyed)
