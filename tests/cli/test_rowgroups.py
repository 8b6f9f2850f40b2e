"""Row-group indexes from the command line: built by queries, kept, used by the next process."""

import copy
import os
import shutil
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

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
def plain(tmp_path, lake):
    """Every switch is off by default."""
    bound = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    bound.ok("create", "ix", "--schema-from", lake, "--range", "id")
    bound.ok("add", "ix", lake)
    return bound


def switched(ariadne, **settings):
    """With settings such as bloom="true"."""
    other = copy.copy(ariadne)
    other.env = {
        **ariadne.env,
        **{f"ARIADNE_ROW_GROUP_{name.upper()}": str(value) for name, value in settings.items()},
    }
    return other


@pytest.fixture
def keeping(plain):
    return switched(plain, bloom="true", expressions="true", persistence="true")


def answer(ariadne, sql):
    """The first cell, and how many row groups their indexes ruled out."""
    result = ariadne.json("sql", sql)
    skipped = sum(scan["row_groups_ruled_out_by_indexes"] for scan in result["scans"])
    return result["data"][0][0], skipped


def test_a_query_builds_what_the_next_process_uses(plain, keeping):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    assert answer(keeping, sql) == (1, 0)
    assert answer(keeping, sql) == (1, 5)
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000302'"
    assert answer(keeping, sql) == (0, 6)
    assert answer(switched(plain, persistence="true"), sql) == (0, 6)
    assert answer(plain, sql) == (0, 0)


def test_expressions_are_indexed_where_their_switch_says_so(plain, keeping):
    sql = "SELECT count(*) FROM ix WHERE CAST(substring(s, 3) AS BIGINT) = {}"
    assert answer(switched(plain, bloom="true", persistence="true"), sql.format(300))[0] == 1
    assert answer(keeping, sql.format(302)) == (0, 0)
    assert answer(keeping, sql.format(305)) == (0, 6)


def test_an_overwritten_file_never_meets_its_old_index(keeping, lake):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000302'"
    assert answer(keeping, sql) == (0, 0)
    assert answer(keeping, sql) == (0, 6)
    write(lake / "part 1.parquet", 2)
    assert answer(keeping, sql) == (1, 3)
    assert answer(keeping, sql) == (1, 5)


def test_a_file_rewritten_in_place_with_its_old_size_and_times_never_meets_its_old_index(keeping, lake):
    sql = "SELECT count(*) FROM ix WHERE id = {}"
    path = lake / "part 0.parquet"
    assert answer(keeping, sql.format(300))[0] == 1
    # The same bytes but for the values: plain pages have the same length whatever they hold.
    fixed = {"use_dictionary": False, "compression": "none", "write_statistics": False, "row_group_size": 1000}
    table = pq.read_table(path)
    pq.write_table(table, path, **fixed)
    size = path.stat().st_size
    assert answer(keeping, sql.format(300))[0] == 1
    before = path.stat()
    other = lake / "other.parquet"
    ids = pa.array([9_000_000 + i for i in range(ROWS)], pa.int64())
    pq.write_table(table.set_column(0, "id", ids), other, **fixed)
    assert other.stat().st_size == size
    with open(path, "r+b") as file:
        file.write(other.read_bytes())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.unlink()
    after = path.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, size, before.st_mtime_ns)
    assert answer(keeping, sql.format(9_000_007))[0] == 1
    assert answer(keeping, sql.format(300))[0] == 0


def test_flags_switch_indexes_on_for_one_command(plain):
    flags = ["--row-group-bloom", "--row-group-persistence", "--row-group-fpr", "0.001"]
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000302'"
    assert plain.json("sql", sql, *flags)["data"] == [[0]]
    (scan,) = plain.json("sql", sql, *flags)["scans"]
    assert scan["row_groups_ruled_out_by_indexes"] == 6
    assert answer(plain, sql) == (0, 0)
    for flag in [["--row-group-bloom=maybe"], ["--row-group-fpr", "2"], ["--row-group-store-size", "x"]]:
        assert "is not" in plain.refused("sql", sql, *flag, code=command_line.USAGE)
    plain.ok("explain", "--analyze", sql, *flags)


def test_each_means_of_ruling_row_groups_out_is_counted_by_itself(plain, lake, tmp_path):
    pq.write_table(
        pa.table({"k": [1, 5, 9] * 1000, "s": [f"EU{i % 300:06}" for i in range(3000)]}),
        lake / "with filters.parquet", row_group_size=1000, bloom_filter_options={"k": {"ndv": 10, "fpp": 0.001}},
    )  # fmt: skip
    source = f"scan('{lake / 'with filters.parquet'}')"
    flags = ["--row-group-bloom", "--row-group-persistence"]

    def plan(where, *flags):
        # Each thread tells what was counted when it ended, and the engine shows what it was told last.
        text = plain.ok("sql", f"EXPLAIN ANALYZE SELECT count(*) FROM {source} WHERE {where}",
                        "--threads", "1", "--format", "csv", *flags).stdout  # fmt: skip
        return " ".join(text.replace("│", " ").split())

    assert "Ruled out by statistics: 3" in plan("k = 77")
    assert "Ruled out by the files' bloom filters: 3" in plan("k = 6")
    plan("s = 'EU000001'", *flags)
    assert "Ruled out by row-group indexes: 3" in plan("s = 'EU000001x'", *flags)
    assert "Files opened: 1 Row groups: 3/3" in plan("k = 5")


