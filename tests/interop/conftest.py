"""The fixtures, unpacked once a session and opened with the map that moves their lake."""

import pytest

import recorded


@pytest.fixture(scope="session")
def opened(tmp_path_factory):
    """opened(fixture): the fixture with `--unindexed exclude`, as the JVM library behaves."""
    folder = tmp_path_factory.mktemp("interop")
    known = {}

    def of(fixture):
        if fixture not in known:
            unpacked = recorded.unpack(fixture, folder)
            known[fixture] = recorded.open_fixture(fixture, unpacked, unindexed="exclude")
        return known[fixture]

    return of


@pytest.fixture(scope="session")
def updated(tmp_path_factory):
    """updated(fixture): a copy that an update of ours has been over."""
    folder = tmp_path_factory.mktemp("updated")
    known = {}

    def of(fixture):
        if fixture not in known:
            unpacked = recorded.unpack(fixture, folder)
            known[fixture] = recorded.open_fixture(fixture, unpacked, unindexed="exclude")
            for index in sorted({case.step["index"] for case in recorded.asked(fixture)}):
                known[fixture].ariadne.ok("update", index)
        return known[fixture]

    return of
