"""The loadable extension in the stock DuckDB: its command line, and its Python package."""

import json
import subprocess
import sys

import pytest

import command_line
import lakes
from test_sql_files import CACHE

EXTENSION = command_line.BINARY.parent / "ariadne.duckdb_extension"
CLIENTS = sorted(CACHE.glob("duckdb-cli-*/duckdb_cli/duckdb"))

pytestmark = pytest.mark.skipif(not EXTENSION.is_file(), reason=f"{EXTENSION} is not built")


def in_command_line(statements):
    """The rows of the last statement that gives some, as lists of JSON values."""
    if not CLIENTS:
        pytest.skip(f"no duckdb command line in {CACHE}: run scripts/setup.sh")
    done = subprocess.run(
        [CLIENTS[-1], "-unsigned", "-json", "-bail"], input=";\n".join(statements) + ";\n",
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode != 0 or done.stderr:
        raise AssertionError(done.stdout + done.stderr)
    if not done.stdout.lstrip().startswith("["):
        return [["text", done.stdout]]  # A plan is no JSON.
    # The shell prints an array a statement.
    decoder, text, answers = json.JSONDecoder(), done.stdout.strip(), []
    while text:
        answer, end = decoder.raw_decode(text)
        answers.append(answer)
        text = text[end:].strip()
    return [list(row.values()) for row in answers[-1]]


def in_python(statements):
    script = (
        "import duckdb, json, sys\n"
        "database = duckdb.connect(config={'allow_unsigned_extensions': 'true'})\n"
        "for statement in json.load(sys.stdin):\n"
        "    answer = database.execute(statement)\n"
        "print(json.dumps(answer.fetchall(), default=str))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(statements), capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


HOSTS = pytest.mark.parametrize("run", [in_command_line, in_python])


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory):
    return lakes.make(tmp_path_factory.mktemp("extension"))


@pytest.fixture(scope="module")
def attach(ariadne):
    root = ariadne.options[1]
    return [f"LOAD '{EXTENSION}'", f"ATTACH '{root}' AS lake (TYPE ariadne)"]


QUESTIONS = [
    "SELECT count(*) FROM lake.orders",
    "SELECT id, customer FROM lake.orders WHERE id BETWEEN 308 AND 310 ORDER BY id",
    "SELECT count(*), min(ref), max(note) FROM lake.orders WHERE customer = 'c3-2' OR ref = 'EU05-555'",
    "SELECT count(*) FROM lake.orders WHERE prefix = 'EU04'",
    "SELECT tag, count(*) FROM lake.orders WHERE tag IN ('t1', 't2') GROUP BY ALL ORDER BY ALL",
    "SELECT user_id, name FROM lake.users WHERE user_id IN ('u0', 'u3') ORDER BY user_id",
    "SELECT count(*) FROM lake.behind o JOIN (VALUES ('c1-1'), ('c7-0')) k(c) ON customer = c",
    "SELECT count(*), sum(a.id) FROM lake.orders a JOIN lake.behind b USING (id) WHERE b.customer = 'c2-2'",
]  # fmt: skip


@HOSTS
def test_a_loaded_extension_answers_as_the_command_does(run, attach, ariadne):
    for question in QUESTIONS:
        ours = ariadne.json("sql", question)["data"]
        theirs = run([*attach, question])
        assert [[str(cell) for cell in row] for row in theirs] == [
            [str(cell) for cell in row] for row in ours
        ], question


@HOSTS
def test_a_loaded_extension_lists_and_describes_tables(run, attach):
    names = run([*attach, "SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake' ORDER BY 1"])
    assert names == [["behind"], ["orders"], ["users"]]
    columns = run([*attach, "DESCRIBE lake.users"])
    assert [row[0] for row in columns] == ["user_id", "name", "seen", "active"]


@HOSTS
def test_a_loaded_extension_says_what_it_pruned(run, attach):
    query = "SELECT count(*) FROM lake.orders WHERE customer = 'c3-2'"
    plan = run([*attach, f"EXPLAIN {query}"])[0][1]
    assert "1/8" in plan and "regular index on customer" in plan.replace("\n", " ")
    (row,) = run([
        *attach, query,
        "SELECT table_name, files, total_files, row_groups_read FROM ariadne_pruning_log() WHERE executed",
    ])  # fmt: skip
    assert row == ["orders", 1, 8, 4]


@HOSTS
def test_a_loaded_extension_reads_a_file_anew_that_was_overwritten_in_place(run, attach, tmp_path):
    folder = lakes.orders(tmp_path / "overwritten")
    other = command_line.Ariadne(tmp_path / "root")
    other.ok("create", "t", "--schema-from", folder)
    other.ok("add", "t", folder)
    files = sorted(folder.iterdir())
    answer = run([
        *attach, f"ATTACH '{tmp_path / 'root'}' AS other (TYPE ariadne)",
        "SELECT sum(id) FROM other.t",
        f"COPY (SELECT * REPLACE (id + 1000000 AS id) FROM read_parquet('{files[0]}')) "
        f"TO '{files[0]}' (FORMAT parquet)",
        "SELECT sum(id) FROM other.t",
    ])  # fmt: skip
    assert [int(answer[0][0])] == [sum(range(800)) + 100 * 1000000]


@HOSTS
def test_a_loaded_extension_refuses_what_is_wrong_in_words(run, attach, tmp_path):
    for statement, words in [
        (f"ATTACH '{tmp_path / 'none'}' AS none (TYPE ariadne)", "there is no lake at"),
        ("INSERT INTO lake.users SELECT * FROM lake.users", "a lake is read-only"),
        ("SELECT nosuch FROM lake.users", "nosuch"),
        (f"ATTACH '{tmp_path}' AS x (TYPE ariadne, nosuch 1)", "has no option 'nosuch'"),
    ]:
        with pytest.raises(AssertionError, match=words):
            run([*attach, statement])
