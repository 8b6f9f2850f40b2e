"""Small lakes for the tests of the Python package, which run where its wheel is installed."""

import ariadne_lake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def _files(folder):
    """Ten files with ten ids each, and names that need quoting."""
    folder.mkdir()
    for i in range(10):
        table = pa.table({"id": list(range(10 * i, 10 * i + 10)), "name": [f"n{j}" for j in range(10)]})
        pq.write_table(table, folder / f"f {i}%.parquet")
    return folder


def _events(lake, files):
    index = lake.create("events", schema_from=files, regular="id", bloom=["name"])
    index.add_files(files)
    index.update(progress=False)
    return index


@pytest.fixture
def files(tmp_path):
    """A folder of files with the ids 0 to 99, ten a file, and names n0 to n9."""
    return _files(tmp_path / "lake é")


@pytest.fixture
def lake(tmp_path):
    return ariadne_lake.Lake(tmp_path / "index")


@pytest.fixture
def events(lake, files):
    """An index over `files`, up to date."""
    return _events(lake, files)


@pytest.fixture(scope="session")
def shared_lake(tmp_path_factory):
    """A lake with `events`, for tests that change nothing."""
    folder = tmp_path_factory.mktemp("shared")
    lake = ariadne_lake.Lake(folder / "index")
    _events(lake, _files(folder / "lake é"))
    return lake


@pytest.fixture(scope="session")
def shared_events(shared_lake):
    return shared_lake["events"]
