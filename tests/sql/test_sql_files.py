"""Runs the *.test files here with sqllogictest, the command line being the engine."""

import os
import pathlib
import shlex
import subprocess

import pytest

import lakes

HERE = pathlib.Path(__file__).parent
CACHE = pathlib.Path(
    os.environ.get("ARIADNE_CACHE")
    or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ariadne"
)
RUNNERS = sorted(CACHE.glob("sqllogictest-*/bin/sqllogictest"))


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory):
    return lakes.make(tmp_path_factory.mktemp("sql"))


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test")), ids=lambda path: path.stem)
def test_statements_give_what_their_file_says(path, ariadne):
    if not RUNNERS:
        pytest.skip(f"no sqllogictest in {CACHE}: run scripts/setup.sh")
    command = shlex.join(ariadne.command("sql", "--serve", "--format", "text"))
    done = subprocess.run(
        [
            RUNNERS[-1], "--color", "never", "--engine", "external",
            "--external-engine-command-template", command, path,
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
