"""Long calls show how far they are: on a terminal, in a notebook, to a callable; and nothing where nobody looks on."""

import os
import pathlib
import pty
import re
import subprocess
import sys

import ariadne_lake
import nbclient
import nbformat
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from locks import held_lock

CALLS = {
    "index.update(progress=PROGRESS)": "of 30 files",
    "index.sync(progress=PROGRESS)": "sync",
    "index.compact(progress=PROGRESS)": "compact",
    "index.vacuum(progress=PROGRESS)": "vacuum",
    "lake.sql('SELECT sum(hash(range)) FROM range(20000000)', progress=PROGRESS).to_arrow()": "rows",
}
#: Takes two seconds whatever the machine, since somebody holds the lock.
LONG = """
try:
    ariadne_lake.Lake(lake.root, lock_max_wait=2, lock_retry_interval=0.1)['small'].update()
except ariadne_lake.LockTimeout:
    pass
"""
WAITS = "waiting for the lock"


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
    return f"import ariadne_lake; lake = ariadne_lake.Lake({lake.root!r}); index = lake['small']\n{call}"


@pytest.fixture
def locked(lake, index):
    (folder,) = {each.parent for each in pathlib.Path(lake.root).rglob("metadata.json")}
    (folder / ".update.lock").write_text(held_lock(), encoding="utf-8")
    return lake


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


def test_a_terminal_is_told_unasked_once_a_call_is_long(locked):
    text = _on_a_terminal(_script(locked, LONG))
    assert re.search(r"\rupdate \d s", text) and text.endswith("\r\x1b[K"), text
    assert _on_a_terminal(_script(locked, "lake.sql('SELECT 1').to_arrow()")) == ""


def test_no_bar_is_drawn_where_none_is_wanted_or_nobody_looks_on(locked):
    silent = LONG.replace("update()", "update(progress=False)")
    assert WAITS in _on_a_terminal(_script(locked, silent)).splitlines()[0]
    assert "\x1b" not in _on_a_terminal(_script(locked, silent))
    done = subprocess.run([sys.executable, "-c", _script(locked, LONG)], capture_output=True, check=True)
    assert WAITS in done.stderr.decode() and b"\r" not in done.stderr


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
    process = kernel.process_message

    def keep(msg, cell, cell_index):
        shown.append((cell_index, msg["content"].get("data", {}).get("text/html")))
        return process(msg, cell, cell_index)

    kernel.process_message = keep
    kernel.execute()
    for number, text in enumerate(CALLS.values(), 1):
        bars = [html for index, html in shown if index == number and html is not None]
        assert any("<progress" in bar and text in bar for bar in bars), (text, bars)
        assert bars[-1] == ""
