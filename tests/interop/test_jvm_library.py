"""The real JVM library over indexes of ours, and ours over what it then made of them.

`make interop PEER_JAR=FILE` runs this; without the library's jar there is nothing to run.
"""

import csv
import datetime
import json
import os
import pathlib
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import Ariadne

PEER = pathlib.Path(__file__).parent / "jvm" / "peer.sh"
pytestmark = pytest.mark.skipif(
    "PEER_JAR" not in os.environ, reason="PEER_JAR does not name the jar of the JVM library"
)

DAYS = [datetime.date(1500, 3, 1), datetime.date(1970, 1, 1), datetime.date(9999, 12, 31)]
TIMES = [
    datetime.datetime(1850, 5, 1, 12, 30, tzinfo=datetime.timezone.utc),
    datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),
    datetime.datetime(2024, 7, 1, 1, 2, 3, 456789, tzinfo=datetime.timezone.utc),
]


class Peer:
    """One JVM that answers request after request."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["bash", PEER, "run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.answer()

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("> "):
                return json.loads(line[2:])
        raise AssertionError("the JVM ended")

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.answer()
        assert "error" not in answer, (request, answer)
        return answer["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


@pytest.fixture(scope="module")
def peer():
    subprocess.run(["bash", PEER, "setup"], check=True)
    peer = Peer()
    yield peer
    peer.close()


def rows_of(file):
    return pa.table(
        {
            "user": [f"u{file}", "everywhere", None],
            "id": pa.array([file * 10, file * 10 + 1, None], pa.int64()),
            "day": pa.array([DAYS[file % 3], None, DAYS[file % 3]], pa.date32()),
            "at": pa.array([TIMES[file % 3], None, TIMES[file % 3]], pa.timestamp("us", "UTC")),
            "price": pa.array([file * 0.5, float("nan"), -0.0], pa.float64()),
        }
    )


PROBES = [
    ("user", "string", ["u1"]),
    ("user", "string", ["u0", "u4"]),
    ("user", "string", ["everywhere"]),
    ("user", "string", ["nobody"]),
    ("id", "long", ["20"]),
    ("id", "long", ["41", "11"]),
    ("day", "date", ["1500-03-01"]),
    ("day", "date", ["9999-12-31"]),
    ("at", "timestamp", ["1850-05-01T12:30:00Z"]),
    ("at", "timestamp", ["2024-07-01T01:02:03.456789Z"]),
]


def text_of(value):
    if isinstance(value, datetime.datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value if value is None or isinstance(value, str) else str(value)


def write(file, path):
    """Rows of a file in the format of its suffix."""
    table = rows_of(file)
    rows = table.to_pylist()
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as out:
            writer = csv.writer(out, delimiter="|", lineterminator="\n")
            writer.writerow(table.column_names)
            writer.writerows([text_of(value) for value in row.values()] for row in rows)
    else:
        with path.open("w") as out:
            for row in rows:
                texts = {name: text_of(row[name]) for name in ("user", "day", "at")}
                price = "NaN" if row["price"] != row["price"] else row["price"]
                out.write(json.dumps({**row, **texts, "price": price}) + "\n")


FORMATS = {
    "parquet": [],
    "csv": ["--format", "csv", "--option", "header=true", "--option", "sep=|"],
    "json": ["--format", "json"],
}


@pytest.fixture(scope="module", params=FORMATS)
def lake(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("both-ways")
    (folder / "data").mkdir()
    write(0, folder / "schema.parquet")
    for file in range(6):
        write(file, folder / "data" / f"f{file}.{request.param}")
    ours = Ariadne(folder / "root")
    # What a Parquet file of these rows would have, said for every format.
    ours.ok("create", "example", "--schema-from", folder / "schema.parquet")
    example = json.loads((folder / "root/indexes/example/metadata.json").read_text())
    (folder / "schema.json").write_text(example["schema"])
    ours.ok("create", "t", "--schema", folder / "schema.json", *FORMATS[request.param], "--regular",
            "user", "--bloom", "id", "--range", "at", "--regular", "day")
    ours.ok("add", "t", *(folder / "data" / f"f{file}.{request.param}" for file in range(4)))
    ours.ok("update", "t")
    return folder, ours, request.param


def same_answers(folder, ours, peer):
    for column, kind, values in PROBES:
        expected = ours.json(
            "--unindexed", "exclude", "locate", "t", "--where-json", json.dumps({column: values})
        )["files"]
        probe = {column: {"type": kind, "values": values}}
        found = peer.ask(op="locate", root=f"file://{folder}/root", index="t", probe=probe)
        assert found == expected, (column, values)


def test_the_jvm_library_answers_as_we_do_and_goes_on_with_our_index(lake, peer):
    folder, ours, suffix = lake
    root = f"file://{folder}/root"
    same_answers(folder, ours, peer)
    assert peer.ask(op="unindexed", root=root, index="t") == []

    # It adds a file (a name with a blank would break its update) to our index and updates it; then we do the same to what it wrote.
    uri = "file://" + str(folder / "data" / f"f4.{suffix}")
    peer.ask(op="addFiles", root=root, index="t", files=[uri])
    peer.ask(op="update", root=root, index="t")
    assert ours.json("describe", "t")["indexed_files"] == 5
    same_answers(folder, ours, peer)
    ours.ok("add", "t", folder / "data" / f"f5.{suffix}")
    assert ours.json("update", "t")["files_indexed"] == 1
    same_answers(folder, ours, peer)

    # Operations of either leave the answers of both.
    ours.ok("compact", "t")
    same_answers(folder, ours, peer)
    peer.ask(op="compact", root=root, index="t")
    same_answers(folder, ours, peer)
    ours.ok("vacuum", "t", "--retention-hours", "0", "--force")
    same_answers(folder, ours, peer)
    ours.ok("delete", "t", folder / "data" / f"f1.{suffix}")
    same_answers(folder, ours, peer)
