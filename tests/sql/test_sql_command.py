"""`ariadne sql` and `ariadne explain` as a person or a script meets them."""

import datetime
import json
import os
import signal
import subprocess

import duckdb
import numpy
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
import lakes
from command_line import DONE, FAILED, INTERRUPTED, USAGE


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory):
    return lakes.make(tmp_path_factory.mktemp("sql"))


QUERY = "SELECT id, customer, amount FROM orders WHERE id BETWEEN 308 AND 309 ORDER BY id"


def test_rows_are_a_table_for_people_and_what_was_read_is_said_beside(ariadne):
    result = ariadne.ok("sql", QUERY)
    assert result.stdout.splitlines()[2:] == ["308  c3-3       30.00", "309  NULL       31.00", "(2 rows)"]
    assert result.stderr == "orders: read 1 of 8 files, 1 of 4 row groups in them\n"


@pytest.mark.parametrize(
    "format, text",
    [
        ("csv", "id,customer,amount\n308,c3-3,30.00\n309,,31.00\n"),
        (
            "json",
            '{"id":308,"customer":"c3-3","amount":30.00}\n{"id":309,"customer":null,"amount":31.00}\n',
        ),
    ],
)
def test_rows_are_text_for_programs(format, text, ariadne):
    command = ariadne.command("sql", QUERY, "--format", format)
    done = subprocess.run(command, capture_output=True, check=True, env=ariadne.env)
    assert done.stdout.decode() == text


def test_rows_are_written_to_a_file(ariadne, tmp_path):
    report = ariadne.json("sql", QUERY, "-o", tmp_path / "rows.parquet")
    assert report["rows"] == 2
    assert pq.read_table(tmp_path / "rows.parquet").column("id").to_pylist() == [308, 309]


def test_json_has_rows_columns_and_scans(ariadne):
    answer = ariadne.json("sql", QUERY)
    assert answer["data"] == [[308, "c3-3", "30.00"], [309, None, "31.00"]]
    assert [column["type"] for column in answer["columns"]] == ["bigint", "string", "decimal(10,2)"]
    (scan,) = answer["scans"]
    assert (scan["table"], scan["files"], scan["total_files"]) == ("orders", 1, 8)
    assert (scan["row_groups"], scan["row_groups_read"]) == (4, 1)
    (step,) = scan["steps"]
    assert (step["index"], step["files_before"], step["files_after"]) == ("range index on id", 8, 1)


def test_a_broken_query_is_refused_with_its_reason(ariadne):
    assert "nosuch" in ariadne.refused("sql", "SELECT nosuch FROM orders", code=FAILED)
    assert "SELEC" in ariadne.refused("sql", "SELEC 1", code=FAILED)
    assert "no statement" in ariadne.refused("sql", "  ;", code=FAILED)
    assert ariadne.ok("--json", "sql", "SELECT 1/'x'", code=FAILED).json["error"] == "QueryError"


def test_a_wrong_name_is_told_with_those_that_it_could_have_been(ariadne):
    for query, meant in [
        ("FROM ordrs", 'Did you mean "orders"'),
        ("SELECT custmer FROM orders", 'Candidate bindings: "customer"'),
    ]:
        message = ariadne.refused("sql", query, code=FAILED)
        assert meant in message and "LINE 1" not in message and message.count("\n") <= 1, message


def test_a_folder_to_write_into_must_be_there(ariadne, tmp_path):
    for output in [tmp_path / "no" / "such" / "x.csv", tmp_path / "no" / "x.parquet"]:
        message = ariadne.refused("sql", "SELECT 1 AS x", "-o", output, code=USAGE)
        assert str(output.parent) in message and "does not exist" in message
    assert not (tmp_path / "no").exists()


def test_options_that_do_not_go_together_are_refused(ariadne):
    for words in [[], ["SELECT 1", "--serve"], ["SELECT 1", "--format", "xml"],
                  ["SELECT 1", "-o", "x.csv", "--format", "csv"], ["SELECT 1", "--rows", "-1"],
                  ["SELECT 1", "-o", "x.txt"]]:  # fmt: skip
        ariadne.refused("sql", *words, code=USAGE)


def test_an_interrupt_ends_a_long_query(ariadne):
    long = "SELECT count(*) FROM range(1000000000000) a WHERE range % 7 = 3"
    process = ariadne.start("sql", f"SELECT 1; {long}")
    try:
        # It has begun once it has used some time of its own.
        while float(open(f"/proc/{process.pid}/stat").read().split()[13]) < 20:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == INTERRUPTED
    finally:
        process.kill()


