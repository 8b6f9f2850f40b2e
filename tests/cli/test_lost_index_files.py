"""Files of the index itself that are damaged or gone: no command answers a wrong no, each that cannot go on names what
is lost and the way out, and the way out leads out."""

import os
import pathlib
import re
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import FAILED

FOLDERS = {
    "main": "indexes/ix/index",
    "large": "indexes/ix/large_indexes/id",
    "staging": "indexes/ix/staging",
    "file list": "filelists/[ariadne_index] ix",
    "notes": "indexes/ix/native/file_states",
}


def cut(path):
    path.write_bytes(path.read_bytes()[:-20])


def fill_with_zeros(path):
    path.write_bytes(bytes(path.stat().st_size))


FAULTS = {"gone": os.unlink, "cut": cut, "of zeros": fill_with_zeros}
FILES = {"data": "*.parquet", "log": "_delta_log/*0.json"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A lake of three files, of which the first has a large index, each indexed by an update of its own."""
    tmp = tmp_path_factory.mktemp("lost")
    lake = tmp / "a lake 100% ü"
    lake.mkdir()
    for number in range(3):
        ids = list(range(number * 1000, number * 1000 + (20 if number else 200)))
        table = pa.table({"id": ids, "s": [f"s{number}" for _ in ids], "n": ids})
        pq.write_table(table, lake / f"f {number} %é.parquet")
    ariadne = command_line.Ariadne(tmp / "root", options=["--large-index-limit", "100"])
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id", "--regular", "s", "--range", "n")
    for file in sorted(lake.iterdir()):
        ariadne.ok("add", "ix", file)
        ariadne.ok("update", "ix")
    return tmp


@pytest.fixture
def ariadne(made, tmp_path):
    shutil.copytree(made / "root", tmp_path / "root")
    return command_line.Ariadne(tmp_path / "root", options=["--large-index-limit", "100"])


def numbers(files):
    return [int(pathlib.PurePosixPath(file).name[4]) for file in files]


QUESTIONS = [
    (["locate", "ix", "--where", "id=7"], [0]),
    (["locate", "ix", "--where", "s=s1"], [1]),
    (["locate", "ix", "--where", "n=2003"], [2]),
]


def answers(ariadne):
    """Of each question the files; None where it is refused."""
    found = []
    for question, _ in QUESTIONS:
        result = ariadne.run("--json", *question)
        found.append(numbers(result.json["files"]) if result.code == 0 else None)
        if result.code != 0:
            assert result.code == FAILED and "Traceback" not in result.stderr, result
    return found


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("table", FOLDERS)
def test_a_lost_file_of_the_index_is_named_with_the_way_out(made, ariadne, tmp_path, table, file, fault):
    folder = tmp_path / "root" / FOLDERS[table]
    if table == "staging":
        # What a process that was killed may leave: rows of staging, in no order.
        shutil.copytree(tmp_path / "root" / FOLDERS["main"], folder)
    lost = min(folder.glob(FILES[file]))
    FAULTS[fault](lost)
    for unindexed in ("include", "exclude"):
        asked = command_line.Ariadne(tmp_path / "root", unindexed=unindexed)
        for (_, expected), found in zip(QUESTIONS, answers(asked)):
            assert found is None or set(expected) <= set(found), (unindexed, expected, found)

    lake = made / "a lake 100% ü"
    commands = [
        ["update", "ix"], ["stats", "ix"], ["sync", "ix", lake], ["compact", "ix"], ["files", "ix"], ["describe", "ix"],
        ["delete", "ix", lake / "f 2 %é.parquet"],
    ]  # fmt: skip
    way = None
    for command in commands:
        before = tmp_path / "before"
        shutil.copytree(tmp_path / "root", before)
        result = ariadne.run(*command)
        if result.code != 0:
            assert result.code == FAILED, result
            assert str(folder) in result.stderr, result
            assert "take it out of the index" not in result.stderr, result
            way = re.search(r"remove the folder file://(.*), and ('ariadne (.*?)'|run the command)", result.stderr, re.S)
            assert way and way[1] == str(folder), result
        shutil.rmtree(tmp_path / "root")
        before.rename(tmp_path / "root")
    if way is None:
        assert table == "notes"  # Read where they are, needed by none of these.
        shutil.rmtree(folder)
    else:
        shutil.rmtree(way[1])
    if way is None or way[3] is None:
        ariadne.ok("delete", "ix", "nowhere.parquet")
    elif way[3].startswith("add"):
        assert way[3] == "add ix PATH..."
        ariadne.ok("add", "ix", lake)
    else:
        ariadne.ok(*way[3].split())
    assert ariadne.json("sync", "ix", lake)["changed"] == []
    assert answers(ariadne) == [expected for _, expected in QUESTIONS]
    described = ariadne.json("describe", "ix")
    assert described["tracked_files"] == described["indexed_files"] == 3
    assert {column["Column"]: column["FileCount"] for column in ariadne.json("stats", "ix")["columns"]}["id"] == 3


def test_lost_metadata_is_named_with_the_way_out(made, ariadne, tmp_path):
    metadata = tmp_path / "root" / "indexes" / "ix" / "metadata.json"
    cut(metadata)
    for command in (["locate", "ix", "--where", "id=7"], ["update", "ix"], ["stats", "ix"], ["files", "ix"]):
        message = ariadne.refused(*command, code=FAILED)
        assert str(metadata) in message and "remove the index and build it again" in message
    ariadne.ok("remove", "ix", "--yes")
    lake = made / "a lake 100% ü"
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id", "--regular", "s", "--range", "n")
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    assert answers(ariadne) == [expected for _, expected in QUESTIONS]