def test_scan_takes_an_index_a_folder_or_a_glob(plain, keeping, lake):
    for source in ("ix", str(lake), f"{lake}/*.parquet"):
        assert answer(plain, f"SELECT count(*) FROM scan('{source}')")[0] == 2 * ROWS
    sql = f"SELECT count(*) FROM scan('{lake}/*.parquet') WHERE CAST(substring(s, 3) AS INT) = 302"
    assert answer(keeping, sql)[0] == 0
    explained = keeping.json("sql", "EXPLAIN ANALYZE " + sql, "--threads", "1")["data"][0][1]
    assert "row-group" in explained and "0/6" in explained, explained
    message = plain.refused("sql", "FROM scan('/no/such/*.parquet')", code=1)
    assert "/no/such/*.parquet" in message and "ix" in message


def test_a_process_shows_and_dumps_what_it_holds(plain, keeping, lake, tmp_path):
    dumped = tmp_path / "held.parquet"
    build = "CREATE TABLE memory.found AS SELECT count(*) FROM ix WHERE s = 'EU000300';"
    sql = (
        f"{build} COPY (FROM ariadne_row_groups()) TO '{dumped}';"
        "SELECT value FROM ariadne_row_group_counters() WHERE counter = 'built'"
    )
    assert answer(switched(plain, bloom="true", range="true"), sql)[0] == 12
    held = pq.read_table(dumped).to_pylist()
    blooms = [each for each in held if each["kind"] == "bloom"]
    assert len(blooms) == 6 and len(held) == 12
    for each in held:
        assert abs(each["distinct_count"] - 1000) < 50 and each["row_count"] == 1000
        assert each["target"] == '"s":VARCHAR' and each["file"].startswith(f"file://{lake}/part ")
        if each["kind"] == "bloom":
            # Bytes that 1,000 values at 0.01% demand, within a fifth.
            assert 0.3 < each["fill"] < 0.6 and abs(each["bytes"] - 2631) < 526
        else:
            assert each["range"].startswith("['EU0000")
    answer(keeping, "SELECT count(*) FROM ix WHERE s = 'EU000300'")
    assert answer(keeping, "SELECT count(*) FROM ariadne_row_groups()")[0] == 6


def test_what_a_process_holds_is_refused_with_the_switches_named(plain, keeping):
    for function in ("ariadne_row_groups", "ariadne_row_group_counters"):
        message = plain.refused("sql", f"FROM {function}()", code=1)
        assert function in message and "--row-group-bloom" in message and "rowGroupPersistence" in message
        keeping.ok("sql", f"FROM {function}()")


def test_a_table_that_cannot_be_read_is_a_warning(keeping, tmp_path):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    assert answer(keeping, sql) == (1, 0)
    folder = tmp_path / "root" / "native" / "row_group_indexes"
    for file in folder.glob("*.parquet"):
        file.write_bytes(file.read_bytes()[:100])
    result = keeping.ok("--json", "sql", sql)
    assert result.json["data"] == [[1]] and str(folder) in result.stderr
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "mine.txt").write_text("not a table")
    result = keeping.ok("--json", "sql", sql)
    assert result.json["data"] == [[1]] and str(folder) in result.stderr
    assert (folder / "mine.txt").exists()


@pytest.mark.parametrize("damage", ["data", "log"])
def test_a_damaged_table_is_dropped_and_built_again(keeping, tmp_path, damage):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    assert answer(keeping, sql) == (1, 0)
    folder = tmp_path / "root" / "native" / "row_group_indexes"
    (data,) = folder.glob("*.parquet")
    if damage == "data":
        data.write_bytes(data.read_bytes()[:100])
    else:
        (folder / "_delta_log" / "00000000000000000001.json").write_text("garbage\n")
    named = str(data if damage == "data" else folder)
    said = keeping.ok("sql", sql).stderr
    assert named in said and "rowgroups drop --all" in said
    for command in (["list"], ["drop", "--stale"], ["drop", tmp_path / "a.parquet"]):
        message = keeping.refused("rowgroups", *command, code=1)
        assert named in message and "rowgroups drop --all" in message and "index 'root'" not in message
    assert keeping.json("rowgroups", "drop", "--all") == {"dropped": 6 if damage == "data" else None}
    assert keeping.json("rowgroups", "list") == {"row_group_indexes": []}
    assert "warning" not in keeping.ok("sql", sql).stderr
    assert answer(keeping, sql) == (1, 5)


def test_another_root_may_be_given_and_small_tables_left_out(keeping, tmp_path):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'"
    other = switched(keeping, root=tmp_path / "kept elsewhere")
    assert answer(switched(other, min_table_size="1GiB"), sql) == (1, 0)
    assert not (tmp_path / "kept elsewhere").exists()
    answer(other, sql)
    assert (tmp_path / "kept elsewhere" / "native" / "row_group_indexes" / "_delta_log").is_dir()
    assert answer(other, sql) == (1, 5)
    assert answer(keeping, sql) == (1, 0)


