"""Where `join -o` writes, and where it refuses to."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import FAILED, USAGE


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "a lake 100%"
    folder.mkdir()
    for part in range(2):
        ids = pa.array(range(part * 10, part * 10 + 10), pa.int64())
        pq.write_table(pa.table({"id": ids}), folder / f"part {part}.parquet")
    return folder


@pytest.fixture
def ariadne(tmp_path, lake):
    bound = command_line.Ariadne(tmp_path / "root")
    bound.ok("create", "ix", "--schema-from", lake, "--regular", "id")
    bound.ok("add", "ix", lake)
    bound.ok("update", "ix")
    return bound


@pytest.fixture
def keys(tmp_path):
    path = tmp_path / "keys.csv"
    path.write_text("id\n3\n14\n")
    return path


def contents(*folders):
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in files}


def test_rows_replace_no_file_that_the_join_reads_or_that_an_index_owns(
    ariadne, lake, keys, tmp_path
):
    (tmp_path / "link").symlink_to(lake)
    (tmp_path / "elsewhere").mkdir()
    pq.write_table(pa.table({"id": pa.array([3], pa.int64())}), tmp_path / "elsewhere/own.parquet")
    ariadne.ok("create", "other", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "other", tmp_path / "elsewhere")
    before = contents(tmp_path)
    for output, why in (
        (keys, "file of the keys"),
        (tmp_path / "elsewhere" / ".." / "keys.csv", "file of the keys"),
        (lake / "part 0.parquet", 'index "ix" tracks'),
        (f"file://{lake}/part 1.parquet".replace(" ", "%20").replace("100%/", "100%25/"), "tracks"),
        (tmp_path / "link" / "part 0.parquet", 'index "ix" tracks'),
        (tmp_path / "elsewhere" / "own.parquet", 'index "other" tracks'),
        (tmp_path / "root" / "indexes" / "ix" / "metadata.json", "among the indexes"),
        (tmp_path / "root" / "filelists" / "x.parquet", "among the indexes"),
    ):
        message = ariadne.refused("join", "ix", keys, "--on", "id", "-o", output, code=USAGE)
        assert why in message and str(output) in message, message
        if "keys" in why:
            continue
        message = ariadne.refused("sql", "SELECT 1 AS one", "-o", output, code=USAGE)
        assert str(output) in message, message
    assert contents(tmp_path) == before


def test_rows_replace_a_file_that_nobody_tracks_and_may_stand_beside_the_lake(
    ariadne, lake, keys, tmp_path
):
    for output in (tmp_path / "out.csv", lake / "out.csv"):
        for _ in range(2):
            ariadne.ok("join", "ix", keys, "--on", "id", "-o", output)
        assert output.read_text().split() == ["id", "3", "14"] or sorted(
            output.read_text().split()
        ) == ["14", "3", "id"]


def test_a_lake_seen_through_a_path_map_is_not_overwritten_either(lake, keys, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root", path_map=[f"/gone={lake}"])
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "ix", "/gone/part 0.parquet")
    before = contents(lake)
    ariadne.refused(
        "join", "ix", keys, "--on", "id", "-o", lake / "part 0.parquet", code=USAGE
    )
    assert contents(lake) == before


def test_no_folder_is_made_for_rows(ariadne, keys, tmp_path):
    output = tmp_path / "new" / "folder" / "out.csv"
    message = ariadne.refused("join", "ix", keys, "--on", "id", "-o", output, code=USAGE)
    assert str(output.parent) in message and "does not exist" in message
    assert not (tmp_path / "new").exists()


def test_a_place_where_no_file_can_be_made_is_said_at_once(ariadne, keys, tmp_path):
    (tmp_path / "a file").write_text("x")
    for output in ("/proc/x.csv", tmp_path / "a file" / "x.csv"):
        message = ariadne.refused(
            "join", "ix", keys, "--on", "id", "-o", output, code=FAILED
        )
        assert message.count(str(output)) == 1, message
        assert "no file can be made" in message and os.path.dirname(output) in message
        assert "does not exist" not in message.replace("(No such file", "")
