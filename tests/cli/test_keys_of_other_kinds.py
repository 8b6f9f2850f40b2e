"""Keys whose bytes no value of the column can be match nothing, beside keys that do."""

import pyarrow as pa
import pyarrow.parquet as pq

import command_line


def test_bytes_that_are_no_text_match_no_text(tmp_path):
    pq.write_table(pa.table({"k": ["x", "ÿ"], "v": [1, 2]}), tmp_path / "data.parquet")
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "t", "--schema-from", tmp_path / "data.parquet", "--regular", "k")
    ariadne.ok("add", "t", tmp_path / "data.parquet")
    ariadne.ok("update", "t")
    keys = [b"x", b"\xff", "ÿ".encode(), b"\xc3", None]
    pq.write_table(pa.table({"k": pa.array(keys, pa.binary())}), tmp_path / "keys.parquet")
    found = ariadne.json("join", "t", tmp_path / "keys.parquet", "--on", "k", "--select", "v")
    assert sorted(row[-1] for row in found["data"]) == [1, 2]
    left = ("--keys-left", "--how", "left")
    every = ariadne.json("join", "t", tmp_path / "keys.parquet", "--on", "k", "--select", "v", *left)
    assert len(every["data"]) == len(keys)
