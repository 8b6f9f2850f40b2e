"""Statistics, catalog and removal on indexes that the JVM library wrote, against its answers."""

import collections
import pathlib

import pytest

import command_line
import recorded

#: Fixtures whose last recorded `stats` is right (in `large` it shows -1 for large columns).
STATS = ["regular", "types_regular", "bloom", "range", "types_bloom", "types_range", "deleted",
         "versions", "csv", "json"]
JVM_COLUMNS = ["Column", "FileCount", "MinValues", "MaxValues", "AvgValues", "MedianValues", "StdDev"]


def bound_to(fixture, tmp_path, storage="storage"):
    folder = recorded.unpack(fixture, tmp_path)
    return command_line.Ariadne(
        folder / storage,
        path_map=[recorded.path_map(fixture, folder)],
        unindexed="exclude",
        env={"HOME": str(tmp_path)},
    )


def recorded_statistics(fixture):
    return [step for step in recorded.steps(fixture) if step["step"] == "stats"]


@pytest.mark.parametrize("fixture", STATS)
def test_statistics_are_those_of_the_jvm_library(fixture, tmp_path):
    steps = recorded_statistics(fixture)
    if not steps:
        pytest.skip("none were recorded")
    storage = "storage_after_delete" if fixture == "deleted" else "storage"
    ariadne = bound_to(fixture, tmp_path, storage)
    columns = ariadne.json("stats", steps[-1]["index"])["columns"]
    ours = [{name: column[name] for name in JVM_COLUMNS} for column in columns
            if "MinValues" in column]
    assert ours == [{name: row[name] for name in JVM_COLUMNS} for row in steps[-1]["rows"]]


@pytest.mark.parametrize("fixture, kind", [
    ("computed", "computed"), ("temporal", "temporal"), ("exploded", "exploded"),
    ("regular", "regular"), ("bloom", "bloom"), ("range", "range"),
])
def test_describe_all_names_the_columns_of_every_kind(fixture, kind, tmp_path):
    ariadne = bound_to(fixture, tmp_path)
    text = ariadne.ok("describe").stdout.splitlines()
    indexes = ariadne.json("describe")["indexes"]
    there = {column["kind"] for index in indexes for column in index["indexes"]}
    titles = text[0].split()
    assert kind in there
    assert set(titles[5:]) == there
    for index in indexes:
        line = next(line for line in text[2:] if line.startswith(index["name"] + " "))
        for column in index["indexes"]:
            assert column["column"] in line, index


def test_describe_all_equals_the_jvm_catalog(tmp_path):
    ariadne = bound_to("catalog", tmp_path)
    step = [s for s in recorded.steps("catalog") if "toDF" in str(s)][-1]
    rows = next(value for value in step.values() if isinstance(value, list))
    described = {i["name"]: i for i in ariadne.json("describe")["indexes"]}
    for row in rows:
        index = described[row["name"]]
        assert index["tracked_files"] == row["file_count"], row
        assert (index["total_indexed_bytes"] if index["total_indexed_bytes"] is not None else -1) == (
            row["total_indexed_file_size"]
        ), row
        kinds = collections.defaultdict(list)
        for column in index["indexes"]:
            kinds[column["kind"]].append(column["column"])
        for kind in ("regular", "bloom", "range", "computed"):
            named = [name.strip() for name in row[f"{kind}_indexes"].split(",")]
            assert sorted(kinds[kind]) == sorted(filter(None, named)), row


def test_find_answers_as_the_jvm_catalog_and_plain_paths_too(tmp_path):
    ariadne = bound_to("catalog", tmp_path, "storage_before_remove")
    prefix = "file:///srv/ariadne-interop/catalog/data"
    expected = {
        "e0.parquet": ["orders"],
        "e1.parquet": ["events v2", "orders"],
        "e2.parquet": ["events v2"],
        "e3.parquet": ["unbuilt-ünï"],
    }
    for name, indexes in expected.items():
        for spelling in (f"{prefix}/{name}", f"{prefix}/{name}".removeprefix("file://"),
                         tmp_path / "catalog" / "data" / name):
            found = ariadne.json("find", spelling)["indexes"]
            assert set(indexes) <= set(found), (spelling, found)


@pytest.mark.parametrize("storage", ["storage_before"])
def test_delete_compact_and_vacuum_end_where_the_jvm_library_ended(storage, tmp_path):
    ariadne = bound_to("deleted", tmp_path, storage)
    prefix = "file:///srv/ariadne-interop/deleted/data/"

    def locate(user):
        files = ariadne.json("locate", "ev", "--where", f"user_id={user}")["files"]
        return recorded.short_names("deleted", files)

    assert ariadne.json("describe", "ev")["total_indexed_bytes"] == 11713
    report = ariadne.json("delete", "ev", prefix + "e1.parquet", prefix + "nonexistent.parquet")
    assert report["deleted"] == 1 and len(report["unknown"]) == 1
    for _ in range(2):
        assert locate("u1") == ["e0.parquet"]
        assert locate("u3") == []
        assert locate("u4") == ["e2.parquet"]
        assert ariadne.json("describe", "ev")["total_indexed_bytes"] == 8795
        ariadne.ok("compact", "ev")
        ariadne.ok("vacuum", "ev", "--retention-hours", "0", "--force")
    data = tmp_path / "deleted" / "storage_before" / "indexes" / "ev" / "index"
    assert len([f for f in data.iterdir() if f.name.endswith(".parquet")]) == 1
    assert not [f for f in data.iterdir() if f.name.endswith(".parquet.crc")]
    # A path where the file really is will do too, which the JVM library ignores.
    assert ariadne.json("delete", "ev", tmp_path / "deleted/data/e2.parquet")["deleted"] == 1
    assert locate("u4") == []


def test_opening_asking_and_statistics_write_nothing(tmp_path):
    ariadne = bound_to("versions", tmp_path)
    root = pathlib.Path(tmp_path) / "versions" / "storage"

    def contents():
        return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    before = contents()
    ariadne.ok("describe", "ev")
    ariadne.ok("describe")
    ariadne.ok("stats", "ev")
    ariadne.ok("locate", "ev", "--where", "user_id=u1")
    ariadne.ok("sync", "ev", "--dry-run")
    assert contents() == before
