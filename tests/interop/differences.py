"""Reads docs/differences.md: the recorded answers that this project deliberately does not give.

The document is the only place where such an answer is stated. Rows of its tables whose first cell
is a case name (`bloom-014`) carry in the cell under "here" what is answered instead: file names in
backquotes, `none`, "refused", or "as a plain join". "Once updated" before it says that the recorded
answer stands until an update of ours.
"""

import pathlib
import re

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "differences.md"
ONCE_UPDATED = "once updated: "
CASE = re.compile(r"^`([a-z_]+-\d{3})`$")


def rows():
    """{case name: text of the cell "here"}"""
    found = {}
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        match = CASE.match(cells[0]) if len(cells) >= 5 else None
        if match:
            assert match.group(1) not in found, f"{match.group(1)} has two rows"
            found[match.group(1)] = cells[3]
    return found


def applies(cell, updated):
    """Whether a cell "here" speaks of a fixture that an update of ours has been over, or not."""
    return cell is not None and (updated or not cell.startswith(ONCE_UPDATED))


def files(cell):
    """File names of a cell "here"."""
    return [] if cell == "none" else re.findall(r"`([^`]+)`", cell)
