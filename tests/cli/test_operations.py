"""The commands that look after an index, and its settings, as a person or a script meets them."""

import json
import pathlib
import re
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import DONE, FAILED, NOT_FOUND, USAGE


def write(path, first, rows=10):
    ids = pa.array(range(first, first + rows), pa.int64())
    pq.write_table(pa.table({"id": ids, "name": pa.array([f"n{i}" for i in range(rows)])}), path)


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "a lake"
    folder.mkdir()
    for part in range(4):
        write(folder / f"part-{part} 100%.parquet", part * 10)
    return folder


@pytest.fixture
def ariadne(tmp_path, lake):
    bound = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    bound.ok(
        "create", "ix", "--schema-from", lake, "--regular", "id", "--bloom", "name"
    )
    for part in sorted(lake.iterdir()):
        bound.ok("add", "ix", part)
        bound.ok("update", "ix")
    return bound


def located(ariadne, value):
    files = ariadne.json("locate", "ix", "--where", f"id={value}")["files"]
    return [pathlib.PurePosixPath(file).name[:6] for file in files]


def test_delete_takes_any_spelling_and_says_what_it_did_not_know(ariadne, lake):
    plain = lake / "part-0 100%.parquet"
    report = ariadne.json("delete", "ix", plain, "nowhere.parquet")
    assert report == {"deleted": 1, "unknown": ["nowhere.parquet"]}
    assert located(ariadne, 5) == []
    assert located(ariadne, 15) == ["part-1"]
    assert plain.exists()
    assert "ignored: nowhere" in ariadne.ok("delete", "ix", "nowhere.parquet").stderr
    assert ariadne.json("describe", "ix")["tracked_files"] == 3
    ariadne.refused("delete", "ix", code=USAGE)
    ariadne.refused("delete", "zzz", plain, code=NOT_FOUND)


def test_compact_and_vacuum_change_no_answer(ariadne):
    before = [located(ariadne, value) for value in range(40)]
    assert ariadne.json("compact", "ix")["files_after"] == 1
    assert ariadne.json("compact", "ix")["bytes_rewritten"] == 0
    assert "--force" in ariadne.refused("vacuum", "ix", "--retention-hours", "1", code=USAGE)
    assert ariadne.json("vacuum", "ix")["files"] == []
    force = ("--retention-hours", "0", "--force")
    planned = ariadne.json("vacuum", "ix", *force, "--dry-run")
    done = ariadne.json("vacuum", "ix", *force)
    assert planned["files"] == done["files"] and done["bytes"] > 0
    assert [located(ariadne, value) for value in range(40)] == before


def test_auto_compaction_is_a_setting(ariadne, lake):
    write(lake / "more.parquet", 100)
    ariadne.ok("add", "ix", lake / "more.parquet")
    ariadne.ok("--auto-compact-threshold", "5", "update", "ix")
    assert ariadne.json("compact", "ix")["files_before"] == 1


def test_stats_count_values_filters_and_ranges(ariadne):
    columns = {column["Column"]: column for column in ariadne.json("stats", "ix")["columns"]}
    assert columns["id"]["FileCount"] == 4
    assert columns["id"]["MinValues"] == columns["id"]["MaxValues"] == 10
    assert columns["id"]["AvgValues"] == 10.0 and columns["id"]["StdDev"] == 0.0
    assert 0 < columns["name"]["fill"]["average"] < 1
    assert "id" in ariadne.ok("stats", "ix").stdout
    ariadne.refused("stats", "zzz", code=NOT_FOUND)


