"""A Delta table with renamed columns and deletion vectors as the lake: executors answer with its live rows."""

import json
import pathlib
import tarfile

import ariadne_lake
import ariadne_lake.spark

TABLES = pathlib.Path(__file__).parents[1] / "truth" / "data" / "delta_lakes.tar.gz"


def test_rows_that_the_table_has_deleted_are_in_no_answer(spark, tmp_path):
    with tarfile.open(TABLES) as archive:
        archive.extractall(tmp_path, filter="data")
    live = [json.loads(line) for line in (tmp_path / "id.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = sorted((row["id"], row.get("called") or "") for row in live if "id" in row)
    lake = ariadne_lake.Lake(tmp_path / "root")
    index = lake.create("ix", schema_from=tmp_path / "id", regular="called", bloom="id")
    index.sync(tmp_path / "id", progress=False)
    index.add_exploded("tags", "q", "tag")
    report = ariadne_lake.spark.update(spark, index, progress=False)
    assert report.files_backfilled > 1 and not report.files_failed

    joined = ariadne_lake.spark.join(spark, index, spark.range(1000).toDF("id"), "id", columns=["called"])
    assert sorted((row.id, row.called or "") for row in joined.collect()) == expected
    changed = spark.createDataFrame([("changed",)], "called string")
    found = ariadne_lake.spark.join(spark, index, changed, "called", columns=["id"])
    assert sorted(row.id for row in found.collect()) == sorted(row["id"] for row in live if row.get("called") == "changed")
    tagged = ariadne_lake.spark.join(spark, index, spark.sql("SELECT 't1' AS tag"), "tag", columns=["id"])
    expected = [row.get("id") for row in live for tag in row["tags"] if tag.get("q") == "t1"]
    assert expected and sorted(row.id for row in tagged.collect()) == sorted(expected)

    ariadne_lake.spark.register(spark)
    frame = spark.read.format("ariadne").option("root", lake.root).load("ix")
    assert frame.columns == index.schema.names and frame.count() == len(live)
