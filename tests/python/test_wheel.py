"""The wheel in a fresh environment: what is inside, what it needs, and what it says where that is not there."""

import importlib.metadata
import os
import pathlib
import subprocess
import sys

import ariadne_lake
import pyarrow as pa


def test_the_package_comes_from_the_wheel_and_has_its_version():
    site = pathlib.Path(sys.prefix).resolve()
    assert site in pathlib.Path(ariadne_lake.__file__).resolve().parents
    assert importlib.metadata.version("ariadne-lake") == ariadne_lake.__version__


def test_the_native_library_and_the_command_use_the_pyarrow_beside_them():
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    arrow = {line.split()[-1] for line in maps.splitlines() if "libarrow.so" in line}
    assert arrow == {os.path.join(pa.get_library_dirs()[0], f"libarrow.so.{ariadne_lake._arrow.SO_VERSION}")}
    ours = {line.split()[-1] for line in maps.splitlines() if "libduckdb.so" in line or "libariadne_delta.so" in line}
    assert {os.path.dirname(each) for each in ours} == {os.path.join(os.path.dirname(ariadne_lake.__file__), "lib")}


def test_a_question_is_answered_through_the_index(events):
    located = events.locate({"id": [5, 93]})
    assert [file.rsplit("/", 1)[1] for file in located] == ["f%200%25.parquet", "f%209%25.parquet"]
    assert located.pruned == 8


def test_the_command_of_the_wheel_opens_what_python_wrote(events, lake):
    command = pathlib.Path(sys.executable).parent / "ariadne"
    done = subprocess.run(
        [command, "--root", lake.root, "locate", "events", "--where", "id=5"], capture_output=True, check=True
    )
    assert done.stdout.decode().split() == events.locate({"id": 5}).files
