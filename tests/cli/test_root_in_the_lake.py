"""A storage root may lie in the folder of the lake; what it keeps is no data."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import NOT_FOUND


@pytest.mark.parametrize("below", ["", "index", "deep/er root %20"])
def test_what_a_root_keeps_is_no_file_of_the_lake(below, tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    pq.write_table(pa.table({"k": ["a", "b"]}), lake / "data.parquet")
    ariadne = command_line.Ariadne(lake / below)
    for name in ("first", "second"):
        ariadne.ok("create", name, "--schema-from", lake, "--regular", "k")
        ariadne.ok("add", name, lake)
        ariadne.ok("update", name)
    kept = ["--row-group-bloom", "--row-group-persistence"]
    ariadne.ok("sql", "SELECT count(*) FROM first WHERE k = 'a'", *kept)
    for _ in range(2):
        report = ariadne.json("sync", "first", lake)
        assert not report["added"] and not report["changed"] and not report["vanished"], report
    assert ariadne.json("sql", "SELECT count(*) FROM first")["data"] == [[2]]
    assert [file["file"] for file in ariadne.json("files", "first")["files"]] == [
        (lake / "data.parquet").as_uri()
    ]


def test_a_folder_of_nothing_but_a_root_is_said_to_be_that(tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "lake" / "root")
    pq.write_table(pa.table({"k": ["a"]}), tmp_path / "data.parquet")
    ariadne.ok("create", "t", "--schema-from", tmp_path / "data.parquet", "--regular", "k")
    assert "indexes of" in ariadne.refused("add", "t", tmp_path / "lake", code=NOT_FOUND)
