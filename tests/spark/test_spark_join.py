"""Files and rows for the values of a DataFrame, against one machine and against Spark's own reading of the lake."""

import os

import ariadne_lake
import ariadne_lake.spark
import answers
import pytest
from ariadne_lake.errors import ColumnNotFound, InvalidArgument, UnsupportedJoin
from pyspark.sql import functions as F
from ariadne_lake.spark import _keys, _locate


@pytest.fixture
def scale(request, monkeypatch):
    """As small lakes are asked, as larger ones, and as those lakes and keys are that no process should hold."""
    if request.param != "few":
        monkeypatch.setattr(_locate, "HERE", -1)
    if request.param == "many":
        monkeypatch.setattr(_locate, "ONE_TASK", -1)
        monkeypatch.setattr(_locate, "CHUNK", 2)
        monkeypatch.setattr(_keys, "MOST", 3)


#: Keys as SQL, what they are joined on and how: every kind of index, types that differ from the lake's.
JOINS = [
    ("SELECT id, concat('x', id) AS x FROM VALUES (3L), (7L), (9999L), (NULL) AS t(id)", ["id"], {}),
    ("SELECT id, id AS name FROM range(0, 40, 5)", ["id"], {"how": "right", "columns": ["meta", "name"]}),
    ("SELECT id FROM range(5)", ["id"], {"how": "left_semi", "columns": ["at", "local", "data"]}),
    ("SELECT id FROM range(295, 305)", ["id"], {"how": "left_anti", "keys_left": True}),
    ("SELECT id FROM range(297, 303)", ["id"], {"how": "left", "keys_left": True, "columns": ["day"]}),
    ("SELECT * FROM VALUES ('k1'), ('k2'), (NULL) AS t(key)", ["key"], {}),
    ("SELECT concat('k', id % 40) AS key, id FROM range(300)", ["key", "id"], {"columns": ["version"]}),
    ("SELECT * FROM VALUES ('t1'), ('t2') AS t(tag)", ["tag"], {"columns": ["id", "tags"]}),
    ("SELECT upper(concat('é', id)) AS loud FROM range(20)", ["loud"], {"columns": ["loud", "name"]}),
    ("SELECT * FROM VALUES (3.0D), (7.5D), (double('NaN')) AS t(id)", ["id"], {"columns": ["id"]}),
    ("SELECT * FROM VALUES ('3'), ('17') AS t(id)", ["id"], {"columns": ["price", "weight"]}),
    ("SELECT -0.0D AS weight UNION ALL SELECT double('NaN')", ["weight"], {"columns": ["id"]}),
    ("SELECT timestamp'2024-03-10 03:30:00' + make_interval(0,0,0,0,0,30*id) AS at FROM range(9)", ["at"], {}),
    ("SELECT CAST(id/100 AS DECIMAL(9,3)) AS price FROM range(0, 500, 40)", ["price"], {"columns": ["id"]}),
    ("SELECT make_date(1600 + CAST(id AS INT), 2, 28) AS day FROM range(9)", ["day"], {"columns": ["name"]}),
    ("SELECT unhex('0700') AS data", ["data"], {}),
    ("SELECT id FROM range(1000, 1010)", ["id"], {}),
    # Keys and nothing else, of which the lake's rows that one wants may be all there is to say.
    ("SELECT id FROM range(5)", ["id"], {}),
    ("SELECT id FROM range(5) UNION ALL SELECT id FROM range(3)", ["id"], {}),
    ("SELECT * FROM VALUES (0.0D), (-0.0D) AS t(weight)", ["weight"], {"columns": ["id"]}),
    ("SELECT * FROM VALUES ('3'), ('+3') AS t(id)", ["id"], {"columns": ["name"]}),
    ("SELECT * FROM VALUES (0.0D), (-0.0D) AS t(weight)", ["weight"], {"how": "left_semi", "columns": ["id"]}),
    ("SELECT * FROM VALUES ('k1'), ('k2'), (NULL) AS t(key)", ["key"], {"how": "left_semi"}),
    ("SELECT concat('k', id % 40) AS key, id FROM range(300)", ["key", "id"], {"how": "left_semi"}),
]
#: What `make test` asks, the rest being for `make test-all`: a case and a scale.
SOME = [(0, "few"), (1, "few"), (3, "few"), (5, "few"), (7, "few"), (9, "few"), (12, "few"), (5, "some"), (5, "many"), (8, "many")]
SOME += [(case, "few") for case in range(18, 21)]
ALL = [(case, scale) for scale in ("few", "some", "many") for case in range(len(JOINS))]


@pytest.mark.parametrize(("case", "scale"), ALL if "ARIADNE_LONG_TESTS" in os.environ else SOME, indirect=["scale"])
def test_a_join_gives_the_rows_of_a_join_on_one_machine(spark, index, scale, case):
    sql, on, options = JOINS[case]
    keys = spark.sql(sql)
    joined = ariadne_lake.spark.join(spark, index, keys, on, **options)
    expected = index.join(keys.toArrow(), on, progress=False, **options).to_arrow()
    rows = joined.toArrow()
    assert answers.of(rows) == answers.of(expected)
    assert [name.removesuffix("_right") for name in expected.column_names] == rows.column_names


