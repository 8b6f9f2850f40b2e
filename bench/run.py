#!/usr/bin/env python3
"""Measures the main job against a full scan, the limit of decoding, and the JVM library's record.

Everything but the JVM figures is timed in this run, on this machine, one after the other: read the
ratios, not the seconds. The page cache is warm. "Cold" is a new process for each answer,
timed with its start: `ariadne`, and Python with DuckDB. "Running" is DuckDB in a process that has
been answering before. All use as many threads.

usage: run.py [--files 200] [--out DIR] [--runs 3] [--json FILE]
              [--only update,catalog,locate,warm,join,warm_join,row_groups]
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import gen_data
import row_groups
from measure import (
    BINARY,
    THREADS,
    bench_binary,
    best_child,
    cold_duckdb,
    command,
    folder_bytes,
    ms,
    print_table,
    run_child,
    say,
    timed,
    times,
)

# Recorded on two cores with Spark 3.5.5, a 6 GB heap and a warm session, 200 files: seconds (the
# best of three) and peak memory in GB. Start is process start to first answer.
JVM_UPDATE = {
    "range ts": (7.2, 2.6),
    "bloom id": (14.5, 4.9),
    "regular user_id": (88.7, 6.4),
    "all three": (155.5, 6.0),
}
JVM_LOCATE = {
    "user_id-1": 0.82,
    "user_id-1000": 1.07,
    "id-1": 0.22,
    "id-1000": 4.5,
    "ts-1": 0.26,
}
JVM_START = {"user_id": 20.5, "id": 12.1, "ts": 10.5}
JVM_JOIN = {"1 user": 1.63, "1,000 users": 3.81, "1 id": 0.50, "1,000 ts of one file": 0.74}

INDEXES = {
    "range ts": ["--range", "ts"],
    "bloom id": ["--bloom", "id"],
    "regular user_id": ["--regular", "user_id"],
    "all three": ["--range", "ts", "--bloom", "id", "--regular", "user_id"],
    "all kinds": [
        *["--range", "ts", "--bloom", "id", "--regular", "user_id"],
        *["--computed", "day=date_format(ts, 'yyyy-MM-dd')"],
        *["--temporal", "category:ts", "--exploded", "tags.k:tag_k"],
    ],
}
COLUMNS = {
    "range ts": ["ts"],
    "bloom id": ["id"],
    "regular user_id": ["user_id"],
    "all three": ["ts", "id", "user_id"],
    "all kinds": ["ts", "id", "user_id", "category", "tags"],
}


class Bench:
    def __init__(self, arguments):
        self.files = arguments.files
        self.out = pathlib.Path(arguments.out)
        self.runs = arguments.runs
        say(f"data: {self.files} files below {self.out}")
        self.paths = gen_data.generate(self.out / "lake", self.files)
        self.lake = self.out / "lake"
        self.bytes = sum(path.stat().st_size for path in self.paths)
        # The recorded figures are for 200 files; updates grow with their number.
        self.jvm_scale = self.files / 200
        self.results = {"files": self.files, "bytes": self.bytes, "threads": THREADS}
        self.duckdb = duckdb.connect(config={"threads": THREADS})
        self.duckdb.execute("SET TimeZone = 'UTC'")
        self.source = "read_parquet([" + ", ".join(f"'{path}'" for path in self.paths) + "]"
        self._probes()
        self._warm_page_cache()

    def _warm_page_cache(self):
        for path in self.paths:
            with open(path, "rb") as file:
                while file.read(1 << 24):
                    pass

    def _probes(self):
        """Key files: {name: (path, column)}; timestamps are those of rows of one file."""
        folder = self.out / "probes"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        middle = pq.read_table(self.paths[len(self.paths) // 2], columns=["ts"])
        stamps = middle.column("ts").slice(0, 1000).combine_chunks()
        self.probes = {}
        for column, values in (
            ("user_id", pa.array(gen_data.probe_users(1000))),
            ("id", pa.array(gen_data.probe_ids(1000), pa.int64())),
            ("ts", stamps),
        ):
            for count in (1, 10, 1000):
                path = folder / f"{column}-{count}.parquet"
                pq.write_table(pa.table({column: values.slice(0, count)}), path)
                self.probes[f"{column}-{count}"] = (path, column)

    def root(self, name):
        return self.out / "roots" / name.replace(" ", "_")

    def make_index(self, name):
        """A fresh root with the index declared and every file tracked; returns it."""
        root = self.root(name)
        shutil.rmtree(root, ignore_errors=True)
        run_child(
            command(
                root,
                "create",
                "ev",
                "--format",
                "parquet",
                "--schema-from",
                self.paths[0],
                *INDEXES[name],
            )
        )
        run_child(command(root, "add", "ev", self.lake))
        return root

    # --- update ----------------------------------------------------------------------------------

    def decode(self, columns):
        """Seconds of reading and decoding just the columns, files in parallel."""

        def read(path):
            return pq.ParquetFile(path).read(columns=columns, use_threads=False).num_rows

        def all_files():
            with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
                return sum(pool.map(read, self.paths))

        return timed(all_files, 3)[0]

    def update(self):
        rows = []
        for name in INDEXES:
            say(f"update: {name}")
            best, peak = None, 0
            for _ in range(self.runs):
                root = self.make_index(name)
                seconds, used, output = run_child(command(root, "update", "ev"))
                assert json.loads(output)["files_indexed"] == self.files
                best = seconds if best is None else min(best, seconds)
                peak = max(peak, used)
            limit = self.decode(COLUMNS[name])
            jvm_seconds, jvm_memory = JVM_UPDATE.get(name, (None, None))
            factor = jvm_seconds and jvm_seconds * self.jvm_scale / best
            size = folder_bytes(root)
            self.results[f"update {name}"] = {
                "seconds": best,
                "peak_bytes": peak,
                "index_bytes": size,
                "decode_seconds": limit,
                "faster_than_jvm": factor,
            }
            rows.append(
                [
                    name,
                    f"{best:.2f} s",
                    f"{limit:.2f} s",
                    times(best / limit),
                    "-" if factor is None else f"{jvm_seconds * self.jvm_scale:.1f} s",
                    times(factor),
                    f"{peak / 2**20:,.0f} MiB",
                    "-" if factor is None else f"{jvm_memory:.1f} GB",
                    f"{size / 1e6:,.1f} MB",
                ]
            )
        kinds, three = (self.results[f"update {name}"] for name in ("all kinds", "all three"))
        kinds["times_all_three"] = kinds["seconds"] / three["seconds"]
        print_table(
            f"update of {self.files} files, {self.bytes / 1e6:,.0f} MB",
            [
                "index",
                "time",
                "decode only",
                "of the limit",
                "JVM (recorded)",
                "faster",
                "peak",
                "JVM peak",
                "index size",
            ],
            rows,
        )

    # --- catalog ---------------------------------------------------------------------------------

    def catalog(self):
        """`list` and `describe` over a thousand indexes of four files each."""
        root = self.out / "roots" / "catalog"
        shutil.rmtree(root, ignore_errors=True)
        create = ["create", "ev", "--schema-from", self.paths[0], *INDEXES["all kinds"]]
        for step in (create, ["add", "ev", *self.paths[:4]], ["update", "ev"]):
            run_child(command(root, *step))
        for number in range(1, 1000):
            for folder in ("indexes/ev", "filelists/[ariadne_index] ev"):
                shutil.copytree(root / folder, root / f"{folder}{number}")
        rows = []
        for question in ("list", "describe"):
            seconds, peak, answer = best_child(lambda: command(root, question), 5)
            assert len(answer["indexes"]) == 1000
            self.results[f"{question} 1,000"] = {"seconds": seconds, "peak_bytes": peak}
            rows.append([question, ms(seconds), f"{peak / 2**20:,.0f} MiB"])
        print_table("1,000 indexes, a cold process each", ["question", "time", "peak"], rows)
        shutil.rmtree(root)

    # --- locate ----------------------------------------------------------------------------------

    def index_of_all(self):
        root = self.root("all three")
        if not (root / "indexes" / "ev" / "metadata.json").exists():
            self.make_index("all three")
        run_child(command(root, "update", "ev"))
        return root

    def files_sql(self, path, column):
        """The files that hold the values, by a full scan."""
        return (
            f"SELECT DISTINCT filename FROM {self.source}, filename = true) "
            f"WHERE {column} IN (SELECT {column} FROM read_parquet('{path}'))"
        )

    def locate(self):
        root = self.index_of_all()
        rows = []
        for name in ("user_id-1", "user_id-1000", "id-1", "id-1000", "ts-1", "ts-1000"):
            path, column = self.probes[name]
            say(f"locate: {name}")
            cold, peak, answer = best_child(
                lambda: command(root, "locate", "ev", "--keys", path, "--on", column), 7
            )
            sql = self.files_sql(path, column)
            scan, _, found = timed(lambda: self.duckdb.execute(sql).fetchall(), 2)
            cold_scan = cold_duckdb(sql)
            located = {uri.removeprefix("file://") for uri in answer["files"]}
            assert {row[0] for row in found} <= located, name
            start = JVM_START[column]
            self.results[f"locate {name}"] = {
                "cold_seconds": cold,
                "peak_bytes": peak,
                "files": len(located),
                "full_scan_seconds": scan,
                "cold_full_scan_seconds": cold_scan,
                "faster_than_full_scan": scan / cold,
                "faster_than_cold_full_scan": cold_scan / cold,
                "faster_than_jvm_start": start / cold,
                "jvm_warm_seconds": JVM_LOCATE.get(name),
                "index_bytes_read": answer["index_bytes_read"],
                "requests": answer["requests"],
            }
            warm = JVM_LOCATE.get(name)
            rows.append(
                [
                    name,
                    ms(cold),
                    f"{len(located)}/{self.files}",
                    f"{answer['index_bytes_read'] / 1e6:.2f} MB",
                    ms(cold_scan),
                    times(cold_scan / cold),
                    ms(scan),
                    times(scan / cold),
                    f"{start:.1f} s",
                    times(start / cold),
                    "-" if warm is None else ms(warm),
                    f"{peak / 2**20:,.0f} MiB",
                ]
            )
        print_table(
            "locate, a cold process each",
            [
                "values",
                "time",
                "files",
                "index read",
                "DuckDB cold",
                "faster",
                "running",
                "faster",
                "JVM start (recorded)",
                "faster",
                "JVM warm",
                "peak",
            ],
            rows,
        )

    def in_process(self, wanted):
        """Peak memory and figures of the benchmarks whose names match, in one running process."""
        root = self.index_of_all()
        binary = bench_binary("locate_bench")
        _, peak, output = run_child(
            [
                str(binary),
                str(root),
                "ev",
                str(self.out / "probes"),
                f"--benchmark_filter={wanted}",
                "--benchmark_format=json",
                "--benchmark_min_time=0.3",
            ]
        )
        return peak, json.loads(output)["benchmarks"]

    def warm(self):
        peak, benchmarks = self.in_process("^[a-z_]+-")
        rows = []
        for found in benchmarks:
            name = found["name"].split("/")[0]
            seconds = found["real_time"] / 1000
            jvm = JVM_LOCATE.get(name)
            scan = self.results.get(f"locate {name}", {}).get("full_scan_seconds")
            self.results[f"warm {name}"] = {
                "seconds": seconds,
                "peak_bytes": peak,
                "faster_than_jvm": jvm and jvm / seconds,
                "faster_than_full_scan": scan and scan / seconds,
            }
            rows.append(
                [
                    name,
                    ms(seconds),
                    f"{found['files']:.0f}/{self.files}",
                    "-" if scan is None else ms(scan),
                    times(scan and scan / seconds),
                    "-" if jvm is None else ms(jvm),
                    times(jvm and jvm / seconds),
                ]
            )
        print_table(
            f"locate in a running process (peak {peak / 2**20:,.0f} MiB)",
            ["values", "time", "files", "DuckDB scan", "faster", "JVM warm (recorded)", "faster"],
            rows,
        )

    # --- join ------------------------------------------------------------------------------------

    def join(self):
        root = self.index_of_all()
        ours, theirs = self.out / "join.parquet", self.out / "join-duckdb.parquet"
        questions = [
            ("1 user", "user_id-1", []),
            ("1,000 users", "user_id-1000", ["amount"]),
            ("1 id", "id-1", []),
            ("10 ids", "id-10", []),
            ("1,000 ids", "id-1000", ["amount"]),
            ("1,000 ts of one file", "ts-1000", []),
            ("1,000 ts of one file, 1 column", "ts-1000", ["amount"]),
        ]
        rows = []
        for title, name, selected in questions:
            path, column = self.probes[name]
            say(f"join: {title}")
            select = ["--select", ",".join(selected)] if selected else []
            cold, peak, answer = best_child(
                lambda: command(root, "join", "ev", path, "--on", column, *select, "-o", ours),
                max(3, self.runs),
            )
            columns = (
                ", ".join([f"l.{column}", *[f"l.{c}" for c in selected]]) if selected else "l.*"
            )
            sql = (
                f"COPY (SELECT {columns} FROM {self.source}) l JOIN read_parquet('{path}') k "
                f"USING ({column})) TO '{theirs}' (FORMAT parquet)"
            )
            scan, _, _ = timed(lambda: self.duckdb.execute(sql), max(3, self.runs))
            cold_scan = cold_duckdb(sql)
            count = pq.ParquetFile(ours).metadata.num_rows
            assert count == pq.ParquetFile(theirs).metadata.num_rows, title
            wanted = [column, *selected] if selected else None
            limit = self.decode(wanted) if selected else None
            files = len(
                json.loads(
                    run_child(command(root, "locate", "ev", "--keys", path, "--on", column))[2]
                )["files"]
            )
            jvm = JVM_JOIN.get(title)
            self.results[f"join {title}"] = {
                "seconds": cold,
                "peak_bytes": peak,
                "files": files,
                "rows": count,
                "full_scan_seconds": scan,
                "cold_full_scan_seconds": cold_scan,
                "faster_than_full_scan": scan / cold,
                "faster_than_cold_full_scan": cold_scan / cold,
                "decode_seconds": limit,
                "jvm_seconds": jvm,
            }
            rows.append(
                [
                    title,
                    ms(cold),
                    f"{files}/{self.files}",
                    f"{count:,}",
                    ms(cold_scan),
                    times(cold_scan / cold),
                    ms(scan),
                    times(scan / cold),
                    "-" if limit is None else ms(limit),
                    "-" if jvm is None else ms(jvm),
                    f"{peak / 2**20:,.0f} MiB",
                ]
            )
        print_table(
            "join, a cold process each, all columns unless said",
            [
                "keys",
                "time",
                "files",
                "rows",
                "DuckDB cold",
                "faster",
                "running",
                "faster",
                "decode only",
                "JVM warm (recorded)",
                "peak",
            ],
            rows,
        )

    def warm_join(self):
        """Joins in a running process against DuckDB in one, which keeps the files' footers here."""
        peak, benchmarks = self.in_process("^join (user_id-1|id-1|id-10|ts-1|ts-1000)/")
        keeping = duckdb.connect(config={"threads": THREADS})
        keeping.execute("SET TimeZone = 'UTC'")
        keeping.execute("SET parquet_metadata_cache = true")
        rows = []
        for found in benchmarks:
            name = found["name"].split("/")[0].removeprefix("join ")
            path, column = self.probes[name]
            say(f"warm join: {name}")
            seconds = found["real_time"] / 1000
            sql = f"SELECT l.* FROM {self.source}) l JOIN read_parquet('{path}') k USING ({column})"
            scan, _, joined = timed(lambda: keeping.execute(sql).to_arrow_table(), 5)
            assert joined.num_rows == found["rows"], name
            self.results[f"warm join {name}"] = {
                "seconds": seconds,
                "peak_bytes": peak,
                "full_scan_seconds": scan,
                "faster_than_full_scan": scan / seconds,
            }
            rows.append(
                [
                    name,
                    ms(seconds),
                    f"{found['files']:.0f}/{self.files}",
                    f"{joined.num_rows:,}",
                    ms(scan),
                    times(scan / seconds),
                ]
            )
        print_table(
            f"join in a running process, all columns (peak {peak / 2**20:,.0f} MiB)",
            ["keys", "time", "files", "rows", "DuckDB running", "faster"],
            rows,
        )

    def row_groups(self):
        self.results |= row_groups.measure(self.duckdb, self.lake, self.paths, max(3, self.runs))


def main():
    cache = os.environ.get("ARIADNE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "ariadne"
    )
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=200, help="data files of 100,000 rows (200)")
    parser.add_argument(
        "--out", default=os.path.join(cache, "bench"), help="where data and indexes go"
    )
    parser.add_argument("--runs", type=int, default=2, help="repetitions of an update or join (2)")
    parser.add_argument("--json", help="write the figures to this file too")
    parser.add_argument(
        "--only",
        default="update,catalog,locate,warm,join,warm_join,row_groups",
        help="which parts to run",
    )
    arguments = parser.parse_args()
    if not BINARY.is_file():
        raise SystemExit(f"bench: {BINARY} is not built: run `make build`, or set ARIADNE_BIN")
    arguments.out = os.path.join(arguments.out, f"{arguments.files}-files")
    bench = Bench(arguments)
    for part in arguments.only.split(","):
        getattr(bench, part)()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(bench.results, indent=2) + "\n")


if __name__ == "__main__":
    main()
