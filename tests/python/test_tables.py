"""Tables go in and out through the Arrow C stream interface, whoever made them, and keep every value."""

import datetime
import decimal
import os
import random

import ariadne_lake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tables import GIVERS, TAKERS, sorted_rows

UTC = datetime.timezone.utc
ZONED = pa.timestamp("us", "UTC")

#: A column of every type with what is odd in it; the row's number is the join key.
COLUMNS = {
    "flag": pa.array([True, False, None, True, False, True]),
    "tiny": pa.array([-128, 127, None, 0, 1, -1], pa.int8()),
    "small": pa.array([-32768, 32767, None, 0, 1, -1], pa.int16()),
    "int": pa.array([-(2**31), 2**31 - 1, None, 0, 1, -1], pa.int32()),
    "big": pa.array([-(2**63), 2**63 - 1, None, 0, 1, -1], pa.int64()),
    "float": pa.array([float("nan"), -0.0, None, 0.0, float("inf"), 1.5], pa.float32()),
    "double": pa.array([float("nan"), -0.0, None, 5e-324, float("-inf"), 0.1], pa.float64()),
    "money": pa.array(list(map(decimal.Decimal, ["1.10", "-0.01", "0", "99999.99", "1", "2"])), pa.decimal128(7, 2)),
    "large": pa.array([decimal.Decimal(10**37), None, *map(decimal.Decimal, [0, 1, -1, 2])], pa.decimal128(38, 0)),
    "day": pa.array([datetime.date(1, 1, 1), datetime.date(2024, 2, 29), None, *[datetime.date(9999, 12, 31)] * 3]),
    "moment": pa.array(
        [datetime.datetime(2024, 3, 31, 1, 59, 59, 999999, UTC), None, *[datetime.datetime(1969, 12, 31, tzinfo=UTC)] * 4],
        ZONED,
    ),
    "wall clock": pa.array([datetime.datetime(2024, 3, 31, 2, 30), None, *[datetime.datetime(1, 1, 1)] * 4], pa.timestamp("us")),
    "text %": pa.array(["", "ß 漢字 🙂", None, "a,b\"c'\n", " ", "%20"]),
    "bytes": pa.array([b"", b"\x00\xff", None, b"abc", b"\n", b"%"], pa.binary()),
    "list": pa.array([[1, None], [], None, [2], [3], [4]], pa.list_(pa.int64())),
    "struct": pa.array([{"a": 1, "b": None}, None, *[{"a": 2, "b": "x"}] * 4], pa.struct({"a": pa.int32(), "b": pa.string()})),
}


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """An index over two files that hold all of COLUMNS, and the rows as pyarrow has them."""
    folder = tmp_path_factory.mktemp("typed")
    table = pa.table({"row": pa.array(range(6), pa.int64()), **COLUMNS})
    (folder / "lake").mkdir()
    pq.write_table(table.slice(0, 3), folder / "lake" / "a.parquet")
    pq.write_table(table.slice(3), folder / "lake" / "b.parquet")
    index = ariadne_lake.Lake(folder / "index").create("typed", table, regular="row")
    index.add_files(folder / "lake")
    index.update(progress=False)
    return index, table


@pytest.mark.parametrize("giver", GIVERS)
def test_keys_of_every_library_find_the_same_rows(shared_events, giver):
    keys = pa.table({"id": [3, 55, 1000, None], "owner": ["Ada", "Bob", "Ida", "Eve"]})
    rows = shared_events.join(GIVERS[giver](keys), "id")
    assert rows.located.pruned == 8
    assert sorted_rows(rows.to_arrow()) == ["(3, 'n3', 'Ada')", "(55, 'n5', 'Bob')"]
    assert len(shared_events.locate(GIVERS[giver](keys), on="id")) == 2


@pytest.mark.parametrize("taker", TAKERS)
def test_rows_reach_every_library_whole(shared_events, taker):
    keys = pa.table({"id": list(range(5, 35))})
    table = TAKERS[taker](shared_events.join(keys, on=["id"], columns="name"))
    assert table.column_names == ["id", "name"]
    assert sorted_rows(table) == sorted(f"({i}, 'n{i % 10}')" for i in range(5, 35))


