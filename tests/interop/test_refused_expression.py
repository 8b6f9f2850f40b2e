"""An index of the JVM library with a computed column whose expression we cannot evaluate."""

import json

import pytest

import command_line
import recorded
from command_line import DONE, FAILED, USAGE

REFUSED = "soundex(user_id)"


@pytest.fixture
def ariadne(tmp_path):
    """The recorded index with computed columns, a regular column beside them, and one of the
    expressions replaced by one that Spark has and we refuse."""
    folder = recorded.unpack("computed", tmp_path)
    bound = command_line.Ariadne(
        folder / "storage",
        path_map=[recorded.path_map("computed", folder)],
        env={"HOME": str(tmp_path)},
    )
    bound.ok("declare", "ev", "--regular", "event_id")
    bound.ok("update", "ev")
    metadata = folder / "storage" / "indexes" / "ev" / "metadata.json"
    content = json.loads(metadata.read_text())
    content["computed_indexes"]["pref"] = REFUSED
    metadata.write_text(json.dumps(content))
    metadata.with_name(".metadata.json.crc").unlink(missing_ok=True)
    return bound


def located(ariadne, where):
    return sorted(ariadne.json("locate", "ev", "--where", where)["files"])


def test_everything_but_building_goes_on(ariadne):
    ids = [f"event_id={value}" for value in range(0, 12, 3)]
    before = [located(ariadne, where) for where in ids]
    assert any(before)
    described = ariadne.json("describe", "ev")
    assert described["indexed_files"] == 4
    assert {"soundex" in str(index) for index in described["indexes"]} == {True, False}
    assert "pref" in ariadne.ok("describe", "ev").stdout
    statistics = {row["Column"]: row for row in ariadne.json("stats", "ev")["columns"]}
    assert statistics["pref"]["FileCount"] == 4

    ariadne.ok("compact", "ev")
    ariadne.ok("vacuum", "ev", "--retention-hours", "0", "--force")
    assert [located(ariadne, where) for where in ids] == before
    assert ariadne.json("sync", "ev", "--dry-run")["changed"] == []

    gone = before[0][0] if before[0] else next(files[0] for files in before if files)
    assert ariadne.json("delete", "ev", gone)["deleted"] == 1
    left = [[file for file in files if file != gone] for files in before]
    assert [located(ariadne, where) for where in ids] == left
    assert ariadne.json("describe", "ev")["tracked_files"] == 3


def test_building_and_asking_the_column_name_the_expression(ariadne):
    for command in (["update", "ev"], ["sync", "ev"], ["locate", "ev", "--where", "pref=u"]):
        result = ariadne.run(*command)
        assert result.code in (FAILED, USAGE), result
        assert "soundex" in result.stderr, result
    # What the update refused to build changes no answer.
    assert ariadne.json("describe", "ev")["indexed_files"] == 4
    assert ariadne.run("compact", "ev").code == DONE