def test_sync_makes_the_index_follow_the_lake(ariadne, lake):
    assert ariadne.json("sync", "ix", lake)["unchanged"] == 4
    (lake / "part-0 100%.parquet").unlink()
    write(lake / "part-1 100%.parquet", 500, rows=20)
    write(lake / "part-9.parquet", 900)
    planned = ariadne.json("sync", "ix", lake, "--dry-run")
    assert [len(planned[key]) for key in ("added", "vanished", "changed")] == [1, 1, 1]
    assert located(ariadne, 505) == []
    report = ariadne.json("sync", "ix", lake)
    assert report["files_indexed"] == 2 and report["looked_at"].endswith("Z")
    assert located(ariadne, 505) == ["part-1"]
    assert located(ariadne, 905) == ["part-9"]
    assert located(ariadne, 5) == []
    assert "4 unchanged" in ariadne.ok("sync", "ix").stdout
    shutil.move(lake, f"{lake} elsewhere")
    assert "mounted" in ariadne.refused("sync", "ix", code=FAILED)


def test_find_lists_the_indexes_that_track_a_file(ariadne, lake):
    ariadne.ok("create", "other", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "other", lake / "part-1 100%.parquet")
    path = lake / "part-1 100%.parquet"
    uri = "file://" + str(path).replace("%", "%25").replace(" ", "%20")
    for name in (path, uri, uri.replace("file://", "file:")):
        assert ariadne.json("find", name)["indexes"] == ["ix", "other"]
    assert ariadne.json("find", lake / "part-2 100%.parquet")["indexes"] == ["ix"]
    assert ariadne.json("find", lake / "none")["indexes"] == []


def test_describe_without_a_name_describes_all_and_hides_none(ariadne, tmp_path):
    broken = tmp_path / "root" / "indexes" / "broken"
    broken.mkdir()
    (broken / "metadata.json").write_text("{")
    result = ariadne.json("describe", code=FAILED)
    assert [index["name"] for index in result["indexes"]] == ["ix"]
    assert result["indexes"][0] == ariadne.json("describe", "ix")
    assert "broken" in result["unreadable"][0]
    assert "ix" in ariadne.ok("describe", code=FAILED).stdout


def test_leftovers_without_metadata_are_listed_and_can_be_removed(ariadne, tmp_path):
    assert ariadne.json("list", "--leftovers")["leftovers"] == []
    (tmp_path / "root" / "indexes" / "ix" / "metadata.json").unlink()
    assert ariadne.json("list")["indexes"] == []
    assert ariadne.json("list", "--leftovers")["leftovers"] == ["ix"]
    ariadne.ok("remove", "ix", "--yes")
    assert ariadne.json("list", "--leftovers")["leftovers"] == []


def test_hundreds_of_indexes_are_listed_and_described(ariadne, tmp_path):
    root = tmp_path / "root"
    for number in range(300):
        shutil.copytree(root / "indexes/ix", root / f"indexes/ix{number}")
        shutil.copytree(
            root / "filelists/[ariadne_index] ix", root / f"filelists/[ariadne_index] ix{number}"
        )
    names = sorted(["ix", *(f"ix{number}" for number in range(300))])
    assert sorted(ariadne.json("list")["indexes"]) == names
    described = ariadne.json("describe")["indexes"]
    assert sorted(each["name"] for each in described) == names
    assert len({json.dumps({**each, "name": ""}) for each in described}) == 1


def test_another_schema_is_taken_only_where_it_is_allowed(ariadne, tmp_path):
    wider = tmp_path / "wider.parquet"
    pq.write_table(
        pa.table({"id": pa.array([1]), "name": ["x"], "more": [1.5]}), wider
    )
    message = ariadne.refused("create", "ix", "--schema-from", wider, code=FAILED)
    assert "--allow-schema-mismatch" in message
    ariadne.ok("create", "ix", "--schema-from", wider, "--allow-schema-mismatch")
    names = [column["name"] for column in ariadne.json("describe", "ix")["columns"]]
    assert names == ["id", "name", "more"]
    narrower = tmp_path / "narrower.parquet"
    pq.write_table(pa.table({"name": ["x"], "more": [1.5]}), narrower)
    message = ariadne.refused(
        "create", "ix", "--schema-from", narrower, "--allow-schema-mismatch", code=FAILED
    )
    assert "'id'" in message and "indexed" in message
    other_type = tmp_path / "type.parquet"
    pq.write_table(pa.table({"id": ["1"], "name": ["x"]}), other_type)
    ariadne.refused(
        "create", "ix", "--schema-from", other_type, "--allow-schema-mismatch", code=FAILED
    )
    assert located(ariadne, 5) == ["part-0"]


