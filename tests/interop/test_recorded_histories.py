"""Answers that were recorded between changes of an index: deletions, backfills, a killed update.

A recorded answer holds for the storage folder that the fixture kept of that moment.
"""

import json
import pathlib

import pyarrow.parquet as pq
import pytest

import command_line
import recorded
from test_recorded_operations import JVM_COLUMNS, bound_to

#: (fixture, storage folder, first and last step that were answered over it).
MOMENTS = [
    ("versions", "storage", 27, 37),
    ("deleted", "storage_after_delete", 7, 13),
    ("deleted", "storage_after_vacuum", 7, 13),
    ("deleted", "storage", 18, 21),
    ("staging", "storage", 4, 20),
    ("staging", "storage_after_update", 22, 40),
]


def answered(fixture, first, last, kind):
    return [step for step in recorded.steps(fixture)[first : last + 1] if step["step"] == kind]


def located(ariadne, fixture, step):
    ((column, values),) = recorded.probe_arrays(step["probe"]).items()
    texts = [str(value).replace("+00:00", "Z") for value in values.to_pylist()]
    (value,) = texts
    files = ariadne.json("locate", step["index"], "--where", f"{column}={value}")["files"]
    return recorded.short_names(fixture, files)


def unindexed(ariadne, fixture, index):
    files = ariadne.json("files", index, "--unindexed-only")["files"]
    return sorted(recorded.short_names(fixture, [file["file"] for file in files]))


def recorded_total(step):
    content = step["content"]
    content = json.loads(content) if isinstance(content, str) else content
    return content["total_indexed_file_size"]


def check(ariadne, fixture, first, last, total=None):
    """`total`: bytes of the indexed files, where the recorded number is wrong."""
    for step in answered(fixture, first, last, "locateFiles"):
        assert located(ariadne, fixture, step) == step["files"], step
    for step in answered(fixture, first, last, "stats")[-1:]:
        columns = ariadne.json("stats", step["index"])["columns"]
        ours = [
            {name: column[name] for name in JVM_COLUMNS}
            for column in columns
            if "MinValues" in column
        ]
        assert ours == [{name: row[name] for name in JVM_COLUMNS} for row in step["rows"]]
    for step in answered(fixture, first, last, "act"):
        if step["what"].startswith("unindexedFiles("):
            index = step["what"][15:-1]
            assert unindexed(ariadne, fixture, index) == step["result"], step
    for step in answered(fixture, first, last, "metadata.json")[-1:]:
        described = ariadne.json("describe", step["index"])
        assert described["total_indexed_bytes"] == (total or recorded_total(step))


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: f"{moment[0]}-{moment[1]}")
def test_answers_between_changes_are_those_recorded(moment, tmp_path):
    fixture, storage, first, last = moment
    check(bound_to(fixture, tmp_path, storage), fixture, first, last)


def test_staging_that_a_killed_jvm_left_is_recovered_as_the_jvm_library_does(tmp_path):
    """Its lock is stale, two batches wait in staging, and total size and counter are behind."""
    ariadne = bound_to("staging", tmp_path)
    ariadne.options += ["--large-index-limit", "8", "--lock-timeout", "1"]
    root = tmp_path / "staging" / "storage" / "indexes" / "ev"
    assert (root / ".update.lock").is_file()
    staged = [file for file in (root / "staging").glob("*.parquet")]
    rows = sum(pq.read_metadata(file).num_rows for file in staged)
    assert ariadne.json("update", "ev")["files_indexed"] == 10 - rows
    data = tmp_path / "staging" / "data"
    check(ariadne, "staging", 22, 40, total=sum(file.stat().st_size for file in data.iterdir()))
    assert not (root / "staging").exists()
    assert not (root / ".update.lock").exists()
    assert ariadne.json("update", "ev")["files_indexed"] == 0


