"""CSV and JSON lakes: every kind of index, damaged records, read options, schemas."""

import csv
import datetime
import gzip
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
import random_lake
from command_line import FAILED, SOME_FILES_FAILED, USAGE

FIELDS = {
    "id": "long",
    "user": "string",
    "key": "integer",
    "at": "timestamp",
    "price": "decimal(10,2)",
}
ITEM = {"type": "struct", "fields": [
    {"name": "sku", "type": "string", "nullable": True, "metadata": {}},
    {"name": "qty", "type": "integer", "nullable": True, "metadata": {}},
]}
ARRAYS = {"tags": "string", "items": ITEM}


def schema_json(fields):
    return json.dumps({
        "type": "struct",
        "fields": [
            {"name": name, "type": kind, "nullable": True, "metadata": {}}
            for name, kind in fields.items()
        ],
    })


def array_of(kind):
    return {"type": "array", "elementType": kind, "containsNull": True}


def paths(uris):
    return {random_lake.path_of(uri) for uri in uris}


class Lake:
    """Rows known in Python, written as CSV or JSON lines."""

    def __init__(self, folder, format_, seed):
        self.folder, self.format, self.rng = folder, format_, random.Random(seed)
        folder.mkdir(parents=True)
        self.fields = dict(FIELDS)
        if format_ == "json":
            self.fields |= {name: array_of(kind) for name, kind in ARRAYS.items()}
        self.rows = {}  # {path: rows}

    def some(self, *values):
        return self.rng.choice([None, *values])

    def row(self):
        rng = self.rng
        row = {
            "id": rng.choice([None, *range(40)]),
            "user": self.some("ann", "Bob", "ünï", "x y", "a,b", 'q"q', "%20"),
            "key": rng.choice([None, *range(6)]),
            "at": self.some(*(f"2024-01-0{day}T00:00:0{day}Z" for day in range(1, 7))),
            "price": self.some("1.50", "2.00", "-3.25", "99999999.99"),
        }
        if self.format == "json":
            row["tags"] = self.some([], [None], ["a"], ["b", "a"], ["c", None, "ä"])
            row["items"] = self.some(
                [], [{"sku": "s1", "qty": 1}], [{"sku": "s2"}, {"sku": "s3", "qty": 2}], [None]
            )
        return row

    def add(self, name, count):
        rows = [self.row() for _ in range(count)]
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.format == "json":
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            out = io.StringIO()
            writer = csv.writer(out, delimiter=";", lineterminator="\n")
            writer.writerow(self.fields)
            writer.writerows([row.values() for row in rows])
            text = out.getvalue()
        data = text.encode("utf-8")
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        self.rows[str(path)] = rows

    def arguments(self):
        if self.format == "json":
            return ["--format", "json"]
        return ["--format", "csv", "--option", "header=true", "--option", "sep=;", "--option",
                'escape="']


KINDS = ["--bloom", "id:0.001", "--regular", "user", "--range", "price", "--temporal", "key:at",
         "--computed", "up=upper(user)", "--computed", "day=date_trunc('DD', at)"]
EXPLODED = ["--exploded", "tags:tag", "--exploded", "items.sku:sku"]


def values(row, column):
    """What the indexed column holds in a row."""
    if column == "up":
        return [row["user"] and row["user"].upper()]
    if column == "tag":
        return row["tags"] or []
    if column == "sku":
        return [item and item["sku"] for item in row["items"] or []]
    return [row[column]]


def newest(lake, key):
    """(path, row) of a key's newest version: of equals the first row of the first file by name."""
    versions = [
        (row["at"] or "", path, row)
        for path in sorted(lake.rows)
        for row in lake.rows[path]
        if row["key"] == key
    ]
    if not versions:
        return None
    best = max(version[0] for version in versions)
    return next(version[1:] for version in versions if version[0] == best)


PROBES = {
    "id": [0, 7, 39, 40],
    "user": ["ann", "Bob", "ünï", "a,b", 'q"q', "%20", "ANN", ""],
    "up": ["ANN", "ÜNÏ", "ann"],
    "key": [0, 1, 2, 3, 4, 5, 6],
    "tag": ["a", "b", "ä", "d"],
    "sku": ["s1", "s2", "s3", "s4"],
    "price": ["1.50", "2.00", "-3.25"],
}
TYPES = {"id": pa.int64(), "key": pa.int32(), "price": pa.decimal128(10, 2)}


