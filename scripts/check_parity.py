#!/usr/bin/env python3
"""Checks that each test that docs/parity.md names exists, ran and passed.

check_parity.py PARITY.md CTEST.xml PYTEST.xml: the document, and the JUnit reports of the same run. A
name may end in `.*` for all tests of a suite, and a parametrised test is named without parameters.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree

RAN, DID_NOT_RUN = "ran", "did not run"


def reported(report):
    """{name: whether it ran and passed}; a parametrised test is there without parameters too."""
    found = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = case.get("name").split()[0]
        classname = case.get("classname") or ""
        if classname.startswith("tests."):
            name = classname.replace(".", "/") + ".py::" + name
        stopped = any(case.find(tag) is not None for tag in ("skipped", "failure", "error"))
        outcome = DID_NOT_RUN if stopped or case.get("status") in ("notrun", "disabled") else RAN
        plain = name.split("[")[0]
        # GoogleTest writes part/Instance/Suite.Test/parameter.
        if parameters := re.fullmatch(r"(\w+)/(?:\w+/)?(\w+\.\w+)(?:/.*)?", name):
            plain = "/".join(parameters.groups())
        for each in {name, plain, re.sub(r"\..*", ".*", name), re.sub(r"\..*", ".*", plain)}:
            # One case that ran is enough for a test, one that failed is told by its own run.
            if found.get(each) != RAN:
                found[each] = outcome
    return found


def complaints(document, reports):
    """What is wrong, one line each."""
    found = {}
    for report in reports:
        found.update(reported(report))
    names = []
    for line in pathlib.Path(document).read_text(encoding="utf-8").splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if line.startswith("|") and len(cells) >= 4 and not set(cells[1]) <= set("- "):
            behaviour, tests = cells[1].strip(), re.findall(r"`([^`]+)`", cells[2])
            if behaviour == "behaviour":
                continue
            if not tests:
                yield f"no test is named for: {behaviour}"
            names += tests
    if not names:
        yield f"{document} names no test"
    for name in sorted(set(names)):
        outcome = found.get(name, "is not there")
        if outcome != RAN:
            yield f"{name} {outcome}"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    wrong = list(complaints(sys.argv[1], sys.argv[2:]))
    sys.exit("".join(f"docs/parity.md: {line}\n" for line in wrong) if wrong else 0)
