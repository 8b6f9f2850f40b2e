"""Ctrl-C ends every long call soon, as KeyboardInterrupt, and nothing that was committed is lost."""

import pathlib
import signal
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from locks import held_lock

#: Says when it is about to wait, then how it ended.
SCRIPT = """
import sys, time, pathlib
import ariadne_lake, pyarrow as pa
lake = ariadne_lake.Lake(sys.argv[1], staging_consolidation_threshold=3)
lake_dir = sys.argv[2]
def begun(*_):
    print("begun", flush=True)
def slow_keys():
    begun()
    while True:
        time.sleep(0.05)
        yield pa.record_batch({"id": [1]})
once = "SELECT count(*) FROM range(10000000000) a, range(1000000) b WHERE hash(a.range) = hash(b.range)"
endless = "SELECT md5(md5(range::VARCHAR)) AS text FROM range(1000000000000)"
try:
    CALL
    print("ended", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def _start(tmp_path, call, *arguments):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("CALL", call), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def _interrupted(process):
    """Sends SIGINT once the script says that it has begun; what it printed after, and how long it took to end."""
    guard = threading.Timer(40, process.kill)
    guard.start()
    try:
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finally:
        guard.cancel()
    assert process.returncode == 0, err
    assert "Traceback" not in err, err
    return out, time.monotonic() - begin


@pytest.fixture
def many(tmp_path, lake):
    """An index that has 600 files to index yet: more than are indexed before a signal arrives."""
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(600):
        pq.write_table(pa.table({"id": [i, 1000 + i]}), folder / f"{i:03}.parquet")
    index = lake.create("many", pa.schema({"id": pa.int64()}), regular="id")
    index.add_files(folder)
    return index


def test_an_update_stops_at_a_file_and_the_next_one_ends_where_an_undisturbed_one_does(tmp_path, many, lake):
    process = _start(tmp_path, "ariadne_lake.Lake(sys.argv[1], threads=1)['many'].update(progress=begun)", lake.root, "")
    out, _ = _interrupted(process)
    assert out.splitlines()[-1] == "interrupted"
    indexed = lake.describe("many").indexed_files
    for i in (0, 599):  # A file that no update has seen is a candidate.
        assert any(file.endswith(f"{i:03}.parquet") for file in many.locate({"id": i}).files)
    report = many.update(progress=False)
    assert not report.files_failed and report.files_indexed <= 600 - indexed
    assert lake.describe("many").indexed_files == 600
    assert all(many.locate({"id": 1000 + i}).files[0].endswith(f"{i:03}.parquet") for i in range(0, 600, 67))


@pytest.mark.parametrize(
    "call",
    [
        "begun(); lake.sql(once).to_arrow()",
        "rows = lake.sql(endless); begun(); pa.table(rows)",
        "rows = lake.sql(endless); begun(); list(rows)",
        "keys = pa.RecordBatchReader.from_batches(pa.schema({'id': pa.int64()}), slow_keys()); lake['events'].join(keys, 'id')",
        "keys = pa.RecordBatchReader.from_batches(pa.schema({'id': pa.int64()}), slow_keys()); lake['events'].locate(keys, on='id')",
    ],
)
def test_a_question_is_left_at_once(tmp_path, shared_lake, call):
    out, seconds = _interrupted(_start(tmp_path, call, shared_lake.root, ""))
    assert out.splitlines()[-1] == "interrupted"
    assert seconds < 20  # A loaded machine; the query itself would take years.


@pytest.mark.parametrize(
    "call",
    [
        "begun(); lake['events'].update()", "begun(); lake['events'].add_files(lake_dir)", "begun(); lake['events'].delete(lake_dir)",
        "begun(); lake['events'].sync()", "begun(); lake['events'].compact()", "begun(); lake['events'].vacuum()",
        "begun(); lake['events'].add_range('name')", "begun(); lake.remove('events')",
    ],
)  # fmt: skip
def test_waiting_for_a_lock_ends(tmp_path, files, lake, call):
    index = lake.create("events", schema_from=files, regular="id")
    index.add_files(files)
    index.update(progress=False)
    held = held_lock()
    (folder,) = {each.parent for each in pathlib.Path(lake.root).rglob("metadata.json")}
    locks = [folder / ".update.lock", folder / ".filelist.lock"]
    for lock in locks:
        lock.write_text(held, encoding="utf-8")
    out, seconds = _interrupted(_start(tmp_path, call, lake.root, files / "f 1%.parquet"))
    assert out.splitlines()[-1] == "interrupted"
    assert seconds < 20
    for lock in locks:
        lock.unlink()
    assert len(lake["events"].locate({"id": 5})) == 1
