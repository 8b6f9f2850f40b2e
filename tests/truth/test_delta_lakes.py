"""A Delta table with column mapping, partitions and deletion vectors as the lake: answers are those of its live
rows, under its names."""

import collections
import datetime
import json
import os
import pathlib
import random
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from delta_table import DeltaTable

FIRST = int(os.environ.get("ARIADNE_TRUTH_SEED", "20261130"))
CASES = max(3, int(os.environ.get("ARIADNE_TRUTH_CASES", "0")) // 20)

PAIR = pa.struct([("a", pa.int64()), ("b", pa.string())])
SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("n", pa.int64()),
        ("version", pa.int64()),
        ("pair", PAIR),
        ("tags", pa.list_(pa.struct([("q", pa.string()), ("r", pa.int64())]))),
    ]
)
DAY = datetime.date(2024, 2, 28)
# Columns that no file has and, as the files' names go, no folder either.
PARTITIONED = pa.schema([*SCHEMA, ("region", pa.string()), ("day", pa.date32()), ("level", pa.int32())])
REGIONS = [None, "a/b %41", "x=1", "ü", "north"]
# Names of one column in the files are those of another in the table.
SWAPPED = {
    "key": "n",
    "n": "key",
    "version": "col-4f 1%",
    "pair": "pair",
    "pair.a": "b",
    "pair.b": "a",
    "tags": "col-ü",
    "tags.q": "r",
    "tags.r": "q",
    "region": "day",
    "day": "level",
    "level": "region",
}


def frozen(value):
    if isinstance(value, dict):
        return tuple((k, frozen(v)) for k, v in value.items())
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def counted(rows, names=SCHEMA.names):
    return collections.Counter(tuple(frozen(row[name]) for name in names) for row in rows)