@pytest.mark.parametrize("format_", ["csv", "json"])
@pytest.mark.parametrize("limit", [[], ["--large-index-limit", "2"]], ids=["cells", "large"])
def test_every_kind_of_index_answers_as_the_rows_do(format_, limit, tmp_path):
    lake = Lake(tmp_path / "a lake", format_, seed=len(limit))
    ariadne = command_line.Ariadne(tmp_path / "root", options=limit)
    schema = tmp_path / "schema.json"
    schema.write_text(schema_json(lake.fields))
    kinds = KINDS + (EXPLODED if format_ == "json" else [])
    ariadne.ok("create", "ix", *lake.arguments(), "--schema", schema, *kinds)
    lake.add("part %.txt", 5)
    lake.add("sub/ü.gz", 9)
    lake.add("empty.txt", 0)
    ariadne.ok("add", "ix", lake.folder)
    assert ariadne.json("update", "ix")["files_indexed"] == 3
    lake.add("later.txt", 12)
    ariadne.ok("add", "ix", lake.folder)
    assert ariadne.json("update", "ix")["files_indexed"] == 1
    for column, probes in PROBES.items():
        if column in ("tag", "sku") and format_ == "csv":
            continue
        check_locate(ariadne, lake, column, probes)
        check_join(ariadne, lake, column, probes, tmp_path)


def check_locate(ariadne, lake, column, probes):
    for probe in probes:
        question = json.dumps({column: [probe]})
        found = paths(ariadne.json("locate", "ix", "--where-json", question)["files"])
        holding = {
            path
            for path, rows in lake.rows.items()
            if any(probe == value for row in rows for value in values(row, column))
        }
        if column == "key":
            version = newest(lake, probe)
            holding = {version[0]} if version else set()
        if column in ("id", "price"):
            assert holding <= found, (column, probe)
        else:
            assert holding == found, (column, probe)


def check_join(ariadne, lake, column, probes, folder):
    keys, output = folder / "keys.parquet", folder / "rows.parquet"
    array = pa.array(probes)
    pq.write_table(pa.table({column: array.cast(TYPES.get(column, array.type))}), keys)
    ariadne.ok("join", "ix", keys, "--on", column, "--select", "id,user,at", "-o", output)
    rows = pq.read_table(output).to_pylist()
    got = sorted(
        repr((row["id"], row["user"], row["at"] and row["at"].strftime("%Y-%m-%dT%H:%M:%SZ")))
        for row in rows
    )
    if column == "key":
        versions = [newest(lake, probe) for probe in probes]
        matching = [version[1] for version in versions if version]
    else:
        matching = [
            row
            for rows in lake.rows.values()
            for row in rows
            for value in values(row, column)
            if value in probes
        ]
    assert got == sorted(repr((row["id"], row["user"], row["at"])) for row in matching), column


def csv_index(tmp_path, *options, fields=None, kinds=("--regular", "n")):
    schema = tmp_path / "schema.json"
    schema.write_text(schema_json(fields or {"n": "integer", "t": "string"}))
    ariadne = command_line.Ariadne(tmp_path / "root")
    given = [word for option in options for word in ("--option", option)]
    ariadne.ok("create", "ix", "--format", "csv", *given, "--schema", schema, *kinds)
    return ariadne