def test_staging_that_a_killed_jvm_left_is_cleaned_of_deleted_files(tmp_path):
    ariadne = bound_to("staging", tmp_path)
    ariadne.options += ["--large-index-limit", "8", "--lock-timeout", "1"]
    prefix = "file:///srv/ariadne-interop/staging/data/"
    assert ariadne.json("delete", "ev", *(f"{prefix}e{i}.parquet" for i in range(5)))["deleted"] == 5
    assert ariadne.json("update", "ev")["files_indexed"] <= 5
    for step in answered("staging", 24, 35, "locateFiles"):
        gone = {f"e{i}.parquet" for i in range(5)}
        expected = [file for file in step["files"] if file not in gone]
        assert located(ariadne, "staging", step) == expected, step


#: Index of `paths` -> data files behind its entries, however they are spelled there.
PATHS = {
    "uri3": ["e0.parquet", "e1.parquet"],
    "plain": ["e0.parquet"],
    "uri1": ["e0.parquet", "e1.parquet"],
    "space": ["e0.parquet", "sp ace ünï.parquet"],
    "glob": ["e0.parquet", "e1.parquet"],
    "bloom_plain": ["e0.parquet"],
    "bloom_space": ["e0.parquet", "sp ace ünï.parquet"],
    "directory": ["e0.parquet", "e1.parquet", "e2.parquet", "e3.parquet", "sp ace ünï.parquet"],
}


@pytest.mark.parametrize("index", PATHS)
def test_every_spelling_of_a_name_is_the_same_file(index, tmp_path):
    """Where the JVM library indexes a file again and again, or fails, or never finds it."""
    ariadne = bound_to("paths", tmp_path)
    data = tmp_path / "paths" / "data"
    for _ in range(2):
        ariadne.ok("update", index)
        assert ariadne.json("files", index, "--unindexed-only")["files"] == []
        described = ariadne.json("describe", index)
        assert described["tracked_files"] == described["indexed_files"] == len(PATHS[index])
        if not index.startswith("bloom"):  # There the JVM library noted a size of 0.
            sizes = [(data / file).stat().st_size for file in PATHS[index]]
            assert described["total_indexed_bytes"] == sum(sizes)
    assert ariadne.json("update", index)["files_indexed"] == 0
    users = {
        file: set(pq.read_table(data / file)["user_id"].to_pylist()) for file in PATHS[index]
    }
    for user in ("u1", "ü6-ß", "nobody"):
        files = ariadne.json("locate", index, "--where", f"user_id={user}")["files"]
        named = {pathlib.PurePosixPath(f).name.replace("%20", " ") for f in files}
        assert named == {file for file, held in users.items() if user in held}, user


#: Index of a fixture -> unindexed files as last recorded, where the storage has not changed since.
UNINDEXED = sorted(
    {
        (fixture, step["what"][15:-1])
        for fixture in recorded.NAMES
        for step in recorded.steps(fixture)
        if step["step"] == "act" and step["what"].startswith("unindexedFiles(")
    }
)


@pytest.mark.parametrize("fixture, index", UNINDEXED)
def test_unindexed_files_are_those_of_the_jvm_library(opened, fixture, index):
    recorded_files = [
        step["result"]
        for step in recorded.steps(fixture)
        if step["step"] == "act" and step["what"] == f"unindexedFiles({index})"
    ][-1]
    assert unindexed(opened(fixture).ariadne, fixture, index) == recorded_files


STATISTICS = sorted(
    {
        (fixture, step["index"])
        for fixture in ("computed", "temporal", "exploded", "exploded_empty", "large")
        for step in recorded.steps(fixture)
        if step["step"] == "stats"
    }
)


@pytest.mark.parametrize("fixture, index", STATISTICS)
def test_statistics_of_derived_columns_are_those_of_the_jvm_library(opened, fixture, index):
    """Large pairs it counts as -1: there the counts are those of a full scan."""
    fixture_opened = opened(fixture)
    rows = [
        step["rows"]
        for step in recorded.steps(fixture)
        if step["step"] == "stats" and step["index"] == index
    ][-1]
    columns = {
        column["Column"]: column
        for column in fixture_opened.ariadne.json("stats", index)["columns"]
        if "MinValues" in column
    }
    for row in rows:
        ours = columns.pop(row["Column"])
        if row["MinValues"] >= 0 and not recorded.UNTRACKED.get((fixture, index)):
            assert {name: ours[name] for name in JVM_COLUMNS} == row
            continue
        temporal = (fixture, index) in recorded.TEMPORAL
        counts = []
        for file in fixture_opened.lake.tables:
            if file in recorded.UNTRACKED.get((fixture, index), ()):
                continue
            values = set(fixture_opened.lake.values(file, row["Column"]))
            counts.append(len(values if temporal else values - {None}))
        assert (ours["FileCount"], ours["MinValues"], ours["MaxValues"]) == (
            len(counts), min(counts), max(counts))
    assert not columns


