"""The examples of the documentation run and give what it says."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import ariadne_lake
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [
    path for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
    if re.search(r"^```python", path.read_text(encoding="utf-8"), re.MULTILINE) and path.name != "spark.md"
]  # fmt: skip


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_examples_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, document.name, str(document), 0)
    assert test.examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_python_is_documented():
    assert {"README.md", "python.md"} <= {document.name for document in DOCUMENTS}


def test_everything_public_says_what_it_is():
    missing = []
    for name in ariadne_lake.__all__:
        thing = getattr(ariadne_lake, name)
        if not thing.__doc__:
            missing.append(name)
        if isinstance(thing, type) and not issubclass(thing, BaseException):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)) and not value.__doc__:
                    missing.append(f"{name}.{member}")
    assert not missing


def test_every_module_can_be_imported():
    for module in pkgutil.walk_packages(ariadne_lake.__path__, "ariadne_lake."):
        if not module.name.startswith("ariadne_lake.spark"):
            importlib.import_module(module.name)
