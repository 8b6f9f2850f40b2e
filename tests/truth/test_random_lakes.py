"""Whatever the lake, the index and the question: answers are those of a full scan by DuckDB.

ARIADNE_TRUTH_CASES sets the number of cases (100), ARIADNE_TRUTH_SEED the first seed (1). A failing
case is run again by its seed: `ARIADNE_TRUTH_SEED=37 ARIADNE_TRUTH_CASES=1 pytest tests/truth`.
"""

import collections
import datetime
import json
import os
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import column_types
import command_line
import random_lake
import sql_equality
from random_lake import FILE, quote

FIRST = int(os.environ.get("ARIADNE_TRUTH_SEED", "1"))
CASES = int(os.environ.get("ARIADNE_TRUTH_CASES", "100"))


class Trial:
    """One lake with one index over it, and DuckDB's full scan of the same files."""

    def __init__(self, seed, folder, lake=random_lake.Lake):
        self.rng = random.Random(seed)
        self.folder = folder
        self.lake = lake(folder / self.rng.choice(["lake", "my lake", "l%20k"]), self.rng)
        self.ariadne = command_line.Ariadne(
            folder / self.rng.choice(["root", "a root", "r%"]),
            options=self.rng.choice([[], [], ["--threads", "1"], ["--memory", "64MB"]]),
        )
        self.indexed = []
        self.unindexed = []

    # --- making the index ------------------------------------------------------------------------

    def create(self):
        rng, lake = self.rng, self.lake
        arguments = []
        for column in lake.columns:
            kinds = ["regular", "bloom", "range", "regular", None]
            if column.type_name == "binary":
                kinds.remove("bloom")
            column.kind = rng.choice(kinds)
        if not any(column.kind for column in lake.columns):
            lake.columns[0].kind = "regular"
        for column in lake.columns:
            if column.kind:
                rate = rng.choice(["", ":0.001", ":0.2"]) if column.kind == "bloom" else ""
                arguments += [f"--{column.kind}", column.name + rate]
        complete = [file for file in lake.files if file.complete]
        if complete and rng.random() < 0.5:
            example = rng.choice(complete).path
            schema = ["--schema-from", example]
            order = pq.read_schema(example).names
            lake.columns.sort(key=lambda column: order.index(column.name))
        else:
            path = self.folder / "schema.json"
            path.write_text(lake.schema_json(), encoding="utf-8")
            schema = ["--schema", path]
        self.ariadne.ok("create", "trial", *self.lake.format_arguments(), *schema, *arguments)

    def add(self, files):
        """Tracks the files by one of the many ways to name them."""
        folder = self.lake.folder
        form = self.rng.choice(["folder", "paths", "uris", "glob", "relative", "twice"])
        cwd = None
        if form == "folder":
            names = [folder]
        elif form == "glob":
            names = [f"{folder}/**/*.{self.lake.format}*"]
        elif form == "uris":
            names = [file.path.as_uri() for file in files]
        elif form == "relative":
            cwd = folder
            names = [f"./{file.path.relative_to(folder)}" for file in files]
        else:
            names = [file.path for file in files] * (2 if form == "twice" else 1)
        report = self.ariadne.json("add", "trial", *names, cwd=cwd)
        assert report["added"] == len(files), (form, report)

    def grow(self):
        """Adds and updates in a few steps; some files stay un-indexed at the end."""
        rng = self.rng
        self.lake.add_file()
        self.create()
        waiting = list(self.lake.files)
        for _ in range(rng.randint(1, 3)):
            waiting += [self.lake.add_file() for _ in range(rng.randint(0, 3))]
            if not waiting:
                continue
            self.add(waiting)
            report = self.ariadne.json("update", "trial")
            assert report["files_indexed"] == len(waiting), report
            assert report["files_failed"] == []
            self.indexed += waiting
            waiting = []
        if rng.random() < 0.4:
            self.unindexed = [self.lake.add_file() for _ in range(rng.randint(1, 2))]
            self.add(self.unindexed)

    def scan(self):
        self.duckdb = random_lake.connect()
        self.lake.read_with_duckdb(self.duckdb, self.lake.files)

    # --- questions -------------------------------------------------------------------------------

    def some_values(self, column, count):
        """Values that are there, near misses, absent ones and NULLs."""
        rng = self.rng
        values = []
        for _ in range(count):
            value = rng.choice(column.pool)
            kind = rng.random()
            if kind < 0.15:
                value = column_types.near_miss(value, rng)
                if column.type_name == "float":
                    value = column_types.single(value)
            elif kind < 0.3:
                value = rng.choice(column_types.TYPES[column.type_name][1])
            elif kind < 0.4:
                value = None
            values.append(value)
        return values

    def locate(self):
        rng = self.rng
        columns = [column for column in self.lake.columns if column.kind]
        columns = rng.sample(columns, min(len(columns), rng.choice([1, 1, 2])))
        probes = {c.name: self.some_values(c, rng.choice([1, 1, 2, 5, 30])) for c in columns}
        result = self.ariadne.json("locate", "trial", *self.question(columns, probes))
        files = {random_lake.path_of(uri) for uri in result["files"]}
        unindexed = {str(file.path) for file in self.unindexed}
        assert {random_lake.path_of(uri) for uri in result["unindexed_files"]} == unindexed
        assert result["total_files"] == len(self.indexed) + len(self.unindexed)
        assert result["bytes"] == sum(os.path.getsize(file) for file in files)
        truth = self.files_with(columns, probes)
        assert truth <= files, f"missing {truth - files} for {probes}"
        bound = self.files_that_may(columns, probes) | unindexed
        assert files <= bound, f"superfluous {files - bound} for {probes}"

    def question(self, columns, probes):
        """The probe as JSON text, or as a file of typed or related values."""
        rng = self.rng
        if rng.random() < 0.4 and all(column.type_name != "binary" for column in columns):
            spelled = {}
            for column in columns:
                plain = column.type_name in ("byte", "short", "integer", "long", "boolean")
                spelled[column.name] = [
                    value if value is None or plain else column_types.text(value)
                    for value in probes[column.name]
                ]
            return ["--where-json", json.dumps(spelled)]
        rows = max(map(len, probes.values()))
        arrays = {}
        for column in columns:
            values = probes[column.name] + [None] * (rows - len(probes[column.name]))
            kind = column.arrow
            other = column_types.related(column.type_name, values, rng)
            if other is not None and rng.random() < 0.4:
                kind, values = other
            arrays[column.name] = pa.array(values, kind)
        path = self.folder / "probe.parquet"
        pq.write_table(pa.table(arrays), path)
        return ["--keys", path, "--on", ",".join(probes)]

    def files_with(self, columns, probes):
        """Files in which each column holds one of its values, by DuckDB."""
        found = {str(file.path) for file in self.lake.files}
        for column in columns:
            name = quote(column.name)
            self.duckdb.register(
                "probe", pa.table({column.name: pa.array(probes[column.name], column.arrow)})
            )
            found &= {
                row[0]
                for row in self.duckdb.execute(
                    f"SELECT DISTINCT {quote(FILE)} FROM lake SEMI JOIN probe "
                    f"ON lake.{name} = probe.{name}"
                ).fetchall()
            }
        return found

    def files_that_may(self, columns, probes):
        """Indexed files that the kinds of index cannot rule out; bloom filters promise nothing."""
        return {
            str(file.path)
            for file in self.indexed
            if all(
                may(column.kind, probes[column.name], file.rows[column.name]) for column in columns
            )
        }

    # --- joins -----------------------------------------------------------------------------------

    def join(self):
        rng = self.rng
        indexed = [column for column in self.lake.columns if column.kind]
        on = rng.sample(indexed, min(len(indexed), rng.choice([1, 1, 2])))
        keys_left = rng.random() < 0.5
        how = rng.choice(
            ["inner", "left", "left_semi", "left_anti"]
            if keys_left
            else ["inner", "left_semi", "right"]
        )
        rows = rng.choice([0, 1, 3, 20])
        keys = {c.name: pa.array(self.some_values(c, rows), c.arrow) for c in on}
        given = dict(keys)
        for column in on:
            other = column_types.related(column.type_name, keys[column.name].to_pylist(), rng)
            if other is not None and rng.random() < 0.3:
                given[column.name] = pa.array(other[1], other[0])
        tag = rng.choice(
            ["key tag", "key tag", *(c.name for c in self.lake.columns if c not in on)]
        )
        given[tag] = pa.array(range(rows), pa.int32())
        keys, given = pa.table(keys), pa.table(given)
        path, output = self.folder / "keys.parquet", self.folder / "joined.parquet"
        pq.write_table(given, path)
        rest = [c.name for c in self.lake.columns if c not in on]
        arguments = ["join", "trial", path, "--on", ",".join(c.name for c in on), "--how", how]
        if rng.random() < 0.4 and rest:
            rest = [name for name in rest if rng.random() < 0.5] or rest[:1]
            arguments += ["--select", ",".join(rest)]
        if keys_left:
            arguments.append("--keys-left")
        output.unlink(missing_ok=True)
        report = self.ariadne.json(*arguments, "-o", output)
        joined = pq.read_table(output)
        assert report["rows"] == joined.num_rows
        expected = self.plain_join(keys, given, [c.name for c in on], rest, how, keys_left)
        assert joined.column_names == expected.column_names, (how, keys_left)
        names = [c.name for c in on]
        got, want = multiset(joined, names), multiset(expected, names)
        assert got == want, (
            f"{how}, keys_left={keys_left}, on={[(c.name, c.type_name, c.kind) for c in on]}: "
            f"missing {want - got}, superfluous {got - want}"
        )

    def plain_join(self, keys, given, on, rest, how, keys_left):
        """DuckDB's join of typed keys with all rows; columns of the keys are those given."""
        row = quote("\x01row")
        self.duckdb.register(
            "keys", keys.append_column("\x01row", pa.array(range(keys.num_rows), pa.int32()))
        )
        condition = " AND ".join(f"l.{quote(name)} = k.{quote(name)}" for name in on)
        semi = how in ("left_semi", "left_anti")
        lake_names = rest if keys_left or how == "right" else on + rest
        selected = [f"k.{row}"] if keys_left or not semi else []
        if not (keys_left and semi):
            selected += [f"l.{quote(name)}" for name in lake_names]
        tables = "keys k {} JOIN lake l" if keys_left else "lake l {} JOIN keys k"
        joined = tables.format(how.removeprefix("left_").upper())
        found = self.duckdb.execute(
            f"SELECT {', '.join(selected)} FROM {joined} ON {condition}"
        ).to_arrow_table()

        columns = []
        if keys_left or not semi:
            of_keys = given.take(found.column(0))
            found = found.remove_column(0)
            if keys_left or how == "right":
                columns += [(name, of_keys.column(name)) for name in on]
            others = [(n, of_keys.column(n)) for n in given.column_names if n not in on]
            if keys_left:
                columns += others
            columns += [(name, found.column(i)) for i, name in enumerate(found.column_names)]
            if not keys_left:
                columns += others
        else:
            columns = [(name, found.column(i)) for i, name in enumerate(found.column_names)]
        names = []
        for name, _ in columns:
            while name in names:
                name += "_right"
            names.append(name)
        return pa.table([values for _, values in columns], names=names)


