"""Each join answer that the JVM library gave is given here too, unless it was a wrong one."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
import differences
import recorded

CASES = recorded.cases("join")
DIFFERENCES = differences.rows()
HOW = {"left": "left", "right": "right", "full_outer": "full", "inner": "inner"}


def arguments(case, opened, tmp_path):
    step = case.step
    keys = tmp_path / "keys.parquet"
    pq.write_table(recorded.keys_table(step), keys)
    output = tmp_path / "rows.parquet"
    command = ["join", opened.index, keys, "--on", ",".join(step["on"])]
    command += ["--how", HOW.get(step["how"], step["how"]), "-o", output]
    if step["select"]:
        command += ["--select", ",".join(step["select"])]
    if step["direction"] == "df.join(index)":
        command.append("--keys-left")
    return command, output


def answer(case, opened, tmp_path):
    """The joined table, or None where the join is refused."""
    command, output = arguments(case, opened, tmp_path)
    result = opened.ariadne.run("--json", *command)
    if result.code in (command_line.USAGE, command_line.NOT_FOUND):
        assert not output.exists()
        return None, result
    assert result.code == command_line.DONE, result
    return pq.read_table(output), result


def right_rows(step):
    """The rows of a plain Spark join, which the record holds wherever the peer's differ."""
    return step["rows"] if step.get("sameAsPlainSparkJoin", True) else step["plainSparkJoin"]


def check(case, table, result):
    cell = DIFFERENCES.get(case.name)
    refused = "error" in case.step if cell is None else cell.startswith("refused")
    if refused:
        assert table is None, (case.step, result)
        return
    assert table is not None, (case.step, result)
    if cell is None:
        assert case.step.get("sameAsPlainSparkJoin", True), "a wrong answer needs its row"
    if "rows" not in case.step:
        return
    schema = case.step["schema"]
    assert table.column_names == case.step["columns"], (case.step, result)
    assert [recorded.spark_type(field.type) for field in table.schema] == [
        recorded.recorded_type(field["type"]) for field in schema["fields"]
    ]
    assert recorded.table_rows(table, schema) == recorded.recorded_rows(
        right_rows(case.step), schema
    ), (case.step, result)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_recorded_join(opened, case, tmp_path):
    table, result = answer(case, opened(case.fixture), tmp_path)
    check(case, table, result)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_joins_outlive_an_update_of_ours(updated, case, tmp_path):
    table, result = answer(case, updated(case.fixture), tmp_path)
    check(case, table, result)


def test_a_join_may_leave_the_join_column_out_of_select(opened, tmp_path):
    """The JVM library refuses it; here join columns are always kept."""
    fixture = opened("regular")
    keys, output = tmp_path / "keys.parquet", tmp_path / "rows.parquet"
    pq.write_table(pa.table({"user_id": ["u3"]}), keys)
    fixture.ariadne.ok("join", "ev", keys, "--on", "user_id", "--select", "amount", "-o", output)
    assert pq.read_table(output).to_pylist() == [{"user_id": "u3", "amount": 5.0}]
