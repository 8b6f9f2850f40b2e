"""Updates whose files executors visit."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import ariadne_lake
import ariadne_lake.spark
import pyarrow.parquet as pq
import pytest
import spark_lake
from ariadne_lake.spark import _update
from pyspark import cloudpickle


def table(folder):
    """All rows of a Delta table without checkpoint, read as its log says: a column that a data file lacks is null."""
    live, schema = set(), None
    for commit in sorted((folder / "_delta_log").glob("*.json")):
        for line in commit.read_text().splitlines():
            action = json.loads(line)
            if "metaData" in action:
                schema = [field["name"] for field in json.loads(action["metaData"]["schemaString"])["fields"]]
            if "add" in action:
                live.add(action["add"]["path"])
            if "remove" in action:
                live.remove(action["remove"]["path"])
    rows = [row for path in live for row in pq.ParquetFile(folder / path).read().to_pylist()]
    return sorted(repr([(name, row.get(name)) for name in sorted(schema)]) for row in rows)


def same_index(left, right):
    """Both hold the same, row for row."""
    left, right = (pathlib.Path(root) / "indexes" / "events" for root in (left, right))
    assert table(left / "index") == table(right / "index")
    large = sorted(path.name for path in (left / "large_indexes").glob("*"))
    assert large == sorted(path.name for path in (right / "large_indexes").glob("*"))
    for column in large:
        assert table(left / "large_indexes" / column) == table(right / "large_indexes" / column)
    assert not (left / "staging").exists() and not (left / ".update.lock").exists()
    totals = [json.loads((each / "metadata.json").read_text()) for each in (left, right)]
    for each in totals:
        each.pop("batches_since_compact")
    assert totals[0] == totals[1]
    return large


def build(tmp_path, name, **config):
    lake = ariadne_lake.Lake(tmp_path / name, **config)
    index = lake.create("events", schema_from=tmp_path / "data", regular=["id", "day"], bloom=["at"])
    index.add_files(tmp_path / "data")
    return index


def test_executors_build_the_index_that_one_machine_builds(spark, tmp_path, monkeypatch):
    """New files, backfills of columns declared later, and files with many values, in several jobs."""
    spark_lake.write(tmp_path / "data", range(12))
    config = {"large_index_limit": 35, "staging_consolidation_threshold": 2}
    indexes = [build(tmp_path, name, **config) for name in ("here", "there")]
    assert indexes[0].update(progress=False).files_indexed == 12
    report = ariadne_lake.spark.update(spark, indexes[1], parallelism=2, progress=False)
    assert report.files_indexed == 12 and not report.files_failed and report.bytes_read > 0
    assert same_index(tmp_path / "here", tmp_path / "there"), "some columns are large"

    spark_lake.write(tmp_path / "data", [12, 13])
    (tmp_path / "data" / "broken.parquet").write_bytes(b"PAR1")
    for index in indexes:
        index.add_files(tmp_path / "data")
        index.add_temporal("key", "version").add_computed("loud", "upper(name)").add_exploded("tags", "", "tag")
    assert indexes[0].update(progress=False).files_backfilled == 12
    report = ariadne_lake.spark.update(spark, indexes[1], progress=False)
    assert (report.files_indexed, report.files_backfilled) == (2, 12)
    assert [pathlib.PurePosixPath(each.uri).name for each in report.files_failed] == ["broken.parquet"]
    same_index(tmp_path / "here", tmp_path / "there")
    assert ariadne_lake.spark.update(spark, indexes[1], progress=False).batches == 0


def kill_the_executor_once(marker, remote, batches):
    """Builds a share, and then, the first time, takes the executor away before Spark has the result."""
    for result in _update._build_shares(remote, batches):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            yield result
            continue
        daemon = os.getppid()
        executor = int(pathlib.Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
        command = pathlib.Path(f"/proc/{executor}/cmdline").read_bytes()
        assert b"CoarseGrainedExecutorBackend" in command, command
        os.kill(executor, signal.SIGKILL)
        signal.pause()


def test_an_executor_that_is_lost_in_the_middle_of_an_update_costs_its_share(spark, tmp_path, monkeypatch):
    spark_lake.write(tmp_path / "data", range(6))
    here, there = build(tmp_path, "here"), build(tmp_path, "there")
    here.update(progress=False)
    marker = str(tmp_path / "killed")
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    try:
        monkeypatch.setattr(
            _update, "_task", lambda remote: _update.functools.partial(kill_the_executor_once, marker, remote)
        )
        report = ariadne_lake.spark.update(spark, there, progress=False)
    finally:
        cloudpickle.unregister_pickle_by_value(module)
    assert os.path.exists(marker) and report.files_indexed == 6 and not report.files_failed
    same_index(tmp_path / "here", tmp_path / "there")


def test_a_job_that_fails_for_good_gives_the_lock_back_and_leaves_the_rest_to_the_next_update(
    spark, tmp_path, monkeypatch
):
    spark_lake.write(tmp_path / "data", range(3))
    index = build(tmp_path, "there")
    monkeypatch.setattr(_update, "_run", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ariadne_lake.spark.update(spark, index, progress=False)
    assert not (tmp_path / "there" / "indexes" / "events" / ".update.lock").exists()
    assert index.update(progress=False).files_indexed == 3


DRIVER = """
import sys
import ariadne_lake, ariadne_lake.spark
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
         .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
lake = ariadne_lake.Lake(sys.argv[1])
ariadne_lake.spark.update(spark, lake["events"], parallelism=1, progress=False)
"""


@pytest.mark.skipif("ARIADNE_LONG_TESTS" not in os.environ, reason="starts Spark once more: make test-all")
def test_a_driver_that_is_killed_between_two_commits_loses_nothing(tmp_path):
    spark_lake.write(tmp_path / "data", range(900), count=2)
    index = build(tmp_path, "there", lock_timeout=1)
    here = build(tmp_path, "here")
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(tmp_path / "there")], start_new_session=True, stderr=subprocess.DEVNULL
    )
    second = tmp_path / "there" / "indexes" / "events" / "staging" / "_delta_log" / f"{1:020}.json"
    while driver.poll() is None and not second.exists():
        pass
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert second.exists()
    report = index.update(progress=False)
    assert 0 < report.files_indexed < 900
    assert here.update(progress=False).files_indexed == 900
    same_index(tmp_path / "here", tmp_path / "there")
