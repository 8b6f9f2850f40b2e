"""Tables over CSV and JSON files: conditions and the keys of joins reach their indexes, and all are
applied to their rows."""

import json
import random

import pytest

import command_line

NAMES = ["a", "b", "ä", "", "NULL", None]


def rows_of(day):
    return [
        {"id": day * 50 + i, "name": NAMES[(day + i) % len(NAMES)], "amount": (day * 50 + i) / 4}
        for i in range(50)
    ]


@pytest.fixture(scope="module", params=["csv", "json"])
def lake(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    data = folder / "a lake 100%"
    data.mkdir()
    for day in range(6):
        path = data / f"day {day}.{request.param}"
        if request.param == "json":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows_of(day)))
        else:
            cell = lambda value: "" if value is None else f'"{value}"' if value == "" else str(value)
            lines = [",".join(map(cell, row.values())) for row in rows_of(day)]
            path.write_text("\n".join(["id,name,amount", *lines]) + "\n")
    ariadne = command_line.Ariadne(folder / "root")
    schema = folder / "schema.json"
    fields = [("id", "long"), ("name", "string"), ("amount", "double")]
    schema.write_text(json.dumps({"type": "struct", "fields": [
        {"name": name, "type": type, "nullable": True, "metadata": {}} for name, type in fields
    ]}))  # fmt: skip
    options = ["--option", "header=true"] if request.param == "csv" else []
    ariadne.ok(
        "create", "t", "--format", request.param, *options, "--schema", schema,
        "--range", "id", "--computed", "five=id % 5",
    )  # fmt: skip
    ariadne.ok("add", "t", data)
    ariadne.ok("update", "t")
    stored = ariadne.json("sql", "SELECT id, name, amount FROM t ORDER BY id")["data"]
    assert len(stored) == 300
    return ariadne, stored


def files_read(answer):
    (scan,) = [scan for scan in answer["scans"] if scan["table"] == "t"]
    return scan["files"]


def test_the_keys_of_a_join_reach_the_index(lake):
    ariadne, _ = lake
    answer = ariadne.json("sql", "SELECT count(*) FROM t JOIN (VALUES (7), (260)) k(key) ON id = key")
    assert answer["data"] == [[2]] and files_read(answer) == 2
    answer = ariadne.json("sql", "SELECT count(*) FROM t WHERE id IN (SELECT max(id) - 1 FROM t)")
    assert answer["data"] == [[1]]
    answer = ariadne.json("sql", "SELECT count(*) FROM t WHERE id = (SELECT 100 + 1)")
    assert answer["data"] == [[1]] and files_read(answer) == 1
    keys = "(SELECT range AS key FROM range(60, 90))"
    answer = ariadne.json("sql", f"SET dynamic_or_filter_threshold = 5; SELECT count(*) FROM t JOIN {keys} ON id = key")
    assert answer["data"] == [[30]] and files_read(answer) == 1


def test_conditions_are_applied_to_every_row(lake):
    ariadne, stored = lake
    rng = random.Random(7)
    queries, expected = [], []
    for number in range(60):
        low, name = rng.randint(-10, 310), rng.choice(["a", "b", "ä", "", "zz"])
        condition, passes = rng.choice([
            (f"id >= {low}", lambda row, low=low: row[0] >= low),
            (f"name = '{name}'", lambda row, name=name: row[1] == name),
            ("name IS NULL", lambda row: row[1] is None),
            (f"id % 5 = {low % 5} AND amount > {low}", lambda row, low=low: row[0] % 5 == low % 5 and row[2] > low),
            (f"five = {low % 5} AND (name = '{name}' OR id < {low})",
             lambda row, low=low, name=name: row[0] % 5 == low % 5 and (row[1] == name or row[0] < low)),
            (f"id BETWEEN {low} AND {low + 9} AND filename LIKE '%day%'",
             lambda row, low=low: low <= row[0] <= low + 9),
            (f"file_row_number = 3 AND id < {low}", lambda row, low=low: row[0] % 50 == 3 and row[0] < low),
        ])  # fmt: skip
        queries.append(f"SELECT {number} AS i, count(*), sum(id) FROM t WHERE {condition}")
        found = [row[0] for row in stored if passes(row)]
        expected.append([number, len(found), sum(found) if found else None])
    answer = ariadne.json("sql", " UNION ALL ".join(queries))["data"]
    assert sorted([i, n, None if s is None else int(s)] for i, n, s in answer) == expected
