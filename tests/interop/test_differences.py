"""docs/differences.md and the tests that it names stay together."""

import pathlib
import re

import differences
import recorded


def test_each_row_names_a_recorded_answer():
    names = {case.name for kind in ("locateFiles", "join") for case in recorded.cases(kind)}
    assert set(differences.rows()) <= names


def test_each_test_that_the_document_names_exists():
    text = differences.DOCUMENT.read_text(encoding="utf-8")
    tests = pathlib.Path(__file__).resolve().parents[1]
    written = "".join(
        path.read_text(encoding="utf-8")
        for path in [*tests.rglob("test_*.py"), *tests.rglob("*_test.cc")]
    )
    named = set(re.findall(r"`(test_[a-z0-9_]+)(?:\[[^`]*\])?`", text))
    assert named
    for test in named:
        assert f"def {test}(" in written, test
    for path in re.findall(r"`(tests/[^`*]+)`", text):
        assert (tests.parent / path).exists(), path
