"""The real JVM library over indexes of ours, and ours over what it then made of them.

`make interop` runs this alone. Where the library or a JVM is not to be had the tests are skipped, and
say what is missing.
"""

import datetime
import json

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import peer as jvm
from command_line import Ariadne

MISSING = jvm.missing()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "nothing is missing")

UTC = datetime.timezone.utc
LIMIT = 4  # Distinct values from which on a file's column is large.
#: One without and one with daylight saving; both have odd offsets before 1900.
ZONES = ["UTC", "America/New_York"]


@pytest.fixture(scope="module")
def peer():
    peer = jvm.Peer()
    yield peer
    peer.close()


# --- a lake: dates before 1582, timestamps before 1900, large files, NULLs ------------------------

DAYS = [datetime.date(1500, 3, 1), datetime.date(1970, 1, 1), datetime.date(9999, 12, 31)]
TIMES = [
    datetime.datetime(1850, 5, 1, 12, 30, tzinfo=UTC),
    datetime.datetime(2024, 1, 1, tzinfo=UTC),
    # Both sides of an hour that New York has twice, the second one with microseconds.
    datetime.datetime(2024, 11, 3, 5, 30, tzinfo=UTC),
    datetime.datetime(2024, 11, 3, 6, 30, 0, 456789, tzinfo=UTC),
]
TAGS = pa.list_(pa.struct([("k", pa.string()), ("n", pa.int64())]))
FILES = 6
LARGE = 2  # The file that holds more than LIMIT users, keys and tags.


def rows_of(file):
    count = 7 if file == LARGE else 3
    users = [f"u{file}_{i}" for i in range(count - 2)] + ["everywhere", None]
    table = pa.table(
        {
            "user": users,
            "id": pa.array([file * 10 + i for i in range(count - 1)] + [None], pa.int64()),
            "day": pa.array([DAYS[file % 3], None] + [DAYS[file % 3]] * (count - 2), pa.date32()),
            "at": pa.array(
                [TIMES[file % 4], None] + [TIMES[(file + 1) % 4]] * (count - 2),
                pa.timestamp("us", "UTC"),
            ),
            "seen": pa.array(
                [TIMES[file % 4] + datetime.timedelta(days=i) for i in range(count - 1)] + [None],
                pa.timestamp("us", "UTC"),
            ),
            "price": pa.array([file * 0.5, float("nan")] + [-0.0] * (count - 2), pa.float64()),
            "key": [f"k{file}_{i}" for i in range(count - 1)] + ["shared"],
            # The newest version of "shared" is in the large file.
            "version": pa.array([(file * 7) % 15] * count, pa.int64()),
            "tags": pa.array(
                [[{"k": f"t{file}_{i}", "n": i}, {"k": "tag", "n": None}] for i in range(count)], TAGS
            ),
        }
    )
    # Without a writer that it knows Spark refuses to read days and times as old as these.
    return table.replace_schema_metadata({"org.apache.spark.version": "3.5.5"})


class Both:
    """A storage root, and both libraries bound to it in one time zone."""

    def __init__(self, folder, peer, zone="UTC"):
        self.folder = folder
        self.peer = peer
        self.zone = zone
        self.ours = Ariadne(
            folder / "root",
            options=["--token-time-zone", zone, "--large-index-limit", str(LIMIT),
                     "--unindexed", "exclude"],
        )
        (folder / "data").mkdir(parents=True)
        self.rows = {}
        for file in range(FILES):
            self.rows[file] = rows_of(file)
            pq.write_table(self.rows[file], self.path(file))

    def path(self, file):
        return self.folder / "data" / f"f{file}.parquet"

    def uri(self, file):
        return f"file://{self.path(file)}"

    def ask(self, op, index, **request):
        return self.peer.ask(
            op=op,
            index=index,
            root=f"file://{self.folder}/root",
            timeZone=self.zone,
            conf={"largeIndexLimit": str(LIMIT)},
            **request,
        )

    def add(self, index, files):
        self.ours.ok("add", index, *map(self.path, files))
        return self.ours.json("update", index)

    def add_by_the_jvm(self, index, files):
        self.ask("addFiles", index, files=[self.uri(file) for file in files])
        self.ask("update", index)

    def holding(self, column, value):
        """Files that hold a value, by a full scan."""
        if column == "loud":
            values = {file: [u and u.upper() for u in rows["user"].to_pylist()]
                      for file, rows in self.rows.items()}
        elif column == "tag_k":
            values = {file: [tag["k"] for tags in rows["tags"].to_pylist() for tag in tags]
                      for file, rows in self.rows.items()}
        else:
            values = {file: rows[column].to_pylist() for file, rows in self.rows.items()}
        return {file for file, held in values.items() if value in held}

    def same_answers(self, index, probes, indexed, newest=None):
        """Both name the same files, and none of those that hold a value is missing; where `exact`,
        there are no others."""
        for column, kind, value, exact in probes:
            text = value if kind != "timestamp" else value.isoformat().replace("+00:00", "Z")
            text = str(text)
            ours = self.ours.json("locate", index, "--where-json", json.dumps({column: [text]}))
            theirs = self.ask("locate", index, probe={column: {"type": kind, "values": [text]}})
            if column == "at" and self.zone != "UTC" and value.year < 1970:
                # Databases of time zones differ there: to us every filter is a "maybe".
                assert set(theirs) <= set(ours["files"]), (column, value)
            else:
                assert theirs == ours["files"], (column, value)
            truth = self.holding(column, value) & set(indexed)
            if newest is not None and column == "key":
                truth = set(sorted(truth, key=newest)[:1])
            found = {file for file in self.rows if self.uri(file) in theirs}
            assert truth <= found, (column, value)
            assert not exact or truth == found, (column, value)

    def same_rows(self, index, keys, on, **options):
        """A join returns the same rows."""
        file = self.folder / f"keys-{'-'.join(on)}.parquet"
        pq.write_table(keys, file)
        out = self.folder / "rows.parquet"
        select = options.get("select", [])
        self.ours.ok("join", index, file, "--on", ",".join(on), "-o", out,
                     *(["--select", ",".join(select)] if select else []))
        theirs = self.ask("join", index, keys=str(file), on=on, how="inner", select=select)
        ours = pq.read_table(out)
        columns = [column for column in ("user", "id", "key", "tag_k", "version")
                   if column in ours.column_names]

        def texts(rows):
            return sorted(json.dumps([row.get(column) for column in columns]) for row in rows)

        assert texts(ours.to_pylist()) == texts(theirs)
        assert ours.num_rows > 0


