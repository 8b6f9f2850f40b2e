"""Whatever the CSV or JSON lake, the index and the question: answers are those of a full scan.

Of either format there are an eighth of the cases that ARIADNE_TRUTH_CASES asks for (80);
ARIADNE_TRUTH_SEED is the first seed.
"""

import os

import pytest

import random_text_lake
import test_random_lakes
import test_random_sql

FIRST = int(os.environ.get("ARIADNE_TRUTH_SEED", "1"))
CASES = int(os.environ.get("ARIADNE_TRUTH_CASES", "80")) // 8
LAKES = {"csv": random_text_lake.CsvLake, "json": random_text_lake.JsonLake}


@pytest.mark.parametrize("format_", LAKES)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + CASES))
def test_answers_over_text_files_are_those_of_a_full_scan(format_, seed, tmp_path):
    test_random_lakes.ask(test_random_lakes.Trial(seed, tmp_path, LAKES[format_]))


@pytest.mark.parametrize("format_", LAKES)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + -(-CASES // 2)))
def test_sql_over_text_files_answers_as_a_full_scan_does(format_, seed, tmp_path):
    trial = test_random_lakes.Trial(seed + 1_000_000, tmp_path, LAKES[format_])
    trial.grow()
    trial.scan()
    test_random_sql.conditions(trial)
    test_random_sql.pruned_as_the_index_can(trial)
    test_random_sql.joins(trial)