class Lake:
    def __init__(self, folder, seed, stored, partitioned):
        self.rng = random.Random(seed)
        self.schema = PARTITIONED if partitioned else SCHEMA
        self.partitions = PARTITIONED.names[len(SCHEMA) :] if partitioned else []
        self.table = DeltaTable(folder / "a table 100%", self.schema, stored, self.partitions)
        self.folder = self.table.folder
        self.files = 0
        self.ariadne = command_line.Ariadne(folder / "root", env={"HOME": str(folder)})
        self.tmp = folder

    def maybe(self, value):
        return None if self.rng.random() < 0.15 else value

    def row(self):
        rng = self.rng
        tags = [
            self.maybe({"q": self.maybe(f"t{rng.randrange(6)}"), "r": rng.randrange(3)})
            for _ in range(rng.randrange(3))
        ]
        return {
            "key": self.maybe(f"k{rng.randrange(12)}"),
            "n": self.maybe(rng.randrange(20)),
            "version": self.maybe(rng.randrange(1000)),
            "pair": self.maybe({"a": self.maybe(rng.randrange(5)), "b": self.maybe("é")}),
            "tags": self.maybe(tags),
        }

    def add(self):
        self.files += 1
        partition = {}
        if self.partitions:
            day = self.maybe(DAY + datetime.timedelta(self.rng.randrange(3)))
            partition = {"region": self.rng.choice(REGIONS), "day": day, "level": self.maybe(self.rng.randrange(-1, 3))}
        counts = [1, 5, 40] if self.partitions else [0, 1, 5, 40]
        rows = [self.row() | partition for _ in range(self.rng.choice(counts))]
        # Folders of such names do not say what the partition is: the log does.
        folder = self.rng.choice(["", "region=south/", "n=77/"])
        path = f"{folder}part {self.files} %.parquet"
        self.table.add(path, rows, row_group_size=self.rng.choice([3, 1000]))

    def change(self):
        rng = self.rng
        for _ in range(rng.randrange(1, 4)):
            what = rng.random()
            filled = [path for path, (rows, _) in self.table.live.items() if rows]
            if what < 0.3 or not filled:
                self.add()
            elif what < 0.9:
                path = rng.choice(filled)
                places = range(len(self.table.live[path][0]))
                share = rng.choice([0.1, 0.5, 1])
                chosen = [place for place in places if rng.random() < share]
                if chosen:
                    self.table.delete_rows(path, chosen)
            else:
                self.table.drop(rng.choice(filled))

    def answer(self, *arguments):
        out = self.tmp / "out.parquet"
        self.ariadne.ok(*arguments, "-o", out)
        return pq.read_table(out).to_pylist()

    def keys(self, column, values, type):
        path = self.tmp / "keys.parquet"
        pq.write_table(pa.table({column: pa.array(values, type)}), path)
        return path

    def live(self):
        return [row for _, row in self.table.rows()]

    def check_files(self, column, value, matches):
        asked = json.dumps({column: [value]}, default=str)
        files = self.ariadne.json("locate", "plain", "--where-json", asked)["files"]
        found = {pathlib.PurePosixPath(file).name for file in files}
        names = {path.split("/")[-1].replace("%", "%25").replace(" ", "%20") for path in matches}
        assert names <= found, (column, value)
        return found == names

    def check(self):
        rng = self.rng
        live = self.live()
        wanted = {f"k{rng.randrange(14)}" for _ in range(3)}
        keys = self.keys("key", sorted(wanted), pa.string())
        newest = {}
        for row in live:
            known = newest.get(row["key"])
            time = -1 if row["version"] is None else row["version"]
            if known is None or time > known[0]:
                newest[row["key"]] = (time, row)
        kept = [row for _, row in newest.values() if row["key"] in wanted]
        assert counted(self.answer("join", "ix", keys, "--on", "key")) == counted(kept)

        numbers = rng.sample(range(22), 4)
        keys = self.keys("n", numbers, pa.int64())
        kept = [row for row in live if row["n"] in numbers]
        assert counted(self.answer("join", "ix", keys, "--on", "n")) == counted(kept)
        for number in numbers[:2]:
            self.check_files("n", number, [p for p, row in self.table.rows() if row["n"] == number])

        tag = f"t{rng.randrange(7)}"
        keys = self.keys("tag", [tag], pa.string())
        kept = [
            {"tag": tag, "n": row["n"]}
            for row in live
            for each in row["tags"] or []
            if each and each["q"] == tag
        ]
        found = self.answer("join", "ix", keys, "--on", "tag", "--select", "n")
        assert counted(found, ["tag", "n"]) == counted(kept, ["tag", "n"])

        twice = 2 * rng.randrange(20)
        keys = self.keys("twice", [twice], pa.int64())
        kept = [row for row in live if row["n"] is not None and row["n"] * 2 == twice]
        found = self.answer("join", "ix", keys, "--on", "twice", "--select", "n,pair")
        assert counted(found, ["n", "pair"]) == counted(kept, ["n", "pair"])

        sql = f"SELECT n, pair.b AS b FROM plain WHERE n < {numbers[0]} OR pair.a = 3"
        kept = [
            {"n": row["n"], "b": (row["pair"] or {}).get("b")}
            for row in live
            if (row["n"] is not None and row["n"] < numbers[0])
            or (row["pair"] or {}).get("a") == 3
        ]
        assert counted(self.answer("sql", sql), ["n", "b"]) == counted(kept, ["n", "b"])
        found = self.answer("sql", "SELECT count(*) AS c FROM plain")
        assert found == [{"c": len(live)}]
        if self.partitions:
            self.check_partitions(live)

    def check_partitions(self, live):
        rng = self.rng
        regions = rng.sample([*REGIONS[1:], "south"], 2)
        kept = [row for row in live if row["region"] in regions]
        keys = self.keys("region", regions, pa.string())
        names = self.schema.names
        assert counted(self.answer("join", "plain", keys, "--on", "region"), names) == counted(kept, names)
        exact = [path for path, (rows, _) in self.table.live.items() if rows[0]["region"] == regions[0]]
        assert self.check_files("region", regions[0], exact)
        day = DAY + datetime.timedelta(rng.randrange(3))
        self.check_files("day", day, [path for path, row in self.table.rows() if row["day"] == day])
        sql = f"SELECT n, region, day, level FROM plain WHERE level > 0 AND day <= DATE '{day}' OR region = '{regions[1]}'"
        kept = [
            row for row in live
            if (row["level"] or 0) > 0 and row["day"] and row["day"] <= day or row["region"] == regions[1]
        ]  # fmt: skip
        names = ["n", "region", "day", "level"]
        assert counted(self.answer("sql", sql), names) == counted(kept, names)
        assert counted(self.answer("sql", f"FROM delta('{self.folder}')"), self.schema.names) == counted(live, self.schema.names)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + CASES))
