"""Versions, computed and exploded columns in SQL, against DuckDB's own window and unnest over all files.

ARIADNE_TRUTH_SEED and ARIADNE_TRUTH_CASES as in tests/truth; a tenth of the cases is run here.
"""

import collections
import datetime
import os
import random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

FIRST = int(os.environ.get("ARIADNE_TRUTH_SEED", "1"))
CASES = int(os.environ.get("ARIADNE_TRUTH_CASES", "100"))
KEYS = ["a", "b", "ä", "", "k" * 40, None]
TAGS = ["x", "y", "%", "ß", None]
COLUMNS = "key, ts, num, ref"


class Lake:
    """Random files with an index over some of them, and the tables that SQL has to show."""

    def __init__(self, seed, folder):
        rng = self.rng = random.Random(seed)
        self.folder = folder
        self.data = folder / "a lake"
        self.data.mkdir()
        self.ariadne = command_line.Ariadne(folder / "root")
        self.versions = rng.random() < 0.6
        files = [self.write(number) for number in range(rng.randint(1, 6))]
        arguments = ["--exploded", "tags.k:tag", "--exploded", "numbers:n",
                     "--computed", "five=num % 5", "--computed", "head=substring(ref, 1, 2)",
                     "--computed", "y=year(ts)"]  # fmt: skip
        arguments += ["--temporal", "key:ts"] if self.versions else ["--regular", "key"]
        if rng.random() < 0.5:
            arguments += ["--range", "num"]
        self.ariadne.ok("create", "t", "--schema-from", files[0], *arguments)
        indexed = rng.randint(0, len(files))
        if indexed:
            self.ariadne.ok("add", "t", *files[:indexed])
            self.ariadne.ok("update", "t")
        if files[indexed:]:
            self.ariadne.ok("add", "t", *files[indexed:])
        self.duckdb = duckdb.connect(config={"threads": 1})
        self.duckdb.execute("SET TimeZone = 'UTC'")
        names = ", ".join(f"'{file}'" for file in files)
        newest = (
            "QUALIFY key IS NULL OR row_number() OVER "
            "(PARTITION BY key ORDER BY ts DESC NULLS LAST, filename, file_row_number) = 1"
        )
        self.duckdb.execute(
            f"CREATE TABLE base AS SELECT *, num % 5 AS five, substring(ref, 1, 2) AS head, "
            f"year(ts) AS y FROM read_parquet([{names}], filename = true, file_row_number = true) "
            + (newest if self.versions else "")
        )

    def write(self, number):
        rng = self.rng
        count = rng.choice([0, 1, 5, 30, 200])
        times = [None, *(datetime.datetime(2020 + i, 1, 1) for i in range(5))]
        tags = lambda: rng.choice(
            [None, [], [{"k": rng.choice(TAGS)} for _ in range(rng.randint(1, 4))]]
        )
        numbers = lambda: rng.choice([None, [], rng.choices([1, 2, None, 7], k=rng.randint(1, 3))])
        keys = rng.sample(KEYS, rng.randint(1, len(KEYS)))
        table = pa.table(
            {
                "key": pa.array([rng.choice(keys) for _ in range(count)], pa.string()),
                "ts": pa.array([rng.choice(times) for _ in range(count)], pa.timestamp("us", "UTC")),
                "num": pa.array(
                    [rng.choice([None, -3, *range(20)]) for _ in range(count)], pa.int64()
                ),
                "ref": pa.array([rng.choice(["äb1", "ab2", "", None, "zzz"]) for _ in range(count)]),
                "tags": pa.array(
                    [tags() for _ in range(count)], pa.list_(pa.struct([("k", pa.string())]))
                ),
                "numbers": pa.array([numbers() for _ in range(count)], pa.list_(pa.int32())),
            }
        )
        path = self.data / f"part {number}.parquet"
        pq.write_table(table, path, row_group_size=rng.choice([7, 1000]))
        return path

    def truth(self, named):
        """The table as it looks to a query that names these exploded columns."""
        sql = "SELECT * FROM base"
        if "tag" in named:
            sql = f"SELECT * EXCLUDE (e), e.k AS tag FROM (SELECT *, unnest(tags) AS e FROM ({sql}))"
        if "n" in named:
            sql = f"SELECT *, unnest(numbers) AS n FROM ({sql})"
        return sql

    def condition(self):
        rng = self.rng
        text = lambda value: "NULL" if value is None else f"'{value}'"
        exploded = set()

        def leaf():
            form = rng.randrange(9)
            if form == 0:
                return f"key = {text(rng.choice(KEYS))}"
            if form == 1:
                return f"key IN ({text(rng.choice(KEYS))}, {text(rng.choice(KEYS))})"
            if form == 2:
                exploded.add("tag")
                return f"tag = {text(rng.choice(TAGS))}"
            if form == 3:
                exploded.add("n")
                return f"n {rng.choice(['=', '<', '>='])} {rng.choice([1, 2, 5, 7])}"
            if form == 4:
                return f"five {rng.choice(['=', '>'])} {rng.randrange(5)}"
            if form == 5:
                return f"num % 5 = {rng.randrange(5)}"
            if form == 6:
                return f"{rng.choice(['head', 'substring(ref, 1, 2)'])} = {text(rng.choice(['äb', 'ab', '', 'zz']))}"
            if form == 7:
                return f"{rng.choice(['y', 'year(ts)'])} BETWEEN 2021 AND {rng.randint(2020, 2024)}"
            return f"num {rng.choice(['<', '>=', '='])} {rng.randrange(20)}"

        parts = [leaf() for _ in range(rng.choice([1, 1, 2, 3]))]
        return rng.choice([" AND ", " OR "]).join(parts), exploded

    def check(self, ours, plain):
        output = self.folder / "answer.parquet"
        output.unlink(missing_ok=True)
        self.ariadne.ok("sql", ours, "-o", output)
        got = rows(pq.read_table(output))
        want = rows(self.duckdb.execute(plain).to_arrow_table())
        assert got == want, f"{ours}\nmissing {want - got}, superfluous {got - want}"


def rows(table):
    columns = [table.column(i).to_pylist() for i in range(table.num_columns)]
    return collections.Counter(zip(*map(lambda column: map(repr, column), columns)))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + -(-CASES // 10)))
def test_derived_columns_and_versions_are_those_of_all_rows(seed, tmp_path):
    lake = Lake(seed, tmp_path)
    lake.check("SELECT * EXCLUDE (tags, numbers) FROM t", f"SELECT {COLUMNS} FROM base")
    for _ in range(5):
        where, named = lake.condition()
        selected = lake.rng.choice([COLUMNS, "count(*) AS c", "key", f"{COLUMNS}, five, head, y"])
        if lake.rng.random() < 0.3:
            selected, named = f"{COLUMNS}, tag", named | {"tag"}
        lake.check(
            f"SELECT {selected} FROM t WHERE {where}",
            f"SELECT {selected} FROM ({lake.truth(named)}) WHERE {where}",
        )
    column, values = lake.rng.choice(
        [("key", "('a'), ('ä'), (NULL)"), ("tag", "('x'), ('ß')"), ("five", "(1), (3)"), ("n", "(7)")]
    )
    join = f"SELECT {COLUMNS}, w FROM {{}} JOIN (VALUES {values}) k(w) ON {column} = w"
    lake.check(join.format("t"), join.format(f"({lake.truth({column})})"))
    lake.check(
        "SELECT count(*) AS c FROM (SELECT tag, n FROM t)",
        f"SELECT count(*) AS c FROM ({lake.truth({'tag', 'n'})})",
    )
