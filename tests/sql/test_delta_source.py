"""`delta('path')`: column mapping, partitions and deletion vectors, with and without row-group
indexes that its scans build."""

import random

import pyarrow as pa
import pytest

import command_line
from command_line import FAILED
from delta_tables import DeltaTable

COLUMNS = {
    "id": ("col-7f", pa.int64()),
    "a name": ("col-2b%", pa.string()),
    "amount": ("id", pa.float64()),
    "day": ("col-day", pa.date32()),
}
SWITCHES = ["--row-group-bloom", "--row-group-range", "--row-group-expressions"]


@pytest.fixture
def ariadne(tmp_path):
    return command_line.Ariadne(tmp_path / "root")


def make(folder):
    """Two files; the physical name of `amount` is the logical one of another column."""
    table = DeltaTable(folder, COLUMNS, partitions=["day"])
    ids = list(range(100))
    names = [None if i % 10 == 0 else f"n{i % 7}" for i in ids]
    amounts = [i / 4 for i in ids]
    first = table.write(
        "d=1/first 100%.parquet", {"id": ids, "a name": names, "amount": amounts},
        partition={"day": "2024-02-29"}, deleted=[0, 5, 99], row_group_size=30,
    )  # fmt: skip
    table.write(
        "second.parquet", {"id": [i + 100 for i in ids], "a name": names, "amount": amounts},
        partition={"day": None}, row_group_size=30,
    )  # fmt: skip
    return table, first


def test_columns_partitions_and_deleted_rows_are_those_of_the_log(ariadne, tmp_path):
    make(tmp_path / "a table %41")
    source = f"delta('{tmp_path / 'a table %41'}')"
    answer = ariadne.json("sql", f"SELECT count(*), sum(id), count(day), min(day) FROM {source}")
    everything = sum(range(200)) - 0 - 5 - 99
    assert answer["data"] == [[197, str(everything), 97, "2024-02-29"]]
    rows = ariadne.json(
        "sql", f"SELECT id, \"a name\", amount FROM {source} WHERE id IN (4, 5, 6) ORDER BY id"
    )["data"]
    assert rows == [[4, "n4", 1.0], [6, "n6", 1.5]]
    described = ariadne.json("sql", f"DESCRIBE SELECT * FROM {source}")["data"]
    assert [row[0] for row in described] == list(COLUMNS)
    (counted,) = ariadne.json("sql", f"SELECT count(*) FROM {source} WHERE day = DATE '2024-02-29'")["data"]
    assert counted == [97]


def test_a_table_without_mapping_or_vectors_is_read_too(ariadne, tmp_path):
    columns = {"id": ("id", pa.int64()), "s": ("s", pa.string())}
    table = DeltaTable(tmp_path / "plain", columns, mapping="none")
    table.write("a.parquet", {"id": [1, 2, None], "s": ["x", None, "NULL"]})
    answer = ariadne.json("sql", f"SELECT * FROM delta('{tmp_path / 'plain'}') ORDER BY id")
    assert answer["data"] == [[1, "x"], [2, None], [None, "NULL"]]


def test_what_is_no_delta_table_is_refused_with_its_name(ariadne, tmp_path):
    assert "there is no Delta table at" in ariadne.refused(
        "sql", f"FROM delta('{tmp_path / 'none'}')", code=FAILED
    )
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.txt").write_text("x")
    message = ariadne.refused("sql", f"FROM delta('{tmp_path / 'other'}')", code=FAILED)
    assert f"scan('{tmp_path / 'other'}')" in message and "move the folder away" not in message
    (tmp_path / "other" / "_delta_log").mkdir()
    (tmp_path / "other" / "_delta_log" / f"{0:020}.json").write_text("garbage")
    assert "no readable Delta table" in ariadne.refused(
        "sql", f"FROM delta('{tmp_path / 'other'}')", code=FAILED
    )
    assert "needs the path" in ariadne.refused("sql", "FROM delta(NULL)", code=FAILED)


