"""Row-group indexes from the command line: built by queries, kept, used by the next process."""

import shutil
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import NOT_FOUND, USAGE

SWITCHES = ["--row-group-bloom", "--row-group-expressions", "--row-group-persistence"]
ROWS = 3000


def write(path, first=0):
    # An order that leaves every row group the whole span of values.
    ids = [first + 3 * ((i * 7919) % ROWS) for i in range(ROWS)]
    table = pa.table({"id": pa.array(ids, pa.int64()), "s": [f"EU{i:06}" for i in ids]})
    pq.write_table(table, path, row_group_size=1000)


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "a lake %"
    folder.mkdir()
    for part in range(2):
        write(folder / f"part {part}.parquet", part)
    return folder


@pytest.fixture
def ariadne(tmp_path, lake):
    bound = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    bound.ok("create", "ix", "--schema-from", lake, "--range", "id")
    bound.ok("add", "ix", lake)
    return bound


def answer(ariadne, sql, *switches):
    """The first cell, and how many row groups their indexes ruled out."""
    result = ariadne.json(*switches, "sql", sql)
    skipped = sum(scan["row_groups_skipped_by_index"] for scan in result["scans"])
    return result["data"][0][0], skipped


def test_a_query_builds_what_the_next_process_uses(ariadne, lake):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    assert answer(ariadne, sql, *SWITCHES) == (1, 0)
    assert answer(ariadne, sql, *SWITCHES) == (1, 5)
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000302'"
    assert answer(ariadne, sql, *SWITCHES) == (0, 6)
    assert answer(ariadne, sql, "--row-group-persistence") == (0, 6)
    assert answer(ariadne, sql) == (0, 0), "every switch is off by default"


def test_expressions_are_indexed_where_their_switch_says_so(ariadne):
    sql = "SELECT count(*) FROM ix WHERE CAST(substring(s, 3) AS BIGINT) = {}"
    assert answer(ariadne, sql.format(300), "--row-group-bloom", "--row-group-persistence")[0] == 1
    assert answer(ariadne, sql.format(302), *SWITCHES) == (0, 0)
    assert answer(ariadne, sql.format(305), *SWITCHES) == (0, 6)


def test_an_overwritten_file_never_meets_its_old_index(ariadne, lake):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000302'"
    assert answer(ariadne, sql, *SWITCHES) == (0, 0)
    write(lake / "part 1.parquet", 2)
    assert answer(ariadne, sql, *SWITCHES)[0] == 1
    stale = [each for each in ariadne.json("rowgroups", "list")["row_group_indexes"] if not each["current"]]
    assert [each["file"].endswith("part 1.parquet") for each in stale] == [True]
    assert ariadne.json("rowgroups", "drop", "--stale") == {"dropped": 3}
    assert answer(ariadne, sql, *SWITCHES)[0] == 1


def test_scan_takes_an_index_a_folder_or_a_glob(ariadne, lake):
    for source in ("ix", str(lake), f"{lake}/*.parquet"):
        sql = f"SELECT count(*) FROM scan('{source}')"
        assert answer(ariadne, sql)[0] == 2 * ROWS
    sql = f"SELECT count(*) FROM scan('{lake}/*.parquet') WHERE CAST(substring(s, 3) AS INT) = 302"
    ariadne.ok(*SWITCHES, "sql", sql)
    explained = ariadne.ok(*SWITCHES, "sql", "EXPLAIN ANALYZE " + sql)
    assert "6" in explained.stdout and "row-group" in explained.stdout, explained
    message = ariadne.refused("sql", "FROM scan('/no/such/*.parquet')", code=1)
    assert "/no/such/*.parquet" in message and "ix" in message


def test_list_show_dump_and_drop_tell_what_is_kept(ariadne, lake, tmp_path):
    assert ariadne.json("rowgroups", "list") == {"row_group_indexes": []}
    ariadne.ok(*SWITCHES, "--row-group-range", "sql", "SELECT count(*) FROM ix WHERE s = 'EU000300'")
    kept = ariadne.json("rowgroups", "list")["row_group_indexes"]
    assert sorted((each["kind"], each["row_groups"]) for each in kept) == [
        ("bloom", 3),
        ("bloom", 3),
        ("range", 3),
        ("range", 3),
    ]
    assert all(abs(each["most_distinct"] - 1000) < 50 and each["current"] for each in kept)
    assert all(0.3 < each["most_fill"] < 0.7 for each in kept if each["kind"] == "bloom")

    shown = ariadne.json("rowgroups", "show", lake / "part 0.parquet")
    assert len(shown["row_group_indexes"]) == 6
    ranges = [each["range"] for each in shown["row_group_indexes"] if each["kind"] == "range"]
    assert all(text.startswith("['EU0000") for text in ranges)
    assert "EU0000" in ariadne.ok("rowgroups", "show", lake / "part 0.parquet").stdout
    ariadne.refused("rowgroups", "show", lake / "part 9.parquet", code=NOT_FOUND)

    dumped = tmp_path / "dumped.parquet"
    ariadne.ok("rowgroups", "dump", "-o", dumped)
    assert pq.read_table(dumped).num_rows == 12

    ariadne.refused("rowgroups", "drop", code=USAGE)
    assert ariadne.json("rowgroups", "drop", lake / "part 0.parquet") == {"dropped": 6}
    assert ariadne.json("rowgroups", "drop", "--all") == {"dropped": 6}
    assert ariadne.json("rowgroups", "list") == {"row_group_indexes": []}


