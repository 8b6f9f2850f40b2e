"""What the package raises: one class a condition, all of them ``Error``.

A message says what was asked, what was found and what to do about it. Ctrl-C is not among these: an interrupted call
raises ``KeyboardInterrupt``, and what it had committed stays.
"""

from __future__ import annotations

__all__ = [
    "Cancelled", "ColumnNotFound", "CommitConflict", "Error", "FileNotFound", "FormatMismatch", "IndexAlreadyExists",
    "IndexNotFound", "IndexTypeConflict", "InvalidArgument", "InvalidDeltaTable", "InvalidFile", "LockLost",
    "LockTimeout", "MetadataCorrupt", "ObjectNotFound", "QueryError", "SchemaMismatch", "StorageError",
    "UnindexedFiles", "UnsupportedColumn", "UnsupportedJoin", "UnsupportedMetadataVersion",
    "UnsupportedStorageVersion",
]  # fmt: skip


class Error(Exception):
    """Root of everything that Ariadne raises."""


class InvalidArgument(Error, ValueError):
    """A value, option or name that cannot be meant: fix the call."""


class IndexNotFound(Error, LookupError):
    """No index of that name under the root."""


class IndexAlreadyExists(Error):
    """``create`` met an index that exists with another definition."""


class ColumnNotFound(Error, LookupError):
    """No column of that name in the schema, or no index on it."""


class FileNotFound(Error, FileNotFoundError):
    """A path, directory or glob that names no file."""


class SchemaMismatch(Error):
    """The stored schema and the given one differ."""


class FormatMismatch(Error):
    """The stored format and the given one differ."""


class IndexTypeConflict(Error):
    """A column can carry one kind of index only."""


class UnsupportedColumn(Error):
    """The column's type, or its being nested, rules that kind of index out."""


class UnsupportedJoin(Error):
    """A join type whose result would depend on rows that match nothing."""


class MetadataCorrupt(Error):
    """``metadata.json`` cannot be read as such."""


class UnsupportedMetadataVersion(Error):
    """``metadata.json`` was written by a newer release."""


class UnsupportedStorageVersion(Error):
    """The index's tables were written by a newer release."""


class InvalidDeltaTable(Error):
    """A non-empty folder that holds no readable Delta table; it is reported, never deleted."""


class CommitConflict(Error):
    """Another writer took the version: try again."""


class LockTimeout(Error, TimeoutError):
    """A lock was not had within ``lock_max_wait``; the message names its holder."""


class LockLost(Error):
    """Another process took the lock over while this one held it."""


class StorageError(Error, OSError):
    """The object store refused or failed a request."""


class ObjectNotFound(StorageError, FileNotFoundError):
    """The object that a request named is not there."""


class InvalidFile(Error):
    """A data file that is truncated, no Parquet, or lacks what its footer promises."""


class UnindexedFiles(Error):
    """``unindexed="error"`` and some tracked files are not indexed yet."""


class QueryError(Error):
    """The SQL engine refused or failed a query."""


class Cancelled(Error):
    """Stopped; what was committed stays."""
