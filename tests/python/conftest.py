"""Small lakes for the tests of the Python package, which run where its wheel is installed."""

import pathlib

import ariadne_lake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def files(tmp_path):
    """A folder of ten files with ten ids each, and names that need quoting."""
    folder = tmp_path / "lake é"
    folder.mkdir()
    for i in range(10):
        table = pa.table({"id": list(range(10 * i, 10 * i + 10)), "name": [f"n{j}" for j in range(10)]})
        pq.write_table(table, folder / f"f {i}%.parquet")
    return folder


@pytest.fixture
def lake(tmp_path):
    return ariadne_lake.Lake(tmp_path / "index")


@pytest.fixture
def events(lake, files):
    """An index over `files`, up to date."""
    index = lake.create("events", schema_from=files, regular="id", bloom=["name"])
    index.add_files(files)
    index.update()
    return index


def names(located):
    """The files' names without their folder."""
    return [pathlib.PurePosixPath(file).name for file in located]