def probes_of(*columns):
    probes = [
        ("user", "string", "u1_0", True),
        ("user", "string", "everywhere", True),
        ("user", "string", "u2_4", True),
        ("user", "string", "nobody", True),
        ("id", "long", 20, False),
        ("id", "long", 41, False),
        ("day", "date", DAYS[0], True),
        ("day", "date", DAYS[2], True),
        ("at", "timestamp", TIMES[0], False),
        ("at", "timestamp", TIMES[2], False),
        ("at", "timestamp", TIMES[3], False),
        ("seen", "timestamp", TIMES[0], False),
        ("loud", "string", "U3_0", True),
        ("loud", "string", "U2_4", True),
        ("key", "string", "k3_1", True),
        ("key", "string", "k2_5", True),
        ("key", "string", "shared", True),
        ("tag_k", "string", "t3_1", True),
        ("tag_k", "string", "t2_6", True),
        ("tag_k", "string", "tag", True),
    ]
    return [probe for probe in probes if probe[0] in columns]


def build_by_us(both, index, first, then, files):
    """Created, updated, backfilled, deleted from, compacted and vacuumed, in the end over `files`."""
    ours = both.ours
    ours.ok("create", index, "--schema-from", both.folder / "data", *first)
    both.add(index, files[:-1])
    ours.ok("declare", index, *then)
    assert both.ours.json("update", index)["files_backfilled"] == len(files) - 1
    both.add(index, [files[-1]])
    assert ours.json("delete", index, both.path(files[0]))["deleted"] == 1
    both.add(index, [files[0]])
    ours.ok("compact", index)
    ours.ok("vacuum", index, "--retention-hours", "0", "--force")


FLAT = ("user", "id", "day", "at", "seen", "loud")


@pytest.mark.parametrize("zone", ZONES)
def test_an_index_goes_back_and_forth_and_both_answer_alike(peer, tmp_path, zone):
    both = Both(tmp_path, peer, zone)
    build_by_us(both, "flat", ["--regular", "user", "--bloom", "id", "--range", "seen"],
                ["--regular", "day", "--bloom", "at", "--computed", "loud=upper(user)"], [0, 1, 2, 3])
    assert both.ask("unindexed", "flat") == []
    both.same_answers("flat", probes_of(*FLAT), [0, 1, 2, 3])
    both.same_rows("flat", pa.table({"user": ["u1_0", "everywhere"]}), ["user"])

    # The JVM library goes on with it, then we with what it wrote.
    both.add_by_the_jvm("flat", [4])
    assert both.ours.json("describe", "flat")["indexed_files"] == 5
    both.same_answers("flat", probes_of("user", "at", "loud"), [0, 1, 2, 3, 4])
    assert both.add("flat", [5])["files_indexed"] == 1
    both.ask("compact", "flat")
    both.ask("delete", "flat", files=[both.uri(1)])
    both.ours.ok("compact", "flat")
    assert both.ours.json("update", "flat")["files_indexed"] == 0
    both.same_answers("flat", probes_of("user", "id", "seen"), [0, 2, 3, 4, 5])
    both.same_rows("flat", pa.table({"user": ["u4_0", "u2_3", "u1_0"]}), ["user"])
    total = both.ours.json("describe", "flat")["total_indexed_bytes"]
    assert total == sum(both.path(file).stat().st_size for file in (0, 2, 3, 4, 5))