def test_processes_that_build_at_the_same_time_keep_each_index_once(keeping):
    values = [0, 1, 2, 300, 301, 302]
    processes = [
        subprocess.Popen(
            keeping.command("sql", f"SELECT count(*) FROM ix WHERE s = 'EU{value:06}'"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=keeping.env,
        )
        for value in values
    ]
    for process in processes:
        said = process.communicate()[1].decode()
        assert process.returncode == 0 and "warning" not in said, said
    assert answer(keeping, "SELECT count(*) FROM ariadne_row_groups()")[0] == 6
    for value in values:
        expected = 1 if value % 3 < 2 else 0
        sql = f"SELECT count(*) FROM ix WHERE s = 'EU{value:06}'"
        assert answer(keeping, sql) == (expected, 6 - expected)


def test_settings_name_the_switches(plain, tmp_path):
    properties = tmp_path / "ariadne.properties"
    properties.write_text(
        "ariadne.rowGroupBloom = true\nariadne.rowGroupFpr = 7\nariadne.rowGroupStoreSize = 1MiB\n"
    )
    result = plain.ok("--json", "--config", properties, "config")
    settings = {each["name"]: each["value"] for each in result.json["settings"]}
    assert settings["ariadne.rowGroupBloom"] == "true"
    assert not settings["ariadne.rowGroupPersistence"]
    assert "rowGroupFpr" in result.stderr and "between 0 and 1" in result.stderr
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'; SELECT count(*) FROM ariadne_row_groups()"
    assert plain.ok("--config", properties, "--json", "sql", sql).json["data"] == [[6]]


def test_a_size_of_0_is_taken_by_flag_environment_and_file(plain, tmp_path):
    sql = "SELECT count(*) FROM ix WHERE s = 'EU000300'; SELECT count(*) FROM ariadne_row_groups()"
    flags = ["--row-group-bloom", "--row-group-store-size", "0", "--row-group-min-table-size", "0"]
    assert plain.json("sql", sql, *flags)["data"] == [[6]]
    assert plain.json("sql", sql, "--row-group-bloom", "--row-group-store-size", "1")["data"] == [[0]]
    properties = tmp_path / "ariadne.properties"
    properties.write_text("ariadne.rowGroupBloom = true\nariadne.rowGroupStoreSize = 0\n")
    environment = switched(plain, bloom="true", store_size="0", min_table_size="0")
    for result in (
        plain.ok("--config", properties, "--json", "sql", sql),
        environment.ok("--json", "sql", sql),
    ):
        assert result.json["data"] == [[6]] and "warning" not in result.stderr


def test_kept_indexes_are_listed_shown_dumped_and_dropped(keeping, lake, tmp_path):
    assert keeping.json("rowgroups", "list") == {"row_group_indexes": []}
    assert answer(keeping, "SELECT count(*) FROM ix WHERE id = 4501") == (1, 0)
    listed = keeping.json("rowgroups", "list")["row_group_indexes"]
    assert [(each["row_groups"], each["kind"], each["current"]) for each in listed] == [
        (3, "bloom", True)
    ] * 2
    assert all(0.9 < each["most_distinct"] / 1000 < 1.1 for each in listed)
    assert all(0 < each["most_fill"] < 1 for each in listed)

    first = lake / "part 0.parquet"
    shown = keeping.json("rowgroups", "show", first)
    assert shown["file"].endswith("part 0.parquet") or shown["file"].endswith("part%200.parquet")
    assert [each["row_group"] for each in shown["row_group_indexes"]] == [0, 1, 2]
    assert all(each["rows"] == 1000 for each in shown["row_group_indexes"])
    assert "part" in keeping.ok("rowgroups", "list").stdout
    keeping.refused("rowgroups", "show", lake / "none.parquet", code=command_line.NOT_FOUND)

    keeping.ok("rowgroups", "dump", "-o", tmp_path / "dump.parquet")
    dumped = pq.read_table(tmp_path / "dump.parquet")
    assert dumped.num_rows == 6 and set(dumped["kind"].to_pylist()) == {"bloom"}
    before = first.read_bytes()
    keeping.refused("rowgroups", "dump", "-o", first, code=command_line.USAGE)
    assert first.read_bytes() == before

    write(first, 10_000)
    current = {each["file"]: each["current"] for each in keeping.json("rowgroups", "list")["row_group_indexes"]}
    assert sorted(current.values()) == [False, True]
    keeping.refused("rowgroups", "drop", code=command_line.USAGE)
    assert keeping.json("rowgroups", "drop", "--stale") == {"dropped": 3}
    assert keeping.json("rowgroups", "drop", lake / "part 1.parquet") == {"dropped": 3}
    assert keeping.json("rowgroups", "list") == {"row_group_indexes": []}
    assert answer(keeping, "SELECT count(*) FROM ix WHERE id = 4501") == (1, 0)
    assert keeping.json("rowgroups", "drop", "--all")["dropped"] > 0
