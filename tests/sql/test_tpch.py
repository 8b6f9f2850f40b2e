"""The 22 questions of TPC-H over indexed tables have the answers of plain DuckDB over the same files."""

import pathlib
import re
import subprocess

import duckdb
import pyarrow.parquet as pq
import pytest

import command_line
from test_sql_files import CACHE

GENERATORS = sorted(CACHE.glob("tpchgen-*/bin/tpchgen-cli"))
SCALE = "0.1"
QUERIES = dict(
    re.findall(
        r"^-- (\d+)\n(.*?)(?=^-- \d|\Z)",
        (pathlib.Path(__file__).parent / "tpch.sql").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)
INDEXES = {
    "lineitem": ["--range", "l_shipdate", "--range", "l_orderkey", "--bloom", "l_shipmode",
                 "--regular", "l_suppkey", "--range", "l_receiptdate"],
    "orders": ["--range", "o_orderdate", "--regular", "o_custkey", "--bloom", "o_orderkey"],
    "customer": ["--regular", "c_custkey", "--regular", "c_mktsegment"],
    "part": ["--bloom", "p_brand", "--range", "p_partkey", "--regular", "p_size"],
    "partsupp": ["--range", "ps_partkey", "--regular", "ps_suppkey"],
    "supplier": ["--regular", "s_suppkey", "--range", "s_nationkey"],
    "nation": ["--regular", "n_name"],
    "region": ["--bloom", "r_name"],
}  # fmt: skip


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Both answers of each question: {number: (ours, DuckDB's)}."""
    if not GENERATORS:
        pytest.skip(f"no tpchgen-cli in {CACHE}: run scripts/setup.sh")
    folder = tmp_path_factory.mktemp("tpch")
    subprocess.run(
        [GENERATORS[-1], "parquet", "-s", SCALE, "--parts=6", "--output-dir", folder / "data"],
        check=True, capture_output=True,
    )  # fmt: skip
    ariadne = command_line.Ariadne(folder / "root")
    plain = duckdb.connect()
    for table, indexes in INDEXES.items():
        ariadne.ok("create", table, "--schema-from", folder / "data" / table, *indexes)
        ariadne.ok("add", table, folder / "data" / table)
        ariadne.ok("update", table)
        plain.execute(f"CREATE VIEW {table} AS FROM '{folder}/data/{table}/*.parquet'")
    statements = [f"COPY ({sql}) TO '{folder}/{n}.parquet'" for n, sql in QUERIES.items()]
    ariadne.ok("sql", ";\n".join(statements))
    return {
        number: (pq.read_table(folder / f"{number}.parquet"), plain.execute(sql).to_arrow_table())
        for number, sql in QUERIES.items()
    }


def test_all_questions_are_there():
    assert list(QUERIES) == [str(number) for number in range(1, 23)]


@pytest.mark.parametrize("number", QUERIES)
def test_an_indexed_table_answers_as_plain_duckdb(number, answers):
    ours, plain = answers[number]
    assert ours.column_names == plain.column_names
    for name in ours.column_names:
        got, want = ours.column(name).to_pylist(), plain.column(name).to_pylist()
        # Sums of floating numbers depend on the order of threads.
        floating = any(isinstance(value, float) for value in want)
        assert got == (pytest.approx(want) if floating else want), name