@pytest.mark.parametrize("name", ["next", "NEXT", "tag"])
def test_a_schema_with_a_column_called_as_derived_values_is_refused(tmp_path, name):
    ariadne = command_line.Ariadne(tmp_path / "root")
    lake = tmp_path / "lake"
    lake.mkdir()
    rows = {"id": [1, 2], "tags": [["a"], ["b"]]}
    pq.write_table(pa.table(rows), lake / "a.parquet")
    ariadne.ok("create", "d", "--schema-from", lake, "--computed", "next=id+1", "--exploded", "tags:tag")
    ariadne.ok("sync", "d", lake)
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({**rows, name: [7, 8]}), other)
    described = ariadne.json("describe", "d")
    message = ariadne.refused("create", "d", "--schema-from", other, "--allow-schema-mismatch", code=FAILED)
    assert f"'{name.lower()}' itself" in message and "another name" in message
    assert ariadne.json("describe", "d") == described
    # One that another program has put there answers nothing wrong either.
    metadata = tmp_path / "root/indexes/d/metadata.json"
    text = json.loads(metadata.read_text())
    schema = json.loads(text["schema"])
    schema["fields"].append({"name": name, "type": "long", "nullable": True, "metadata": {}})
    metadata.write_text(json.dumps({**text, "schema": json.dumps(schema)}))
    keys = tmp_path / "keys.csv"
    for column, value in [("next", "2"), ("tag", "a")]:
        keys.write_text(f"{column}\n{value}\n")
        assert "itself" in ariadne.refused("join", "d", keys, "--on", column, code=FAILED)


def mapped(path, **stored):
    """A schema as Delta's column mapping has it: name=(its name in the files, its type)."""
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {"delta.columnMapping.physicalName": of_files}}
        for name, (of_files, kind) in stored.items()
    ]
    path.write_text(json.dumps({"type": "struct", "fields": fields}))
    return path


def member(name, of_files):
    metadata = {"delta.columnMapping.physicalName": of_files}
    return {"name": name, "type": "long", "nullable": True, "metadata": metadata}


def pair(first, second):
    return {"type": "struct", "fields": [member("a", first), member("b", second)]}


ONE_PAIR = {"x": ("p1", "long"), "z": ("p2", "long"), "s": ("p3", pair("p4", "p5"))}


@pytest.mark.parametrize(
    ("kind", "of", "exchanged"),
    [
        ("--regular", "x", {"x": ("p2", "long"), "z": ("p1", "long")}),
        ("--computed", "y=x+1", {"z": ("p1", "long"), "x": ("p2", "long")}),
        ("--temporal", "z:x", {"x": ("p6", "long")}),
        ("--computed", "y=s.a+1", {"s": ("p3", pair("p5", "p4"))}),
    ],
)
def test_an_indexed_column_stays_the_one_that_it_is_in_the_files(tmp_path, kind, of, exchanged):
    ariadne = command_line.Ariadne(tmp_path / "root")
    first = mapped(tmp_path / "1.json", **ONE_PAIR)
    ariadne.ok("create", "m", "--schema", first, kind, of)
    described = ariadne.json("describe", "m")
    other = {**ONE_PAIR, **exchanged}
    for fields in [other, dict(reversed(other.items()))]:
        second = mapped(tmp_path / "2.json", **fields)
        message = ariadne.refused("create", "m", "--schema", second, code=FAILED)
        assert "another schema" in message
        message = ariadne.refused("create", "m", "--schema", second, "--allow-schema-mismatch", code=FAILED)
        assert "is indexed" in message and "another name" in message
    assert ariadne.json("describe", "m") == described
    # Of what is not indexed the new place is taken.
    ariadne.ok("create", "n", "--schema", first, "--range", "z")
    changed = mapped(tmp_path / "3.json", **{**ONE_PAIR, "x": ("p7", "long")})
    ariadne.refused("create", "n", "--schema", changed, code=FAILED)
    ariadne.ok("create", "n", "--schema", changed, "--allow-schema-mismatch")
    assert "p7" in (tmp_path / "root/indexes/n/metadata.json").read_text()


