"""What calls answer: plain, immutable records. Sizes are bytes, times UTC."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any, Iterator, Mapping

import pyarrow as pa

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def _time(microseconds: int) -> datetime.datetime:
    return _EPOCH + datetime.timedelta(microseconds=microseconds)


@dataclasses.dataclass(frozen=True)
class PruneStep:
    """Which index left how many files."""

    column: str
    #: "regular", "bloom", "range", "computed", "temporal" or "exploded"
    kind: str
    files_before: int
    files_after: int

    def __str__(self) -> str:
        return f"{self.kind} index on {self.column}: {self.files_after} of {self.files_before} files left"


@dataclasses.dataclass(frozen=True, repr=False)
class Located:
    """Files that can hold the values asked for. Iterates over ``files``."""

    #: URIs as stored, sorted; un-indexed ones included.
    files: list[str]
    #: Those of them that no update has indexed: they may hold anything.
    unindexed_files: list[str]
    #: Tracked files.
    total_files: int
    #: Size of ``files``.
    bytes: int
    #: Size of all tracked files whose size is known.
    total_bytes: int
    #: Read from the store to answer.
    index_bytes_read: int
    #: Requests to the store to answer.
    requests: int
    elapsed_ms: float
    #: What each index ruled out, in the order in which they were asked.
    why: list[PruneStep]

    @property
    def pruned(self) -> int:
        """Tracked files that need not be read."""
        return self.total_files - len(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __contains__(self, file: object) -> bool:
        return file in self.files

    def __repr__(self) -> str:
        text = f"<Located {len(self.files)} of {self.total_files} files"
        if self.unindexed_files:
            text += f", {len(self.unindexed_files)} of them not indexed"
        return "; ".join([text, *map(str, self.why)]) + ">"


def located(fields: Mapping[str, Any]) -> Located:
    return Located(**{**fields, "why": [PruneStep(*step) for step in fields["why"]]})


@dataclasses.dataclass(frozen=True)
class IndexedColumn:
    """A kind of index and the column it is on."""

    #: "regular", "bloom", "range", "computed", "temporal" or "exploded"
    kind: str
    #: The column; of a computed or exploded index the name that queries use.
    column: str
    #: False positive rate, of a bloom index.
    fpr: float | None = None
    #: Spark SQL, of a computed index.
    expression: str = ""
    #: Path of the timestamp, of a temporal index.
    timestamp_column: str = ""
    #: The array, of an exploded index.
    array_column: str = ""
    #: The field of its elements; empty: the elements themselves.
    field_path: str = ""


@dataclasses.dataclass(frozen=True)
class TrackedFile:
    """A file that the index tracks."""

    uri: str
    added_at: datetime.datetime
    indexed: bool


def tracked_file(fields: Mapping[str, Any]) -> TrackedFile:
    return TrackedFile(fields["uri"], _time(fields["added_at_us"]), fields["indexed"])


@dataclasses.dataclass(frozen=True)
class AddReport:
    """What ``add_files`` did."""

    #: Files that were not tracked before.
    added: int
    already_tracked: int


@dataclasses.dataclass(frozen=True)
class FailedFile:
    """A file that an update could not index: it stays a candidate of every query."""

    uri: str
    error: str


@dataclasses.dataclass(frozen=True)
class UpdateReport:
    """What ``update`` did."""

    files_indexed: int
    #: Indexed before; columns were added now.
    files_backfilled: int
    files_failed: list[FailedFile]
    batches: int
    #: Sum of the sizes of the files indexed.
    bytes_indexed: int
    bytes_read: int
    bytes_written: int
    elapsed_ms: float


def update_report(fields: Mapping[str, Any]) -> UpdateReport:
    return UpdateReport(**{**fields, "files_failed": [FailedFile(*each) for each in fields["files_failed"]]})


@dataclasses.dataclass(frozen=True)
class SyncReport:
    """What ``sync`` found, and did unless it was a dry run. URIs, each list sorted."""

    #: When the lake was looked at.
    looked_at: datetime.datetime
    added: list[str]
    #: Tracked or indexed, and not in the lake any more.
    vanished: list[str]
    #: Other bytes than were indexed, or not known to be the same.
    changed: list[str]
    unchanged: int
    update: UpdateReport


def sync_report(fields: Mapping[str, Any]) -> SyncReport:
    return SyncReport(
        looked_at=_time(fields["looked_at_us"]),
        added=fields["added"],
        vanished=fields["vanished"],
        changed=fields["changed"],
        unchanged=fields["unchanged"],
        update=update_report(fields["update"]),
    )


@dataclasses.dataclass(frozen=True)
class DeleteReport:
    """What ``delete`` did."""

    #: Files that are in the index no longer.
    deleted: int
    #: Names, as given, that the index did not know: ignored.
    unknown: list[str]


@dataclasses.dataclass(frozen=True)
class CompactReport:
    """What ``compact`` did, over all tables of the index."""

    files_before: int
    files_after: int
    bytes_rewritten: int


@dataclasses.dataclass(frozen=True)
class VacuumReport:
    """What ``vacuum`` removed, or would remove."""

    #: URLs, sorted.
    files: list[str]
    bytes: int


@dataclasses.dataclass(frozen=True)
class ValueCounts:
    """Distinct values a file, where the index keeps values."""

    min: int
    max: int
    average: float
    median: int
    #: Of a sample; None below two files.
    deviation: float | None


@dataclasses.dataclass(frozen=True)
class Fill:
    """Share of the bits that are set, from 0 to 1, over the filters of a bloom index."""

    filters: int
    bytes: int
    min: float
    average: float
    max: float
    #: What the fill stands for.
    false_positive_rate: float


@dataclasses.dataclass(frozen=True)
class Widths:
    """Width of the ranges, in the column's unit: dates in days, timestamps in seconds."""

    ranges: int
    min: float
    average: float
    max: float


