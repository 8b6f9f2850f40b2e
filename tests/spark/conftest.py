"""A real cluster of two executors, each a process of its own, once a session; and a lake that no test changes."""

import contextlib
import os
import sys

import pyarrow.parquet as pq
import pytest
import spark_lake

pytest.importorskip("pyspark", reason="PySpark is not there: run scripts/setup.sh")

# Executors run the Python of these tests, and find what it finds.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark():
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("ariadne")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "America/New_York")
        # Spark leaves row groups out by statistics that know no NaN, which is the greatest number to it.
        .config("spark.sql.parquet.filterPushdown", "false")
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        .config("spark.executor.memory", "512m")
        # So little data is not worth compiling code for.
        .config("spark.driver.extraJavaOptions", QUICK)
        .config("spark.executor.extraJavaOptions", QUICK)
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .getOrCreate()
    )
    yield session
    with contextlib.suppress(Exception):
        session.stop()


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    """An index of every kind over eight files, a ninth that is tracked and not indexed."""
    import ariadne_lake

    folder = tmp_path_factory.mktemp("spark")
    spark_lake.write(folder / "data", range(8))
    opened = ariadne_lake.Lake(folder / "index")
    index = opened.create("events", schema_from=folder / "data", **spark_lake.KINDS)
    index.add_files(folder / "data")
    index.update()
    spark_lake.write(folder / "data", [8])
    index.add_files(folder / "data")
    return opened


@pytest.fixture(scope="session")
def index(lake):
    return lake["events"]


@pytest.fixture(scope="session")
def every_row(lake):
    """What a full scan of the tracked files returns."""
    return pq.read_table(os.path.join(os.path.dirname(lake.root), "data"))
