#!/usr/bin/env python3
"""Measures ariadne_lake.spark under Spark's local[2] against the native command and the JVM library.

The JVM library runs under the Spark 3.5 that it is built for, in a warm session of its own (tests/interop/jvm); ours
under the installed PySpark 4. Each pair of figures is seconds and processor seconds, over all processes that took part;
"first" is in a session that has done nothing, "least" the best of all runs. Read the ratios, not the seconds.

usage: spark.py [--lake DIR] [--files N] [--out DIR] [--only update,join,heap,driver] [--runs 5] [--no-peer]
Run it with the Python of build/wheel-env and PySpark on PYTHONPATH, as `make sparktest` does.
"""

import argparse
import contextlib
import gc
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / "bench"), str(REPOSITORY / "tests" / "interop")]
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
BINARY = os.environ.get("ARIADNE_BIN", REPOSITORY / "build" / "release" / "ariadne")
INDEXES = {"range": ["ts"], "bloom": ["id"], "regular": ["user_id"]}
#: Of 1,000 and fewer the JVM library makes a condition each: it runs out of stack, and given that, of memory.
KEYS = 1_001


def say(*what):
    print(*what, file=sys.stderr, flush=True)


def timed(work):
    started = time.monotonic()
    result = work()
    return time.monotonic() - started, result


def processor_seconds(process):
    """What a process and all that it started have used so far."""
    used, children = {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            each = int(stat.parent.name)
            children.setdefault(int(fields[1]), []).append(each)
            used[each] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    family, total = [process], 0
    while family:
        each = family.pop()
        total += used.get(each, 0)
        family += children.get(each, [])
    return total


def session(master="local[2]", **config):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    config = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.memory": "3g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        **config,
    }
    for name, value in config.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def create(root, files):
    import ariadne_lake

    made = ariadne_lake.Lake(root).create("events", schema_from=files[0], **INDEXES)
    made.add_files(files)
    return made


def turn_by_turn(works, runs):
    """Seconds and processor seconds of each work, the first time and the least of all."""
    took = {name: [] for name in works}
    for run in range(runs):
        for name, (process, work) in works.items():
            before = processor_seconds(process)
            seconds, _ = timed(lambda work=work, run=run: work(run))
            took[name].append((seconds, processor_seconds(process) - before))
            say(name, *took[name][-1])
    return {name: {"first": each[0], "least": [min(column) for column in zip(*each)]} for name, each in took.items()}


def bench_update(spark, files, out, peer, runs):
    """A new index of three kinds each time."""
    import ariadne_lake.spark

    def native(run):
        root = out / f"native-{run}"
        command = [BINARY, "--root", root, "--threads", "2", "update", create(root, files).name]
        subprocess.run(command, check=True, capture_output=True)

    def ours(run):
        report = ariadne_lake.spark.update(spark, create(out / f"spark-{run}", files), progress=False)
        assert report.files_indexed == len(files)

    def library():
        root = str(out / "peer")
        peer.ask(op="create", root=root, index="events", schemaFrom=files[0], **INDEXES)
        peer.ask(op="addFiles", root=root, index="events", files=files)
        peer.ask(op="update", root=root, index="events")

    result = turn_by_turn({"native command": (os.getpid(), native), "ariadne_lake.spark": (os.getpid(), ours)}, runs)
    if peer is not None:
        result.update(turn_by_turn({"JVM library": (peer.process.pid, lambda _: library())}, 1))
    return result