@pytest.mark.parametrize("taker", TAKERS)
def test_values_of_every_type_come_back_as_they_lie_in_the_files(typed, taker):
    index, table = typed
    keys = pa.table({"row": [0, 1, 2, 3, 4, 5]})
    made = TAKERS[taker](index.join(keys, "row"))
    assert sorted_rows(made.cast(table.schema)) == sorted_rows(table)


@pytest.mark.parametrize("giver", GIVERS)
def test_values_of_every_type_survive_as_columns_of_the_keys(typed, giver):
    index, table = typed
    joined = index.join(GIVERS[giver](table.rename_columns({"big": "BIG big"})), "row", columns=["big"], keys_left=True)
    expected = table.append_column("again", table["big"]).rename_columns({"big": "BIG big", "again": "big"})
    made = joined.to_arrow().select(expected.column_names).cast(expected.schema)
    assert sorted_rows(made) == sorted_rows(expected)


@pytest.mark.parametrize("taker", TAKERS)
def test_an_empty_answer_has_the_same_columns(shared_events, taker):
    table = TAKERS[taker](shared_events.join({"id": [1000]}, "id"))
    assert table.column_names == ["id", "name"] and table.num_rows == 0


def test_a_dictionary_of_columns_is_a_table(shared_events):
    rows = shared_events.join({"id": [3, 55], "owner": ["Ada", None]}, "id").to_arrow()
    assert sorted_rows(rows) == ["(3, 'n3', 'Ada')", "(55, 'n5', None)"]


def test_rows_come_once_and_say_so(shared_events):
    rows = shared_events.join({"id": [3]}, "id")
    pa.table(rows)
    with pytest.raises(ariadne_lake.InvalidArgument, match="come once"):
        rows.to_arrow()
    with pytest.raises(ariadne_lake.InvalidArgument, match="come once"):
        pa.table(rows)
    assert rows.schema.names == ["id", "name"] and rows.located.pruned == 9
    rows = shared_events.join({"id": [3]}, "id")
    assert rows.to_arrow().num_rows == 1
    with pytest.raises(ariadne_lake.InvalidArgument, match="come once"):
        rows.to_arrow()
    with pytest.raises(ariadne_lake.InvalidArgument, match="come once"):
        pa.table(rows)
    rows = shared_events.join({"id": [3]}, "id")
    next(iter(rows))
    assert rows.to_arrow().num_rows == 0  # What is left.


def test_rows_that_are_closed_free_the_query_and_keep_their_schema(shared_events):
    with shared_events.join({"id": list(range(100))}, "id") as rows:
        next(iter(rows))
    assert rows.schema.names == ["id", "name"]
    with pytest.raises(ariadne_lake.InvalidArgument, match="closed"):
        rows.to_arrow()


def test_a_producer_that_fails_in_the_middle_is_an_error_that_names_its_fault(shared_events):
    def batches():
        yield pa.record_batch({"id": [3]})
        raise RuntimeError("the keys ran dry")

    keys = pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches())
    with pytest.raises(ariadne_lake.InvalidArgument, match="the keys ran dry"):
        shared_events.join(keys, "id")


def test_a_file_that_goes_before_it_is_read_is_an_error_and_never_fewer_rows(events, files):
    (files / "f 3%.parquet").unlink()
    with pytest.raises(ariadne_lake.Error, match="f%203|f 3"):
        events.join({"id": list(range(100))}, "id").to_arrow()
    with pytest.raises((ariadne_lake.Error, pa.ArrowException, OSError), match="f%203|f 3"):
        pa.table(events.join({"id": list(range(100))}, "id"))


