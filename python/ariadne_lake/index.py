"""An index over the files of a lake."""

from __future__ import annotations

from typing import Any, Mapping

import pyarrow as pa

from . import _given, _native, reports
from .errors import InvalidArgument
from .progress import BarOption, Display, ProgressOption
from .rows import Rows

_JOINS = ("inner", "left", "right", "left_semi", "left_anti")


class Index:
    """An index over the files of a lake: ``lake["events"]``, or what ``lake.create`` gives.

    A cheap handle: each call works on the newest committed state. Any number of threads may share one and ask it at the
    same time. Writers exclude each other through the lake's locks, across processes too.

    Long calls show how far they are where a person looks on, on a terminal or in a notebook: ``progress=False`` shows
    nothing, ``True`` a bar anyhow; in ``update`` and ``sync`` a callable is called with each ``Progress``. Ctrl-C stops them: what was committed
    stays, and the next update goes on from there.
    """

    def __init__(self, native: _native.Index, root: str, config: Mapping[str, Any]) -> None:
        self._native = native
        # How to open it in another process, for ariadne_lake.spark.
        self._root = root
        self._config = config

    @property
    def name(self) -> str:
        """The index's name."""
        return self._native.name

    @property
    def schema(self) -> pa.Schema:
        """Schema of the data files, as declared when the index was created."""
        return reports.schema(self._native.schema())

    @property
    def format(self) -> str:
        """ "parquet", "csv" or "json"."""
        return self._native.format

    @property
    def read_options(self) -> dict[str, str]:
        """How CSV and JSON files are read, as Spark names it."""
        return self._native.read_options

    @property
    def columns(self) -> list[reports.IndexedColumn]:
        """What is indexed."""
        return [reports.IndexedColumn(**each) for each in self._native.columns()]

    @property
    def files(self) -> list[reports.TrackedFile]:
        """The files that the index tracks."""
        return [reports.tracked_file(each) for each in self._native.files()]

    # Declaring. The same declaration again is a no-op.

    def add_regular(self, column: str) -> "Index":
        """Keeps the distinct values of a column. Gives the index itself, so that calls chain.

        Raises ColumnNotFound, IndexTypeConflict (a column carries one kind), UnsupportedColumn, LockTimeout.
        """
        return self._add(regular(column))

    def add_bloom(self, column: str, fpr: float = 0.01) -> "Index":
        """Keeps a bloom filter of the values, ``fpr`` being the rate of false positives. Raises as ``add_regular``."""
        return self._add(bloom(column, fpr))

    def add_range(self, column: str) -> "Index":
        """Keeps the smallest and the largest value. Raises as ``add_regular``."""
        return self._add(range_(column))

    def add_computed(self, name: str, expression: str) -> "Index":
        """Keeps the values of a Spark SQL expression over a row's columns, which queries then call ``name``.

        Raises as ``add_regular``; UnsupportedColumn names what the expression asks for beyond docs/expressions.md.
        """
        return self._add(computed(name, expression))

    def add_temporal(self, column: str, timestamp: str) -> "Index":
        """Takes the column's values for keys of entities in versions, of which the newest counts.

        ``timestamp`` may be a path into structs ("meta.updated_at"). Raises as ``add_regular``.
        """
        return self._add(temporal(column, timestamp))

    def add_exploded(self, array_column: str, field_path: str, as_column: str) -> "Index":
        """Keeps the values of a field of an array's elements, which queries then call ``as_column``.

        An empty ``field_path`` stands for the elements themselves. Raises as ``add_regular``.
        """
        return self._add(exploded(array_column, field_path, as_column))

    def _add(self, column: dict[str, Any]) -> "Index":
        self._native.add_index(column)
        return self

    # Keeping it in step with the lake.

    def add_files(self, paths: Any) -> reports.AddReport:
        """Tracks files: paths, URIs, folders (all data files below) or globs, one or a list, expanded now.

        Raises FileNotFound if one names nothing, LockTimeout; then none was added.
        """
        return reports.AddReport(**self._native.add_files(_given.paths(paths, "paths")))

    def update(self, *, progress: ProgressOption = None) -> reports.UpdateReport:
        """Indexes what is tracked and not indexed. A file that cannot be read is reported, not raised.

        Raises LockTimeout, StorageError; KeyboardInterrupt on Ctrl-C, at the next file.
        """
        with Display(progress, "update", takes_callable=True) as display:
            return reports.update_report(self._native.update(display.callback))

    def sync(
        self, lake: _given.Path | None = None, *, dry_run: bool = False, progress: ProgressOption = None
    ) -> reports.SyncReport:
        """Compares the files with the index and makes the index follow: adds, drops and re-indexes.

        ``lake``
            Folder, glob or file: what is new there is added, what is gone dropped. None: only the tracked files are
            looked at.
        ``dry_run``
            Says what would be done and does nothing.

        Raises FileNotFound where the lake holds no file at all, StorageError where none of the tracked files is there,
        LockTimeout; KeyboardInterrupt on Ctrl-C.
        """
        given = "" if lake is None else _given.path(lake, "lake")
        with Display(progress, "sync", takes_callable=True) as display:
            return reports.sync_report(
                self._native.sync(given, _given.flag(dry_run, "dry_run"), display.callback)
            )

    def delete(self, files: Any) -> reports.DeleteReport:
        """Stops tracking files, one or a list, in any spelling of their names; the data files stay.

        Raises InvalidArgument where no name is given, LockTimeout.
        """
        return reports.DeleteReport(**self._native.delete(_given.paths(files, "files")))

    def compact(self, *, progress: BarOption = None) -> reports.CompactReport:
        """Packs the small data files of the index's tables into few; answers stay the same. Raises LockTimeout."""
        with Display(progress, "compact") as display:
            return reports.CompactReport(**self._native.compact(display.callback))

    def vacuum(
        self,
        retention_hours: float = 168,
        *,
        force: bool = False,
        dry_run: bool = False,
        progress: BarOption = None,
    ) -> reports.VacuumReport:
        """Removes what nothing refers to any more and no reader within the retention can need.

        Raises InvalidArgument for less than 168 hours without ``force``, LockTimeout.
        """
        hours = _given.number(retention_hours, "retention_hours")
        with Display(progress, "vacuum") as display:
            return reports.VacuumReport(
                **self._native.vacuum(
                    hours, _given.flag(force, "force"), _given.flag(dry_run, "dry_run"), display.callback
                )
            )

    def stats(self) -> list[reports.ColumnStatistics]:
        """What the index holds in each column, sorted by column; empty before the first update."""
        return [reports.column_statistics(each) for each in self._native.stats()]

    # Asking.

    def locate(self, where: Any, on: _given.Names | None = None) -> reports.Located:
        """Files that can hold, in every column asked, one of its values.

        ``where``
            ``{column: value or values}``: Python's own values, or an Arrow, pandas, Polars or NumPy array. With ``on``
            a table, whose distinct values in these columns are asked.
        ``on``
            Columns of that table.

        Values take the column's type by exact conversion: what the type cannot hold matches nothing, text is parsed,
        None matches nothing. Raises ColumnNotFound for a column without an index, InvalidArgument for a value of the
        wrong kind, UnindexedFiles under ``unindexed="error"``.
        """
        if on is not None:
            return reports.located(
                self._native.locate_keys(_given.table(where, "where"), _given.names(on, "on"))
            )
        if not isinstance(where, Mapping):
            raise InvalidArgument(
                f"where is {_given.shown(where)}: give a dictionary of columns and values, or with a table also "
                "on=COLUMNS"
            )
        if not where:
            raise InvalidArgument("where names no column: give {column: values}; index.files names all files")
        probes = [
            (_given.text(column, "a column of where"), _given.array(values, column))
            for column, values in where.items()
        ]
        return reports.located(self._native.locate(probes))

    def join(
        self,
        table: _given.TableLike,
        on: _given.Names,
        how: str = "inner",
        columns: _given.Names | None = None,
        *,
        keys_left: bool = False,
        progress: BarOption = None,
    ) -> Rows:
        """Joins a table with the rows of the lake that equal it in all columns ``on``; reads only files that match.

        ``table``
            Of pyarrow, pandas or Polars, a DuckDB relation, anything with ``__arrow_c_stream__``, or a dictionary of
            columns.
        ``on``
            Columns that both sides have by the same names; one of them must be indexed at least.
        ``how``
            "inner", "left_semi" or "right"; the lake is on the left. With ``keys_left`` the table is: "inner",
            "left", "left_semi" or "left_anti". Others would need the rows of the lake that match nothing.
        ``columns``
            Columns of the lake to return beside the join columns, in this order; None: all.

        Keys take the type of the lake's column, value by value and exactly: 1.0 and "1" find the integer 1. NULL equals
        nothing. Rows come in no particular order; a name that both sides have gets ``_right`` on the right.
        ``Rows.located`` says which files are read. Raises as ``locate``, and UnsupportedJoin.
        """
        how = _given.one_of(how, _JOINS, "how")
        keys = _given.table(table, "table")
        selected = [] if columns is None else _given.names(columns, "columns")
        with Display(progress, "join") as display:
            stream, located = self._native.join(
                keys,
                _given.names(on, "on"),
                how,
                _given.flag(keys_left, "keys_left"),
                selected,
                display.callback,
            )
        return Rows(stream, reports.located(located), progress=progress)

    def __repr__(self) -> str:
        return f"<Index {self.name!r}>"


def regular(column: str) -> dict[str, Any]:
    return {"kind": "regular", "column": _given.text(column, "column")}


def bloom(column: str, fpr: float = 0.01) -> dict[str, Any]:
    return {"kind": "bloom", "column": _given.text(column, "column"), "fpr": _given.number(fpr, "fpr")}


def range_(column: str) -> dict[str, Any]:
    return {"kind": "range", "column": _given.text(column, "column")}


def computed(name: str, expression: str) -> dict[str, Any]:
    return {
        "kind": "computed",
        "column": _given.text(name, "name"),
        "expression": _given.text(expression, "expression"),
    }


def temporal(column: str, timestamp: str) -> dict[str, Any]:
    return {
        "kind": "temporal",
        "column": _given.text(column, "column"),
        "timestamp_column": _given.text(timestamp, "timestamp"),
    }


def exploded(array_column: str, field_path: str, as_column: str) -> dict[str, Any]:
    return {
        "kind": "exploded",
        "column": _given.text(as_column, "as_column"),
        "array_column": _given.text(array_column, "array_column"),
        "field_path": _given.text(field_path, "field_path"),
    }
