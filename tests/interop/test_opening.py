"""How an index that the JVM library wrote behaves here beside its recorded answers."""

import hashlib
import json
import pathlib

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
import recorded


def tree(folder):
    """Everything below a folder: names, bytes and modification times."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder",
        )
        for path in sorted(pathlib.Path(folder).rglob("*"))
    }


@pytest.mark.parametrize("fixture", recorded.NAMES)
def test_asking_writes_nothing(fixture, tmp_path):
    folder = recorded.unpack(fixture, tmp_path / "unpacked")
    _, lake, _, index = opened = recorded.open_fixture(fixture, folder)
    ariadne = opened.ariadne
    column = {
        "ty": "i",
        "ev": "pref" if fixture == "computed" else "user_id",
        "people": "id",
        "orders": "customer",
    }.get(index, "user_id")
    value = lake.values(next(iter(lake.tables)), column)[0]
    keys = tmp_path / "keys.parquet"
    pq.write_table(pa.table({column: [value]}), keys)
    before = tree(folder)
    ariadne.ok("list")
    ariadne.ok("describe", index)
    ariadne.ok("files", index)
    if fixture != "types_range":
        ariadne.ok("locate", index, "--where", f"{column}={value}")
        ariadne.ok("join", index, keys, "--on", column, "-o", tmp_path / "rows.parquet")
    assert tree(folder) == before


@pytest.mark.parametrize("fixture", recorded.NAMES)
def test_the_index_is_listed_and_described(opened, fixture):
    ariadne, lake, _, index = opened(fixture)
    assert index in json.dumps(ariadne.json("list"))
    described = json.dumps(ariadne.json("describe", index))
    for column in lake.schema.names:
        assert column in described
    assert recorded.kind_of(fixture) in described


def test_files_that_no_update_has_seen_are_candidates_unless_told_otherwise(tmp_path):
    folder = recorded.unpack("types_regular", tmp_path)
    empty = "t3_empty.parquet"
    question = ["locate", "ty", "--where", "i=1"]

    def asked(policy):
        return recorded.open_fixture("types_regular", folder, unindexed=policy).ariadne

    for policy, names in ((None, ["t0.parquet", empty]), ("include", ["t0.parquet", empty])):
        answer = asked(policy).json(*question)
        assert recorded.short_names("types_regular", answer["files"]) == names
        assert recorded.short_names("types_regular", answer["unindexed_files"]) == [empty]
        assert answer["total_files"] == 5
    answer = asked("exclude").json(*question)
    assert recorded.short_names("types_regular", answer["files"]) == ["t0.parquet"]
    assert "1" in asked("error").refused(*question, code=command_line.FAILED)


@pytest.mark.parametrize("fixture", ["types_regular", "types_bloom", "types_range"])
def test_an_empty_file_is_indexed_once(fixture, tmp_path):
    opened = recorded.open_fixture(fixture, recorded.unpack(fixture, tmp_path))
    unindexed = opened.ariadne.json("files", "ty", "--unindexed-only")
    assert "t3_empty.parquet" in json.dumps(unindexed)
    assert "t0.parquet" not in json.dumps(unindexed)
    assert opened.ariadne.json("update", "ty")["files_indexed"] == 1
    assert "parquet" not in json.dumps(opened.ariadne.json("files", "ty", "--unindexed-only"))
    before = tree(opened.folder / "storage")
    assert opened.ariadne.json("update", "ty")["files_indexed"] == 0
    assert {name for name in tree(opened.folder / "storage")} == set(before)


@pytest.mark.parametrize("fixture", recorded.NAMES)
def test_an_update_leaves_tables_that_other_delta_readers_open(updated, fixture):
    """Protocol, rows and types stay what they were; the empty file is one row more."""
    opened = updated(fixture)
    table = deltalake.DeltaTable(
        str(opened.folder / "storage" / "indexes" / opened.index / "index")
    )
    recorded_tables = [step for step in recorded.steps(fixture) if step["step"] == "tables"][-1]
    (main,) = [
        found
        for found in recorded_tables["tables"]
        if found["path"] == f"indexes/{opened.index}/index"
    ]
    rows = table.to_pyarrow_table() if "ntz" not in opened.lake.schema.names else None
    if rows is not None:
        assert rows.num_rows == len(opened.ariadne.json("files", opened.index)["files"])
        assert rows.column_names == [field["name"] for field in main["schema"]["fields"]]
    assert table.protocol().min_writer_version == main["detail"][0]["minWriterVersion"]
    assert table.protocol().min_reader_version == main["detail"][0]["minReaderVersion"]


def test_timestamps_in_filters_of_unknown_zone_stay_candidates(tmp_path):
    folder = recorded.unpack("bloom", tmp_path)
    question = ["locate", "ev", "--where", "ts=2024-02-02T00:00:00Z"]
    unknown = recorded.open_fixture("bloom", folder, options=[]).ariadne.json(*question)["files"]
    assert len(unknown) == 4
    known = recorded.open_fixture("bloom", folder).ariadne.json(*question)["files"]
    assert recorded.short_names("bloom", known) == ["e1.parquet"]


def test_one_bad_date_is_null_and_ends_no_update(tmp_path):
    opened = recorded.open_fixture("csv", recorded.unpack("csv", tmp_path))
    report = opened.ariadne.json("update", "baddate")
    assert (report["files_indexed"], report["files_failed"]) == (2, [])
    for question, names in (("id=7", ["c3_baddate.csv"]), ("id=2", ["c0.csv"]), ("id=9", [])):
        answer = opened.ariadne.json("locate", "baddate", "--where", question)
        assert recorded.short_names("csv", answer["files"]) == names
    keys, rows = tmp_path / "keys.parquet", tmp_path / "rows.parquet"
    pq.write_table(pa.table({"id": pa.array([7], pa.int32())}), keys)
    opened.ariadne.ok("join", "baddate", keys, "--on", "id", "--select", "name,day", "-o", rows)
    assert pq.read_table(rows).to_pylist() == [{"id": 7, "name": "q", "day": None}]


def test_thousands_of_values_on_a_range_index_are_answered(opened, tmp_path):
    """The JVM library runs out of memory at 600; its answers below that are these."""
    fixture = opened("range")
    keys = tmp_path / "keys.parquet"
    for count in (50, 400, 600, 1000, 20_000):
        pq.write_table(pa.table({"event_id": [i * 1000 + 3 for i in range(count)]}), keys)
        answer = fixture.ariadne.json("locate", "ev", "--keys", keys, "--on", "event_id")
        assert recorded.short_names("range", answer["files"]) == ["e0.parquet"]
    pq.write_table(pa.table({"event_id": list(range(3, 1503))}), keys)
    answer = fixture.ariadne.json("locate", "ev", "--keys", keys, "--on", "event_id")
    assert len(answer["files"]) == 4


def test_the_path_map_moves_reading_but_not_names(opened):
    answer = opened("regular").ariadne.json("locate", "ev", "--where", "user_id=u3")
    assert answer["files"] == ["file:///srv/ariadne-interop/regular/data/e1.parquet"]


def test_without_the_path_map_a_join_says_which_file_it_cannot_read(opened, tmp_path):
    fixture = opened("regular")
    keys = tmp_path / "keys.parquet"
    pq.write_table(pa.table({"user_id": ["u3"]}), keys)
    unmapped = command_line.Ariadne(fixture.folder / "storage")
    result = unmapped.run("join", "ev", keys, "--on", "user_id", "-o", tmp_path / "out.parquet")
    assert result.code in (command_line.FAILED, command_line.NOT_FOUND), result
    assert "e1.parquet" in result.stderr, result
    assert not (tmp_path / "out.parquet").exists()