def test_a_join_of_all_keys_finds_what_spark_finds_in_the_files_themselves(spark, index, every_row):
    """The types of both sides are Spark's own: zones, decimals, bytes, nested values."""
    folder = index.files[0].uri.rsplit("/", 1)[0]
    keys = spark.range(300).toDF("id")
    ours = ariadne_lake.spark.join(spark, index, keys, "id").drop("loud")
    theirs = spark.read.parquet(folder).join(keys, "id")
    assert ours.schema.simpleString() == theirs.schema.simpleString()
    assert answers.of(ours.toArrow()) == answers.of(theirs.toArrow())
    assert ours.count() == sum(value is not None for value in every_row["id"].to_pylist())


def test_a_join_without_any_match_has_the_same_schema_and_no_rows(spark, index):
    some = ariadne_lake.spark.join(spark, index, spark.range(5).toDF("id"), "id")
    none = ariadne_lake.spark.join(spark, index, spark.createDataFrame([], "id long"), "id")
    assert none.schema == some.schema and none.toArrow().num_rows == 0


@pytest.mark.parametrize("scale", ["few", "some"], indirect=True)
def test_rows_of_the_lake_are_not_sent_to_every_executor_unless_they_are_few(spark, index, scale):
    """Spark does not take what tasks read for as small as the numbers of these tasks; in this join nothing else can be sent."""
    joined = ariadne_lake.spark.join(spark, index, spark.range(5), "id", "left", keys_left=True)
    assert "Broadcast" not in joined._jdf.queryExecution().executedPlan().toString()


def test_the_repartition_settings_are_those_of_the_session_or_the_call(spark, index):
    """The lake's rows are repartitioned before the join only where both settings say so."""
    keys = spark.range(5).toDF("id")

    def repartitioned(**settings):
        plan = ariadne_lake.spark.join(spark, index, keys, "id", **settings)._jdf.queryExecution().optimizedPlan()
        return "Repartition 7, true" in plan.toString()

    assert not repartitioned() and not repartitioned(index_repartition_count=7)
    assert repartitioned(index_repartition_count=7, repartition_data_files=True)
    spark.conf.set("spark.ariadne.indexRepartitionCount", "7")
    spark.conf.set("spark.ariadne.repartitionDataFiles", "true")
    try:
        assert repartitioned() and not repartitioned(repartition_data_files=False)
    finally:
        spark.conf.unset("spark.ariadne.indexRepartitionCount")
        spark.conf.unset("spark.ariadne.repartitionDataFiles")


def test_what_a_join_cannot_do_is_said_in_words(spark, index):
    keys = spark.range(5).toDF("id")
    for options, error, message in [
        ({"how": "left"}, UnsupportedJoin, "its result would depend"),
        ({"how": "right", "keys_left": True}, UnsupportedJoin, "its result would depend"),
        ({"how": "cross"}, InvalidArgument, "give one of"),
        ({"on": []}, InvalidArgument, "at least one column"),
        ({"on": ["id", "id"]}, InvalidArgument, "twice"),
        ({"on": "other"}, ColumnNotFound, "the keys have 0 columns"),
        ({"columns": ["other"]}, ColumnNotFound, "which the lake lacks"),
    ]:
        with pytest.raises(error, match=message):
            ariadne_lake.spark.join(spark, index, keys, **{"on": "id", **options})
    with pytest.raises(ColumnNotFound, match="none of 'local' has an index"):
        ariadne_lake.spark.join(spark, index, keys.select(F.current_timestamp().alias("local")), "local")


def files(frame):
    return sorted(row.file for row in frame.collect())


@pytest.mark.parametrize("scale", ["few", "some", "many"], indirect=True)
def test_locate_names_the_files_that_one_machine_names(spark, index, scale):
    for sql in ["SELECT id FROM range(7)", "SELECT 'k1' AS key, 3L AS id", "SELECT CAST(NULL AS LONG) AS id"]:
        keys = spark.sql(sql)
        located = index.locate(keys.toArrow(), on=keys.columns)
        assert files(ariadne_lake.spark.locate(spark, index, keys)) == located.files, sql


@pytest.mark.parametrize(("policy", "scale"), [("exclude", "many"), ("error", "many")], indirect=["scale"])
def test_un_indexed_files_are_treated_as_the_lake_was_opened(spark, lake, policy, scale):
    index = ariadne_lake.Lake(lake.root, unindexed=policy)["events"]
    keys = spark.range(300).toDF("id")
    if policy == "error":
        with pytest.raises(ariadne_lake.UnindexedFiles, match="not indexed yet"):
            ariadne_lake.spark.locate(spark, index, keys)
    else:
        assert len(files(ariadne_lake.spark.locate(spark, index, keys))) == 8