def test_an_expression_means_the_same_column_under_a_new_schema(tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    first = mapped(tmp_path / "1.json", x=("x", "long"))
    ariadne.ok("create", "c", "--schema", first, "--computed", "y=X+1")
    both = mapped(tmp_path / "2.json", x=("x", "long"), X=("X", "long"))
    message = ariadne.refused("create", "c", "--schema", both, "--allow-schema-mismatch", code=FAILED)
    assert "X+1" in message and "case alone" in message


def test_a_timestamp_with_a_dot_in_its_name_is_one_column(tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    first = mapped(tmp_path / "1.json", **{"k": ("k", "long"), "x.y": ("x.y", "long")})
    ariadne.ok("create", "t", "--schema", first, "--temporal", "k:x.y")
    more = mapped(tmp_path / "2.json", **{"k": ("k", "long"), "x.y": ("x.y", "long"), "z": ("z", "long")})
    ariadne.ok("create", "t", "--schema", more, "--allow-schema-mismatch")


# --- settings ------------------------------------------------------------------------------------


def settings(bound, *arguments, **keywords):
    result = bound.ok("--json", *arguments, "config", **keywords)
    return {s["name"]: (s["value"], s["origin"]) for s in result.json["settings"]}, result.stderr


def test_an_array_with_a_dot_in_its_name_is_one_column(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    pq.write_table(pa.table({"a.tags": [[{"k": "x"}], [{"k": "y"}]], "a.n": [[1], [2]]}), lake / "a.parquet")
    bound = command_line.Ariadne(tmp_path / "root")
    bound.ok("create", "ix", "--schema-from", lake, "--exploded", "a.tags.k:tag")
    bound.ok("declare", "ix", "--exploded", "a.n:number")
    bound.ok("sync", "ix", lake)
    for condition, files in (("tag=x", 1), ("tag=z", 0), ("number=2", 1), ("number=3", 0)):
        assert len(bound.json("locate", "ix", "--where", condition)["files"]) == files
    assert bound.json("sql", "SELECT count(*) FROM ix WHERE number = 2")["data"] == [[1]]


def test_a_flag_wins_over_the_environment_and_that_over_the_file(tmp_path):
    file = tmp_path / "ariadne.properties"
    file.write_text(
        "# comment\n ariadne.largeIndexLimit = 7 \nspark.ariadne.lockTimeout=5\n"
        "ariadne.lockMaxWait=11\nspark.sql.shuffle.partitions = 3\n"
    )
    environment = {"HOME": str(tmp_path), "ARIADNE_LOCK_TIMEOUT": "6", "ARIADNE_LOCK_MAX_WAIT": "12"}
    bound = command_line.Ariadne(tmp_path / "root", env=environment)
    values, warnings = settings(bound, "--lock-max-wait", "13", cwd=tmp_path)
    assert values["ariadne.largeIndexLimit"] == ("7", "file ariadne.properties")
    assert values["ariadne.lockTimeout"] == ("6", "environment ARIADNE_LOCK_TIMEOUT")
    assert values["ariadne.lockMaxWait"] == ("13", "flag --lock-max-wait")
    assert values["ariadne.lockRetryInterval"] == ("60", "default")
    assert values["ariadne.storagePath"] == (str(tmp_path / "root"), "flag --root")
    assert values["ariadne.debug"] == ("false", "default")
    assert warnings == ""
    other = tmp_path / "other.conf"
    other.write_text(
        "! comment\nspark.ariadne.largeIndexLimit   8\nspark.master local[*]\n"
        "ariadne.lockRetryInterval: 9\nariadne.tokenTimeZone\t:\t+02:00\nariadne.threads = 2\n"
    )
    values, warnings = settings(bound, "--config", other, cwd=tmp_path)
    assert values["ariadne.largeIndexLimit"][0] == "8"
    assert values["ariadne.lockRetryInterval"][0] == "9"
    assert values["ariadne.tokenTimeZone"][0] == "+02:00"
    assert values["ariadne.threads"][0] == "2"
    assert warnings == ""
    bound.refused("--config", tmp_path / "none", "config", code=NOT_FOUND)


def test_an_invalid_value_is_warned_of_and_the_default_taken(tmp_path):
    file = tmp_path / "bad.properties"
    file.write_text("ariadne.lockTimeout = soon\nariadne.noSuchThing = 1\nword\n")
    environment = {
        "HOME": str(tmp_path),
        "ARIADNE_LARGE_INDEX_LIMIT": "-1",
        "ARIADNE_AUTO_BLOOM_FPR": "1.5",
        "ARIADNE_DEBUG": "maybe",
        "ARIADNE_INDEX_REPARTITION_COUNT": "0",
    }
    bound = command_line.Ariadne(tmp_path / "root", env=environment)
    values, warnings = settings(bound, "--config", file)
    assert values["ariadne.lockTimeout"] == ("1800", "default")
    assert values["ariadne.largeIndexLimit"] == ("500000", "default")
    assert values["ariadne.autoBloomFpr"] == ("0.01", "default")
    for name in ("lockTimeout", "largeIndexLimit", "autoBloomFpr", "debug", "noSuchThing"):
        assert f"ariadne.{name}" in warnings, warnings
    assert "no 'key = value'" in warnings


def test_the_partition_settings_are_accepted_and_said_to_be_ignored(tmp_path):
    bound = command_line.Ariadne(
        tmp_path / "root", env={"HOME": str(tmp_path), "ARIADNE_INDEX_REPARTITION_COUNT": "200"}
    )
    result = bound.json("--repartition-data-files", "true", "config")
    notes = {s["name"]: s["note"] for s in result["settings"]}
    assert "ignored" in notes["ariadne.indexRepartitionCount"]
    assert "ignored" in notes["ariadne.repartitionDataFiles"]


def test_debug_says_how_long_the_phases_took(ariadne, lake):
    write(lake / "more.parquet", 100)
    ariadne.ok("add", "ix", lake / "more.parquet")
    result = ariadne.ok("--debug", "update", "ix", code=DONE)
    for phase in ("plan", "build", "consolidate"):
        assert f"debug: phase {phase} took" in result.stderr, result
    assert "debug: the command took" in result.stderr


def test_debug_says_how_large_each_file_is_and_how_the_engine_joins(ariadne, lake, tmp_path):
    file = lake / "more.parquet"
    write(file, 100)
    ariadne.ok("add", "ix", file)
    said = ariadne.ok("--debug", "update", "ix").stderr
    assert re.search(rf"debug: read file:.*/more.parquet of {file.stat().st_size} bytes: ", said)
    written = re.findall(r"debug: wrote file://(.*): \d+ (?:rows|values), (\d+) bytes", said)
    kept = [(pathlib.Path(path), int(size)) for path, size in written if pathlib.Path(path).exists()]
    assert {path.suffix for path, _ in kept} == {".parquet", ".lookup"}
    for path, size in kept:
        assert path.stat().st_size == size

    keys = tmp_path / "keys.csv"
    keys.write_text("id\n105\n")
    plan = ariadne.ok("--debug", "join", "ix", keys, "--on", "id").stderr
    assert "debug: the engine runs " in plan
    assert "HASH_JOIN" in plan
    assert "debug: " not in ariadne.ok("join", "ix", keys, "--on", "id").stderr
