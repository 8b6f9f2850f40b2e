"""Long calls show how far they are: on a terminal, in a notebook, to a callable; and nothing where nobody looks on."""

import os
import pty
import subprocess
import sys

import ariadne_lake
import nbclient
import nbformat
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

CALLS = {
    "index.update(progress=PROGRESS)": "of 30 files",
    "index.sync(progress=PROGRESS)": "files",
    "index.compact(progress=PROGRESS)": "compact",
    "index.vacuum(progress=PROGRESS)": "vacuum",
    "lake.sql('SELECT sum(hash(a.range + b.range)) FROM range(20000) a, range(2000) b', progress=PROGRESS).to_arrow()": "rows",
}
SLOW = "lake.sql('SELECT sum(hash(a.range + b.range)) FROM range(100000) a, range(4000) b').to_arrow()"


@pytest.fixture
def index(tmp_path, lake):
    folder = tmp_path / "small"
    folder.mkdir()
    for i in range(30):
        pq.write_table(pa.table({"id": [i]}), folder / f"{i:03}.parquet")
    made = lake.create("small", pa.schema({"id": pa.int64()}), regular="id")
    made.add_files(folder)
    return made


def _script(lake, call):
    return f"import ariadne_lake; lake = ariadne_lake.Lake({lake.root!r}); index = lake['small']; {call}"


def _on_a_terminal(code):
    """What a script writes to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so where the last writer is gone.
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert process.wait() == 0, written
    return written.decode()


def test_a_terminal_gets_a_bar_that_is_wiped_at_the_end(lake, index):
    text = _on_a_terminal(_script(lake, "index.update(progress=True)"))
    assert "[" in text and "of 30 files" in text
    assert text.endswith("\r\x1b[K")


def test_a_terminal_gets_a_bar_unasked_once_a_call_is_long(lake, index):
    text = _on_a_terminal(_script(lake, SLOW))
    assert "rows" in text and "#" in text, text
    assert _on_a_terminal(_script(lake, SLOW.replace("100000", "1000").replace("4000", "1"))) == ""


def test_no_bar_is_drawn_where_none_is_wanted_or_nobody_looks_on(lake, index):
    assert _on_a_terminal(_script(lake, "index.update(progress=False)")) == ""
    done = subprocess.run([sys.executable, "-c", _script(lake, SLOW)], capture_output=True, check=True)
    assert done.stderr == b""


def test_a_callable_is_told_each_phase_up_to_the_end(index):
    told = []
    index.update(progress=told.append)
    assert told and all(isinstance(each, ariadne_lake.Progress) for each in told)
    assert told[-1].files_done == told[-1].files_total == 30
    assert 0 <= min(each.fraction for each in told) <= max(each.fraction for each in told) == 1


def test_what_the_callable_raises_stops_the_update_and_loses_nothing(lake, index):
    def refuse(_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        index.update(progress=refuse)
    index.update()
    assert lake.describe("small").indexed_files == 30


def test_a_notebook_gets_a_bar_below_the_cell(lake, index, tmp_path):
    cells = [_script(lake, "None"), *(call.replace("PROGRESS", "True") for call in CALLS)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    kernel = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=False)
    shown = []
    update = kernel.output

    def keep(outs, msg, display_id, cell_index):
        shown.append((cell_index, msg["content"].get("data", {}).get("text/html", "")))
        return update(outs, msg, display_id, cell_index)

    kernel.output = keep
    kernel.execute()
    assert any("<progress" in html and "of 30 files" in html for index, html in shown if index == 1), shown