def joined(ariadne, tmp_path, column, value):
    keys = tmp_path / "keys.parquet"
    pq.write_table(pa.table({column: [value]}), keys)
    return ariadne.json("join", "ix", keys, "--on", column)["data"]


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED", "failfast"])
def test_a_record_that_does_not_fit_does_what_the_mode_says(mode, tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "good.csv").write_text("1,x\n2,y\n")
    (lake / "bad 1%.csv").write_text("3,x\nthree,x\n4\n")
    ariadne = csv_index(tmp_path, f"mode={mode}", kinds=("--regular", "n", "--regular", "t"))
    ariadne.ok("add", "ix", lake)
    if mode == "failfast":
        result = ariadne.ok("--json", "update", "ix", code=SOME_FILES_FAILED)
        (failed,) = result.json["files_failed"]
        assert paths([failed["file"]]) == {str(lake / "bad 1%.csv")}
        assert "line 2" in failed["error"] and "FAILFAST" in failed["error"]
        assert result.json["files_indexed"] == 1
        # It stays a candidate, so whoever reads it is told.
        located = ariadne.json("locate", "ix", "--where", "n=1")
        assert paths(located["unindexed_files"]) == {str(lake / "bad 1%.csv")}
        keys = tmp_path / "keys.parquet"
        pq.write_table(pa.table({"n": pa.array([1], pa.int32())}), keys)
        assert "bad 1" in ariadne.refused("join", "ix", keys, "--on", "n", code=FAILED)
        return
    assert ariadne.json("update", "ix")["files_indexed"] == 2
    kept = {
        "PERMISSIVE": [["x", 1], ["x", 3], ["x", None]],
        "DROPMALFORMED": [["x", 1], ["x", 3]],
    }[mode]
    assert sorted(joined(ariadne, tmp_path, "t", "x"), key=repr) == kept
    four = paths(ariadne.json("locate", "ix", "--where", "n=4")["files"])
    assert four == ({str(lake / "bad 1%.csv")} if mode == "PERMISSIVE" else set())


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".snappy"])
def test_a_file_that_cannot_be_decompressed_is_reported_and_the_others_are_indexed(
    suffix, tmp_path
):
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "good.csv").write_text("1,x\n")
    (lake / f"bad.csv{suffix}").write_bytes(b"no compressed bytes at all")
    ariadne = csv_index(tmp_path)
    ariadne.ok("add", "ix", lake)
    report = ariadne.ok("--json", "update", "ix", code=SOME_FILES_FAILED).json
    assert report["files_indexed"] == 1
    assert paths([failed["file"] for failed in report["files_failed"]]) == {
        str(lake / f"bad.csv{suffix}")
    }


def test_read_options_are_kept_and_shown_and_applied_ever_after(tmp_path):
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "a.csv").write_text("n;t\n1;NULL\n2;'x;y'\n", encoding="iso-8859-1")
    options = {"HEADER": "true", "sep": ";", "quote": "'", "nullValue": "NULL",
               "encoding": "ISO-8859-1"}
    ariadne = csv_index(tmp_path, *(f"{name}={value}" for name, value in options.items()))
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    assert ariadne.json("describe", "ix")["read_options"] == options
    stored = json.loads((tmp_path / "root/indexes/ix/metadata.json").read_text())
    assert stored["format"] == "csv" and stored["read_options"] == options
    assert sorted(joined(ariadne, tmp_path, "n", 2)) == [[2, "x;y"]]
    assert joined(ariadne, tmp_path, "n", 1) == [[1, None]]
    assert ariadne.json("declare", "ix", "--regular", "t")["declared"] == 1
    assert ariadne.json("update", "ix")["files_backfilled"] == 1
    found = ariadne.json("locate", "ix", "--where-json", '{"t": ["x;y"]}')["files"]
    assert paths(found) == {str(lake / "a.csv")}


