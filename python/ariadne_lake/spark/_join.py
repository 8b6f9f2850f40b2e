"""Joins over only the files that match."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, Callable, Iterator, Tuple

import pyarrow as pa

from .. import _given
from ..errors import ColumnNotFound, InvalidArgument, UnsupportedJoin
from ..index import Index
from . import _keys
from ._locate import count_of, located, located_here
from ._remote import Remote, batches, from_bytes, tasks, to_bytes

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

#: The setting for it that Spark's session may have, as the JVM library names it.
REPARTITION_FILES = "spark.ariadne.repartitionDataFiles"
_HOW = {False: ("inner", "left_semi", "right"), True: ("inner", "left", "left_semi", "left_anti")}
#: Tasks a slot that share the files.
_TASKS = 3
#: Types of which values are equal only if they are the same; of floats 0.0 and -0.0 are two.
_IDENTICAL = ("boolean", "byte", "short", "integer", "long", "string", "date", "timestamp", "timestamp_ntz")
_File = Tuple[str, int]
_FILE, _ROW, _VERSION, _KEY = "_ariadne_file", "_ariadne_row", "_ariadne_version_", "_ariadne_key_"


def join(
    spark: "SparkSession",
    index: Index,
    df: "DataFrame",
    on: _given.Names,
    how: str = "inner",
    columns: _given.Names | None = None,
    *,
    keys_left: bool = False,
    index_repartition_count: int | None = None,
    repartition_data_files: bool | None = None,
) -> "DataFrame":
    """A lazy DataFrame that joins the rows of the lake with ``df``; executors read only the files that can match.

    ``on``, ``how``, ``columns``, ``keys_left``
        As of ``Index.join``: keys take the type of the lake's column exactly, a temporal column leaves each key's newest
        row, un-indexed files are read too. Columns come in the same order; a name that both sides have beside the join
        columns comes twice, as in Spark's own joins.
    ``index_repartition_count``
        Tasks that share the data files of a large index, and what the lake's rows are repartitioned to before the join
        where ``repartition_data_files`` says so. None: what ``spark.ariadne.indexRepartitionCount`` and
        ``spark.ariadne.repartitionDataFiles`` of the session say, else not.

    ``df`` is read once now, for its keys, and again when the result is; both must give the same. Raises as
    ``Index.join``.
    """
    from pyspark.sql.types import StructType

    remote = Remote(index)
    names = _given.names(on, "on")
    _check(index, df, names, _given.one_of(how, ("inner", "left", "right", "left_semi", "left_anti"), "how"), keys_left)
    selected = _selected(index, names, columns)
    kinds = {column.column: column.kind for column in index.columns}
    temporal = [name for name in names if kinds.get(name) == "temporal"]
    request: dict[str, Any] = {"columns": [*names, *selected], "versions": temporal, "with_places": bool(temporal)}
    schema = StructType.fromJson(json.loads(remote.worker().row_schema(request)))

    keys = _keys.collect(df, names)
    if keys is not None:
        _keys.check(remote, keys)
    count = count_of(spark, index_repartition_count)
    probed = [name for name in names if name in kinds]
    asked = None if keys is None else keys.select(probed)

    # Rows that no key wants need not come to Spark; but what one key rules out may be another's newest version.
    filtered = temporal[:1] if len(temporal) == 1 else [] if temporal else names
    wanted = None if keys is None or not filtered else keys.select(filtered).group_by(filtered).aggregate([])
    read = functools.partial(_read, remote, request, None if wanted is None else to_bytes(wanted), filtered)
    most = _TASKS * spark.sparkContext.defaultParallelism
    found = located_here(remote, asked)
    if found is not None:
        shares = _shares(found, most)
        rows = tasks(spark, len(shares)).mapInArrow(functools.partial(_rows_of_shares, read, shares), schema)
    else:
        files = located(spark, remote, index, df, probed, asked, count)
        rows = files.repartition(most).mapInArrow(functools.partial(_rows, read), schema)
    if temporal:
        rows = _newest(rows, temporal).select(*[_named(name) for name in request["columns"]])
    repartition = repartition_data_files
    if repartition is None:
        repartition = str(spark.conf.get(REPARTITION_FILES, "false")).lower() == "true"
    if repartition and count:
        rows = rows.repartition(count)

    if wanted is not None and filtered == names and not keys_left:
        # Each row is one that some key wants.
        if how == "left_semi" or how == "inner" and _at_most_one_matches(df, keys, wanted, schema):
            return rows
    return _joined(rows, _with_keys(remote, df, names, schema), names, selected, how, keys_left)


def _with_keys(remote: Remote, df: "DataFrame", names: list[str], schema: "StructType") -> "DataFrame":
    """The frame with its keys, as the lake's types, beside it."""
    df = df.alias("keys")
    for i, name in enumerate(names):
        kind = schema[i].dataType
        value = _keys.column(df, name)
        if df.schema[name].dataType != kind:
            value = _keys.converted(remote, value, name, kind)
        df = df.withColumn(f"{_KEY}{i}", value)
    return df


def _at_most_one_matches(df: "DataFrame", keys: pa.Table, distinct: pa.Table, schema: "StructType") -> bool:
    """True: the frame is nothing but keys, and no two of its rows are the same key to the lake. False: not known."""
    kinds = {name: schema[name].dataType.typeName() for name in distinct.column_names}
    return (
        sorted(df.columns) == sorted(kinds)
        and all(kind in _IDENTICAL and df.schema[name].dataType == schema[name].dataType for name, kind in kinds.items())
        and keys.num_rows == distinct.num_rows
    )