def test_a_long_query_tells_a_terminal_that_it_runs_until_it_is_stopped(ariadne):
    ours, theirs = os.openpty()
    process = ariadne.start("sql", "SELECT count(*) FROM range(1000000000000) a WHERE range % 7 = 3", stderr=theirs)
    os.close(theirs)
    try:
        shown = b""
        while b"query" not in shown:
            shown += os.read(ours, 1000)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == INTERRUPTED
    finally:
        process.kill()
        os.close(ours)


def test_a_session_is_served_on_standard_input(ariadne):
    requests = ["SET VARIABLE x = 3", "SELECT getvariable('x'), NULL, 'NULL'", "SELECT nosuch", "SELECT 'a\"}'"]
    text = "".join(json.dumps({"sql": sql}) for sql in requests) + '{"no": 1}{"sql": "SELECT'
    done = subprocess.run(
        ariadne.command("sql", "--serve"), input=text.encode(), capture_output=True, check=True,
        env=ariadne.env,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [list(answer) for answer in answers] == [["result"]] * 2 + [["err"], ["result"], ["err"], ["err"]]
    assert answers[1]["result"] == [["3", None, "NULL"]]
    assert answers[3]["result"] == [['a"}']]


def test_every_line_of_a_served_session_is_answered(ariadne):
    lines = ["hello", '{"sql": "SELECT 1"}', "[1]", "", '"x"  ', '{"sql": "SELECT 2"} {"sql": "SELECT 3"} more', "7"]
    done = subprocess.run(
        ariadne.command("sql", "--serve"), input="\n".join(lines).encode(), capture_output=True, check=True,
        env=ariadne.env,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each.get("result") for each in answers] == [None, [["1"]], None, None, [["2"]], [["3"]], None, None]
    assert all("a request is an object" in each["err"] for each in answers if "result" not in each)


@pytest.mark.parametrize(
    "where, words",
    [
        ("note = 'x'", "there is no index on note"),
        ("upper(customer) = 'X'", "the expression upper(customer) is not indexed"),
        ("id::VARCHAR = '5'", "type mismatch: id is BIGINT, compared as VARCHAR"),
        ("ref > 'EU'", "the bloom index on ref knows no order"),
        ("id >= 0", "every one of them can match"),
        ("customer IS NULL", "indexes do not keep NULLs"),
        ("customer = 'c3-2'", "regular index on customer removed 7 of 8 files"),
    ],
)
def test_explain_says_in_words_what_pruned_or_why_not(where, words, ariadne):
    assert words in ariadne.ok("explain", f"SELECT count(*) FROM orders WHERE {where}").stdout


def test_explain_names_files_that_are_not_indexed_yet(ariadne):
    text = ariadne.ok("explain", "SELECT * FROM behind WHERE customer = 'c0-0'").stdout
    assert text.startswith("behind: 3 of 8 files are read\n")
    assert "2 tracked files are not indexed yet" in text


def test_explain_that_runs_the_query_knows_the_keys_of_joins(ariadne):
    text = ariadne.ok(
        "explain", "--analyze",
        "SELECT count(*) FROM orders JOIN (VALUES ('c1-1'), ('c2-2')) k(c) ON customer = c",
    ).stdout  # fmt: skip
    assert "regular index on customer removed 6 of 8 files" in text
    assert text.count("files are read") == 1


def test_explain_says_that_nothing_is_read_where_no_row_can_match(ariadne, tmp_path):
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    for table, total in (("orders", 8), ("behind", 8), (f"scan('{tmp_path}/a.parquet')", 1)):
        for where in ("1 = 0", "id = 1 AND id = 402"):
            for analyze in ([], ["--analyze"]):
                query = f"SELECT * FROM {table} WHERE {where}"
                said = ariadne.ok("explain", *analyze, query).stdout
                assert said.splitlines() == [
                    f"{table}: 0 of {total} files are read",
                    "  no file is opened: the engine has proved that the query needs no row of them",
                ]
                (scan,) = ariadne.json("explain", *analyze, query)["scans"]
                assert (scan["files"], scan["total_files"]) == (0, total)
    # Of two scans one is left out.
    for analyze in ([], ["--analyze"]):
        query = "SELECT id FROM orders UNION ALL SELECT id FROM behind WHERE 1 = 0"
        scans = ariadne.json("explain", *analyze, query)["scans"]
        assert {scan["table"]: scan["files"] for scan in scans} == {"orders": 8, "behind": 0}


@pytest.mark.parametrize(
    "listed, keys, column, reason",
    [
        (3, "'EU0' || (range + 1) || '-' || range", "ref",
         "too many keys: of more than 3 only the least and greatest are asked"),
        (3, "range * 200 - 50", "id", "too many keys: of more than 3 only the least and greatest are asked"),
        (10000, "'note ' || range", "note", "there is no index on note"),
        (10000, "'c' || range || '-1'", "customer", "every file can hold one of them"),
    ],
)  # fmt: skip
def test_a_join_whose_keys_did_not_prune_says_why(listed, keys, column, reason, ariadne):
    query = f"SELECT count(*) FROM orders JOIN (SELECT {keys} AS v FROM range(8)) k ON {column} = v"
    (scan,) = ariadne.json("sql", f"SET dynamic_or_filter_threshold = {listed}; {query}")["scans"]
    assert scan["files"] == 8
    (step,) = scan["steps"]
    assert (step["condition"], step["reason"]) == (f"{column}, by the keys of a join", reason)
    if listed == 10000:
        said = ariadne.ok("explain", "--analyze", query).stdout
        assert f"{column}, by the keys of a join: did not prune, {reason}" in said


def test_explain_tells_each_scan_once_and_a_query_without_one_too(ariadne):
    query = "SELECT count(*) FROM orders o JOIN orders p USING (id) WHERE o.id = 5"
    for analyze in ([], ["--analyze"]):
        said = ariadne.ok("explain", *analyze, query).stdout
        assert said.count("orders: 1 of 8 files are read\n") == 2 == said.count("are read"), said
        assert len(ariadne.json("explain", *analyze, query)["scans"]) == 2
        assert ariadne.ok("explain", *analyze, "SELECT 1").stdout == "no table of the lake is read\n"
        assert ariadne.json("explain", *analyze, "SELECT 1") == {"scans": []}


def test_scans_of_files_say_what_they_read(ariadne, tmp_path):
    for day in range(3):
        pq.write_table(pa.table({"id": [day, day + 10]}), tmp_path / f"{day}.parquet", row_group_size=1)
    name = f"scan('{tmp_path}/*.parquet')"
    for _ in range(2):
        result = ariadne.ok("sql", f"SELECT count(*) FROM {name} WHERE id = 1")
        assert result.stderr == f"{name}: read 3 of 3 files, 1 of 6 row groups in them\n"
    (scan,) = ariadne.json("sql", f"SELECT count(*) FROM {name} WHERE id = 1")["scans"]
    assert (scan["table"], scan["files"], scan["row_groups_read"], scan["steps"]) == (name, 3, 1, [])
    said = ariadne.ok("explain", "--analyze", f"SELECT count(*) FROM {name} WHERE id = 1").stdout
    assert said.startswith(f"{name}: 3 of 3 files are read\n")
    planned = ariadne.ok("explain", f"SELECT count(*) FROM {name} WHERE id = 1").stdout
    assert planned == said and "no index of files" in said and "row-group indexes" in said
    assert [scan["files"] for scan in ariadne.json("explain", f"FROM {name} a, {name} b")["scans"]] == [3, 3]
    # The first file suffices.
    result = ariadne.ok("--threads", "1", "sql", f"FROM {name} LIMIT 1")
    assert f"{name}: read 1 of 3 files" in result.stderr


def test_a_scan_of_files_leaves_columns_out_that_it_cannot_read(ariadne, tmp_path):
    clock = pa.array([datetime.time(1, 2, 3), None, datetime.time(4)], pa.time64("us"))
    half = pa.array([numpy.float16(1.5), None, numpy.float16(2)], pa.float16())
    nested = pa.StructArray.from_arrays([clock, pa.array([1, 2, 3])], ["at", "n"])
    columns = {"clock": clock, "id": [1, 2, 3], "half": half, "nested": nested, "s": ["a", "b", "c"]}
    pq.write_table(pa.table(columns), tmp_path / "odd.parquet", row_group_size=1)
    name = f"scan('{tmp_path / 'odd.parquet'}')"
    assert ariadne.json("sql", f"FROM {name} WHERE id > 1 AND s < 'c'")["data"] == [[2, "b"]]
    assert "clock" in ariadne.refused("sql", f"SELECT clock FROM {name}", code=1)
    pq.write_table(pa.table({"clock": clock, "half": half}), tmp_path / "odd.parquet")
    message = ariadne.refused("sql", f"FROM {name}", code=1)
    assert "'clock' (time64[us]), 'half' (halffloat)" in message and "Spark type" not in message


def test_explain_shows_files_and_row_groups_in_the_plan(ariadne):
    plan = ariadne.ok("sql", f"EXPLAIN {QUERY}", "--format", "csv").stdout
    assert "Files: 1/8" in plan
    analyzed = ariadne.ok("sql", f"EXPLAIN ANALYZE {QUERY}", "--format", "csv").stdout
    assert "Files: 1/8" in analyzed and "Row groups: 1/4" in analyzed
    for said in (plan, analyzed):
        said = " ".join(said.replace("│", " ").split())
        assert "range index on id removed 7 of 8 files" in said, said
    for_people = ariadne.ok("sql", f"EXPLAIN ANALYZE {QUERY}").stdout.splitlines()
    assert any("Files: 1/8" in line and "explain_value" not in line for line in for_people)


def test_unindexed_files_may_be_left_out_or_refused(ariadne):
    query = "SELECT count(*) AS n FROM behind"
    assert ariadne.json("sql", query)["data"] == [[800]]
    assert ariadne.json("--unindexed", "exclude", "sql", query)["data"] == [[600]]
    assert "not indexed yet" in ariadne.refused("--unindexed", "error", "sql", query, code=FAILED)


def test_a_statement_without_rows_is_not_run_where_rows_are_to_be_written(ariadne, tmp_path):
    target = tmp_path / "rows.csv"
    message = ariadne.refused("sql", "CREATE TABLE memory.t AS SELECT 1", "-o", target, code=USAGE)
    assert "gives no rows" in message and not target.exists()
    ariadne.ok("sql", "CREATE TABLE memory.t AS SELECT 1 AS x; FROM memory.t", "-o", target)
    assert target.read_bytes() == b"x\n1\n"


def test_intervals_are_text_in_a_file(ariadne, tmp_path):
    query = "SELECT INTERVAL 1 MONTH AS gap, [{'a': INTERVAL 1 DAY}] AS gaps"
    ariadne.ok("sql", query, "-o", tmp_path / "x.parquet")
    (row,) = pq.read_table(tmp_path / "x.parquet").to_pylist()
    assert row == {"gap": "1 month", "gaps": [{"a": "1 day"}]}


def test_columns_that_differ_by_case_alone_are_named_and_hide_no_other_table(ariadne, tmp_path):
    other = command_line.Ariadne(tmp_path / "root")
    for name, columns in [("twice", {"id": [1], "ID": [2]}), ("once", {"id": [1]})]:
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
        other.ok("create", name, "--schema-from", tmp_path / f"{name}.parquet", "--regular", "id")
        other.ok("add", name, tmp_path / f"{name}.parquet")
    listed = other.ok("sql", "SHOW TABLES", "--format", "csv")
    assert listed.stdout.split() == ["name", "once"]
    words = "columns 'id' and 'ID' of index 'twice' differ by case alone"
    assert words in listed.stderr
    assert words in other.refused("sql", "FROM twice", code=FAILED)


def test_a_folder_without_a_lake_is_not_attached(ariadne, tmp_path):
    for root in ["none", "empty"]:
        (tmp_path / "empty").mkdir(exist_ok=True)
        message = ariadne.refused("sql", f"ATTACH '{tmp_path / root}' AS x (TYPE ariadne)", code=FAILED)
        assert "there is no lake at" in message and root in message


def test_the_cause_of_a_failure_in_a_thread_is_named(ariadne):
    query = "SELECT id, CASE WHEN id = 777 THEN note::INTEGER ELSE id END FROM orders"
    for _ in range(25):
        message = ariadne.refused("--threads", "4", "sql", query, "--format", "csv", code=FAILED)
        assert "Could not convert" in message, message


def test_a_root_without_indexes_is_an_empty_database(tmp_path):
    empty = command_line.Ariadne(tmp_path / "none")
    assert empty.json("sql", "SHOW TABLES", code=DONE)["rows"] == 0


def test_null_is_distinct_from_a_value_in_whatever_row_group_it_stands(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    whole = {"k": [1, 2, 3, 4, 5, 6], "f": [None, None, 7, 0, None, None], "s": [None, None, "a", "b", "c", None]}
    types = {"k": pa.int64(), "f": pa.float64(), "s": pa.string()}
    table = pa.table({name: pa.array(values, types[name]) for name, values in whole.items()})
    pq.write_table(table, lake / "part.parquet", row_group_size=2)
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "t", "--schema-from", lake, "--regular", "k")
    ariadne.ok("add", "t", lake)
    ariadne.ok("update", "t")
    database = duckdb.connect()
    database.register("rows", table)
    database.execute("CREATE TABLE t AS FROM rows")
    distinct = ["f IS DISTINCT FROM 0", "f IS NOT DISTINCT FROM NULL", "s IS DISTINCT FROM 'b'", "f IS NOT DISTINCT FROM 7"]
    others = ["f = 99", "f > 99", "f <> 7", "f IS NULL", "s = 'zz'", "s > 'b'", "k = 6"]
    for one in distinct:
        for other in distinct + others:
            for joiner in ("OR", "AND"):
                query = f"SELECT count(*) FROM t WHERE {one} {joiner} {other}"
                want = database.execute(query).fetchone()[0]
                assert ariadne.json("sql", query)["data"] == [[want]], query
