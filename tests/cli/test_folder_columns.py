"""Columns that Hive folders give, also where the files have such a column themselves."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

# What the files hold under the name of the folder's column.
STORED = {
    "text": lambda rows: [f"x{i}" for i in range(rows)],
    "number": lambda rows: list(range(rows)),
    "struct": lambda rows: [{"a": i} for i in range(rows)],
    "null": lambda rows: pa.nulls(rows),
}


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("name", ["dt", "DT"])
def test_the_folder_wins_over_the_file_whatever_the_file_holds(tmp_path, stored, name):
    lake = tmp_path / "lake"
    for day in ("2024-01-01", "2024-01-02", "__HIVE_DEFAULT_PARTITION__"):
        folder = lake / f"dt={day}"
        folder.mkdir(parents=True)
        ids = pa.array([int(day[-1]) if day[0] == "2" else 9] * 4, pa.int64())
        pq.write_table(pa.table({"id": ids, name: STORED[stored](4)}), folder / "part.parquet")
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id", "--regular", name)
    ariadne.ok("add", "ix", lake)
    assert ariadne.json("update", "ix")["files_failed"] == []
    keys = tmp_path / "keys.csv"
    keys.write_text(f"{name}\n2024-01-02\n")
    answer = ariadne.json("join", "ix", keys, "--on", name)
    assert answer["rows"] == 4 and len(answer["files"]) == 1
    names = [column["name"] for column in answer["columns"]]
    assert all(dict(zip(names, row)) == {name: "2024-01-02", "id": 2} for row in answer["data"])
    keys.write_text("id\n1\n9\n")
    answer = ariadne.json("join", "ix", keys, "--on", "id")
    assert sorted(map(str, answer["data"])) == sorted(
        [str([1, "2024-01-01"])] * 4 + [str([9, None])] * 4
    )
