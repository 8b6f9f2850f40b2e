"""A storage root that holds indexes."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import pyarrow as pa

from . import _config, _given, _native, reports
from .errors import InvalidArgument
from .index import Index, bloom, computed, exploded, range_, regular, temporal
from .progress import BarOption, Display
from .rows import Rows


class Lake:
    """A storage root: a folder or URL that holds indexes.

    ``root``
        A path, or a URL (``file``, ``s3``, ``s3a``, ``gs``, ``abfss``, ``az``). Opening reads nothing.
    ``config``
        ``memory`` (bytes, or "2GiB"; a quarter of the machine's) and ``threads`` (one a core) of one operation;
        ``unindexed``: what a query does with tracked files that no update has indexed: "include" them (the default: an
        index never changes an answer), "exclude" them or "error";
        ``path_map``: ``{FROM: TO}``, names that begin with FROM are read at TO;
        ``storage``: settings of the object store, as ``{"aws_region": "eu-central-1"}``;
        ``large_index_limit``, ``auto_bloom_fpr``, ``staging_consolidation_threshold``, ``auto_compact_threshold``,
        ``token_time_zone``; ``lock_timeout``, ``lock_retry_interval``, ``lock_max_wait`` in seconds,
        ``lock_refresh_interval`` in batches; ``row_group_bloom``, ``row_group_range`` and the other settings of
        row-group indexes, for ``sql``. They are those of the command line, see docs/operations.md.

    Raises InvalidArgument for an unknown setting, a value that it cannot have and a URL that no store serves.

    A ``Lake`` may be shared by threads. Do not use one in a process that was forked from one that had used it.
    """

    def __init__(self, root: _given.Path, **config: Any) -> None:
        self._root = _given.path(root, "root")
        self._config = config
        self._options, self._row_groups = _config.options(config)
        self._native = _native.Lake(self._root, self._options)

    @property
    def root(self) -> str:
        """The root as it was given."""
        return self._root

    def create(
        self,
        name: str,
        schema: Any = None,
        *,
        schema_from: _given.Path | None = None,
        format: str = "parquet",  # pylint: disable=redefined-builtin
        read_options: Mapping[str, Any] | None = None,
        regular: _given.Names = (),
        bloom: _given.Names | Mapping[str, float] = (),
        range: _given.Names = (),  # pylint: disable=redefined-builtin
        computed: Mapping[str, str] | None = None,
        temporal: Mapping[str, str] | None = None,
        exploded: Mapping[str, str] | None = None,
        allow_schema_mismatch: bool = False,
    ) -> Index:
        """Creates the index, or opens it where it exists with the same definition, and declares what it lacks.

        ``schema``
            Of the data files: a ``pyarrow.Schema``, anything with ``__arrow_c_schema__``, or a table that has it.
        ``schema_from``
            Instead: a data file, a folder or a glob to take it from.
        ``format``, ``read_options``
            "parquet", "csv" or "json", and Spark's options for reading the latter two, as ``{"header": True}``; they
            are kept with the index and applied ever after.
        ``regular``, ``bloom``, ``range``, ``computed``, ``temporal``, ``exploded``
            What to index: names of columns; for ``bloom`` also ``{column: fpr}``; ``{name: Spark SQL}``;
            ``{column: timestamp}``; ``{name: "array.field"}``. As the ``add_…`` methods of ``Index``, which say more.
        ``allow_schema_mismatch``
            Where the index exists with another schema: take this one instead of refusing.

        Raises InvalidArgument, SchemaMismatch, FormatMismatch, IndexAlreadyExists, UnsupportedColumn, and what the
        ``add_…`` methods raise; then nothing was written.
        """
        text = _given.text(name, "name")
        kind = _given.text(format, "format")
        options = _given.texts_by_name(read_options or {}, "read_options")
        if (schema is None) == (schema_from is None):
            raise InvalidArgument("an index needs the schema of its data files: give schema or schema_from")
        if schema is None:
            schema = self.infer_schema(schema_from, format=kind, read_options=options)
        return self._index(
            self._native.create(
                text,
                kind,
                _given.schema(schema),
                options,
                _columns(regular, bloom, range, computed, temporal, exploded),
                _given.flag(allow_schema_mismatch, "allow_schema_mismatch"),
            )
        )

    def open(self, name: str) -> Index:
        """The index of that name; so does ``lake[name]``.

        Raises IndexNotFound, MetadataCorrupt, UnsupportedMetadataVersion, UnsupportedStorageVersion.
        """
        return self._index(self._native.open(_given.text(name, "name")))

    def _index(self, native: _native.Index) -> Index:
        return Index(native, self._root, self._config)

    def __getitem__(self, name: str) -> Index:
        return self.open(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._native.exists(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.indexes)

    def __len__(self) -> int:
        return len(self.indexes)

    @property
    def indexes(self) -> list[str]:
        """Names of all indexes, sorted."""
        return self._native.list()

    def describe(self, name: str) -> reports.IndexSummary:
        """What there is to know of an index. Raises IndexNotFound."""
        return reports.index_summary(self._native.describe(_given.text(name, "name")))

    def describe_all(self) -> list[reports.IndexSummary]:
        """What there is to know of all indexes, sorted by name; one that cannot be read is left out."""
        return [reports.index_summary(each) for each in self._native.describe_all()]

    def find(self, file: _given.Path) -> list[str]:
        """Names of the indexes that track a file, however it is spelled there or here."""
        return self._native.find(_given.path(file, "file"))

    def remove(self, name: str) -> None:
        """Removes the index and its file list, also what is left of one. Data files are never touched.

        Raises IndexNotFound, LockTimeout.
        """
        self._native.remove(_given.text(name, "name"))

    def infer_schema(
        self,
        path: _given.Path | None,
        *,
        format: str = "parquet",  # pylint: disable=redefined-builtin
        read_options: Mapping[str, Any] | None = None,
    ) -> pa.Schema:
        """Schema of the data files that ``path`` (file, folder, glob) names, partition columns included.

        Raises FileNotFound, InvalidFile, InvalidArgument.
        """
        options = _given.texts_by_name(read_options or {}, "read_options")
        given = _given.path(path, "path")
        return reports.schema(self._native.infer_schema(given, _given.text(format, "format"), options))

    def sql(
        self, statements: str, tables: Mapping[str, _given.TableLike] | None = None, *, progress: BarOption = None
    ) -> Rows:
        """Runs SQL (DuckDB's dialect) over the indexes, each of which is a table; gives the last statement's rows.

        ``tables``
            Tables of yours by the names that the statements use: ``{"keys": dataframe}``, as ``Index.join`` takes them.

        Conditions and the keys of joins decide through the indexes which files are read: see docs/sql.md, and
        ``Rows.scans`` for what was read. Each call has a session of its own. Raises QueryError, InvalidArgument.
        """
        text = _given.text(statements, "statements")
        if tables is not None and not isinstance(tables, Mapping):
            raise InvalidArgument(
                f"tables is {_given.shown(tables)}: give a dictionary of names and tables, as {{'keys': {{'id': [1, 2]}}}}; "
                "a query takes its values from its text or from such a table"
            )
        given = {_given.text(name, "a name in tables"): _given.table(each, name) for name, each in (tables or {}).items()}
        session = _native.SqlSession(self._root, self._options, self._row_groups)
        for name, each in given.items():
            session.add_table(name, each)
        with Display(progress, "query") as display:
            stream = session.query(text, display.callback)
        return Rows(stream, session=session, progress=progress)

    def __repr__(self) -> str:
        return f"Lake({self._root!r})"


def _columns(
    regulars: _given.Names,
    blooms: _given.Names | Mapping[str, float],
    ranges: _given.Names,
    computeds: Mapping[str, str] | None,
    temporals: Mapping[str, str] | None,
    explodeds: Mapping[str, str] | None,
) -> list[dict[str, Any]]:
    columns = [regular(column) for column in _given.names(regulars, "regular")]
    if isinstance(blooms, Mapping):
        columns += [bloom(column, fpr) for column, fpr in blooms.items()]
    else:
        columns += [bloom(column) for column in _given.names(blooms, "bloom")]
    columns += [range_(column) for column in _given.names(ranges, "range")]
    columns += [computed(*each) for each in _given.texts_by_name(computeds or {}, "computed").items()]
    columns += [temporal(*each) for each in _given.texts_by_name(temporals or {}, "temporal").items()]
    for name, place in _given.texts_by_name(explodeds or {}, "exploded").items():
        array, _, field = place.partition(".")
        columns.append(exploded(array, field, name))
    return columns