@pytest.mark.parametrize("seed", range(40 if os.environ.get("ARIADNE_LONG_TESTS") else 4))
def test_random_joins_give_what_a_full_scan_gives(tmp_path, seed):
    chance = random.Random(seed)
    kind = chance.choice(["int", "text", "double", "day"])
    make = {
        "int": lambda: chance.randrange(-50, 50),
        "text": lambda: chance.choice(["", "a", "B", "ß", "漢", "x y", "%"]) * chance.randrange(1, 4),
        "double": lambda: chance.choice([float("nan"), -0.0, 0.0, 1.5, float("inf"), chance.randrange(9) / 4]),
        "day": lambda: datetime.date(2024, 1, 1) + datetime.timedelta(chance.randrange(60)),
    }[kind]
    value = lambda: None if chance.random() < 0.1 else make()
    arrow = {"int": pa.int32(), "text": pa.string(), "double": pa.float64(), "day": pa.date32()}[kind]
    index = ariadne_lake.Lake(tmp_path / "index").create(
        "random",
        pa.schema({"k": arrow, "v": pa.int64()}),
        **{chance.choice(["regular", "bloom", "range"]): "k"},
    )
    lake = []
    for number in range(chance.randrange(1, 8)):
        rows = [(value(), chance.randrange(1000)) for _ in range(chance.randrange(0, 20))]
        lake += rows
        path = tmp_path / f"part {number}.parquet"
        pq.write_table(pa.table({"k": pa.array([k for k, _ in rows], arrow), "v": pa.array([v for _, v in rows], pa.int64())}), path)
        index.add_files(path)
        if chance.random() < 0.7:
            index.update(progress=False)

    def equal(a, b):
        if a is None or b is None:
            return False
        return a == b or (a != a and b != b)

    for _ in range(4):
        keys = [value() for _ in range(chance.randrange(0, 12))]
        table = GIVERS[chance.choice(list(GIVERS))](pa.table({"k": pa.array(keys, arrow), "n": pa.array(range(len(keys)), pa.int64())}))
        made = TAKERS[chance.choice(list(TAKERS))](index.join(table, "k"))
        expected = sorted((n, v) for n, key in enumerate(keys) for k, v in lake if equal(key, k))
        assert sorted(zip(made["n"].to_pylist(), made["v"].to_pylist())) == expected, (seed, kind)


@pytest.mark.parametrize(
    ("type", "values"),
    [
        (pa.string_view(), ["a", None, "longer than twelve bytes"]),
        (pa.binary_view(), [b"a", None, b"longer than twelve bytes"]),
        (pa.list_(pa.string_view()), [["a", None], [], None]),
        (pa.list_view(pa.int64()), [[1], [], None]),
        (pa.large_list_view(pa.string_view()), [["a"], [None], None]),
        (pa.struct({"a": pa.binary_view(), "b": pa.list_(pa.string_view())}), [{"a": b"x", "b": ["y"]}, None, {"a": None, "b": None}]),
        (pa.map_(pa.string_view(), pa.string_view()), [[("a", "b")], [], None]),
        (pa.dictionary(pa.int8(), pa.string()), ["a", None, "b"]),
        (pa.large_string(), ["a", None, "b"]),
        (pa.list_(pa.int8(), 2), [[1, 2], None, [3, None]]),
        (pa.uint64(), [2**64 - 1, None, 0]),
        (pa.time64("ns"), [1, None, 0]),
        (pa.duration("s"), [1, None, 0]),
        (pa.timestamp("ns", "Asia/Tokyo"), [1, None, 0]),
        (pa.float16(), [1.5, None, 0.0]),
        (pa.null(), [None, None, None]),
    ],
    ids=str,
)
def test_columns_of_the_keys_may_be_of_any_type_of_arrow(shared_events, type, values):
    column = pa.array(values, type) if type != pa.dictionary(pa.int8(), pa.string()) else pa.array(values).cast(type)
    keys = pa.table({"id": [1, 2, 3], "extra": column})
    rows = shared_events.join(keys, "id").to_arrow().sort_by("id")
    assert rows["extra"].to_pylist() == column.to_pylist()


def test_sql_takes_tables_of_every_library_by_the_names_it_uses(shared_lake, shared_events):
    keys = pa.table({"id": [3, 55, None], "Ö %": ["Ada", "Bob", "Eve"]})
    for giver in GIVERS.values():
        rows = shared_lake.sql('SELECT e.name, k."Ö %" FROM events e JOIN "my keys" k USING (id)', {"my keys": giver(keys)})
        assert sorted_rows(rows.to_arrow()) == ["('n3', 'Ada')", "('n5', 'Bob')"]
        assert [(scan.table, scan.files, scan.total_files) for scan in rows.scans] == [("events", 2, 10)]
    hidden = shared_lake.sql("SELECT count(*) AS n FROM events", {"events": {"id": [1, 2]}})
    assert hidden.to_arrow()["n"].to_pylist() == [2]