def may(kind, probes, values):
    """True if an index of the kind, over these values of a file, cannot rule the probes out."""
    held = [value for value in values if value is not None]
    if kind == "regular":
        return any(sql_equality.equal(probe, value) for probe in probes for value in held)
    if not held:
        return False
    if kind == "range":
        low, high = min(map(sql_equality.order, held)), max(map(sql_equality.order, held))
        return any(p is not None and low <= sql_equality.order(p) <= high for p in probes)
    return any(probe is not None for probe in probes)


def multiset(table, join_columns):
    """Rows of a table in one spelling a value. The zero of a join column may be either side's."""

    def spelled(name, value):
        if isinstance(value, float) and value == 0 and name in join_columns:
            return "0.0"
        if isinstance(value, datetime.datetime):
            return f"{sql_equality.microseconds(value)} us"
        return repr(value)

    names = table.column_names
    columns = [table.column(i).to_pylist() for i in range(table.num_columns)]
    return collections.Counter(
        tuple(spelled(name, value) for name, value in zip(names, row)) for row in zip(*columns)
    )


@pytest.mark.parametrize("seed", range(FIRST, FIRST + CASES))
def test_answers_are_those_of_a_full_scan(seed, tmp_path):
    ask(Trial(seed, tmp_path))


def ask(trial):
    trial.grow()
    trial.scan()
    for _ in range(3):
        trial.locate()
    for _ in range(2):
        trial.join()