CATALOG = {step["what"]: step for step in recorded.steps("catalog") if step["step"] == "act"}


def test_the_catalog_lists_finds_and_refuses_as_the_jvm_library(tmp_path):
    ariadne = bound_to("catalog", tmp_path, "storage_before_remove")
    steps = [step for step in recorded.steps("catalog") if step["step"] == "act"]
    lists = [step["result"] for step in steps if step["what"] == "IndexCatalog.list"]
    names = ariadne.json("list")["indexes"]
    assert sorted(names) == sorted(lists[-2])
    for step in steps:
        what = step["what"]
        if what.startswith("findIndexes(e"):
            name = what[len("findIndexes("):-1]
            found = ariadne.json("find", f"file:///srv/ariadne-interop/catalog/data/{name}")
            assert set(step["result"]) <= set(found["indexes"]), what
    message = ariadne.refused("describe", "zzz", code=command_line.NOT_FOUND)
    assert "zzz" in message
    ariadne.refused("locate", "zzz", "--where", "a=1", code=command_line.NOT_FOUND)
    for name in ("empty", "unbuilt-ünï"):
        ariadne.ok("remove", name, "--yes")
    names = ariadne.json("list")["indexes"]
    assert sorted(names) == sorted(lists[-1])
    ariadne.refused("remove", "zzz", "--yes", code=command_line.NOT_FOUND)


@pytest.mark.parametrize("name", ["a/b", "..", ".hid", " "])
def test_names_that_the_jvm_library_refuses_are_refused(name, tmp_path):
    assert "error" in CATALOG[f"Index name '{name}'"]
    ariadne = bound_to("catalog", tmp_path)
    data = tmp_path / "catalog" / "data"
    message = ariadne.refused("create", name, "--schema-from", data, "--regular", "region",
                              code=command_line.USAGE)
    assert "name" in message


@pytest.mark.parametrize("name", ["a b", "[x]", "per%20cent", "q?*", "a:b"])
def test_names_that_need_escaping_are_names(name, tmp_path):
    """`a:b`, which the JVM library cannot have, too."""
    ariadne = bound_to("catalog", tmp_path)
    data = tmp_path / "catalog" / "data"
    new = f"{name} of ours"
    ariadne.ok("create", new, "--schema-from", data / "e0.parquet", "--regular", "region")
    ariadne.ok("add", new, data / "e0.parquet")
    ariadne.ok("update", new)
    assert ariadne.json("locate", new, "--where", "region=eu")["files"] == []
    if "result" in CATALOG[f"Index name '{name}'"]:
        files = ariadne.json("locate", name, "--where", "region=us-west")["files"]
        assert recorded.short_names("catalog", files) == CATALOG[f"Index name '{name}'"]["result"]
    assert new in ariadne.json("list")["indexes"]
    ariadne.ok("remove", new, "--yes")


def test_declarations_that_the_jvm_library_refuses_are_refused(tmp_path):
    ariadne = bound_to("catalog", tmp_path)
    data = tmp_path / "catalog" / "data"
    for what, arguments in {
        "bloom on indexed column": ["declare", "orders", "--bloom", "user_id"],
        "unknown column": ["declare", "orders", "--regular", "zzz"],
        "nested column": ["declare", "orders", "--regular", "tags.k"],
    }.items():
        assert "error" in CATALOG[what]
        result = ariadne.run(*arguments)
        assert result.code in (command_line.USAGE, command_line.NOT_FOUND), (what, result)
        assert result.stderr.strip()
    assert CATALOG["same column again"]["result"] == "ok"
    ariadne.ok("declare", "orders", "--regular", "user_id")
    assert data.is_dir()
