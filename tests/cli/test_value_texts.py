"""Values of every type of the engine come out as they are, in every form of output."""

import json

import pyarrow.parquet as pq
import pytest

import command_line

VALUES = [
    ("DATE '99966-04-28'", "99966-04-28"),
    ("DATE '5881580-07-10'", "5881580-07-10"),
    ("DATE '0044-03-15 (BC)'", "-0043-03-15"),
    ("'infinity'::DATE", "infinity"),
    ("'-infinity'::DATE", "-infinity"),
    ("'infinity'::TIMESTAMP", "infinity"),
    ("'-infinity'::TIMESTAMPTZ", "-infinity"),
    ("TIMESTAMP '290000-01-01 00:00:00.5'", "290000-01-01T00:00:00.5"),
    ("TIMESTAMP_NS '2024-01-01 00:00:00.123456789'", "2024-01-01T00:00:00.123456789"),
    ("TIMESTAMP_S '2024-01-01 00:00:01'", "2024-01-01T00:00:01"),
    ("TIME '12:00:00.25'", "12:00:00.25"),
    ("TIMETZ '12:00:00+02'", "12:00:00+02"),
    ("340282366920938463463374607431768211455::UHUGEINT", "340282366920938463463374607431768211455"),
    ("'-0.00000001'::DECIMAL(20,8)", "-0.00000001"),
    ("'0.00000062'::DECIMAL(38,10)", "0.0000006200"),
    ("'a'::ENUM('a', 'b')", "a"),
    ("BIT '10101'", "10101"),
    ("union_value(k := 3)", "3"),
    ("INTERVAL '1 month 2 days 3 seconds'", "1 month 2 days 00:00:03"),
    ("'123456789012345678901234567890123456789012'::BIGNUM", "123456789012345678901234567890123456789012"),
    ("'8f14e45f-ceea-467f-9b8c-6c7d4d8e9a10'::UUID", "8f14e45f-ceea-467f-9b8c-6c7d4d8e9a10"),
]  # fmt: skip


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory):
    return command_line.Ariadne(tmp_path_factory.mktemp("values"))


def _words(text):
    """A moment has a T between day and time for programs, a blank for people."""
    return text.replace("T", " ") if text[:1].isdigit() and "T" in text else text


@pytest.mark.parametrize("sql, text", VALUES)
def test_a_value_is_written_as_it_is(sql, text, ariadne, tmp_path):
    query = f"SELECT {sql} AS v, [{sql}] AS l, {{'f': {sql}}} AS s"
    people = ariadne.ok("sql", f"SELECT {sql} AS v").stdout.splitlines()[2].strip()
    assert people == _words(text)
    ((value, listed, struct),) = ariadne.json("sql", query)["data"]
    assert (value, listed, struct) == (text, [text], {"f": text})
    line = json.loads(ariadne.ok("sql", query, "--format", "json").stdout, parse_float=str)
    if "DECIMAL" not in sql:  # Which JSON lines have as numbers.
        assert (line["v"], line["l"], line["s"]) == (text, [text], {"f": text})
    csv = ariadne.ok("sql", f"SELECT {sql} AS v", "--format", "csv").stdout
    assert csv == f"v\n{text}\n"
    ariadne.ok("sql", query, "-o", tmp_path / "rows.parquet")
    assert pq.read_metadata(tmp_path / "rows.parquet").num_rows == 1


def test_arrays_of_fixed_size_are_lists(ariadne):
    assert ariadne.json("sql", "SELECT [1, NULL]::INT[2] AS v")["data"] == [[[1, None]]]


def test_what_arrow_cannot_hold_is_text_in_a_parquet_file(ariadne, tmp_path):
    sql = "SELECT 340282366920938463463374607431768211455::UHUGEINT AS u, 'a'::ENUM('a', 'b') AS e"
    ariadne.ok("sql", sql, "-o", tmp_path / "rows.parquet")
    (row,) = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert row == {"u": "340282366920938463463374607431768211455", "e": "a"}
