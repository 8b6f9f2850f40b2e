"""The `ariadne` binary as a person or a script meets it: streams, tables, JSON rows, signals."""

import base64
import datetime
import json
import os
import pty
import select
import signal
import subprocess
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import DONE, INTERRUPTED, NOT_FOUND, USAGE

EDGES = {
    "id": pa.array([1, 2, 3], pa.int64()),
    "big": pa.array([9007199254740993, -(2**63), None], pa.int64()),
    "real": pa.array([float("nan"), -0.0, 1e300]),
    "price": pa.array([None, "1.10", "-0.05"]).cast(pa.decimal128(10, 2)),
    "text": ['say "hi"\n', "日本", None],
    "raw": [b"\0\xff", None, b""],
    "day": pa.array([-1, 0, 2932896], pa.date32()),
    "at": pa.array([0, -1, None], pa.timestamp("us", "UTC")),
    "tags": [[1, None], [], None],
    "pair": [{"a": 1, "b": None}, None, {"a": None, "b": "x"}],
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli") / "a lake"
    folder.mkdir()
    pq.write_table(pa.table(EDGES), folder / "edges 100%.parquet")
    for part in range(5):
        ids = pa.array(range(100 + part * 10, 110 + part * 10), pa.int64())
        pq.write_table(pa.table({"id": ids}), folder / f"part-{part}.parquet")
    return folder


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory, lake):
    bound = command_line.Ariadne(tmp_path_factory.mktemp("cli-root") / "root")
    bound.ok("create", "ix", "--schema-from", lake / "edges 100%.parquet", "--regular", "id")
    bound.ok("add", "ix", lake)
    bound.ok("update", "ix")
    return bound


@pytest.fixture
def keys(tmp_path):
    path = tmp_path / "keys.parquet"
    pq.write_table(pa.table({"id": pa.array([1, 2, 3, 104, 999], pa.int64())}), path)
    return path


def test_joined_rows_in_json_keep_every_value(ariadne, keys):
    answer = ariadne.json("join", "ix", keys, "--on", "id")
    assert answer["rows"] == 4 == len(answer["data"])
    assert answer["output"] is None
    assert answer["total_files"] == 6 and len(answer["files"]) == 2
    names = [column["name"] for column in answer["columns"]]
    rows = {row[0]: dict(zip(names, row)) for row in answer["data"]}
    assert rows[1] == {
        "id": 1,
        "big": 9007199254740993,
        "real": "NaN",
        "price": None,
        "text": 'say "hi"\n',
        "raw": base64.b64encode(b"\0\xff").decode(),
        "day": "1969-12-31",
        "at": "1970-01-01T00:00:00Z",
        "tags": [1, None],
        "pair": {"a": 1, "b": None},
    }
    assert rows[2]["big"] == -(2**63) and rows[2]["price"] == "1.10"
    assert rows[2]["at"] == "1969-12-31T23:59:59.999999Z" and rows[2]["tags"] == []
    assert rows[3]["day"] == "9999-12-31" and rows[3]["raw"] == "" and rows[3]["real"] == 1e300
    assert rows[104] == {**dict.fromkeys(names), "id": 104}


def test_a_join_without_matches_has_the_columns_and_no_rows(ariadne, tmp_path):
    keys = tmp_path / "none.csv"
    keys.write_text("id\n12345\n")
    answer = ariadne.json("join", "ix", keys, "--on", "id")
    assert answer["rows"] == 0 and answer["data"] == [] and len(answer["columns"]) == len(EDGES)
    assert "(0 rows)" in ariadne.ok("join", "ix", keys, "--on", "id").stdout


def test_a_joined_table_shows_some_rows_and_says_what_it_left_out(ariadne, keys):
    result = ariadne.ok("join", "ix", keys, "--on", "id", "--select", "text", "--rows", "2")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["id", "text"]
    assert lines[-1] == "(4 rows, 2 more not shown)"
    assert len(lines) == 5
    assert "loaded 2 of 6 files" in result.stderr and "66.6% pruned" in result.stderr
    everything = ariadne.ok("join", "ix", keys, "--on", "id", "--select", "text", "--rows", "0")
    assert 'say "hi"\\n' in everything.stdout and "NULL" in everything.stdout


def test_a_written_join_prints_nothing_but_what_was_asked(ariadne, keys, tmp_path):
    output = tmp_path / "out 100%.parquet"
    result = ariadne.ok("join", "ix", keys, "--on", "id", "-o", output)
    assert result.stdout == "" and "wrote 4 rows" in result.stderr
    assert pq.read_table(output).num_rows == 4
    answer = ariadne.json("join", "ix", keys, "--on", "id", "-o", output)
    assert answer["output"] == str(output) and answer["rows"] == 4 and "data" not in answer
    again = ariadne.ok("join", "ix", keys, "--on", "id", "-o", "relative.csv", cwd=tmp_path)
    assert (tmp_path / "relative.csv").is_file(), again


def test_locate_prints_files_alone_on_standard_output(ariadne):
    result = ariadne.ok("locate", "ix", "--where", "id=1,104", "--steps")
    assert len(result.stdout.splitlines()) == 2
    assert all(line.startswith("file:///") for line in result.stdout.splitlines())
    assert "edges%20100%25.parquet" in result.stdout
    assert "located 2 of 6 files" in result.stderr
    assert "id (regular): 6 -> 2 files" in result.stderr


