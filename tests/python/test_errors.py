"""Errors of the library arrive as the Python class of the same name, and say what was asked and what to do."""

import pathlib
import re
import subprocess
import sys

import ariadne_lake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ariadne_lake import errors
from locks import held_lock

HEADER = pathlib.Path(__file__).resolve().parents[2] / "include" / "ariadne" / "errors.h"


def test_python_has_every_class_of_the_library_and_no_other():
    declared = set(re.findall(r"using (\w+) =\s*internal::ErrorOf", HEADER.read_text(encoding="utf-8")))
    assert len(declared) > 20
    assert declared | {"Error"} == set(errors.__all__)
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), errors.Error)
        assert getattr(ariadne_lake, name) is getattr(errors, name)


def _raised(call):
    with pytest.raises(errors.Error) as error:
        call()
    return error.value


def test_a_question_without_a_column_is_refused(events):
    assert "names no column" in str(_raised(lambda: events.locate({})))


def test_what_is_not_there_is_a_lookup_error_that_names_it(lake, events):
    missing = _raised(lambda: lake["nope"])
    assert type(missing) is errors.IndexNotFound and isinstance(missing, LookupError)
    assert "nope" in str(missing) and "events" in str(missing)
    column = _raised(lambda: events.locate({"nope %": 1}))
    assert type(column) is errors.ColumnNotFound and "nope %" in str(column) and '"id"' in str(column)
    file = _raised(lambda: events.add_files("/nowhere/at all"))
    assert type(file) is errors.FileNotFound and isinstance(file, FileNotFoundError) and "/nowhere/at all" in str(file)
    assert "nope" not in lake and "events" in lake and 3 not in lake
    assert list(lake) == lake.indexes == ["events"] and len(lake) == 1


def test_a_definition_that_differs_is_refused_in_the_words_of_its_class(lake, events, files):
    other = pa.schema({"id": pa.string()})
    assert type(_raised(lambda: lake.create("events", other))) is errors.SchemaMismatch
    assert type(_raised(lambda: lake.create("events", events.schema, format="json"))) is errors.FormatMismatch
    assert type(_raised(lambda: events.add_range("id"))) is errors.IndexTypeConflict
    assert type(_raised(lambda: events.add_computed("x", "nonsense(id)"))) is errors.InvalidArgument
    assert type(_raised(lambda: lake.create("two", pa.schema({"m": pa.map_(pa.string(), pa.string())}), range="m"))) is errors.UnsupportedColumn
    assert type(_raised(lambda: events.join({"id": [1]}, "id", how="left"))) is errors.UnsupportedJoin
    assert type(_raised(lambda: lake.sql("SELECT nonsense FROM events"))) is errors.QueryError
    strict = ariadne_lake.Lake(lake.root, unindexed="error")
    pq.write_table(pa.table({"id": [1], "name": ["x"]}), files / "late.parquet")
    events.add_files(files)
    assert type(_raised(lambda: strict["events"].locate({"id": 1}))) is errors.UnindexedFiles


def test_a_lock_that_another_holds_is_a_timeout_that_names_the_holder(lake, events):
    lock = held_lock()
    hasty = ariadne_lake.Lake(lake.root, lock_max_wait=0, lock_retry_interval=0.01)
    (path,) = {each.parent for each in pathlib.Path(lake.root).rglob("metadata.json")}
    (path / ".update.lock").write_text(lock, encoding="utf-8")
    error = _raised(lambda: hasty["events"].update())
    assert type(error) is errors.LockTimeout and isinstance(error, TimeoutError) and "elsewhere" in str(error)


