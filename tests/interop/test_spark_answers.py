"""The answers of Spark that the C++ tests compare with are those of all the cases there are."""

import gzip
import json
import pathlib
import subprocess
import sys

ENGINE = pathlib.Path(__file__).resolve().parents[1] / "engine"


def test_spark_has_answered_every_case_over_the_rows_there_are(tmp_path):
    cases = tmp_path / "cases.json"
    subprocess.run([sys.executable, ENGINE / "spark" / "make_cases.py", cases], check=True)
    wanted = json.loads(cases.read_text())
    with gzip.open(ENGINE / "data" / "spark_expressions.jsonl.gz", "rt", encoding="utf-8") as lines:
        recorded = [json.loads(line) for line in lines]
    answered = {(each["table"], each["expression"]) for each in recorded if "expression" in each}
    missing = {tuple(case) for case in wanted["expressions"]} - answered
    assert not missing, "run tests/engine/spark/run.sh"
    rows = {each["name"]: len(each["rows"]) for each in recorded if "name" in each}
    assert rows == {table["name"]: len(table["rows"]) for table in wanted["tables"]}
