"""Reads docs/differences.md: the recorded answers that this project deliberately does not give.

The document is the only place where such an answer is stated. Rows of its tables whose first cell
is a case name (`bloom-014`) carry in the cell under "here" what is answered instead: file names in
backquotes, `none`, "refused", or "as a plain join".
"""

import pathlib
import re

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "differences.md"
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


def files(cell):
    """File names of a cell "here"."""
    return [] if cell == "none" else re.findall(r"`([^`]+)`", cell)
