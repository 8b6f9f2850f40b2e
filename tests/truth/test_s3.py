"""The same lake and index on an S3 server and on a local disk give the same answers."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import boto3
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Environment that points at an S3 server on this machine, with a bucket `lake`."""
    port = free_port()
    log = open(tmp_path_factory.mktemp("s3") / "moto.log", "wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=log,
        stderr=log,
    )
    endpoint = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(endpoint, timeout=1).close()
                break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None, f"moto did not start: see {log.name}"
                time.sleep(0.1)
        environment = {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT": endpoint}
        yield environment
    finally:
        process.terminate()
        process.wait(timeout=20)
        log.close()


@pytest.fixture(scope="module")
def s3(server):
    client = boto3.client(
        "s3",
        endpoint_url=server["AWS_ENDPOINT_URL"],
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        region_name="us-east-1",
    )
    client.create_bucket(Bucket="lake")
    return client


def write_lake(folder):
    """Twelve files, some with names that need escapes."""
    names = [f"part {n}% ü.parquet" if n % 3 == 0 else f"part-{n}.parquet" for n in range(12)]
    for number, name in enumerate(names):
        path = folder / f"day={number % 2}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        ids = [number * 10 + i for i in range(10)]
        pq.write_table(
            pa.table(
                {
                    "id": pa.array(ids, pa.int64()),
                    "user": [f"user-{i % 7}-{number}" for i in ids],
                    "score": pa.array([float(i) for i in ids]),
                }
            ),
            path,
        )


def upload(s3, folder, prefix):
    for path in folder.rglob("*.parquet"):
        s3.upload_file(str(path), "lake", f"{prefix}/{path.relative_to(folder)}")


QUESTIONS = ["id=15", "id=15,99,7", "user=user-1-0", "score=33.0", "id=1000", "day=1", "day=0"]


def walk(ariadne, lake, keys, folder):
    """Runs the main job; returns all its answers with the lake's place taken out of names."""

    def short(uris):
        return sorted(uri.split("/data/", 1)[1] for uri in uris)

    answers = []
    ariadne.ok(
        "create",
        "ix",
        "--format",
        "parquet",
        "--schema-from",
        lake,
        "--regular",
        "id",
        "--bloom",
        "user",
        "--range",
        "score",
        "--regular",
        "day",
    )
    answers.append(ariadne.json("add", "ix", lake)["added"])
    report = ariadne.json("update", "ix")
    answers.append((report["files_indexed"], report["files_failed"]))
    answers.append(ariadne.json("update", "ix")["files_indexed"])
    for question in QUESTIONS:
        answer = ariadne.json("locate", "ix", "--where", question)
        answers.append((question, short(answer["files"]), answer["total_files"], answer["bytes"]))
    answers.append(ariadne.json("list"))
    for how in ([], ["--how", "left_semi"], ["--keys-left", "--how", "left"]):
        output = folder / "joined.parquet"
        output.unlink(missing_ok=True)
        ariadne.ok("join", "ix", keys, "--on", "id", *how, "-o", output)
        answers.append(sorted(map(repr, pq.read_table(output).to_pylist())))
    return answers


def test_a_lake_and_a_root_on_s3_answer_like_those_on_disk(server, s3, tmp_path):
    local = tmp_path / "data"
    write_lake(local)
    upload(s3, local, "data")
    keys = tmp_path / "keys.parquet"
    pq.write_table(
        pa.table({"id": pa.array([15, 99, 5000, None, 7], pa.int64()), "tag": list("abcde")}), keys
    )
    on_disk = walk(command_line.Ariadne(tmp_path / "root"), local, keys, tmp_path)
    remote = command_line.Ariadne("s3://lake/root", env=server)
    assert walk(remote, "s3://lake/data", keys, tmp_path) == on_disk

    names = remote.json("locate", "ix", "--where", "id=15")["files"]
    assert all(name.startswith("s3://lake/data/") for name in names), names
    stored = [item["Key"] for item in s3.list_objects_v2(Bucket="lake", Prefix="root/")["Contents"]]
    assert any(key.endswith("indexes/ix/metadata.json") for key in stored), stored
    assert not any(key.endswith(".lock") for key in stored), stored

    # A file that goes away after it was tracked is reported; the others are indexed.
    s3.upload_file(str(next(local.rglob("part-1.parquet"))), "lake", "data/gone.parquet")
    s3.upload_file(str(next(local.rglob("part-1.parquet"))), "lake", "data/new.parquet")
    assert remote.json("add", "ix", "s3://lake/data")["added"] == 2
    s3.delete_object(Bucket="lake", Key="data/gone.parquet")
    report = remote.json("update", "ix", code=command_line.SOME_FILES_FAILED)
    assert report["files_indexed"] == 1
    assert [failed["file"] for failed in report["files_failed"]] == ["s3://lake/data/gone.parquet"]

    remote.ok("remove", "ix", "--yes")
    assert "Contents" not in s3.list_objects_v2(Bucket="lake", Prefix="root/indexes/ix/")


def test_names_written_as_s3a_are_read_through_the_path_map(server, s3, tmp_path):
    """An index that the JVM library made names its files `s3a://`, and may lie on a disk."""
    local = tmp_path / "data"
    write_lake(local)
    upload(s3, local, "mirror/data")
    keys = tmp_path / "keys.parquet"
    pq.write_table(pa.table({"id": pa.array([15, 99], pa.int64())}), keys)
    ariadne = command_line.Ariadne(
        tmp_path / "root", path_map=["s3a://lake/=s3://lake/mirror/"], env=server
    )
    ariadne.ok(
        "create",
        "ix",
        "--format",
        "parquet",
        "--schema-from",
        local / "day=0" / "part-2.parquet",
        "--regular",
        "id",
    )
    assert ariadne.json("add", "ix", "s3a://lake/data")["added"] == 12
    assert ariadne.json("update", "ix")["files_indexed"] == 12
    answer = ariadne.json("locate", "ix", "--where", "id=15")
    assert answer["files"] == ["s3a://lake/data/day=1/part-1.parquet"]
    ariadne.ok("join", "ix", keys, "--on", "id", "-o", tmp_path / "out.parquet")
    assert sorted(pq.read_table(tmp_path / "out.parquet").column("id").to_pylist()) == [15, 99]


def test_a_bucket_that_is_not_there_is_named(server, tmp_path):
    ariadne = command_line.Ariadne("s3://no-such-bucket/root", env=server)
    result = ariadne.run("locate", "ix", "--where", "id=1")
    assert result.code in (command_line.FAILED, command_line.NOT_FOUND), result
    assert "no-such-bucket" in result.stderr or "ix" in result.stderr, result
