"""What a person is told who asks for what is not there, or writes a command that is none."""


import json
import os
import shutil
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import DONE, FAILED, NOT_FOUND, USAGE


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    for part in range(2):
        columns = {"id": [part, part + 10], "name": ["a", "b"], "a:b": [1, 2]}
        pq.write_table(pa.table(columns), folder / f"{part}.parquet")
    return folder


@pytest.fixture
def ariadne(tmp_path, lake):
    bound = command_line.Ariadne(tmp_path / "root")
    bound.ok("create", "ix", "--schema-from", lake, "--regular", "id")
    bound.ok("add", "ix", lake)
    bound.ok("update", "ix")
    return bound


def test_a_root_that_is_not_there_is_named(tmp_path):
    nowhere = command_line.Ariadne(tmp_path / "no where")
    for command in (["list"], ["describe"], ["find", "x.parquet"]):
        result = nowhere.ok(*command, code=DONE)
        assert f"{tmp_path}/no where: there is no such folder" in result.stderr, result
        assert not any(nowhere.json(*command)["indexes"])
    (tmp_path / "no where").mkdir()
    assert "no such folder" not in nowhere.ok("list").stderr
    assert "is the root the right one" in nowhere.refused("update", "ix", code=NOT_FOUND)


def test_an_empty_folder_is_called_empty(ariadne, tmp_path):
    empty = tmp_path / "empty %20"
    (empty / "below").mkdir(parents=True)
    for command in (["add", "ix", empty], ["create", "x", "--schema-from", f"{empty}/"], ["sync", "ix", empty / "below"]):
        message = ariadne.refused(*command, code=NOT_FOUND)
        assert "is empty" in message and "empty %20" in message and "no file or folder" not in message
    assert "no file or folder" in ariadne.refused("add", "ix", empty / "none", code=NOT_FOUND)
    (empty / "below" / "part-0").touch()
    for folder in (empty, empty / "below"):
        message = ariadne.refused("add", "ix", folder, code=NOT_FOUND)
        assert "is empty" not in message and "part-0'" in message and "without a suffix" in message