def _check(index: Index, df: "DataFrame", on: list[str], how: str, keys_left: bool) -> None:
    if not on:
        raise InvalidArgument("name at least one column to match the keys on")
    if len(set(on)) < len(on):
        raise InvalidArgument(f"on names a column twice: {', '.join(map(repr, on))}")
    if how not in _HOW[_given.flag(keys_left, "keys_left")]:
        raise UnsupportedJoin(
            f"a {how} join with the {'keys' if keys_left else 'index'} on the left returns rows of the lake that match "
            "no key, and only files that can match are read: its result would depend on how rows lie in files. Join "
            + ", ".join(_HOW[keys_left])
        )
    for name in on:
        if df.columns.count(name) != 1:
            raise ColumnNotFound(f"the keys have {df.columns.count(name)} columns {name!r}; they have {df.columns}")
    indexed = [column.column for column in index.columns]
    known = {*indexed, *index.schema.names}
    for name in on:
        if name not in known:
            raise ColumnNotFound(f"index {index.name!r} has no column {name!r}; indexed are {', '.join(indexed)}")
    if not set(on) & set(indexed):
        raise ColumnNotFound(
            f"none of {', '.join(map(repr, on))} has an index in {index.name!r}; indexed are {', '.join(indexed)}"
        )


def _selected(index: Index, on: list[str], columns: _given.Names | None) -> list[str]:
    """Columns of the lake beside the join columns, in the order of a join on one machine."""
    derived = [column for column in index.columns if column.kind in ("computed", "exploded")]
    computed = [column.column for column in derived if column.kind == "computed"]
    exploded = [column.column for column in derived if column.kind == "exploded"]
    wanted = [] if columns is None else _given.names(columns, "columns")
    if not wanted:
        return [name for name in [*index.schema.names, *computed] if name not in on]
    there = [*index.schema.names, *computed, *exploded]
    for name in wanted:
        if name not in there:
            raise ColumnNotFound(f"columns names {name!r}, which the lake lacks; it has {', '.join(there)}")
    return [name for name in dict.fromkeys(wanted) if name not in on]


def _shares(found: pa.RecordBatch, most: int) -> list[list[_File]]:
    """The files in so many shares of about as many bytes each."""
    files = sorted(_named_files(found), key=lambda file: file[1], reverse=True)
    return [files[i::most] for i in range(min(most, len(files)))]


def _named_files(found: pa.RecordBatch) -> list[_File]:
    return list(zip(found.column(0).to_pylist(), found.column(1).to_pylist()))


def _rows_of_shares(
    read: Callable[[list[_File]], Iterator[pa.RecordBatch]],
    shares: list[list[_File]],
    numbers: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    for each in numbers:
        for number in each.column(0).to_pylist():
            yield from read(shares[number])


def _rows(
    read: Callable[[list[_File]], Iterator[pa.RecordBatch]], files: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    named = [file for each in files for file in _named_files(each)]
    if named:
        yield from read(named)


def _read(
    remote: Remote, request: dict[str, Any], keys: bytes | None, on: list[str], files: list[_File]
) -> Iterator[pa.RecordBatch]:
    asked = dict(request)
    if keys is not None:
        asked.update(keys=from_bytes(keys), on=on)
    yield from batches(remote.worker().read(files, asked))


def _named(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _newest(rows: "DataFrame", temporal: list[str]) -> "DataFrame":
    """Of each key of each temporal column the newest row, the first of the first file where several are."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    ranks = []
    for i, name in enumerate(temporal):
        order = [F.col(f"{_VERSION}{i}").desc_nulls_last(), F.col(_FILE), F.col(_ROW)]
        rank = f"_ariadne_rank_{i}"
        rows = rows.withColumn(rank, F.row_number().over(Window.partitionBy(_named(name)).orderBy(*order)))
        ranks.append(rank)
    for rank in ranks:
        rows = rows.where(F.col(rank) == 1)
    return rows


def _joined(
    rows: "DataFrame", df: "DataFrame", on: list[str], selected: list[str], how: str, keys_left: bool
) -> "DataFrame":
    from pyspark.sql import functions as F

    rows, keys = rows.alias("lake"), df.alias("keys")
    others = [name for name in df.columns if name not in on and not name.startswith(_KEY)]
    equal: "Column | None" = None
    for i, name in enumerate(on):
        same = F.col(f"lake.{_named(name)}") == F.col(f"keys.{_KEY}{i}")
        equal = same if equal is None else equal & same
    both = keys.join(rows, equal, how) if keys_left else rows.join(keys, equal, how)
    of_lake = [F.col(f"lake.{_named(name)}") for name in selected]
    of_keys = [F.col(f"keys.{_named(name)}") for name in others]
    kept = "keys" if keys_left or how == "right" else "lake"
    joined = [F.col(f"{kept}.{_named(name)}") for name in on]
    if how in ("left_semi", "left_anti"):
        return both.select(*joined, *(of_keys if keys_left else of_lake))
    return both.select(*joined, *(of_keys + of_lake if keys_left else of_lake + of_keys))
