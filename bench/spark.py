#!/usr/bin/env python3
"""Measures ariadne_lake.spark under Spark's local[2] against the native command and the JVM library.

The JVM library runs under the Spark 3.5 that it is built for, in a warm session of its own (tests/interop/jvm); ours
under the installed PySpark 4. Read the ratios, not the seconds.

usage: spark.py [--lake DIR] [--files 60] [--out DIR] [--only update,join | heap | driver] [--no-peer]
Run it with the Python of build/wheel-env and PySpark on PYTHONPATH, as `make sparktest` does.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / "bench"), str(REPOSITORY / "tests" / "interop")]
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
BINARY = os.environ.get("ARIADNE_BIN", REPOSITORY / "build" / "release" / "ariadne")
INDEXES = {"range": ["ts"], "bloom": ["id"], "regular": ["user_id"]}
KEYS = 1_000


def timed(work):
    started = time.monotonic()
    result = work()
    return time.monotonic() - started, result


def session():
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.driver.memory", "3g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    spark.range(2).mapInArrow(lambda batches: batches, "id long").collect()  # Workers are up.
    return spark


def create(root, lake, files, index="events"):
    import ariadne_lake

    made = ariadne_lake.Lake(root).create(index, schema_from=files[0], **INDEXES)
    made.add_files(files)
    return made


def bench_update(spark, lake, files, out, peer):
    import ariadne_lake.spark

    native = create(out / "native", lake, files)
    seconds, _ = timed(
        lambda: subprocess.run([BINARY, "--root", out / "native", "update", native.name], check=True, capture_output=True)
    )
    ours = create(out / "spark", lake, files)
    spark_seconds, report = timed(lambda: ariadne_lake.spark.update(spark, ours, progress=False))
    assert report.files_indexed == len(files)
    result = {"native command": seconds, "ariadne_lake.spark": spark_seconds}
    if peer is not None:
        root = str(out / "peer")
        peer.ask(op="create", root=root, index="events", schemaFrom=files[0], **INDEXES)
        peer.ask(op="addFiles", root=root, index="events", files=files)
        result["JVM library"], _ = timed(lambda: peer.ask(op="update", root=root, index="events"))
    return result


def bench_join(spark, files, out, peer):
    import ariadne_lake
    import ariadne_lake.spark
    import pyarrow.parquet as pq

    table = pq.read_table(files[len(files) // 2], columns=["ts"]).slice(0, KEYS)
    pq.write_table(table, out / "keys.parquet", coerce_timestamps="us")
    index = ariadne_lake.Lake(out / "spark")["events"]
    keys = spark.read.parquet(str(out / "keys.parquet"))

    def join():
        return ariadne_lake.spark.join(spark, index, keys, "ts", columns=["id"]).collect()

    result = {"ariadne_lake.spark": min(timed(join)[0] for _ in range(3)), "rows": len(join())}
    if peer is not None:
        request = dict(op="join", root=str(out / "peer"), index="events", keys=str(out / "keys.parquet"), on=["ts"],
                       select=["ts", "id"], how="inner")  # fmt: skip
        result["JVM library"] = min(timed(lambda: peer.ask(**request))[0] for _ in range(3))
    return result


def bench_heap(spark, out, many):
    """Peak of the driver's heap over a join, for an index that tracks 1,000 files and one that tracks `many`."""
    import ariadne_lake
    import ariadne_lake.spark
    import pyarrow as pa
    import pyarrow.parquet as pq

    runtime = spark._jvm.java.lang.management.ManagementFactory
    result = {}
    for count in (1_000, many):
        folder = out / f"files-{count}"
        folder.mkdir()
        for i in range(count):
            pq.write_table(pa.table({"id": [i]}), folder / f"{i}.parquet")
        index = ariadne_lake.Lake(out / f"heap-{count}").create("events", schema_from=folder / "0.parquet", regular="id")
        index.add_files(folder)
        index.update(progress=False)
        spark._jvm.System.gc()
        pools = [pool for pool in runtime.getMemoryPoolMXBeans() if "HEAP" in str(pool.getType().name())]
        for pool in pools:
            pool.resetPeakUsage()
        ariadne_lake.spark.join(spark, index, spark.range(100), "id").collect()
        result[f"{count} files"] = sum(pool.getPeakUsage().getUsed() for pool in pools) / 2**20
    return result


def bench_driver(out, count):
    """What one process does of an update, for each of many small files; without Spark, in seconds of the processor."""
    import resource

    import ariadne_lake
    import pyarrow as pa
    import pyarrow.parquet as pq
    from ariadne_lake import _config, _native

    def processor(work):
        def used():
            now = resource.getrusage(resource.RUSAGE_SELF)
            return now.ru_utime + now.ru_stime

        before = used()
        result = work()
        return used() - before, result

    folder, root = out / "many", out / "driver"
    folder.mkdir()
    for i in range(count):
        rows = {"id": range(100 * i, 100 * i + 100), "name": [f"v{j}" for j in range(100)]}
        pq.write_table(pa.table({name: list(values) for name, values in rows.items()}), folder / f"part-{i:08}.parquet")
    index = ariadne_lake.Lake(root).create("events", schema_from=folder / f"part-{0:08}.parquet", regular="id", bloom="name")
    index.add_files(folder)
    options = _config.options({})[0]
    plan, driver = processor(lambda: _native.UpdateDriver(str(root), "events", options, 4, None))
    worker = _native.IndexWorker(str(root), "events", *_config.options({"threads": 1}))
    build = commit = share_bytes = result_bytes = 0
    while True:
        used, share = processor(driver.next_share)
        commit += used
        if share is None:
            break
        used, result = processor(lambda: worker.build_share(share))
        build += used
        used, _ = processor(lambda: driver.commit([result]))
        commit += used
        share_bytes += len(share)
        result_bytes += len(result)
    finish, _ = processor(driver.finish)
    driver.close()
    micros = {"plan": plan, "hand out and commit": commit, "end": finish, "visit (a task's)": build}
    result = {f"{name}, µs": 1e6 * seconds / count for name, seconds in micros.items()}
    size = sum(path.stat().st_size for path in (root / "indexes" / "events" / "index").glob("*.parquet"))
    return {**result, "share, bytes": share_bytes / count, "result, bytes": result_bytes / count, "index, bytes": size / count}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=60, help="of heap and driver: how many to make, 100000 say")
    parser.add_argument("--lake", type=pathlib.Path, help="folder of data files, as run.py makes them")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="update,join")
    parser.add_argument("--no-peer", action="store_true")
    arguments = parser.parse_args()
    out = arguments.out or pathlib.Path(tempfile.mkdtemp(prefix="ariadne-spark-bench-"))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    wanted = arguments.only.split(",")
    files = [] if arguments.lake is None else [str(path) for path in sorted(arguments.lake.glob("*.parquet"))[: arguments.files]]
    peer = None
    if wanted == ["driver"]:
        print(json.dumps(bench_driver(out, arguments.files), indent=1))
        return
    if not arguments.no_peer:
        import peer as jvm

        peer = jvm.Peer()
    spark = session()
    results = {}
    if "update" in wanted:
        results["update, seconds"] = bench_update(spark, arguments.lake, files, out, peer)
        print(json.dumps(results), file=sys.stderr)
    if "join" in wanted:
        results[f"join of {KEYS} ts keys, seconds"] = bench_join(spark, files, out, peer)
    if "heap" in wanted:
        results["driver's peak heap over a join, MiB"] = bench_heap(spark, out, arguments.files)
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