REFUSED = {
    "an unknown option": (["--format", "csv", "--option", "wat=1"], "wat"),
    "an option of the other format": (["--format", "json", "--option", "header=true"], "header"),
    "a value that is none": (["--format", "csv", "--option", "header=maybe"], "header"),
    "a pattern letter": (["--format", "csv", "--option", "dateFormat=yyyy EEE"], "dateFormat"),
    "an option twice": (
        ["--format", "csv", "--option", "header=true", "--option", "Header=false"],
        "Header",
    ),
    "an option without value": (["--format", "csv", "--option", "header"], "KEY=VALUE"),
    "an option of Parquet files": (["--format", "parquet", "--option", "header=true"], "header"),
    "a format that there is not": (["--format", "orc"], "orc"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_so_is_refused_by_name_and_leaves_nothing(what, tmp_path):
    arguments, named = REFUSED[what]
    schema = tmp_path / "schema.json"
    schema.write_text(schema_json({"n": "integer"}))
    ariadne = command_line.Ariadne(tmp_path / "root")
    message = ariadne.refused("create", "ix", *arguments, "--schema", schema, code=USAGE)
    assert named in message
    assert ariadne.json("list")["indexes"] == []


@pytest.mark.parametrize("kind", [array_of("string"), "binary", ITEM])
def test_a_column_that_csv_cannot_hold_is_refused_by_name(kind, tmp_path):
    schema = tmp_path / "schema.json"
    schema.write_text(schema_json({"n": "integer", "Größe": kind}))
    ariadne = command_line.Ariadne(tmp_path / "root")
    message = ariadne.refused("create", "ix", "--format", "csv", "--schema", schema, code=USAGE)
    assert "Größe" in message
    ariadne.ok("create", "ix", "--format", "json", "--schema", schema)


def test_an_index_keeps_to_its_format_and_read_options(tmp_path):
    ariadne = csv_index(tmp_path, "header=true")
    create = ["create", "ix", "--schema", tmp_path / "schema.json"]
    assert "csv" in ariadne.refused(*create, "--format", "json", code=FAILED)
    assert "header" in ariadne.refused(*create, "--format", "csv", code=FAILED)
    other = ["--format", "csv", "--option", "header=false"]
    assert "header" in ariadne.refused(*create, *other, code=FAILED)
    same = ["--format", "csv", "--option", "HEADER=true"]
    assert not ariadne.json(*create, *same)["created"]


SCHEMAS = {
    "a column more at the end": ({"n": "integer", "t": "string", "u": "date"}, True),
    "a column less at the end": ({"n": "integer"}, True),
    "a column more before others": ({"u": "date", "n": "integer", "t": "string"}, False),
    "columns in another order": ({"t": "string", "n": "integer"}, False),
    "another type of an indexed column": ({"n": "long", "t": "string"}, False),
    "an indexed column less": ({"m": "integer", "t": "string"}, False),
}


@pytest.mark.parametrize("what", SCHEMAS)
def test_another_schema_is_taken_only_where_indexed_columns_stay_what_they_are(what, tmp_path):
    fields, taken = SCHEMAS[what]
    (tmp_path / "a.csv").write_text("1,x,2024-01-01\n")
    ariadne = csv_index(tmp_path)
    ariadne.ok("add", "ix", tmp_path / "a.csv")
    ariadne.ok("update", "ix")
    other = tmp_path / "other.json"
    other.write_text(schema_json(fields))
    create = ["create", "ix", "--format", "csv", "--schema", other]
    ariadne.refused(*create, code=FAILED)
    ariadne.ok(*create, "--allow-schema-mismatch", code=0 if taken else FAILED)
    assert joined(ariadne, tmp_path, "n", 1)[0][0] == 1


@pytest.mark.parametrize("format_", ["csv", "json"])
def test_where_records_can_be_left_out_no_column_comes_or_goes(format_, tmp_path):
    """A record that fits one schema and not the other would be in the lake and not in the index."""
    schema, other = tmp_path / "schema.json", tmp_path / "other.json"
    schema.write_text(schema_json({"n": "integer"}))
    other.write_text(schema_json({"n": "integer", "m": "integer"}))
    ariadne = command_line.Ariadne(tmp_path / "root")
    create = ["create", "ix", "--format", format_, "--option", "mode=DROPMALFORMED", "--schema"]
    ariadne.ok(*create, schema)
    ariadne.ok(*create, other, "--allow-schema-mismatch")
    ariadne.ok("declare", "ix", "--regular", "n")
    ariadne.refused(*create, schema, "--allow-schema-mismatch", code=FAILED)


def test_an_index_that_another_release_wrote_with_unknown_options_is_not_opened(tmp_path):
    ariadne = csv_index(tmp_path, "header=true")
    path = tmp_path / "root/indexes/ix/metadata.json"
    stored = json.loads(path.read_text())
    stored["read_options"]["wat"] = "1"
    path.write_text(json.dumps(stored))
    assert "wat" in ariadne.refused("update", "ix", code=USAGE)
    assert "wat" in ariadne.refused("locate", "ix", "--where", "n=1", code=USAGE)
    assert ariadne.json("describe", "ix")["read_options"]["wat"] == "1"
    ariadne.ok("remove", "ix", "--yes")


@pytest.mark.parametrize("format_", ["csv", "json"])
def test_sync_follows_text_files_that_change(format_, tmp_path):
    lake = Lake(tmp_path / "lake", format_, seed=5)
    schema = tmp_path / "schema.json"
    schema.write_text(schema_json(lake.fields))
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", *lake.arguments(), "--schema", schema, "--regular", "user")
    lake.add("dt=2024-01-01/a", 4)
    lake.add("dt=2024-01-02/b", 4)
    report = ariadne.json("sync", "ix", lake.folder)
    assert len(report["added"]) == 2
    lake.add("dt=2024-01-02/b", 6)
    assert len(ariadne.json("sync", "ix", lake.folder)["changed"]) == 1
    check_locate(ariadne, lake, "user", PROBES["user"])


@pytest.mark.parametrize("format_", ["csv", "json"])
def test_folders_give_columns_beside_those_of_the_file(format_, tmp_path):
    lake = tmp_path / "lake"
    for day in (1, 2):
        folder = lake / f"dt=2024-01-0{day}"
        folder.mkdir(parents=True)
        text = f"{day}\n7\n" if format_ == "csv" else f'{{"n": {day}}}\n{{"n": 7}}\n'
        (folder / "f").write_text(text)
    schema = tmp_path / "schema.json"
    schema.write_text(schema_json({"n": "integer", "dt": "date"}))
    ariadne = command_line.Ariadne(tmp_path / "root")
    kinds = ["--regular", "n", "--range", "dt"]
    ariadne.ok("create", "ix", "--format", format_, "--schema", schema, *kinds)
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    found = ariadne.json("locate", "ix", "--where", "n=7", "--where", "dt=2024-01-02")["files"]
    assert paths(found) == {str(lake / "dt=2024-01-02/f")}
    rows = joined(ariadne, tmp_path, "dt", datetime.date(2024, 1, 2))
    assert sorted(rows) == [["2024-01-02", 2], ["2024-01-02", 7]]


@pytest.mark.parametrize(
    "options, expected",
    [
        ([], {"_c0": "string", "_c1": "string", "_c2": "string", "_c3": "string"}),
        (["header=true"], {"n": "string", "_c1": "string", "T2": "string", "t3": "string"}),
        (
            ["header=true", "inferSchema=true"],
            {"n": "bigint", "_c1": "double", "T2": "timestamp", "t3": "string"},
        ),
    ],
)
def test_the_schema_of_csv_files_is_the_one_that_spark_infers(options, expected, tmp_path):
    lake = tmp_path / "lake"
    lines = ["1,1,2024-01-01,", "3000000000,2.5,2024-01-01T10:00:00Z,"]
    for day, line in enumerate(lines, 1):
        folder = lake / f"dt=2024-01-0{day}"
        folder.mkdir(parents=True)
        (folder / "f.csv").write_text(f"n,,T,t\n{line}\n")
    ariadne = command_line.Ariadne(tmp_path / "root")
    given = [word for option in options for word in ("--option", option)]
    created = ariadne.json("create", "ix", "--format", "csv", *given, "--schema-from", lake)
    columns = {column["name"]: column["type"] for column in created["columns"]}
    assert columns == {**expected, "dt": "date"}


def test_the_schema_of_json_files_is_the_one_that_spark_infers(tmp_path):
    (tmp_path / "a.json").write_text(
        '{"b": 1, "a": [1, null], "s": {"y": "", "x": true}, "big": 12345678901234567890}\n'
        '\n{"b": 1.5, "a": [2.5], "s": {"z": []}, "n": null}\n'
    )
    ariadne = command_line.Ariadne(tmp_path / "root")
    created = ariadne.json(
        "create", "ix", "--format", "json", "--schema-from", tmp_path / "a.json", "--regular", "b"
    )
    assert [(column["name"], column["type"]) for column in created["columns"]] == [
        ("a", "array<double>"),
        ("b", "double"),
        ("big", "decimal(20,0)"),
        ("n", "string"),
        ("s", "struct<x:boolean,y:string,z:array<string>>"),
    ]


@pytest.mark.parametrize("format_", ["csv", "json"])
def test_sql_reads_text_files_as_joins_do(format_, tmp_path):
    lake = Lake(tmp_path / "lake", format_, seed=11)
    schema = tmp_path / "schema.json"
    schema.write_text(schema_json(lake.fields))
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", *lake.arguments(), "--schema", schema, "--regular", "user",
               "--range", "id")
    for number in range(4):
        lake.add(f"part {number}.txt", 30)
    ariadne.ok("add", "ix", lake.folder)
    ariadne.ok("update", "ix")
    every = [(path, row) for path, rows in lake.rows.items() for row in rows]

    def sql(query):
        return ariadne.json("sql", query)["data"]

    assert sql("SELECT count(*) FROM ix") == [[len(every)]]
    wanted = sorted(row["id"] for _, row in every if row["user"] == "ünï" and row["id"] is not None)
    assert sql("SELECT id FROM ix WHERE \"user\" = 'ünï' AND id IS NOT NULL ORDER BY id") == [
        [value] for value in wanted
    ]
    places = [
        [str(path), number]
        for path, rows in lake.rows.items()
        for number, row in enumerate(rows)
        if row["id"] == 7
    ]
    found = sql("SELECT filename, file_row_number FROM ix WHERE id = 7")
    assert sorted([name.removeprefix("file://"), row] for name, row in found) == sorted(places)
    assert sql("SELECT count(*) FROM ix a JOIN ix b USING (id)") == [[
        sum(1 for _, a in every for _, b in every if a["id"] == b["id"] and a["id"] is not None)
    ]]