def test_versioned_and_exploded_columns_go_back_and_forth(peer, tmp_path):
    both = Both(tmp_path, peer)

    def newest(file):
        return -both.rows[file]["version"].to_pylist()[0], file

    build_by_us(both, "newest", ["--temporal", "key:version"], ["--regular", "day"], [0, 1, 2, 3])
    both.same_answers("newest", probes_of("key", "day"), [0, 1, 2, 3], newest)
    both.same_rows("newest", pa.table({"key": ["shared", "k3_1"]}), ["key"])
    both.add_by_the_jvm("newest", [4])
    both.add("newest", [5])
    both.same_answers("newest", probes_of("key"), range(FILES), newest)
    both.same_rows("newest", pa.table({"key": ["shared", "k4_0", "k5_1"]}), ["key"])

    build_by_us(both, "tags", ["--exploded", "tags.k:tag_k"], ["--regular", "user"], [0, 1, 2, 3])
    both.same_answers("tags", probes_of("tag_k", "user"), [0, 1, 2, 3])
    both.same_rows("tags", pa.table({"tag_k": ["t1_0", "t2_6"]}), ["tag_k"])
    both.add_by_the_jvm("tags", [4])
    both.add("tags", [5])
    both.same_answers("tags", probes_of("tag_k"), range(FILES))


def table_of(both, index, name):
    folder = both.folder / "root" / "indexes" / index / name
    return deltalake.DeltaTable(folder).to_pyarrow_table()


def bits(filter_bytes):
    """(strategy, hash functions, words) and the set bits of a filter."""
    return filter_bytes[:6], int.from_bytes(filter_bytes[6:], "big")


@pytest.mark.parametrize("zone", ZONES)
def test_what_both_build_of_the_same_files_is_the_same_to_the_byte(peer, tmp_path, zone):
    """But for a filter of doubles: ours holds every spelling of equal numbers."""
    both = Both(tmp_path, peer, zone)
    files = list(range(FILES))
    both.ours.ok("create", "ours", "--schema-from", both.folder / "data", "--regular", "user",
                 "--regular", "day", "--bloom", "id", "--bloom", "at", "--bloom", "price",
                 "--range", "seen", "--computed", "loud=upper(user)")
    both.add("ours", files)
    both.ask("create", "theirs", schemaFrom=str(both.folder / "data"), regular=["user", "day"],
             bloom=["id", "at", "price"], range=["seen"], computed={"loud": "upper(user)"})
    both.add_by_the_jvm("theirs", files)
    ours, theirs = (
        {row["filename"]: row for row in table_of(both, index, "index").to_pylist()}
        for index in ("ours", "theirs")
    )
    assert ours.keys() == theirs.keys() == {both.uri(file) for file in files}
    for name, row in theirs.items():
        assert ours[name].keys() == row.keys()
        for column, cell in row.items():
            mine = ours[name][column]
            if column == "bloom_price":
                (shape, set_here), (their_shape, set_there) = bits(mine), bits(cell)
                assert shape == their_shape and set_there & ~set_here == 0
            elif column.startswith("auto_bloom_") and cell is None:
                pass  # It filters the files of a batch only from the first large one on.
            elif isinstance(cell, list):
                assert sorted(mine) == sorted(cell), (name, column)
            else:
                assert mine == cell, (name, column, mine, cell)
    for column in ("user", "loud"):
        large, their_large = (
            sorted(map(str, table_of(both, index, f"large_indexes/{column}").to_pylist()))
            for index in ("ours", "theirs")
        )
        assert large and large == their_large


def test_metadata_that_both_write_is_the_same(peer, tmp_path):
    both = Both(tmp_path, peer)
    both.ours.ok("create", "ours", "--schema-from", both.folder / "data", "--regular", "user",
                 "--bloom", "id:0.05", "--range", "seen", "--computed", "it's=user || '<&>'",
                 "--temporal", "key:version", "--exploded", "tags.k:tag_k")
    both.ask("create", "theirs", schemaFrom=str(both.folder / "data"), regular=["user"],
             range=["seen"], computed={"it's": "user || '<&>'"}, temporal={"key": "version"},
             exploded=[["tags", "k", "tag_k"]])
    ours, theirs = (
        json.loads((tmp_path / "root" / "indexes" / index / "metadata.json").read_text())
        for index in ("ours", "theirs")
    )
    assert list(ours) == [*theirs, "delta_lake"]  # The last is ours alone.
    for key in ("format", "indexes", "computed_indexes", "exploded_field_indexes",
                "temporal_indexes", "range_indexes", "metadata_version", "storage_format_version"):
        assert ours[key] == theirs[key], key
    assert json.loads(ours["schema"]) == json.loads(theirs["schema"])