def test_deleted_rows_are_indexed_and_a_rename_keeps_the_index(ariadne, tmp_path):
    table, first = make(tmp_path / "t")
    source = f"delta('{tmp_path / 't'}')"
    options = [*SWITCHES, "--row-group-persistence"]
    # Row 5 is deleted: the query that builds must not see it, and the index must hold it.
    assert ariadne.json("sql", f"SELECT count(*) FROM {source} WHERE id = 5", *options)["data"] == [[0]]
    # A vector that gives the row back: the index of the same file answers for it.
    table.delete(first, [7])
    count = f"SELECT count(*) FROM {source} WHERE id = 5; "
    counters = "SELECT counter, value FROM ariadne_row_group_counters() WHERE counter IN ('hit', 'built')"
    assert ariadne.json("sql", count, *options)["data"] == [[1]]
    hit = dict(ariadne.json("sql", count + counters, *options)["data"])
    assert hit["hit"] > 0 and hit["built"] == 0
    # The column under another name, and another column under its name.
    renamed = {"amount": COLUMNS["id"], "a name": COLUMNS["a name"], "id": COLUMNS["amount"], "day": COLUMNS["day"]}
    other = DeltaTable(tmp_path / "scratch", renamed, partitions=["day"])
    table.commit([{"metaData": other.metadata}])
    query = f"SELECT count(*), min(id) FROM {source} WHERE amount = 5; "
    assert ariadne.json("sql", query, *options)["data"] == [[1, 1.25]]
    hit = dict(ariadne.json("sql", query + counters, *options)["data"])
    assert hit["hit"] > 0 and hit["built"] == 0
    assert ariadne.json("sql", f"SELECT count(*) FROM {source} WHERE id = 5", *options)["data"] == [[2]]


@pytest.mark.parametrize("seed", range(4))
def test_random_vectors_and_questions_have_the_answers_of_the_rows_that_are_left(seed, ariadne, tmp_path):
    rng = random.Random(seed)
    table = DeltaTable(tmp_path / "t", COLUMNS, partitions=["day"])
    kept, files = {}, []

    def rows_of(number, deleted):
        return [row for place, row in enumerate(files[number][1]) if place not in deleted]

    for number in range(3):
        count = rng.choice([1, 60, 3000])
        rows = [
            (rng.randint(0, 500), rng.choice([None, "", "ä", "n1", "n2"]), rng.choice([None, 0.5, -0.0, 2.0]))
            for _ in range(count)
        ]
        ids, names, amounts = zip(*rows)
        deleted = set(rng.sample(range(count), rng.randint(0, count)))
        add = table.write(
            f"f{number}.parquet", {"id": list(ids), "a name": list(names), "amount": list(amounts)},
            partition={"day": "2024-01-01"}, deleted=deleted, row_group_size=500,
            use_dictionary=rng.random() < 0.5,
        )  # fmt: skip
        files.append((add, rows))
        kept[number] = rows_of(number, deleted)
    statements, expected = [], []
    for _ in range(3):
        questions = []
        for _ in range(6):
            number, name = rng.randint(0, 500), rng.choice(["", "ä", "n1", "n9"])
            questions += [
                (f"id = {number}", lambda row, n=number: row[0] == n),
                (f"id + 1 = {number}", lambda row, n=number: row[0] + 1 == n),
                (f"\"a name\" = '{name}' AND id < {number}", lambda row, n=number, s=name: row[1] == s and row[0] < n),
                (f"amount = 0 AND id IN ({number}, 7)", lambda row, n=number: row[2] == 0 and row[0] in (n, 7)),
            ]
        rng.shuffle(questions)
        rows = [row for number in kept for row in kept[number]]
        session = []
        for condition, passes in questions:
            session.append(
                f"SELECT {len(session)} AS i, count(*) AS n FROM delta('{tmp_path / 't'}') WHERE {condition}"
            )
            expected.append(sum(passes(row) for row in rows))
        answer = ariadne.json("sql", " UNION ALL ".join(session), *SWITCHES, "--row-group-persistence")
        statements += [row[1] for row in sorted(answer["data"])]
        number = rng.randrange(3)
        add, rows = files[number]
        deleted = set(rng.sample(range(len(rows)), rng.randint(1, len(rows))))
        files[number] = (table.delete(add, deleted), rows)
        kept[number] = rows_of(number, deleted)
    assert statements == expected
