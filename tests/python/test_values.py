"""Python's own values ask a column exactly, whatever wraps them; what cannot be meant is refused by name."""

import datetime
import decimal
import enum
import uuid

import ariadne_lake
import numpy
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

UTC = datetime.timezone.utc
DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 12, 30, 0, 250000, UTC)
IDENTITY = uuid.UUID("12345678-1234-5678-1234-567812345678")


class Color(str, enum.Enum):
    RED = "red"


@pytest.fixture(scope="module")
def one_row(tmp_path_factory):
    """An index on every column of a file with one row, and of another whose values are all different."""
    folder = tmp_path_factory.mktemp("values")
    schema = pa.schema({
        "int": pa.int32(), "big": pa.int64(), "double": pa.float64(), "money": pa.decimal128(10, 2), "flag": pa.bool_(),
        "text": pa.string(), "bytes": pa.binary(), "day": pa.date32(), "moment": pa.timestamp("us", "UTC"),
        "clock": pa.timestamp("us"),
    })  # fmt: skip
    found = [7, 2**53 + 1, 0.1, decimal.Decimal("1.10"), True, "red", IDENTITY.bytes, DAY, MOMENT, MOMENT.replace(tzinfo=None)]
    other = [8, 2**53, float("nan"), decimal.Decimal("1.11"), False, "RED", b"", datetime.date(1, 1, 1),
             datetime.datetime(1970, 1, 1, tzinfo=UTC), datetime.datetime(1970, 1, 1)]  # fmt: skip
    for name, row in (("found", found), ("other", other)):
        columns = [pa.array([value], field.type) for value, field in zip(row, schema)]
        pq.write_table(pa.Table.from_arrays(columns, schema=schema), folder / f"{name}.parquet")
    index = ariadne_lake.Lake(folder / "index").create("values", schema, regular=schema.names)
    index.add_files(str(folder / "*.parquet"))
    index.update(progress=False)
    return index


def _found(index, column, values):
    return {file.rsplit("/", 1)[1].removesuffix(".parquet") for file in index.locate({column: values})}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("int", 7), ("int", [7]), ("int", (7, None)), ("int", {7, 9}), ("int", range(7, 8)), ("int", 7.0), ("int", "7"),
        ("int", decimal.Decimal("7.00")), ("int", numpy.int8(7)), ("int", numpy.array([7, 9])), ("int", [numpy.uint64(7)]),
        ("int", pandas.Series([7, 9])), ("int", polars.Series([7, 9])), ("int", pa.array([7])), ("int", pa.scalar(7)),
        ("int", pa.chunked_array([[7], [9]])), ("int", [7, 2**70]), ("int", (x for x in [7])),
        ("int", pa.array(["7"]).dictionary_encode()), ("int", pandas.Series(["7", "9"], dtype="category")),
        ("big", 2**53 + 1), ("big", str(2**53 + 1)), ("big", [2**53 + 1, 2**64]),
        ("double", 0.1), ("double", "0.1"), ("double", [0.1, None]),
        ("money", decimal.Decimal("1.1")), ("money", "1.10"), ("flag", True), ("flag", "true"),
        ("text", "red"), ("text", Color.RED), ("text", ["red", "漢"]), ("text", polars.Series(["red"])),
        ("text", pandas.Series(["red"])), ("text", numpy.array(["red"])),
        ("bytes", IDENTITY.bytes), ("bytes", IDENTITY), ("bytes", bytearray(IDENTITY.bytes)), ("bytes", memoryview(IDENTITY.bytes)),
        ("day", DAY), ("day", "2024-02-29"), ("day", [DAY, datetime.date(9999, 12, 31)]),
        ("moment", MOMENT), ("moment", MOMENT.astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30)))),
        ("moment", "2024-02-29T12:30:00.25Z"), ("moment", pandas.Timestamp(MOMENT)), ("moment", polars.Series([MOMENT])),
        ("moment", pandas.Series([MOMENT])),
        ("clock", MOMENT.replace(tzinfo=None)), ("clock", numpy.datetime64("2024-02-29T12:30:00.250")),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_a_value_finds_its_file_alone_in_every_form(one_row, column, values):
    assert _found(one_row, column, values) == {"found"}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("int", None), ("int", []), ("int", [None]), ("int", 2**31), ("int", 2**70), ("int", -(2**64)), ("int", 7.5),
        ("int", numpy.array([])), ("int", pandas.Series([], dtype="int64")),
        ("big", float(2**53) + 2), ("text", ""), ("text", []),
        ("money", decimal.Decimal("1.101")), ("bytes", b"\x00"), ("day", datetime.date(2024, 3, 1)),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_a_value_that_no_row_has_or_the_type_cannot_hold_finds_nothing(one_row, column, values):
    assert _found(one_row, column, values) == set()


def test_not_a_number_finds_itself_and_a_neighbour_of_a_large_integer_does_not(one_row):
    assert _found(one_row, "double", float("nan")) == {"other"}
    assert _found(one_row, "big", 2**53) == {"other"}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("int", "seven"), ("int", b"7"), ("int", DAY), ("int", True), ("int", [1, "a"]), ("int", [True, 1]), ("int", [0.5, 2**53 + 1]),
        ("int", {"a": 1}), ("int", object()), ("int", [[7]]), ("double", [0.5, decimal.Decimal("0.1")]),
        ("day", "29.2.2024"), ("moment", [MOMENT, MOMENT.replace(tzinfo=None)]), ("flag", "maybe"), ("flag", 2),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_refused_with_the_column_and_the_way_out(one_row, column, values):
    with pytest.raises(ariadne_lake.InvalidArgument) as error:
        one_row.locate({column: values})
    assert f"'{column}'" in str(error.value)
    assert "give" in str(error.value)


def test_columns_of_a_table_of_every_library_ask_together(one_row):
    keys = pa.table({"int": [7, 8], "text": ["red", "nobody"]})
    for table in (keys, keys.to_pandas(), polars.from_arrow(keys)):
        assert [file.rsplit("/", 1)[1] for file in one_row.locate(table, on=["int", "text"])] == ["found.parquet"]
        assert _found(one_row, "text", table["text"]) == {"found"}


@pytest.mark.parametrize("kind", [pa.string(), pa.binary()], ids=str)
@pytest.mark.parametrize("index_kind", ["regular", "range"])
def test_the_empty_value_after_a_missing_one_is_indexed_and_asked(tmp_path, kind, index_kind):
    if kind == pa.binary() and index_kind == "range":
        pytest.skip("binary has no range")
    empty, other = ("", "x") if kind == pa.string() else (b"", b"x")
    for number, values in enumerate([[None, empty], [None, None, empty, other], [other, None, empty], [None, other]]):
        pq.write_table(pa.table({"k": pa.array(values, kind)}), tmp_path / f"{number}.parquet", use_dictionary=False)
    index = ariadne_lake.Lake(tmp_path / "index").create("e", pa.schema({"k": kind}), **{index_kind: "k"})
    index.add_files(str(tmp_path / "*.parquet"))
    index.update(progress=False)
    for asked in ([empty], [None, empty], [empty, None], [None, None, empty]):
        assert [file[-9:] for file in index.locate({"k": asked})] == ["0.parquet", "1.parquet", "2.parquet"], asked
