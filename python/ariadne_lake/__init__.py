"""Ariadne: a file-level index for data lakes. Which files of a lake can hold these values?

>>> import ariadne_lake
>>> lake = ariadne_lake.Lake("demo/index")            # doctest: +SKIP
>>> lake["flights"].locate({"tailnum": "D942DN"})     # doctest: +SKIP
"""

from __future__ import annotations

import atexit as _atexit

from . import _arrow

_arrow.load()

from . import _native  # noqa: E402
from . import errors  # noqa: E402
from .errors import *  # noqa: E402,F403
from .index import Index  # noqa: E402
from .lake import Lake  # noqa: E402
from .reports import (  # noqa: E402
    AddReport,
    ColumnStatistics,
    CompactReport,
    DeleteReport,
    FailedFile,
    Fill,
    IndexedColumn,
    IndexSummary,
    Located,
    PruneStep,
    ScanReport,
    SyncReport,
    TrackedFile,
    UpdateReport,
    VacuumReport,
    ValueCounts,
    Widths,
)
from .progress import Progress  # noqa: E402
from .rows import Rows  # noqa: E402

__version__: str = _native.version

# Calls that Ctrl-C left end before the interpreter takes away what they use.
_atexit.register(_native.wait_for_left_calls)

__all__ = [
    "AddReport", "ColumnStatistics", "CompactReport", "DeleteReport", "FailedFile", "Fill", "Index", "IndexSummary",
    "IndexedColumn", "Lake", "Located", "Progress", "PruneStep", "Rows", "ScanReport", "SyncReport", "TrackedFile",
    "UpdateReport", "VacuumReport", "ValueCounts", "Widths", "errors",
    *errors.__all__,
]  # fmt: skip