def test_metadata_that_is_none_is_corrupt_and_not_absent(lake, events):
    (metadata,) = pathlib.Path(lake.root).rglob("metadata.json")
    metadata.write_text("{", encoding="utf-8")
    assert type(_raised(lambda: lake["events"])) is errors.MetadataCorrupt


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"thread": 3}, "'threads'"), ({"threads": -1}, "threads"), ({"threads": 2.5}, "2.5"), ({"threads": True}, "threads"),
        ({"memory": "lots"}, "lots"), ({"memory": -1}, "memory"), ({"unindexed": "ignore"}, "'include'"),
        ({"auto_bloom_fpr": 1}, "between 0 and 1"), ({"lock_max_wait": float("nan")}, "lock_max_wait"),
        ({"path_map": "a=b"}, "dictionary"), ({"storage": {"a": None}}, "storage"), ({"token_time_zone": 3}, "token_time_zone"),
        ({"token_time_zone": "Mars/Base"}, "Mars/Base"), ({"row_group_bloom": "on"}, "True or False"), ({"large_index_limit": 0}, "1 at least"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_meant_is_refused_by_its_name(tmp_path, config, words):
    error = _raised(lambda: ariadne_lake.Lake(tmp_path, **config))
    assert type(error) is errors.InvalidArgument and isinstance(error, ValueError)
    assert words in str(error)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda index: index.join([1, 2], "id"), "__arrow_c_stream__"), (lambda index: index.join("keys.csv", "id"), "keys.csv"),
        (lambda index: index.join(None, "id"), "None"), (lambda index: index.join({"id": 1, "x": [1, 2]}, "id"), "table"),
        (lambda index: index.join({"id": [1]}, 5), "on is 5"), (lambda index: index.join({"id": [1]}, "zz"), "zz"),
        (lambda index: index.join({"id": [1]}, "id", columns=["zz"]), "zz"), (lambda index: index.join({"id": [1]}, []), "column"),
        (lambda index: index.join({"id": [1]}, "id", how="outer"), "'left_anti'"),
        (lambda index: index.join(pa.array([1]), "id"), "table"), (lambda index: index.join({"id": [1]}, "id", keys_left=1), "keys_left"),
        (lambda index: index.locate([("id", 1)]), "dictionary"), (lambda index: index.locate({1: 2}), "column"),
        (lambda index: index.locate({"id": [1]}, on=["zz"]), "zz"), (lambda index: index.add_files(5), "paths"),
        (lambda index: index.add_files([5]), "item of paths"), (lambda index: index.add_bloom("name", "low"), "fpr"),
        (lambda index: index.add_bloom("id2", 2.0), "id2"), (lambda index: index.add_regular(["id"]), "give a str"),
        (lambda index: index.delete([]), "name"), (lambda index: index.vacuum(1), "168"), (lambda index: index.vacuum("week"), "retention_hours"),
        (lambda index: index.update(progress=3), "progress"), (lambda index: index.compact(progress=print), "progress"),
        (lambda index: index.sync(dry_run="yes"), "dry_run"),
    ],
)  # fmt: skip
def test_an_argument_of_the_wrong_type_is_refused_with_its_name_or_value(shared_events, call, words):
    error = _raised(lambda: call(shared_events))
    assert words in str(error), error
    assert isinstance(error, (ValueError, LookupError)), type(error)


@pytest.mark.parametrize("tables", [[1], (1,), "keys", 5, {1: {"id": [1]}}, {"keys": [1]}])
def test_tables_of_a_query_that_are_none_are_refused_with_the_way_to_give_values(shared_lake, tables):
    error = _raised(lambda: shared_lake.sql("SELECT * FROM events WHERE id = ?", tables))
    assert type(error) is errors.InvalidArgument and ("tables" in str(error) or "no table" in str(error))


def test_a_message_that_names_an_option_names_the_argument_of_python(lake, events, files):
    """The command line calls the same by a flag."""
    others = pa.schema({"id": pa.string()})
    messages = {
        "allow_schema_mismatch": _raised(lambda: lake.create("events", others)),
        "force": _raised(lambda: events.vacuum(1)),
    }
    events.update(progress=False)
    for file in files.glob("*.parquet"):
        file.unlink()
    messages["path_map"] = _raised(lambda: events.sync(progress=False))
    for option, error in messages.items():
        assert option in str(error) and "--" not in str(error), error


def test_a_forked_process_says_that_it_cannot_and_how_to(shared_lake, tmp_path):
    script = tmp_path / "fork.py"
    script.write_text(
        "import ariadne_lake, os, sys\n"
        "def ask():\n"
        "    try: return len(ariadne_lake.Lake(sys.argv[1])['events'].locate({'id': 5}))\n"
        "    except ariadne_lake.Error as error: return error\n"
        "def ask_forked():\n"
        "    child = os.fork()\n"
        "    if child == 0: print(ask(), flush=True); os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
        "ask_forked(); print(ask(), flush=True); ask_forked()\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script, shared_lake.root], capture_output=True, text=True, timeout=120, check=True)
    before, own, after = done.stdout.splitlines()
    assert (before, own) == ("1", "1")
    assert "'spawn'" in after