def test_errors_are_an_object_with_json_and_a_line_always(ariadne):
    for arguments, code, kind in (
        (["describe", "nope"], NOT_FOUND, "IndexNotFound"),
        (["locate", "ix", "--where", "id=x"], USAGE, "InvalidArgument"),
        (["frobnicate"], USAGE, "InvalidArgument"),
    ):
        result = ariadne.ok(*arguments, "--json", code=code)
        assert result.json["error"] == kind, result
        assert result.json["message"] in result.stderr
        assert ariadne.ok(*arguments, code=code).stdout == ""


def test_describe_and_files_speak_to_people_and_machines(ariadne):
    summary = ariadne.json("describe", "ix")
    assert summary["tracked_files"] == summary["indexed_files"] == 6
    assert summary["indexes"] == [{"column": "id", "kind": "regular"}]
    assert summary["columns"][3] == {"name": "price", "type": "decimal(10,2)", "nullable": True}
    text = ariadne.ok("describe", "ix").stdout
    assert "6 of 6 tracked files indexed" in text and "decimal(10,2)" in text
    files = ariadne.json("files", "ix")["files"]
    assert len(files) == 6 and all(file["indexed"] for file in files)
    assert files[0]["added_at"].endswith("Z")
    assert ariadne.json("files", "ix", "--unindexed-only") == {"files": []}
    assert "edges%20100%25.parquet" in ariadne.ok("files", "ix").stdout


def test_create_from_a_schema_file_equals_the_inferred_one(ariadne, tmp_path):
    schema = tmp_path / "schema.json"
    field = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    schema.write_text(json.dumps({"type": "struct", "fields": [field]}))
    other = command_line.Ariadne(tmp_path / "root")
    made = other.json("create", "x", "--schema", schema, "--bloom", "id:0.001")
    assert made["created"] and made["indexes"] == [{"column": "id", "kind": "bloom", "fpr": 0.001}]
    assert not other.json("create", "x", "--schema", schema)["created"]
    schema.write_text("{")
    assert "schema.json" in other.ok("create", "y", "--schema", schema, code=1).stderr
    assert other.json("list") == {"indexes": ["x"]}


def test_help_and_version_need_no_root():
    for arguments in (["--help"], ["locate", "--help"], ["--version"]):
        done = subprocess.run(
            [command_line.BINARY, *arguments], capture_output=True, text=True, check=True
        )
        assert "ariadne" in done.stdout and done.stderr == ""


def test_a_reader_that_goes_away_is_no_error(ariadne):
    process = ariadne.start("files", "ix")
    process.stdout.close()
    assert process.wait(60) in (DONE, -signal.SIGPIPE)
    assert b"ariadne:" not in process.stderr.read()


def test_a_full_disk_under_standard_output_is_said(ariadne):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            ariadne.command("list"), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1 and b"standard output" in done.stderr


def test_an_update_on_a_terminal_shows_a_bar(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", "--schema-from", lake / "part-0.parquet", "--regular", "id")
    ariadne.ok("add", "ix", lake)
    terminal, other_end = pty.openpty()
    process = subprocess.Popen(
        ariadne.command("update", "ix"), stdout=subprocess.PIPE, stderr=other_end
    )
    os.close(other_end)
    shown = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # The other end is closed.
            break
    assert process.wait(60) == DONE
    assert b"[####" in shown and b"6 of 6 files" in shown
    assert shown.endswith(b"\x1b[K")  # Nothing of it stays.


def test_ctrl_c_stops_an_update_and_the_next_one_goes_on(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    ids = pa.array(range(200_000), pa.int64())
    table = pa.table({"id": ids, "text": pa.array([f"row {i}" for i in range(200_000)])})
    pq.write_table(table, lake / "0.parquet", use_dictionary=False)
    for part in range(1, 60):
        os.link(lake / "0.parquet", lake / f"{part}.parquet")
    ariadne = command_line.Ariadne(tmp_path / "root", options=["--threads", "1"])
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id", "--bloom", "text")
    ariadne.ok("add", "ix", lake)
    process = ariadne.start("update", "ix")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == INTERRUPTED, stderr
    assert b"safe point" in stderr
    answer = ariadne.json("locate", "ix", "--where", "id=7")
    assert len(answer["files"]) == 60
    report = ariadne.json("update", "ix")
    assert report["files_failed"] == []
    assert ariadne.json("files", "ix", "--unindexed-only") == {"files": []}
    assert len(ariadne.json("locate", "ix", "--where", "id=7")["files"]) == 60
    assert ariadne.json("locate", "ix", "--where", "id=-7")["files"] == []


def test_a_wait_for_a_lock_is_not_silent(lake, tmp_path):
    patience = ["--lock-max-wait", "0.3", "--lock-retry-interval", "0.1"]
    ariadne = command_line.Ariadne(tmp_path / "root", options=patience)
    ariadne.ok("create", "ix", "--schema-from", lake / "part-0.parquet", "--regular", "id")
    now = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    lock = {"correlationId": "x", "acquiredAt": now, "lastRefreshedAt": now, "owner": "elsewhere"}
    path = tmp_path / "root" / "indexes" / "ix" / ".filelist.lock"
    path.write_text(json.dumps(lock))
    message = ariadne.refused("add", "ix", lake, code=command_line.LOCKED)
    assert message.count("waiting for the lock") == 1 and "elsewhere" in message
    path.unlink()
    assert "waiting" not in ariadne.ok("add", "ix", lake).stderr
