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
    command = ["join", step["index"], keys, "--on", ",".join(step["on"])]
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


def unnamed(step):
    """Exploded columns of the record that the query does not name: here they take no part."""
    named = {*step["on"], *step["select"]}
    return {column for column in recorded.EXPLODED if column not in named}


def right_rows(case, lake, fields):
    """The rows of a plain Spark join, recorded or not, where the peer's differ."""
    schema, step = {"fields": fields}, case.step
    if differences.applies(DIFFERENCES.get(case.name), True) and "plainSparkJoin" not in step:
        rows = list(lake.plain_join(case))
        return recorded.table_rows(pa.Table.from_pylist(rows), schema)
    rows = step["rows"] if step.get("sameAsPlainSparkJoin", True) else step["plainSparkJoin"]
    return recorded.recorded_rows(rows, schema)


def check(case, table, result, lake, updated):
    cell = DIFFERENCES.get(case.name)
    if cell is not None and not differences.applies(cell, updated):
        assert table.num_rows == len(case.step["rows"]), (case.step, result)
        return
    here = None if cell is None else cell.removeprefix(differences.ONCE_UPDATED)
    refused = "error" in case.step if cell is None else here.startswith("refused")
    if refused:
        assert table is None, (case.step, result)
        return
    assert table is not None, (case.step, result)
    if cell is None:
        assert case.step.get("sameAsPlainSparkJoin", True), "a wrong answer needs its row"
        assert not unnamed(case.step) & set(case.step.get("columns", [])), "this needs its row"
    if "rows" not in case.step:
        return
    fields = [f for f in case.step["schema"]["fields"] if f["name"] not in unnamed(case.step)]
    assert table.column_names == [field["name"] for field in fields], (case.step, result)
    assert [recorded.spark_type(field.type) for field in table.schema] == [
        recorded.recorded_type(field["type"]) for field in fields
    ]
    assert recorded.table_rows(table, {"fields": fields}) == right_rows(case, lake, fields), (
        case.step,
        result,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_recorded_join(opened, case, tmp_path):
    fixture = opened(case.fixture)
    table, result = answer(case, fixture, tmp_path)
    check(case, table, result, fixture.lake, updated=False)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_joins_outlive_an_update_of_ours(updated, case, tmp_path):
    fixture = updated(case.fixture)
    table, result = answer(case, fixture, tmp_path)
    check(case, table, result, fixture.lake, updated=True)


def test_a_join_may_leave_the_join_column_out_of_select(opened, tmp_path):
    """The JVM library refuses it; here join columns are always kept."""
    fixture = opened("regular")
    keys, output = tmp_path / "keys.parquet", tmp_path / "rows.parquet"
    pq.write_table(pa.table({"user_id": ["u3"]}), keys)
    fixture.ariadne.ok("join", "ev", keys, "--on", "user_id", "--select", "amount", "-o", output)
    assert pq.read_table(output).to_pylist() == [{"user_id": "u3", "amount": 5.0}]
