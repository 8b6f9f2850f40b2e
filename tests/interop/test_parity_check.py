"""The check of docs/parity.md, which runs after all tests, finds what it is there for."""

import importlib.util
import pathlib

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_parity.py"
spec = importlib.util.spec_from_file_location("check_parity", SCRIPT)
check_parity = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_parity)

CTEST = """<testsuite>
<testcase name="build/Delete.Works" classname="build/Delete.Works" status="run"/>
<testcase name="crash/Op/Crash.AtAny/add  # GetParam() = &quot;add&quot;" status="run"/>
<testcase name="build/Delete.Failed" status="fail"><failure/></testcase>
<testcase name="build/Skipped.Once" status="notrun"><skipped/></testcase>
</testsuite>"""
PYTEST = """<testsuites><testsuite>
<testcase classname="tests.cli.test_x" name="test_one[a b]"/>
<testcase classname="tests.cli.test_x" name="test_two"><skipped/></testcase>
</testsuite></testsuites>"""


def complain(tmp_path, *rows):
    document = tmp_path / "parity.md"
    document.write_text("| behaviour | tests |\n|---|---|\n" + "".join(f"| {row} |\n" for row in rows))
    (tmp_path / "ctest.xml").write_text(CTEST)
    (tmp_path / "pytest.xml").write_text(PYTEST)
    return list(
        check_parity.complaints(document, [tmp_path / "ctest.xml", tmp_path / "pytest.xml"])
    )


def test_tests_that_ran_are_no_complaint(tmp_path):
    assert not complain(
        tmp_path,
        "a | `build/Delete.Works` `crash/Op/Crash.AtAny/add`",
        "b | `tests/cli/test_x.py::test_one`",
        "c | `build/Delete.*` `crash/Crash.AtAny` `crash/Crash.*`",
    )


def test_what_is_not_there_or_did_not_run_is_a_complaint(tmp_path):
    assert complain(
        tmp_path,
        "a | `build/Delete.Gone` `build/Delete.Failed`",
        "b | `tests/cli/test_x.py::test_two` `build/Skipped.*`",
        "c | none",
    ) == [
        "no test is named for: c",
        "build/Delete.Failed did not run",
        "build/Delete.Gone is not there",
        "build/Skipped.* did not run",
        "tests/cli/test_x.py::test_two did not run",
    ]
    assert complain(tmp_path)
