"""Settings of a session decide how it computes, never which rows a lake or an index has."""

import datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

UTC = datetime.timezone.utc
BEFORE_YEAR_1 = -62135596800000001  # 0000-12-31 23:59:59.999999
FLAGS = ["--row-group-bloom", "--row-group-range", "--row-group-expressions"]


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory):
    folder = tmp_path_factory.mktemp("settings")
    moments = pa.timestamp("us", "UTC")
    files = [
        ("A", datetime.datetime(2024, 1, 5, tzinfo=UTC), 1.0),
        ("a", datetime.datetime(2023, 6, 5, tzinfo=UTC), 2.0),
        ("b", BEFORE_YEAR_1, 3.0),
        ("A", datetime.datetime(2024, 1, 5, tzinfo=UTC), 4.0),
    ]
    (folder / "lake").mkdir()
    for number, (key, ts, value) in enumerate(files):
        table = pa.table({"k": [key], "ts": pa.array([ts], moments), "d": [value]})
        pq.write_table(table, folder / "lake" / f"{number}.parquet")
    made = command_line.Ariadne(folder / "root")
    made.ok("create", "newest", "--schema-from", folder / "lake", "--temporal", "k:ts")
    computed = [
        word
        for column in ("y=year(ts)", "m=month(ts)", "day=cast(ts as date)", "odd=year(ts) % 2")
        for word in ("--computed", column)
    ]
    made.ok("create", "parts", "--schema-from", folder / "lake", *computed)
    for name in ("newest", "parts"):
        made.ok("add", name, folder / "lake")
        made.ok("update", name)
    made.files = f"read_parquet('{folder}/lake/*.parquet')"
    return made


def _rows(ariadne, *statements, flags=()):
    return ariadne.json("sql", "; ".join(statements), *flags)["data"]


def _plain(*statements):
    with duckdb.connect() as database:
        for statement in statements:
            result = database.execute(statement)
        return [list(row) for row in result.fetchall()]


@pytest.mark.parametrize("collation", ["", "NOCASE", "NOACCENT", "de"])
def test_no_collation_makes_two_keys_one(collation, ariadne):
    setting = f"SET default_collation = '{collation}'"
    rows = _rows(ariadne, setting, "SELECT k, d FROM newest ORDER BY d")
    assert rows == [["A", 1.0], ["a", 2.0], ["b", 3.0]]


@pytest.mark.parametrize("order", ["ASC", "DESC"])
def test_of_equal_versions_the_first_row_stays_whatever_the_order(order, ariadne):
    for setting in (f"SET default_order = '{order}'", "SET default_null_order = 'NULLS_FIRST'"):
        assert _rows(ariadne, setting, "SELECT d FROM newest WHERE k = 'A'") == [[1.0]]


@pytest.mark.parametrize("calendar", ["gregorian", "hebrew", "buddhist", "islamic"])
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize(
    "condition",
    ["year(ts) = {year}", "year(ts) IN ({year}, 7)", "year(ts) BETWEEN {year} AND {year}",
     "year(ts) >= {year}", "year(ts) < {year} + 1", "{year} = year(ts)", "month(ts) = {month}",
     "ts::DATE = '{day}'", "year(ts) % 2 = {year} % 2", "year(ts) IS NOT NULL"],
)  # fmt: skip
def test_parts_of_times_are_those_of_the_session(condition, calendar, zone, ariadne):
    settings = [f"SET TimeZone = '{zone}'", f"SET Calendar = '{calendar}'"]
    parts = f"SELECT DISTINCT year(ts), month(ts), ts::DATE::VARCHAR FROM {ariadne.files}"
    for year, month, day in _plain("LOAD icu", *settings, parts):
        where = condition.format(year=year, month=month, day=day)
        count = f"SELECT count(*) FROM {{}} WHERE {where}"
        expected = _plain("LOAD icu", *settings, count.format(ariadne.files))
        assert _rows(ariadne, *settings, count.format("parts")) == expected, where


def test_no_row_group_index_is_of_what_a_setting_decides(ariadne, tmp_path):
    query = f"SELECT count(*) FROM {ariadne.files.replace('read_parquet', 'scan')} WHERE d % 0.0::DOUBLE = 'nan'::DOUBLE"
    kept = [*FLAGS, "--row-group-persistence", "--row-group-root", tmp_path / "kept"]
    assert _rows(ariadne, "SET ieee_floating_point_ops = false", query, flags=kept) == [[0]]
    assert _rows(ariadne, query, flags=kept) == [[4]]