def bench_join(spark, files, out, peer, runs):
    """Both over one index, that of one machine, and their rows brought to the driver."""
    import ariadne_lake
    import ariadne_lake.spark
    import pyarrow.parquet as pq

    table = pq.read_table(files[len(files) // 2], columns=["ts"]).slice(0, KEYS)
    pq.write_table(table, out / "keys.parquet", coerce_timestamps="us")
    create(out / "joined", files).update(progress=False)
    index = ariadne_lake.Lake(out / "joined")["events"]
    keys = spark.read.parquet(str(out / "keys.parquet"))
    request = dict(op="join", root=str(out / "joined"), index="events", keys=str(out / "keys.parquet"), on=["ts"],
                   select=["ts", "id"], how="inner", answer="collect")  # fmt: skip

    def ours(_):
        assert len(ariadne_lake.spark.join(spark, index, keys, "ts", columns=["id"]).collect()) == KEYS

    def library(_):
        assert peer.ask(**request) == KEYS

    works = {"ariadne_lake.spark": (os.getpid(), ours)}
    if peer is not None:
        works["JVM library"] = (peer.process.pid, library)
    return turn_by_turn(works, runs)


def one_row_files(folder, count):
    """Files of one row each, which is the file's number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    mark = 0x0123456789ABCDEF
    pq.write_table(pa.table({"id": [mark]}), folder / "0.parquet", compression="none", use_dictionary=False,
                   write_statistics=False)  # fmt: skip
    before, after = (folder / "0.parquet").read_bytes().split(mark.to_bytes(8, "little"))
    for i in range(count):
        (folder / f"{i}.parquet").write_bytes(before + i.to_bytes(8, "little") + after)


class Peak:
    """The most that the driver's two processes hold while work is done, MiB.

    Of the JVM's heap that is what a collection leaves, of which there is one every half second.
    """

    def __init__(self, spark):
        self.jvm = spark._jvm
        self.memory = self.jvm.java.lang.management.ManagementFactory.getMemoryMXBean()

    def held(self):
        gc.collect()  # Frees what Python holds of the JVM.
        self.jvm.System.gc()
        return self.memory.getHeapMemoryUsage().getUsed() / 2**20

    def of(self, work):
        heap = [self.held()]
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        resident = self.resident("VmRSS")
        ended = threading.Event()

        def watch():
            while not ended.wait(0.5):
                heap.append(self.held())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            work()
        finally:
            ended.set()
            watcher.join()
        return {"JVM's heap": max(heap), "Python's growth": self.resident("VmHWM") - resident}

    @staticmethod
    def resident(name):
        lines = pathlib.Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(name)).split()[1]) / 2**10


def bench_heap(out, many):
    """Peaks of the driver alone, executors being processes of their own, for 1,000 tracked files of a row and for `many`."""
    import ariadne_lake
    import ariadne_lake.spark

    spark = session(
        "local-cluster[2,1,1024]",
        **{"spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        # Holes that a collection leaves count as used.
        **{"spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:MarkSweepAlwaysCompactCount=1"},
    )
    peak = Peak(spark)
    result = {}
    for count in (1_000, 1_000, many):  # The first time, classes are loaded.
        folder = out / f"files-{len(result)}-{count}"
        one_row_files(folder, count)
        root = out / f"index-{folder.name}"
        making = ["create", "events", "--schema-from", folder / "0.parquet", "--regular", "id"]
        for command in (making, ["add", "events", folder]):
            subprocess.run([BINARY, "--root", root, *command], check=True, capture_output=True)
        index = ariadne_lake.Lake(root)["events"]
        keys = spark.range(0, count, count // 100)
        everything = spark.range(count)
        works = {
            "update": lambda: ariadne_lake.spark.update(spark, index, progress=False),
            "locate 100 files": lambda: ariadne_lake.spark.locate(spark, index, keys).count(),
            "join 100 files": lambda: ariadne_lake.spark.join(spark, index, keys, "id").collect(),
            "join all files": lambda: ariadne_lake.spark.join(spark, index, everything, "id").count(),
        }
        result[count] = {}
        for name, work in works.items():
            result[count][name] = peak.of(work)
            say(f"{count} files, {name}", result[count][name])
        shutil.rmtree(folder)
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
    parser.add_argument("--files", type=int, help="how many: 200 of the lake; to make for heap 100000, for driver 20000")
    parser.add_argument("--lake", type=pathlib.Path, help="folder of data files, as run.py makes them")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="update,join", help="update, join, heap, driver")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-peer", action="store_true")
    arguments = parser.parse_args()
    out = arguments.out or pathlib.Path(tempfile.mkdtemp(prefix="ariadne-spark-bench-"))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    wanted = arguments.only.split(",")
    results = {}
    if "driver" in wanted:
        results["for each file, in the driver"] = bench_driver(out, arguments.files or 20_000)
    if {"update", "join"} & set(wanted):
        files = [str(path) for path in sorted(arguments.lake.glob("*.parquet"))[: arguments.files or 200]]
        peer = None
        if not arguments.no_peer:
            import peer as jvm

            os.environ.setdefault("PEER_JVM", "-Xss64m -Xmx6g")
            peer = jvm.Peer()
        spark = session()
        if "join" in wanted:
            results[f"join of {KEYS} ts keys"] = bench_join(spark, files, out, peer, arguments.runs)
        if "update" in wanted:
            results["update"] = bench_update(spark, files, out, peer, arguments.runs)
        spark.stop()
    if "heap" in wanted:
        results["driver's peak, MiB"] = bench_heap(out, arguments.files or 100_000)
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