@dataclasses.dataclass(frozen=True)
class ColumnStatistics:
    """What an index holds in one column, over all indexed files."""

    column: str
    kind: str
    #: Indexed files.
    file_count: int
    #: Those in which the column has been built.
    built_files: int
    #: Those whose values lie in the column's own table.
    large_files: int
    values: ValueCounts | None
    fill: Fill | None
    widths: Widths | None


def column_statistics(fields: Mapping[str, Any]) -> ColumnStatistics:
    made = dict(fields)
    for name, record in (("values", ValueCounts), ("fill", Fill), ("widths", Widths)):
        if made[name] is not None:
            made[name] = record(**made[name])
    return ColumnStatistics(**made)


@dataclasses.dataclass(frozen=True)
class IndexSummary:
    """What ``describe`` tells about an index."""

    name: str
    #: "parquet", "csv" or "json"
    format: str
    read_options: dict[str, str]
    schema: pa.Schema
    columns: list[IndexedColumn]
    tracked_files: int
    indexed_files: int
    #: Size of the indexed data files; None: unknown.
    total_indexed_bytes: int | None
    metadata_version: int
    storage_format_version: int


def index_summary(fields: Mapping[str, Any]) -> IndexSummary:
    return IndexSummary(
        **{
            **fields,
            "schema": schema(fields["schema"]),
            "columns": [IndexedColumn(**each) for each in fields["columns"]],
        }
    )


@dataclasses.dataclass(frozen=True)
class ScanReport:
    """What one scan of a query has read so far."""

    table: str
    files: int
    total_files: int
    unindexed_files: int
    #: Of the files that were opened; CSV and JSON files have none.
    row_groups: int
    row_groups_read: int
    #: A line for each condition that pruned, or why it did not.
    why: list[str]


class _Schema:
    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_schema__(self) -> object:
        return self._capsule


def schema(capsule: object) -> pa.Schema:
    return pa.schema(_Schema(capsule))
