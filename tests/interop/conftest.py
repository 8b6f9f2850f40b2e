"""The fixtures, unpacked once a session and opened with the map that moves their lake."""

import collections

import pytest

import command_line
import recorded

Opened = collections.namedtuple("Opened", "ariadne lake folder index")


def open_fixture(fixture, folder, **keywords):
    """`folder`: an unpacked fixture. The bloom tokens of timestamps were written in UTC."""
    keywords.setdefault("options", ["--token-time-zone", "UTC"])
    return Opened(
        command_line.Ariadne(
            folder / "storage", path_map=[recorded.path_map(fixture, folder)], **keywords
        ),
        recorded.Lake(folder / "data"),
        folder,
        recorded.index_of(fixture),
    )


@pytest.fixture(scope="session")
def opened(tmp_path_factory):
    """opened(fixture): the fixture with `--unindexed exclude`, as the JVM library behaves."""
    folder = tmp_path_factory.mktemp("interop")
    known = {}

    def of(fixture):
        if fixture not in known:
            unpacked = recorded.unpack(fixture, folder)
            known[fixture] = open_fixture(fixture, unpacked, unindexed="exclude")
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
            known[fixture] = open_fixture(fixture, unpacked, unindexed="exclude")
            known[fixture].ariadne.ok("update", known[fixture].index)
        return known[fixture]

    return of
