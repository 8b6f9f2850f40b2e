"""What the command says when it cannot do what was asked; it then leaves nothing behind."""

import datetime
import http.server
import json
import signal
import subprocess
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import FAILED, INTERRUPTED, NOT_FOUND, USAGE


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    for part in range(3):
        ids = pa.array(range(part * 10, part * 10 + 10), pa.int64())
        pq.write_table(pa.table({"id": ids}), folder / f"part {part}.parquet")
    return folder


def test_a_schema_that_is_none_is_named_with_the_place_of_the_fault(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    message = ariadne.refused("create", "x", "--schema", lake, code=USAGE)
    assert "folder" in message and "--schema-from" in message
    broken = tmp_path / "broken.json"
    for text, words in (
        ('{"type":"struct",\n', ["broken.json", "line"]),
        ("id\n", ["broken.json", "line 1, column 1"]),
        ("", ["broken.json"]),
        ("[]", ["broken.json"]),
        ('{"type":"struct","fields":[{"name":"a","type":"matrix"}]}', ["broken.json", "matrix"]),
    ):
        broken.write_text(text)
        result = ariadne.run("create", "x", "--schema", broken)
        assert result.code in (FAILED, USAGE), result
        assert all(word in result.stderr for word in words), result
        assert "json.exception" not in result.stderr and "please report" not in result.stderr
    assert not (tmp_path / "root").exists()


def test_a_refused_create_leaves_nothing_behind(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    for flags in (
        ["--regular", "nope"],
        ["--regular", "id", "--bloom", "id"],
        ["--bloom", "id:2"],
        ["--regular", "id", "--computed", "c=frobnicate(id)"],
    ):
        result = ariadne.run("create", "x", "--schema-from", lake, *flags)
        assert result.code in (USAGE, NOT_FOUND), result
        assert not (tmp_path / "root").exists(), result


def test_a_create_that_fails_on_an_index_that_exists_declares_nothing(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "x", "--schema-from", lake)
    result = ariadne.run("create", "x", "--schema-from", lake, "--regular", "id", "--range", "nope")
    assert result.code == NOT_FOUND, result
    assert ariadne.json("describe", "x")["indexes"] == []
    ariadne.ok("create", "x", "--schema-from", lake, "--regular", "id")
    assert len(ariadne.json("describe", "x")["indexes"]) == 1


def test_a_time_zone_that_is_none_is_refused_as_a_flag_and_warned_of_elsewhere(tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    message = ariadne.refused("--token-time-zone", "Mars/Olympus", "list", code=USAGE)
    assert "Mars/Olympus" in message and "Europe/Paris" in message
    for zone in ("Europe/Berlin", "+02:00", "UTC"):
        ariadne.ok("--token-time-zone", zone, "list")
    warned = command_line.Ariadne(
        tmp_path / "root", env={"ARIADNE_TOKEN_TIME_ZONE": "Mars/Olympus"}
    ).ok("list")
    assert "Mars/Olympus" in warned.stderr and "default" in warned.stderr


def test_a_join_that_meets_a_file_that_is_gone_names_it_and_the_remedy(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "x", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "x", lake)
    ariadne.ok("update", "x")
    keys = tmp_path / "keys.csv"
    keys.write_text("id\n3\n13\n")
    (lake / "part 1.parquet").unlink()
    for more in ([], ["--rows", "0"], ["-o", tmp_path / "out.csv"], ["--json"]):
        message = ariadne.refused("join", "x", keys, "--on", "id", *more, code=NOT_FOUND)
        assert message.count("part 1.parquet") == 1 and "sync" in message, message
        assert not (tmp_path / "out.csv").exists()
    keys.write_text("id\n3\n")
    assert ariadne.json("join", "x", keys, "--on", "id")["rows"] == 1
    ariadne.ok("sync", "x")
    keys.write_text("id\n3\n13\n")
    assert ariadne.json("join", "x", keys, "--on", "id")["rows"] == 1


class NoRole(http.server.BaseHTTPRequestHandler):
    """A machine in the cloud that has no role."""

    def do_PUT(self):
        self.send_response(403)
        self.end_headers()

    do_GET = do_PUT

    def log_message(self, *_):
        pass


def test_a_bucket_without_credentials_is_told_which_variables_to_set(tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), NoRole)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ariadne = command_line.Ariadne(
        "s3://a-bucket/index",
        env={
            "AWS_METADATA_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
            "AWS_ACCESS_KEY_ID": "",
            "AWS_REGION": "us-east-1",
        },
    )
    for name in [name for name in ariadne.env if name.startswith("AWS_")]:
        if name not in ("AWS_METADATA_ENDPOINT", "AWS_REGION"):
            del ariadne.env[name]
    message = ariadne.refused("list", code=FAILED)
    server.shutdown()
    assert "AWS_ACCESS_KEY_ID" in message and "s3://a-bucket/" in message
    assert message.index("AWS_ACCESS_KEY_ID") < message.index("127.0.0.1")


def slow_update(tmp_path, lake):
    ariadne = command_line.Ariadne(tmp_path / "root", options=["--lock-retry-interval", "0.1"])
    ariadne.ok("create", "x", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "x", lake)
    # Held by somebody else: the update waits for as long as the test wants.
    now = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    lock = {"correlationId": "x", "acquiredAt": now, "lastRefreshedAt": now, "owner": "elsewhere"}
    (tmp_path / "root" / "indexes" / "x" / ".update.lock").write_text(json.dumps(lock))
    return ariadne


def test_a_hang_up_stops_a_writing_command_like_a_termination(lake, tmp_path):
    ariadne = slow_update(tmp_path, lake)
    for ask in (signal.SIGHUP, signal.SIGTERM):
        process = ariadne.start("update", "x")
        while b"waiting" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(ask)
        while b"safe point" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(ask)  # The second one ends it wherever it is.
        assert process.wait(60) == INTERRUPTED


def test_a_hang_up_that_was_ignored_stays_ignored(lake, tmp_path):
    ariadne = slow_update(tmp_path, lake)
    process = subprocess.Popen(
        ["nohup", *ariadne.command("update", "x")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ariadne.env,
    )
    while b"waiting" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGHUP)
    (tmp_path / "root" / "indexes" / "x" / ".update.lock").unlink()
    assert process.wait(60) == 0, process.stderr.read()


def test_a_file_that_cannot_be_indexed_is_named_once_with_the_reason(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "x", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "x", lake)
    (lake / "part 0.parquet").write_bytes(b"")
    (lake / "part 1.parquet").write_bytes(b"PAR1 no Parquet at all")
    result = ariadne.ok("update", "x", code=command_line.SOME_FILES_FAILED)
    for part in range(2):
        lines = [line for line in result.stderr.splitlines() if f"part%20{part}" in line]
        assert len(lines) == 1 and lines[0].count(f"part%20{part}") == 1, result
        assert ".." not in lines[0] and "Invalid:" not in lines[0], result
