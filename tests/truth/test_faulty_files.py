"""Files that cannot be indexed stop neither the others nor the truth."""

import json
import os
import pathlib
import signal
import time

import numpy
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
import random_lake


def write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.table({"id": pa.array(values, pa.int64()), "name": [f"n{v}" for v in values]}), path
    )


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "lake"
    for number in range(6):
        write(folder / f"good {number}.parquet", [number, number + 100])
    return folder


@pytest.fixture
def ariadne(tmp_path, lake):
    bound = command_line.Ariadne(tmp_path / "root")
    bound.ok(
        "create",
        "ix",
        "--format",
        "parquet",
        "--schema-from",
        lake / "good 0.parquet",
        "--regular",
        "id",
        "--bloom",
        "name",
    )
    return bound


def unindexed(ariadne):
    return json.dumps(ariadne.json("files", "ix", "--unindexed-only"), ensure_ascii=False)


def paths(uris):
    return {random_lake.path_of(uri) for uri in uris}


def truncate(path):
    path.write_bytes(path.read_bytes()[:-20])


def cut_in_the_middle(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def overwrite_with_text(path):
    path.write_text("id,name\n1,n1\n")


def empty(path):
    path.write_bytes(b"")


def make_a_folder_of_it(path):
    path.unlink()
    path.mkdir()


def spoil_a_page(path):
    """The footer stays whole: the fault shows only when the column is decoded."""
    data = bytearray(path.read_bytes())
    data[4:200] = bytes(196)
    path.write_bytes(bytes(data))


def change_the_type(path):
    pq.write_table(pa.table({"id": ["text"], "name": ["n1"]}), path)


FAULTS = {
    "vanished": os.unlink,
    "truncated": truncate,
    "cut in the middle": cut_in_the_middle,
    "no Parquet": overwrite_with_text,
    "zero bytes": empty,
    "a folder": make_a_folder_of_it,
    "a damaged page": spoil_a_page,
    "another type": change_the_type,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_cannot_be_read_is_reported_by_name_and_the_others_are_indexed(
    fault, lake, ariadne
):
    bad = lake / f"bad % ü {fault}.parquet"
    values = list(range(500))
    write(bad, values)
    ariadne.ok("add", "ix", lake)
    FAULTS[fault](bad)
    result = ariadne.ok("--json", "update", "ix", code=command_line.SOME_FILES_FAILED)
    report = result.json
    assert report["files_indexed"] == 6
    (failed,) = report["files_failed"]
    assert paths([failed["file"]]) == {str(bad)}
    assert failed["error"].strip()
    assert "bad %25 ü" in unindexed(ariadne) or "bad%20%25%20ü" in unindexed(ariadne)
    assert "good" not in unindexed(ariadne)
    # It may hold anything, so it stays a candidate.
    answer = ariadne.json("locate", "ix", "--where", "id=3")
    assert paths(answer["files"]) == {str(lake / "good 3.parquet"), str(bad)}
    assert ariadne.run("update", "ix").code == command_line.SOME_FILES_FAILED

    if bad.is_dir():
        bad.rmdir()
    write(bad, values)
    assert ariadne.json("update", "ix")["files_indexed"] == 1
    assert ariadne.json("update", "ix")["files_indexed"] == 0
    answer = ariadne.json("locate", "ix", "--where", "id=499")
    assert paths(answer["files"]) == {str(bad)}


def test_several_faults_in_one_update_are_all_reported(lake, ariadne):
    for fault in FAULTS:
        write(lake / f"{fault}.parquet", list(range(500)))
    ariadne.ok("add", "ix", lake)
    for fault, spoil in FAULTS.items():
        spoil(lake / f"{fault}.parquet")
    text = ariadne.ok("update", "ix", code=command_line.SOME_FILES_FAILED)
    for fault in FAULTS:
        shown = text.stdout + text.stderr
        assert fault.replace(" ", "%20") in shown or fault in shown, text
    report = ariadne.json("update", "ix", code=command_line.SOME_FILES_FAILED)
    assert len(report["files_failed"]) == len(FAULTS)
    assert report["files_indexed"] == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_read_permission_is_reported(lake, ariadne):
    secret = lake / "secret.parquet"
    write(secret, [1])
    ariadne.ok("add", "ix", lake)
    secret.chmod(0)
    report = ariadne.json("update", "ix", code=command_line.SOME_FILES_FAILED)
    assert [os.path.basename(failed["file"]) for failed in report["files_failed"]] == [secret.name]
    secret.chmod(0o644)
    assert ariadne.json("update", "ix")["files_indexed"] == 1


def test_a_folder_that_is_named_like_a_file_is_a_folder(lake, ariadne):
    """Spark writes such folders."""
    write(lake / "out.parquet" / "part-0.parquet", [77])
    (lake / "hollow.parquet").mkdir()
    (lake / "out.parquet" / "_SUCCESS").touch()
    ariadne.ok("add", "ix", lake)
    assert ariadne.json("update", "ix")["files_indexed"] == 7
    answer = ariadne.json("locate", "ix", "--where", "id=77")
    assert paths(answer["files"]) == {str(lake / "out.parquet" / "part-0.parquet")}


def test_a_file_that_vanished_after_it_was_indexed_makes_a_join_say_so(lake, ariadne, tmp_path):
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    (lake / "good 3.parquet").unlink()
    keys = tmp_path / "keys.parquet"
    pq.write_table(pa.table({"id": [3]}), keys)
    result = ariadne.run("join", "ix", keys, "--on", "id", "-o", tmp_path / "out.parquet")
    assert result.code in (command_line.FAILED, command_line.NOT_FOUND), result
    assert "good%203.parquet" in result.stderr or "good 3.parquet" in result.stderr, result
    assert not (tmp_path / "out.parquet").exists()
    # A question that does not touch it is answered.
    pq.write_table(pa.table({"id": [2]}), keys)
    ariadne.ok("join", "ix", keys, "--on", "id", "-o", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 1


# --- stopped in the middle -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def large_lake(tmp_path_factory):
    """Sixty files whose update takes about a second with one thread."""
    folder = tmp_path_factory.mktemp("large") / "lake"
    folder.mkdir()
    random = numpy.random.default_rng(7)
    for number in range(60):
        values = random.integers(0, 10**9, 40_000)
        pq.write_table(
            pa.table({"id": values, "name": [f"name-{v:010d}" for v in values]}),
            folder / f"{number:03d}.parquet",
        )
    return folder


@pytest.fixture
def large(large_lake, tmp_path):
    bound = command_line.Ariadne(tmp_path / "root", options=["--threads", "1"])
    bound.ok(
        "create",
        "ix",
        "--format",
        "parquet",
        "--schema-from",
        large_lake / "000.parquet",
        "--regular",
        "name",
        "--bloom",
        "id",
    )
    bound.ok("add", "ix", large_lake)
    return bound


def root_of(ariadne):
    return pathlib.Path(ariadne.options[1])


def check_large(ariadne, lake):
    """The update finishes, and nothing is lost."""
    assert ariadne.run("update", "ix").code == command_line.DONE
    assert "parquet" not in unindexed(ariadne)
    assert ariadne.json("update", "ix")["files_indexed"] == 0
    for number in (0, 31, 59):
        path = lake / f"{number:03d}.parquet"
        name = pq.read_table(path).column("name")[17].as_py()
        answer = ariadne.json("locate", "ix", "--where", f"name={name}")
        assert str(path) in paths(answer["files"])
        assert len(answer["files"]) <= 2
    assert not list(root_of(ariadne).rglob("staging/*.parquet"))


def test_ctrl_c_exits_130_and_the_next_update_finishes(large, large_lake):
    lock = root_of(large) / "indexes" / "ix" / ".update.lock"
    codes = []
    for delay in (0, 0.2, 0.5):
        process = large.start("update", "ix")
        while not lock.exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        codes.append(process.returncode)
        assert codes[-1] in (command_line.INTERRUPTED, command_line.DONE), stderr
        assert not lock.exists()
        if codes[-1] == command_line.DONE:
            break
    assert codes[0] == command_line.INTERRUPTED
    check_large(large, large_lake)


def test_killed_at_any_moment_the_next_update_finishes(large, large_lake):
    for delay in (0.02, 0.1, 0.2, 0.4, 0.7):
        process = large.start("update", "ix")
        time.sleep(delay)
        process.kill()
        process.communicate(timeout=60)
        # The lock of the killed process is taken over only when it is stale: here, at once.
        for lock in root_of(large).rglob(".*.lock"):
            lock.unlink()
    check_large(large, large_lake)
