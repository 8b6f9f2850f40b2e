"""Each `locateFiles` answer that the JVM library gave is given here too, on the bytes it wrote."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
import differences
import recorded

CASES = recorded.cases("locateFiles")
DIFFERENCES = differences.rows()


def asked(opened, case, tmp_path):
    """The arguments that ask a recorded probe with its types kept."""
    arrays = recorded.probe_arrays(case.step["probe"])
    typed = [array for array in arrays.values() if array.type != pa.null()]
    if not typed:
        values = {column: array.to_pylist() for column, array in arrays.items()}
        return ["locate", case.step["index"], "--where-json", json.dumps(values)], arrays
    rows = max(len(array) for array in arrays.values())
    table = pa.table(
        {
            column: pa.concat_arrays([array, pa.nulls(rows - len(array), array.type)])
            for column, array in arrays.items()
        }
    )
    keys = tmp_path / "keys.parquet"
    pq.write_table(table, keys)
    return ["locate", case.step["index"], "--keys", keys, "--on", ",".join(arrays)], arrays


def answer(opened, case, tmp_path):
    """(sorted short names or None where refused, probe arrays, result)"""
    arguments, arrays = asked(opened, case, tmp_path)
    result = opened.ariadne.run("--json", *arguments)
    if result.code in (command_line.USAGE, command_line.NOT_FOUND):
        return None, arrays, result
    assert result.code == command_line.DONE, result
    return recorded.short_names(case.fixture, result.json["files"]), arrays, result


def expected(case, updated):
    """What has to be answered: the record, unless docs/differences.md says otherwise."""
    cell = DIFFERENCES.get(case.name)
    if differences.applies(cell, updated):
        return None if cell.startswith("refused") else differences.files(cell)
    return None if "error" in case.step else case.step["files"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_recorded_locate(opened, case, tmp_path):
    fixture = opened(case.fixture)
    files, _, result = answer(fixture, case, tmp_path)
    assert files == expected(case, updated=False), (case.step, result)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if expected(case, updated=True) is not None],
    ids=lambda case: case.name,
)
def test_expected_answer_holds_what_a_full_scan_finds(opened, case):
    """Guards the expectations themselves: none, recorded or stated, may be a wrong no."""
    arrays = recorded.probe_arrays(case.step["probe"])
    found = opened(case.fixture).lake.full_scan(case, arrays) if arrays else []
    assert set(found) <= set(expected(case, updated=True))
    if recorded.kind_of(case.fixture) not in ("bloom", "range"):
        assert found == expected(case, updated=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_answers_outlive_an_update_of_ours(updated, case, tmp_path):
    """The update adds the empty file that the JVM library leaves out, and changes no answer."""
    files, _, result = answer(updated(case.fixture), case, tmp_path)
    assert files == expected(case, updated=True), (case.step, result)