@pytest.mark.parametrize("partitioned", [False, True], ids=["whole", "partitioned"])
@pytest.mark.parametrize("stored", [None, SWAPPED], ids=["by name", "mapped"])
def test_a_delta_lake_answers_with_its_live_rows_under_its_names(tmp_path, seed, stored, partitioned):
    lake = Lake(tmp_path, seed, stored, partitioned)
    for _ in range(3):
        lake.add()
    lake.change()
    indexes = ["--regular", "n", "--range", "version", "--exploded", "tags.q:tag"]
    if partitioned:
        indexes += ["--regular", "region", "--bloom", "day", "--range", "level"]
    declared = [*indexes, "--computed", "twice=n * 2"]
    lake.ariadne.ok("create", "ix", "--schema-from", lake.folder, "--temporal", "key:version", *declared)
    lake.ariadne.ok("create", "plain", "--schema-from", lake.folder, *declared)
    for _ in range(4):
        for index in ("ix", "plain"):
            lake.ariadne.ok("sync", index, lake.folder)
        lake.check()
        lake.change()


def test_an_index_that_reads_a_mapped_table_under_other_names_is_refused(tmp_path):
    table = DeltaTable(tmp_path / "t", SCHEMA, SWAPPED)
    table.add("a.parquet", [])
    ariadne = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    ariadne.ok("create", "ix", "--schema-from", tmp_path / "t" / "a.parquet", "--regular", "n")
    message = ariadne.refused("sync", "ix", tmp_path / "t", code=command_line.FAILED)
    assert "'n'" in message and "--schema-from" in message
    assert ariadne.json("describe", "ix")["tracked_files"] == 0


def test_adding_a_table_tracks_its_live_files_and_refuses_what_its_log_alone_says(tmp_path):
    table = DeltaTable(tmp_path / "t", SCHEMA)
    row = {"key": "a", "n": 1, "version": 1, "pair": None, "tags": []}
    for name in "abc":
        table.add(f"{name}.parquet", [row, row])
    table.drop("b.parquet")
    ariadne = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    ariadne.ok("create", "ix", "--schema-from", tmp_path / "t", "--regular", "n")
    assert ariadne.json("add", "ix", tmp_path / "t")["added"] == 2
    table.delete_rows("a.parquet", [1])
    message = ariadne.refused("add", "ix", tmp_path / "t", code=command_line.FAILED)
    assert "sync index 'ix'" in message
    parts = DeltaTable(tmp_path / "parts", PARTITIONED, SWAPPED, ["region", "day", "level"])
    parts.add("a.parquet", [row | {"region": "x", "day": DAY, "level": 1}])
    ariadne.ok("create", "parts", "--schema-from", tmp_path / "parts", "--regular", "region")
    message = ariadne.refused("add", "parts", tmp_path / "parts", code=command_line.FAILED)
    assert "sync index 'parts'" in message


def test_a_file_that_the_log_puts_into_another_partition_is_indexed_anew(tmp_path):
    table = DeltaTable(tmp_path / "t", PARTITIONED, SWAPPED, ["region", "day", "level"])
    row = {"key": "a", "n": 1, "version": 1, "pair": None, "tags": [], "day": DAY, "level": 1}
    for name in "ab":
        table.add(f"{name}.parquet", [row | {"region": name}])
    ariadne = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    ariadne.ok("create", "ix", "--schema-from", tmp_path / "t", "--regular", "region")
    ariadne.ok("sync", "ix", tmp_path / "t")
    assert ariadne.json("sync", "ix", tmp_path / "t")["changed"] == []
    table.commit([{"remove": table.removed("a.parquet")}])
    table.values["a.parquet"]["day"] = "moved"
    table.commit([{"add": table.added("a.parquet")}])
    assert len(ariadne.json("sync", "ix", tmp_path / "t")["changed"]) == 1
    assert len(ariadne.json("locate", "ix", "--where", "region=moved")["files"]) == 1
    assert ariadne.json("locate", "ix", "--where", "region=a")["files"] == []
    assert ariadne.json("sql", "SELECT region FROM ix ORDER BY ALL")["data"] == [["b"], ["moved"]]


