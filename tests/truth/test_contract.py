"""The command line's contract: exit codes, messages that name the way out, JSON alone on stdout."""

import datetime
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
import random_lake
from command_line import DONE, FAILED, LOCKED, NOT_FOUND, USAGE


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contract") / "lake"
    folder.mkdir()
    for number in range(3):
        pq.write_table(
            pa.table(
                {
                    "id": pa.array([number, number + 10], pa.int64()),
                    "city": ["Paris, TX", f"city={number}"],
                    "raw": [b"\0", b"\xff"],
                    "nested": [{"inner": 1}, {"inner": 2}],
                    "price": pa.array([1.5, float("nan")]),
                }
            ),
            folder / f"part-{number}.parquet",
        )
    return folder


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory, lake):
    bound = command_line.Ariadne(tmp_path_factory.mktemp("contract-root") / "root")
    bound.ok(
        "create",
        "ix",
        "--format",
        "parquet",
        "--schema-from",
        lake,
        "--regular",
        "id",
        "--bloom",
        "city",
        "--range",
        "price",
    )
    bound.ok("add", "ix", lake)
    bound.ok("update", "ix")
    return bound


def keys_file(folder, **columns):
    path = folder / "keys.parquet"
    pq.write_table(pa.table(columns), path)
    return path