def test_a_running_process_shows_and_dumps_what_it_holds(ariadne, tmp_path):
    dumped = tmp_path / "held.parquet"
    sql = (
        "CREATE TABLE memory.found AS SELECT count(*) FROM ix WHERE s = 'EU000300';"
        f"COPY (FROM ariadne_row_groups()) TO '{dumped}';"
        "SELECT value FROM ariadne_row_group_counters() WHERE counter = 'built'"
    )
    assert answer(ariadne, sql, "--row-group-bloom")[0] == 6
    held = pq.read_table(dumped).to_pydict()
    assert held["row_group"].count(0) == 2 and all(fill > 0.3 for fill in held["fill"])


def test_a_table_that_cannot_be_read_is_a_warning(ariadne, tmp_path):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    assert answer(ariadne, sql, *SWITCHES) == (1, 0)
    folder = tmp_path / "root" / "native" / "row_group_indexes"
    for file in folder.glob("*.parquet"):
        file.write_bytes(file.read_bytes()[:100])
    result = ariadne.ok("--json", *SWITCHES, "sql", sql)
    assert result.json["data"] == [[1]] and str(folder) in result.stderr
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "mine.txt").write_text("not a table")
    result = ariadne.ok("--json", *SWITCHES, "sql", sql)
    assert result.json["data"] == [[1]] and str(folder) in result.stderr
    assert (folder / "mine.txt").exists()


def test_another_root_may_be_given_and_small_tables_left_out(ariadne, tmp_path):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    other = ["--row-group-root", tmp_path / "kept elsewhere"]
    assert answer(ariadne, sql, *SWITCHES, *other, "--row-group-min-table-size", "1GiB") == (1, 0)
    assert not (tmp_path / "kept elsewhere").exists()
    answer(ariadne, sql, *SWITCHES, *other)
    assert (tmp_path / "kept elsewhere" / "native" / "row_group_indexes" / "_delta_log").is_dir()
    assert len(ariadne.json(*other, "rowgroups", "list")["row_group_indexes"]) == 2
    assert answer(ariadne, sql, *SWITCHES, *other) == (1, 5)


def test_processes_that_build_at_the_same_time_keep_each_index_once(ariadne):
    values = [0, 1, 2, 300, 301, 302]
    processes = [
        subprocess.Popen(
            ariadne.command(
                *SWITCHES, "sql", f"SELECT count(*) FROM ix WHERE s = 'EU{value:06}'"
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=ariadne.env,
        )
        for value in values
    ]
    for process in processes:
        assert process.communicate()[1].decode().count("warning") == 0
        assert process.returncode == 0
    kept = ariadne.json("rowgroups", "list")["row_group_indexes"]
    assert [(each["kind"], each["row_groups"]) for each in kept] == [("bloom", 3)] * 2
    for value in values:
        expected = 1 if value % 3 < 2 else 0
        assert answer(ariadne, f"SELECT count(*) FROM ix WHERE s = 'EU{value:06}'", *SWITCHES) == (
            expected,
            6 - expected,
        )


def test_settings_name_the_switches(ariadne, tmp_path):
    properties = tmp_path / "ariadne.properties"
    properties.write_text("ariadne.rowGroupBloom = true\nariadne.rowGroupStoreSize = 1MiB\n")
    ariadne.env["ARIADNE_ROW_GROUP_PERSISTENCE"] = "true"
    settings = {
        each["name"]: each["value"]
        for each in ariadne.json("--config", properties, "config")["settings"]
    }
    assert settings["rowGroupBloom"] == "true" and settings["rowGroupRange"] == "false"
    assert settings["rowGroupPersistence"] == "true" and settings["rowGroupStoreSize"] == "1048576"
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    assert answer(ariadne, sql, "--config", properties) == (1, 0)
    assert answer(ariadne, sql, "--config", properties) == (1, 5)