def test_whether_the_log_says_more_is_known_from_the_metadata_or_asked_of_the_store(tmp_path):
    table = DeltaTable(tmp_path / "t", SCHEMA)
    row = {"key": "a", "n": 1, "version": 1, "pair": None, "tags": []}
    table.add("a.parquet", [row, {**row, "n": 2}])
    ariadne = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    ariadne.ok("create", "ix", "--schema-from", tmp_path / "t", "--regular", "n")
    ariadne.ok("sync", "ix", tmp_path / "t")
    file = tmp_path / "root" / "indexes" / "ix" / "metadata.json"

    def forget():
        """As the JVM library rewrites it, and as indexes of before have it."""
        metadata = json.loads(file.read_text())
        del metadata["delta_lake"]
        file.write_text(json.dumps(metadata))

    def numbers():
        return ariadne.json("sql", "SELECT n FROM ix ORDER BY n")["data"]

    assert json.loads(file.read_text())["delta_lake"] is False
    notes = file.parent / "native" / "deleted_rows.json"
    notes.write_text("{")
    assert numbers() == [[1], [2]]  # It was not asked for.
    forget()
    assert "deleted_rows.json" in ariadne.refused("sql", "FROM ix", code=command_line.FAILED)
    notes.unlink()
    assert numbers() == [[1], [2]]
    ariadne.ok("update", "ix")
    assert json.loads(file.read_text())["delta_lake"] is False
    table.delete_rows("a.parquet", [0])
    ariadne.ok("sync", "ix", tmp_path / "t")
    assert json.loads(file.read_text())["delta_lake"] is True
    assert numbers() == [[2]]
    forget()
    assert numbers() == [[2]]
    ariadne.ok("update", "ix")
    assert json.loads(file.read_text())["delta_lake"] is True
    assert numbers() == [[2]]


def test_rows_that_a_vector_took_come_back_with_the_table(tmp_path):
    table = DeltaTable(tmp_path / "t", SCHEMA)
    row = {"key": "a", "n": 1, "version": 1, "pair": None, "tags": []}
    table.add("a.parquet", [row, {**row, "n": 2}])
    ariadne = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    ariadne.ok("create", "ix", "--schema-from", tmp_path / "t", "--regular", "n")

    def numbers():
        ariadne.ok("sync", "ix", tmp_path / "t")
        out = tmp_path / "out.parquet"
        ariadne.ok("sql", "SELECT n FROM ix ORDER BY n", "-o", out)
        return pq.read_table(out)["n"].to_pylist()

    assert numbers() == [1, 2]
    kept = tmp_path / "root" / "indexes" / "ix" / "native" / "deleted_rows.json"
    assert not kept.exists()
    table.delete_rows("a.parquet", [0])
    assert numbers() == [2]
    assert kept.exists()
    # As after RESTORE.
    before = {"remove": table.removed("a.parquet")}
    table.live["a.parquet"] = (table.live["a.parquet"][0], set())
    table.commit([before, {"add": table.added("a.parquet")}])
    assert numbers() == [1, 2]
    assert not kept.exists()

    table.delete_rows("a.parquet", [1])
    assert numbers() == [1]
    kept.write_text("{")
    message = ariadne.refused("sql", "SELECT n FROM ix", code=command_line.FAILED)
    assert "deleted_rows.json" in message


