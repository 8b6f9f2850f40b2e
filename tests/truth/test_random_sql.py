"""Whatever the lake, the index and the query: SQL through the index answers as a full scan does.

Seeds and cases as in test_random_lakes.py: ARIADNE_TRUTH_SEED, ARIADNE_TRUTH_CASES (of which a
tenth is run here).
"""


import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import column_types
from random_lake import FILE, duckdb_type, quote
from test_random_lakes import CASES, FIRST, Trial, may, multiset


def literal(value, type_name):
    """A value as SQL of the column's type."""
    kind = duckdb_type(type_name)
    if value is None:
        return f"NULL::{kind}"
    if isinstance(value, bytes):
        text = "".join(f"\\x{byte:02X}" for byte in value)
    else:
        text = column_types.text(value)
    return "'" + text.replace("'", "''") + f"'::{kind}"


class Question:
    """A random condition on the columns of a lake."""

    def __init__(self, trial):
        self.trial = trial
        self.rng = trial.rng

    def value(self, column):
        while True:
            (value,) = self.trial.some_values(column, 1)
            if not isinstance(value, str) or "\0" not in value:
                return value

    def values(self, column, count):
        return [self.value(column) for _ in range(count)]

    def leaf(self):
        rng = self.rng
        column = rng.choice(self.trial.lake.columns)
        name = quote(column.name)
        spelled = lambda value: literal(value, column.type_name)
        form = rng.choice(["=", "=", "in", "in", "<", "between", "null", "not null", "other"])
        if form == "=":
            return f"{name} = {spelled(self.value(column))}"
        if form == "in":
            values = self.values(column, rng.choice([1, 2, 5]))
            return f"{name} IN ({', '.join(map(spelled, values))})"
        if form == "<":
            operator = rng.choice(["<", "<=", ">", ">="])
            sides = [name, spelled(self.value(column))]
            return f" {operator} ".join(sides if rng.random() < 0.7 else reversed(sides))
        if form == "between":
            low, high = map(spelled, self.values(column, 2))
            return f"{name} BETWEEN {low} AND {high}"
        if form == "null":
            return f"{name} IS NULL"
        if form == "not null":
            return f"{name} IS NOT NULL"
        value = spelled(self.value(column))
        return rng.choice(
            [
                f"{name} <> {value}",
                f"NOT ({name} = {value})",
                f"{name} IS DISTINCT FROM {value}",
                f"{name} IS NOT DISTINCT FROM {value}",
                f"{name} NOT IN ({value})",
                f"{name}::VARCHAR > {value}::VARCHAR",
                f"coalesce({name}, {value}) = {value}",
            ]
        )

    def condition(self, depth=0):
        if depth == 2 or self.rng.random() < 0.4:
            return self.leaf()
        joiner = self.rng.choice([" AND ", " OR "])
        parts = [self.condition(depth + 1) for _ in range(self.rng.choice([2, 2, 3]))]
        return "(" + joiner.join(parts) + ")"


def answer(trial, query):
    """Rows of a query by the command, and what it read."""
    output = trial.folder / "answer.parquet"
    output.unlink(missing_ok=True)
    report = trial.ariadne.json("sql", query, "-o", output)
    return pq.read_table(output), report


def truth(trial, query):
    return trial.duckdb.execute(query).to_arrow_table()


def same(trial, ours, plain, joined=()):
    got, report = answer(trial, ours)
    want = truth(trial, plain)
    got, want = multiset(got, joined), multiset(want, joined)
    assert got == want, f"{ours}\nmissing {want - got}, superfluous {got - want}"
    return report


def conditions(trial):
    names = ", ".join(quote(column.name) for column in trial.lake.columns)
    for _ in range(3):
        where = Question(trial).condition()
        query = f"SELECT {names} FROM {{}} WHERE {where}"
        report = same(trial, query.format("trial"), query.format("lake"))
        files = truth(trial, f"SELECT DISTINCT {quote(FILE)} FROM lake WHERE {where}").num_rows
        for scan in report["scans"]:
            assert files <= scan["files"] <= scan["total_files"], (where, scan)
        count = f"SELECT count(*) AS n FROM {{}} WHERE {where}"
        same(trial, count.format("trial"), count.format("lake"))


def pruned_as_the_index_can(trial):
    """An equality on one indexed column leaves no file that its index rules out."""
    column = trial.rng.choice([c for c in trial.lake.columns if c.kind])
    values = [v for v in Question(trial).values(column, 2) if v is not None]
    if not values:
        return
    spelled = ", ".join(literal(value, column.type_name) for value in values)
    query = f"SELECT count(*) AS n FROM {{}} WHERE {quote(column.name)} IN ({spelled})"
    report = same(trial, query.format("trial"), query.format("lake"))
    possible = sum(may(column.kind, values, file.rows[column.name]) for file in trial.indexed)
    for scan in report["scans"]:
        assert scan["files"] <= possible + len(trial.unindexed), (query, scan)


def joins(trial):
    rng = trial.rng
    column = rng.choice(trial.lake.columns)
    rows = rng.choice([0, 1, 3, 20])
    keys = pa.table(
        {
            "k": pa.array(Question(trial).values(column, rows), column.arrow),
            "tag": pa.array(range(rows), pa.int32()),
        }
    )
    path = trial.folder / "sql keys.parquet"
    pq.write_table(keys, path)
    trial.duckdb.register("sql_keys", keys)
    name = quote(column.name)
    largest = "SELECT max(k) FROM {keys}"
    if any(key != key for key in keys["k"].to_pylist()):
        # DuckDB takes the max of a Parquet file from its statistics, which know no NaN.
        largest = "SELECT k FROM {keys} ORDER BY k DESC NULLS LAST LIMIT 1"
    query = rng.choice(
        [
            f"SELECT l.*, k.tag FROM {{lake}} l JOIN {{keys}} k ON l.{name} = k.k",
            f"SELECT k.tag, l.{name} FROM {{keys}} k LEFT JOIN {{lake}} l ON l.{name} = k.k",
            f"SELECT l.* FROM {{lake}} l WHERE {name} IN (SELECT k FROM {{keys}})",
            f"SELECT l.* FROM {{lake}} l ANTI JOIN {{keys}} k ON l.{name} = k.k",
            f"SELECT k.* FROM {{keys}} k WHERE EXISTS (SELECT 1 FROM {{lake}} WHERE {name} = k.k)",
            f"SELECT count(*) AS n FROM {{lake}} l WHERE {name} = ({largest})",
            f"SELECT l.*, k.tag FROM {{lake}} l RIGHT JOIN {{keys}} k ON l.{name} = k.k",
        ]
    )
    ours = query.format(lake="trial", keys="'" + str(path).replace("'", "''") + "'")
    plain = query.format(lake=f"(SELECT * EXCLUDE ({quote(FILE)}) FROM lake)", keys="sql_keys")
    same(trial, ours, plain, [column.name])


@pytest.mark.parametrize("seed", range(FIRST, FIRST + -(-CASES // 10)))
def test_sql_answers_are_those_of_a_full_scan(seed, tmp_path):
    trial = Trial(seed + 1_000_000, tmp_path)
    trial.grow()
    trial.scan()
    conditions(trial)
    pruned_as_the_index_can(trial)
    for _ in range(2):
        joins(trial)