WRONG = {
    "no command": (USAGE, [], "--help"),
    "an unknown command": (USAGE, ["frobnicate"], "frobnicate"),
    "an unknown option": (USAGE, ["list", "--frobnicate"], "frobnicate"),
    "locate without a question": (USAGE, ["locate", "ix"], "--where"),
    "text that is no number": (USAGE, ["locate", "ix", "--where", "id=abc"], "abc"),
    "JSON that is none": (USAGE, ["locate", "ix", "--where-json", "{"], "where-json"),
    "an unindexed column": (NOT_FOUND, ["locate", "ix", "--where", "raw=1"], "raw"),
    "an unknown column": (NOT_FOUND, ["locate", "ix", "--where", "nope=1"], "nope"),
    "an unknown index": (NOT_FOUND, ["locate", "nope", "--where", "id=1"], "nope"),
    "updating an unknown index": (NOT_FOUND, ["update", "nope"], "nope"),
    "describing an unknown index": (NOT_FOUND, ["describe", "nope"], "nope"),
    "adding a path that names nothing": (
        NOT_FOUND,
        ["add", "ix", "/no/such/path"],
        "/no/such/path",
    ),
    "adding a glob that names nothing": (
        NOT_FOUND,
        ["add", "ix", "/no/such/*.parquet"],
        "/no/such",
    ),
    "removing without --yes": (USAGE, ["remove", "ix"], "--yes"),
    "removing an unknown index": (NOT_FOUND, ["remove", "nope", "--yes"], "nope"),
    "an unindexed policy that is none": (USAGE, ["--unindexed", "maybe", "list"], "include"),
    "a memory size that is none": (USAGE, ["--memory", "lots", "list"], "lots"),
    "a path map without a target": (USAGE, ["--path-map", "x", "list"], "path-map"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_usage_has_its_exit_code_and_a_message_that_names_it(what, ariadne):
    code, arguments, named = WRONG[what]
    assert named in ariadne.refused(*arguments, code=code)


WRONG_DEFINITIONS = {
    "a name with a slash": (["a/b", "--regular", "id"], "a/b"),
    "a name with a leading dot": ([".hidden", "--regular", "id"], ".hidden"),
    "no such column": (["x", "--regular", "nope"], "nope"),
    "a nested path": (["x", "--regular", "nested.inner"], "nested"),
    "a bloom filter on binary": (["x", "--bloom", "raw"], "raw"),
    "two kinds on one column": (["x", "--regular", "id", "--bloom", "id"], "id"),
    "a rate of one": (["x", "--bloom", "city:1.0"], "1"),
    "a rate of zero": (["x", "--bloom", "city:0"], "0"),
    "no schema": (["x"], "--schema"),
    "another format": (["x", "--format", "avro"], "avro"),
}


@pytest.mark.parametrize("what", WRONG_DEFINITIONS)
def test_an_index_that_cannot_be_is_refused_and_leaves_nothing(what, lake, tmp_path):
    arguments, named = WRONG_DEFINITIONS[what]
    ariadne = command_line.Ariadne(tmp_path / "root")
    schema = [] if what == "no schema" else ["--schema-from", lake]
    result = ariadne.run("create", *arguments, *schema)
    assert result.code in (USAGE, NOT_FOUND), result
    assert named in result.stderr, result


def test_the_root_comes_from_the_option_or_the_environment(ariadne, lake):
    root = ariadne.options[1]
    bare = command_line.Ariadne(root)
    bare.options = []
    assert "--root" in bare.refused("list", code=USAGE)
    bare.env["ARIADNE_ROOT"] = root
    assert "ix" in bare.ok("list").stdout
    assert "ix" in bare.ok("list", "--root", root).stdout


def test_a_root_without_indexes_lists_none(tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "nowhere")
    assert "ix" not in json.dumps(ariadne.json("list"))
    assert not (tmp_path / "nowhere").exists()


def test_json_is_alone_on_standard_output(ariadne, tmp_path):
    keys = keys_file(tmp_path, id=[1, 99])
    for arguments in (
        ["list"],
        ["describe", "ix"],
        ["files", "ix"],
        ["update", "ix"],
        ["locate", "ix", "--where", "id=1"],
        ["join", "ix", keys, "--on", "id"],
    ):
        assert isinstance(ariadne.json(*arguments), dict), arguments


def test_locate_prints_all_that_the_contract_names(ariadne):
    answer = ariadne.json("locate", "ix", "--where", "id=1,2")
    assert set(answer) >= {
        "files",
        "total_files",
        "unindexed_files",
        "bytes",
        "total_bytes",
        "index_bytes_read",
        "requests",
        "elapsed_ms",
    }
    assert len(answer["files"]) == 2
    assert answer["total_files"] == 3
    assert answer["index_bytes_read"] > 0
    assert 0 < answer["bytes"] < answer["total_bytes"]


def test_values_with_commas_equal_signs_and_null(ariadne):
    def count(*arguments):
        return len(ariadne.json("locate", "ix", *arguments)["files"])

    assert count("--where", 'city="Paris, TX"') == 3
    assert count("--where", 'city="city=1"') == 1
    assert count("--where", "city=city=1") in (0, 1)
    assert count("--where", "id=1", "--where", "price=1.5") == 1
    assert count("--where", "price=NaN") == 3
    assert count("--where-json", '{"id": [null]}') == 0
    assert count("--where-json", '{"id": []}') == 0
    assert count("--where-json", '{"id": [null, 1, "2"]}') == 2
    assert count("--where-json", '{"id": [1.0, 2.5, 1e400, 99999999999999999999999]}') == 1


def test_keys_may_be_csv_and_json(ariadne, tmp_path):
    (tmp_path / "keys.csv").write_text("id,note\n1,x\n12,y\n")
    (tmp_path / "keys.json").write_text('{"id": 1}\n{"id": 12}\n')
    for name in ("keys.csv", "keys.json"):
        assert (
            len(ariadne.json("locate", "ix", "--keys", tmp_path / name, "--on", "id")["files"]) == 2
        )
    message = ariadne.refused(
        "locate", "ix", "--keys", tmp_path / "none.csv", "--on", "id", code=NOT_FOUND
    )
    assert "none.csv" in message


def test_join_writes_parquet_csv_and_json(ariadne, tmp_path):
    keys = keys_file(tmp_path, id=[1, 99])
    for suffix in ("parquet", "csv", "json"):
        output = tmp_path / f"rows.{suffix}"
        ariadne.ok("join", "ix", keys, "--on", "id", "--select", "city", "-o", output)
        assert output.stat().st_size > 0
    assert (tmp_path / "rows.csv").read_text().splitlines()[0].replace('"', "") == "id,city"
    assert json.loads((tmp_path / "rows.json").read_text()) == {"id": 1, "city": "Paris, TX"}
    message = ariadne.refused("join", "ix", keys, "--on", "id", "-o", "x.xlsx", code=USAGE)
    assert ".parquet" in message


@pytest.mark.parametrize(
    "arguments", [["--how", "left"], ["--how", "left_anti"], ["--keys-left", "--how", "right"]]
)
def test_a_join_that_needs_the_rows_that_match_nothing_is_refused(arguments, ariadne, tmp_path):
    keys = keys_file(tmp_path, id=[1])
    message = ariadne.refused("join", "ix", keys, "--on", "id", *arguments, code=USAGE)
    assert "inner" in message


def test_an_index_that_another_process_updates_is_said_to_be_locked(lake, tmp_path):
    ariadne = command_line.Ariadne(
        tmp_path / "root", options=["--lock-max-wait", "0.3", "--lock-retry-interval", "0.1"]
    )
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "ix", lake)
    lock = tmp_path / "root" / "indexes" / "ix" / ".update.lock"
    now = datetime.datetime.now(datetime.timezone.utc)

    def hold(moment):
        text = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lock.write_text(
            json.dumps(
                {
                    "correlationId": "someone",
                    "acquiredAt": text,
                    "lastRefreshedAt": text,
                    "owner": "the-other-host",
                }
            )
        )

    hold(now)
    assert "the-other-host" in ariadne.refused("update", "ix", code=LOCKED)
    assert len(ariadne.json("locate", "ix", "--where", "id=1")["files"]) == 3
    hold(now - datetime.timedelta(hours=2))
    assert ariadne.json("update", "ix")["files_indexed"] == 3
    assert not lock.exists()
    lock.write_text("not JSON")
    assert ariadne.json("update", "ix")["files_indexed"] == 0


def test_removing_an_index_leaves_the_data(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    ariadne.ok("remove", "ix", "--yes")
    ariadne.refused("describe", "ix", code=NOT_FOUND)
    assert "ix" not in json.dumps(ariadne.json("list"))
    assert len(list(lake.glob("*.parquet"))) == 3
    left = [path for path in (tmp_path / "root").rglob("*") if path.is_file()]
    assert left == []


def test_creating_again_changes_nothing_and_adds_columns(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    for columns in (["id"], ["id"], ["id", "city"]):
        flags = [flag for column in columns for flag in ("--regular", column)]
        ariadne.ok("create", "ix", "--schema-from", lake, *flags)
        ariadne.ok("add", "ix", lake)
        ariadne.ok("update", "ix")
    answer = ariadne.json("locate", "ix", "--where", "city=city=2")
    assert [os.path.basename(random_lake.path_of(uri)) for uri in answer["files"]] == [
        "part-2.parquet"
    ]
    answer = ariadne.json("locate", "ix", "--where", "id=2")
    assert len(answer["files"]) == 1


def test_a_damaged_index_is_an_error_with_its_name_and_not_a_crash(lake, tmp_path):
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    folder = tmp_path / "root" / "indexes" / "ix"
    metadata = folder / "metadata.json"
    whole = metadata.read_text()
    metadata.write_text(whole[: len(whole) // 2])
    assert "metadata.json" in ariadne.refused("locate", "ix", "--where", "id=1", code=FAILED)
    changed = json.loads(whole)
    changed["metadata_version"] = 99
    metadata.write_text(json.dumps(changed))
    assert "99" in ariadne.refused("locate", "ix", "--where", "id=1", code=FAILED)
    changed = json.loads(whole)
    changed["storage_format_version"] = 99
    metadata.write_text(json.dumps(changed))
    assert "99" in ariadne.refused("locate", "ix", "--where", "id=1", code=FAILED)
    metadata.write_text(whole)
    # A main index file that is damaged may say "maybe" or fail by name, never "no".
    for path in (folder / "index").glob("*.parquet"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    result = ariadne.run("--json", "locate", "ix", "--where", "id=1")
    if result.code == DONE:
        assert len(result.json["files"]) == 3, result
    else:
        assert result.code == FAILED and "parquet" in result.stderr, result


def test_losing_what_is_ours_alone_loses_no_answer(lake, tmp_path):
    """Everything below native/ may be deleted or damaged."""
    ariadne = command_line.Ariadne(tmp_path / "root")
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id", "--bloom", "city")
    ariadne.ok("add", "ix", lake)
    ariadne.ok("update", "ix")
    native = tmp_path / "root" / "indexes" / "ix" / "native"
    question = ["locate", "ix", "--where", "id=1", "--where", "city=city=1"]
    before = ariadne.json(*question)["files"]
    assert len(before) == 1
    for path in [path for path in native.rglob("*") if path.is_file()]:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert ariadne.json(*question)["files"] == before
    for path in [path for path in native.rglob("*") if path.is_file()]:
        path.unlink()
    assert ariadne.json(*question)["files"] == before