@pytest.mark.parametrize("mode", ["none", "name", "id"])
def test_a_table_of_sparks_answers_with_the_rows_that_spark_reads(tmp_path, mode):
    with tarfile.open(pathlib.Path(__file__).parent / "data" / "delta_lakes.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    live = [json.loads(line) for line in (tmp_path / f"{mode}.jsonl").read_text().splitlines()]
    # Spark leaves NULLs out of JSON. Columns were renamed, and one added under an old name.
    renamed = mode != "none"
    name, member = ("called", "c") if renamed else ("name", "a")
    names = ["id", name, "pair", "tags", *(["name"] if renamed else [])]
    live = [{each: row.get(each) for each in names} for row in live]
    for row in live:
        if row["pair"] is not None:
            row["pair"] = {each: row["pair"].get(each) for each in (member, "b")}
    assert len(live) > 50 and sum(row[name] == "changed" for row in live) == 6

    ariadne = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    declared = ["--regular", name, "--bloom", "id", "--exploded", "tags.q:tag"]
    ariadne.ok("create", "ix", "--schema-from", tmp_path / mode, *declared)
    ariadne.ok("sync", "ix", tmp_path / mode)
    assert ariadne.json("sync", "ix", tmp_path / mode)["added"] == []
    out = tmp_path / "out.parquet"

    def answer(*arguments):
        ariadne.ok(*arguments, "-o", out)
        return pq.read_table(out).to_pylist()

    assert counted(answer("sql", "SELECT * FROM ix"), names) == counted(live, names)
    sql = f"SELECT id FROM ix WHERE pair.{member} = 1 AND {name} IN ('n1', 'changed')"
    kept = [r for r in live if (r["pair"] or {}).get(member) == 1 and r[name] in ("n1", "changed")]
    assert kept and counted(answer("sql", sql), ["id"]) == counted(kept, ["id"])
    keys = tmp_path / "keys.parquet"
    for column, values, type in ((name, ["n1", "changed"], pa.string()), ("id", [1, 4, 65, 66], pa.int64())):
        pq.write_table(pa.table({column: pa.array(values, type)}), keys)
        kept = [row for row in live if row[column] in values]
        assert kept and counted(answer("join", "ix", keys, "--on", column), names) == counted(kept, names)
    pq.write_table(pa.table({"tag": pa.array(["t1", "t5"])}), keys)
    kept = [row for row in live for tag in row["tags"] if tag["q"] in ("t1", "t5")]
    found = answer("join", "ix", keys, "--on", "tag", "--select", "id")
    assert counted(found, ["id"]) == counted(kept, ["id"])


@pytest.mark.parametrize("mode", ["none", "name", "id"])
def test_a_table_of_sparks_whose_partitions_only_its_log_knows(tmp_path, mode):
    with tarfile.open(pathlib.Path(__file__).parent / "data" / "delta_lakes.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    table = tmp_path / f"parts-{mode}"
    live = [json.loads(line) for line in (tmp_path / f"parts-{mode}.jsonl").read_text(encoding="utf-8").splitlines()]
    kind, number = ("kind", "n") if mode == "none" else ("a kind", "kind")
    names = ["id", "day", kind, "at", "size", "ok", number]
    live = [{name: row.get(name) for name in names} for row in live]
    for row in live:
        row["at"] = row["at"].replace(".000Z", ".000001Z")  # Spark's JSON has milliseconds.
    prefixes = {path.name for path in table.iterdir() if path.is_dir()} - {"_delta_log"}
    assert not all(name.startswith("day=") for name in prefixes) and len({row[kind] for row in live}) == 4

    ariadne = command_line.Ariadne(tmp_path / "root", env={"HOME": str(tmp_path)})
    indexed = ["--regular", "day", "--bloom", kind, "--range", "at", "--regular", "size", "--regular", "ok", "--regular", number]
    ariadne.ok("create", "ix", "--schema-from", table, *indexed, "--computed", "month=month(day)")
    report = ariadne.json("sync", "ix", table)
    assert report["files_failed"] == [] and len(report["added"]) > 6
    for source in ("ix", f"delta('{table}')"):
        columns = f'id, day, "{kind}", strftime("at"::TIMESTAMP, \'%Y-%m-%dT%H:%M:%S.%fZ\'), size::DOUBLE, ok, "{number}"'
        found = ariadne.json("sql", f"SELECT {columns} FROM {source} ORDER BY id")["data"]
        assert found == [[*row.values()] for row in live]
    for column in names[1:]:
        for value in {row[column] for row in live} - {None}:
            asked = {column: [str(value) if isinstance(value, float) else value]}
            located = ariadne.json("locate", "ix", "--where-json", json.dumps(asked))
            assert 0 < len(located["files"]) < located["total_files"], (column, value)
            keys = tmp_path / "keys.json"
            keys.write_text(json.dumps({column: asked[column][0]}))
            rows = ariadne.json("join", "ix", keys, "--on", column, "--select", "id")["data"]
            assert sorted(row[-1] for row in rows) == [row["id"] for row in live if row[column] == value]
