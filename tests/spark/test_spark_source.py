"""`spark.read.format("ariadne")`: the rows of the tracked files, filters asked of the index."""

import os
import pathlib

import ariadne_lake
import ariadne_lake.spark
import answers
import pyarrow.parquet as pq
import pytest
from ariadne_lake.spark._source import AriadneReader
from ariadne_lake.spark._remote import Remote

FILTERS = [
    "id = 3",
    "id IN (3, 4, NULL) AND name > 'é'",
    "id >= 290 OR weight < 0.5",
    "weight = 0.0",
    "weight > 11.0",
    "isnan(weight) AND id < 100",
    "price BETWEEN 1.50 AND 2.00",
    "price = 1.5",
    "at = timestamp'2024-03-10 03:30:00'",
    "at < timestamp'2024-03-10 12:00:00' AND at > timestamp'2024-03-09 20:00:00'",
    "local > timestamp_ntz'2100-01-01 00:00:00'",
    "day = date'1700-02-28' OR day IS NULL",
    "day < date'1650-01-01'",
    "data = x'0700'",
    "name = \"a'b17\" OR name LIKE 'é1%'",
    "name <=> 'n%5'",
    "key = 'k1'",
    "NOT (id = 3) AND id < 9",
    "meta.n = 3 AND id > 100",
]


@pytest.fixture(scope="module")
def views(spark, lake):
    """The same files read through the index, and by Spark itself."""
    ariadne_lake.spark.register(spark)
    folder = pathlib.Path(lake.root).parent / "data"
    spark.read.format("ariadne").option("root", lake.root).load("events").createOrReplaceTempView("ours")
    spark.read.parquet(str(folder)).createOrReplaceTempView("theirs")
    return spark


def test_a_view_gives_the_rows_and_types_that_spark_reads_itself(views):
    ours, theirs = views.table("ours"), views.table("theirs")
    assert ours.schema.simpleString() == theirs.schema.simpleString()
    assert answers.of(ours.toArrow()) == answers.of(theirs.toArrow())


def test_filters_in_sql_give_the_rows_that_they_give_elsewhere(views):
    """Many scans of one view in one query: none may see what another one asked."""

    def rows(table):
        parts = [f"SELECT {i} AS i, id, name, at FROM {table} WHERE {each}" for i, each in enumerate(FILTERS)]
        return answers.of(views.sql(" UNION ALL ".join(parts)).toArrow())

    ours = rows("ours")
    assert ours == rows("theirs")
    assert len(ours) > 100


@pytest.mark.parametrize("each", FILTERS if "ARIADNE_LONG_TESTS" in os.environ else FILTERS[:10:3])
def test_filters_that_choose_files_give_the_same_rows(views, lake, each):
    frame = views.read.format("ariadne").option("root", lake.root).option("pushFilters", "true").load("events")
    frame.createOrReplaceTempView("pushed")
    query = "SELECT id, name, at, meta FROM {} WHERE " + each
    assert answers.of(views.sql(query.format("pushed")).toArrow()) == answers.of(
        views.sql(query.format("theirs")).toArrow()
    )


def test_filters_choose_the_files_that_are_read(lake):
    """What Spark would hand over, to the reader in this process."""
    from pyspark.sql.datasource import EqualTo, GreaterThan, In, IsNull

    index = lake["events"]

    def read(*filters):
        reader = AriadneReader(Remote(index), ["id", "weight", "key"], pushes=True)
        assert list(reader.pushFilters(list(filters))) == list(filters)
        return sorted(file for partition in reader.partitions() for file, _ in partition.value)

    everything = index.locate({"id": list(range(300))}).files
    assert read() == everything == read(IsNull(("id",)))
    assert read(EqualTo(("id",), 3)) == index.locate({"id": 3}).files
    assert read(In(("id",), (3, 7))) == index.locate({"id": [3, 7]}).files
    assert read(EqualTo(("id",), 100000)) == index.locate({"id": -1}).files
    assert len(read(GreaterThan(("weight",), 1e9))) < len(everything) or "NaN is the greatest number"
    assert read(EqualTo(("key",), "k1")) == everything, "older versions are rows too"


def test_the_source_is_read_only_and_says_what_it_needs(views, lake):
    with pytest.raises(Exception, match="ariadne|write|append|Unsupported"):
        views.range(3).write.format("ariadne").option("root", lake.root).mode("append").save("events")
    with pytest.raises(Exception, match="root"):
        views.read.format("ariadne").load("events").schema


def row_group_options(lake, folder, **switches):
    return {"root": lake.root, "pushFilters": "true", "row_group_root": str(folder), **switches}


def test_executors_build_row_group_indexes_under_the_switches(views, lake, tmp_path):
    """Off by default; what one query built is on disk when it ends."""
    wanted = views.table("theirs").where("key = 'k25'").count()
    for switches, built in [
        ({}, False),
        ({"row_group_bloom": "true"}, False),
        ({"row_group_bloom": "true", "row_group_persistence": "true", "row_group_min_table_size": 1 << 30}, False),
        ({"row_group_bloom": "true", "row_group_persistence": "true"}, True),
    ]:
        options = row_group_options(lake, tmp_path, **switches)
        frame = views.read.format("ariadne").options(**options).load("events")
        assert frame.where("key = 'k25'").count() == wanted
        table = tmp_path / "native" / "row_group_indexes" / "_delta_log"
        assert bool(list(table.glob("*.json"))) == built, switches


def test_executors_skip_the_row_groups_that_what_others_built_rules_out(views, lake, tmp_path):
    from pyspark.sql.datasource import EqualTo

    options = row_group_options(lake, tmp_path, row_group_bloom="true", row_group_persistence="true")
    frame = views.read.format("ariadne").options(**options).load("events")
    wanted = frame.where("key = 'k25'").count()
    config = {"row_group_bloom": True, "row_group_persistence": True, "row_group_root": str(tmp_path)}
    # A lake whose settings are others is opened anew: it knows what the table says and nothing else.
    remote = Remote(ariadne_lake.Lake(lake.root, **config, lock_max_wait=77)["events"])

    def read(batches):
        import pyarrow as pa

        for _ in batches:
            reader = AriadneReader(remote, ["id", "key"], pushes=True)
            list(reader.pushFilters([EqualTo(("key",), "k25")]))
            rows = sum(batch.num_rows for part in reader.partitions() for batch in reader.read(part))
            counters = remote.worker().row_group_counters()
            yield pa.record_batch({"rows": [rows], **{name: [value] for name, value in counters.items()}})

    (row,) = views.range(0, 1, 1, 1).mapInArrow(read, "rows long, built long, loaded long, skipped long").collect()
    files = list((pathlib.Path(lake.root).parent / "data").glob("*.parquet"))
    holding = sum("k25" in pq.read_table(file, columns=["key"]).column(0).to_pylist() for file in files)
    assert row.rows == wanted and row.built == 0
    assert 0 < row.skipped <= len(files) - holding and row.skipped < row.loaded