def test_an_answer_that_is_empty_is_an_answer(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text("id\n77\n")
    for command in (["locate", "ix", "--where", "id=77"], ["join", "ix", keys, "--on", "id"], ["find", tmp_path / "x"]):
        ariadne.ok(*command, code=DONE)
    assert "no index tracks" in ariadne.ok("find", tmp_path / "x").stderr


@pytest.mark.parametrize("format_", ["csv", "json"])
def test_files_of_another_format_by_their_suffix_are_refused_by_name(tmp_path, format_):
    lake = tmp_path / "lake"
    lake.mkdir()
    line = "id\n1\n" if format_ == "csv" else '{"id": "1"}\n'
    for name in (f"a.{format_}", "b.data", "c"):
        (lake / name).write_text(line)
    ariadne = command_line.Ariadne(tmp_path / "root")
    options = ["--option", "header=true"] if format_ == "csv" else []
    ariadne.ok("create", "ix", "--format", format_, *options, "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "ix", lake)
    others = ["x.parquet", "x.snappy.PARQUET", "x.orc", "x.json.gz" if format_ == "csv" else "x.csv.gz"]
    for name in others:
        (lake / name).write_bytes(b"PAR1")
        for command in (["add", "ix", lake], ["add", "ix", lake / name], ["sync", "ix", lake], ["sync", "ix", lake, "--dry-run"],
                        ["create", "x", "--format", format_, "--schema-from", lake]):  # fmt: skip
            message = ariadne.refused(*command, code=FAILED)
            assert name in message and f"lake/*.{format_}" in message, message
        (lake / name).unlink()
    assert ariadne.json("describe", "ix")["tracked_files"] == 3


def test_a_temporal_column_may_go_by_texts(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    for part, at in enumerate(["2024-02", "2024-10", "2024-1"]):
        pq.write_table(pa.table({"key": ["k"], "at": [at]}), lake / f"{part}.parquet")
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", "--schema-from", lake, "--temporal", "key:at")
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    keys = tmp_path / "keys.csv"
    keys.write_text("key\nk\n")
    assert ariadne.json("join", "ix", keys, "--on", "key")["data"] == [["k", "2024-10"]]


def test_a_column_without_an_index_is_told_how_to_get_one(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text("name,nope\na,b\n")
    for command in (["locate", "ix", "--where", "name=a"], ["join", "ix", keys, "--on", "name"]):
        message = ariadne.refused(*command, code=NOT_FOUND)
        assert "ariadne declare ix --regular name" in message and '"id"' in message
    ariadne.ok("declare", "ix", "--regular", "name")
    for command in (["locate", "ix", "--where", "nope=a"], ["join", "ix", keys, "--on", "nope"]):
        assert "ariadne describe ix" in ariadne.refused(*command, code=NOT_FOUND)


def test_a_rate_that_is_none_is_called_so(ariadne, lake):
    for flags in (["declare", "ix"], ["create", "y", "--schema-from", lake]):
        for text, word in (("name:abc", "abc"), ("name:1%", "1%"), ("name:", "''")):
            message = ariadne.refused(*flags, "--bloom", text, code=USAGE)
            assert word in message and "false positive rate" in message
    ariadne.ok("declare", "ix", "--bloom", "a:b")


@pytest.mark.parametrize("damage", ["{", "[]", "", '{"format": 3}', '{"bloom_indexes": [{}]}', '{"indexes": 5}'])
def test_damaged_metadata_is_told_in_words(ariadne, tmp_path, damage):
    (tmp_path / "root" / "indexes" / "ix" / "metadata.json").write_text(damage)
    for command in (["describe", "ix"], ["locate", "ix", "--where", "id=1"], ["describe"]):
        message = ariadne.refused(*command, code=FAILED)
        assert "metadata.json" in message and "json.exception" not in message, message


def test_words_that_no_command_takes_are_given_back_in_their_order(ariadne):
    for words, said in (
        (["update", "ix", "second", "third"], "'second', 'third'"),
        (["list", "second"], "'second'"),
        (["locate", "ix", "--where", "id=1", "--frob", "x"], "--frob"),
        (["frob", "x"], "'frob'"),
    ):
        result = ariadne.ok(*words, code=USAGE)
        assert said in result.stderr and "see: ariadne" in result.stderr, result


def test_one_row_is_one_row(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text("id\n1\n")
    assert "wrote 1 row to" in ariadne.ok("join", "ix", keys, "--on", "id", "-o", tmp_path / "o.csv").stderr
    assert "wrote 1 row to" in ariadne.ok("sql", "SELECT 1", "-o", tmp_path / "o.csv").stderr


def test_columns_come_in_the_order_of_select(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text("id,own\n1,x\n")
    for select in ("a:b,name", "name,a:b"):
        answer = ariadne.json("join", "ix", keys, "--on", "id", "--select", select)
        assert [column["name"] for column in answer["columns"]] == ["id", *select.split(","), "own"]


def test_an_unindexed_file_that_cannot_be_read_is_told_what_to_do(ariadne, lake, tmp_path):
    (lake / "empty 100%.parquet").write_bytes(b"")
    (lake / "closed.parquet").write_bytes(b"PAR1 nothing of the kind PAR1")
    keys = tmp_path / "keys.csv"
    keys.write_text("id\n1\n")
    for name in ("empty 100%.parquet", "closed.parquet"):
        ariadne.ok("add", "ix", lake / name)
        result = ariadne.ok("update", "ix", code=command_line.SOME_FILES_FAILED)
        assert "1 file stays a candidate" in result.stderr
        for more in ([], ["--json"], ["-o", tmp_path / "out.csv"]):
            message = ariadne.refused("join", "ix", keys, "--on", "id", *more, code=FAILED)
            assert name in message and "--unindexed exclude" in message and "ariadne delete" in message
            assert ariadne.json("--unindexed", "exclude", "join", "ix", keys, "--on", "id")["rows"] == 1
        ariadne.ok("delete", "ix", lake / name)


def test_a_file_that_may_not_be_read_leaves_the_others_to_an_update(ariadne, lake, tmp_path):
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
    mortal = [] if os.geteuid() else drop
    shutil.copy(lake / "0.parquet", lake / "2.parquet")
    shutil.copy(lake / "0.parquet", lake / "3.parquet")
    ariadne.ok("add", "ix", lake)
    (lake / "2.parquet").chmod(0)
    done = subprocess.run([*mortal, *ariadne.command("--json", "update", "ix")], capture_output=True, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == command_line.SOME_FILES_FAILED and report["files_indexed"] == 1
    assert [each["file"].rsplit("/")[-1] for each in report["files_failed"]] == ["2.parquet"]
    assert "denied" in report["files_failed"][0]["error"]


def test_a_folder_for_temporary_files_that_is_none_is_named(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text("id\n1\n")
    ariadne.env["TMPDIR"] = str(tmp_path / "none")
    assert "TMPDIR" in ariadne.refused("join", "ix", keys, "--on", "id", code=FAILED)
