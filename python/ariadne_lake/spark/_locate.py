"""Which files can hold the values of a DataFrame."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, Callable, Iterator

import pyarrow as pa

from .. import _given
from ..errors import ColumnNotFound, UnindexedFiles
from ..index import Index
from . import _keys
from ._remote import Remote, batch, from_bytes, tasks, to_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Tracked files up to which this process answers, which spares a job, and one task for the whole index.
HERE = 10_000
ONE_TASK = 200_000
#: Values of one column that a task asks at a time.
CHUNK = 1_000_000
#: Files that a task looks at in the store at a time.
_ENTRIES = 1_000
_FILES = "file string, size long, superseding boolean"
#: The setting for it that Spark's session may have, as the JVM library names it.
COUNT = "spark.ariadne.indexRepartitionCount"

Batches = Iterator[pa.RecordBatch]


def locate(
    spark: "SparkSession",
    index: Index,
    df: "DataFrame",
    on: _given.Names | None = None,
    *,
    index_repartition_count: int | None = None,
) -> "DataFrame":
    """Files that can hold, in every column of ``on``, one of its values in ``df``; un-indexed ones too.

    ``df``
        Of any size. It is read now, up to 100,000 distinct keys of it to this process; more stay where they are.
    ``on``
        Indexed columns that ``df`` has by the same names; None: all such.
    ``index_repartition_count``
        Tasks that share the data files of a large index; None: what ``spark.ariadne.indexRepartitionCount`` says, else
        two a slot.

    Gives a DataFrame of ``file`` (as ``Index.locate`` names it) and ``size`` (bytes; -1: unknown). The list of files
    stays on the executors, which read the index. Values are converted as by ``Index.locate``, whose errors it raises.
    """
    remote = Remote(index)
    indexed = [column.column for column in index.columns]
    names = [name for name in df.columns if name in indexed] if on is None else _given.names(on, "on")
    missing = [name for name in names if name not in indexed]
    if missing or not names:
        raise ColumnNotFound(
            f"index {index.name!r} has no index on {', '.join(map(repr, missing or df.columns))}; indexed are "
            + ", ".join(map(repr, indexed))
        )
    keys = _keys.collect(df, names)
    found = located_here(remote, keys)
    if found is not None:
        files = spark.createDataFrame(pa.Table.from_batches([found]))
    else:
        files = located(spark, remote, index, df, names, keys, index_repartition_count)
    return files.where("not superseding").select("file", "size")


def count_of(spark: "SparkSession", given: int | None) -> int | None:
    """The number that the caller gave, else the session's setting."""
    if given is not None:
        return int(given)
    setting = spark.conf.get(COUNT, None)
    return int(setting) if setting else None


def located_here(remote: Remote, keys: pa.Table | None) -> pa.RecordBatch | None:
    """What ``located`` gives, of few keys and few files; None: of more."""
    if keys is None or remote.worker().list_parts()[2] > HERE:
        return None
    return batch(remote.worker().locate(_probes(keys)))


def located(
    spark: "SparkSession",
    remote: Remote,
    index: Index,
    df: "DataFrame",
    on: list[str],
    keys: pa.Table | None,
    count: int | None,
) -> "DataFrame":
    """Rows of ``file``, ``size`` and ``superseding``: true of files that are read for a temporal column's sake alone.

    ``keys``: the distinct values of ``df`` if they are few.
    """
    main, tracked, files, has_list = remote.worker().list_parts()
    if keys is not None and files <= ONE_TASK:
        probes = to_bytes(keys)
        return tasks(spark, 1).mapInArrow(functools.partial(_whole, remote, probes), _FILES)
    parts = _Parts(spark, remote, main, tracked, has_list, count_of(spark, count))
    return parts.located(index, df, on, keys)


def _whole(remote: Remote, probes: bytes, _: Batches) -> Batches:
    yield batch(remote.worker().locate(_probes(from_bytes(probes))))


def _probes(keys: pa.Table) -> list[tuple[str, pa.Array]]:
    return [(name, _array(keys.column(name))) for name in keys.column_names]


def _array(column: pa.ChunkedArray) -> pa.Array:
    return _given.array(column.unique(), "keys")


class _Parts:
    """An index whose data files several tasks share."""

    def __init__(
        self,
        spark: "SparkSession",
        remote: Remote,
        main: list[str],
        tracked: list[str],
        has_list: bool,
        count: int | None,
    ) -> None:
        self.spark = spark
        self.remote = remote
        self.main = main
        self.list = tracked
        self.has_list = has_list
        self.tasks = count or 2 * spark.sparkContext.defaultParallelism

    def located(self, index: Index, df: "DataFrame", on: list[str], keys: pa.Table | None) -> "DataFrame":
        from pyspark.sql import functions as F

        temporal = {column.column for column in index.columns if column.kind == "temporal"}
        few: dict[str, pa.Table] = {}
        answers: list["DataFrame"] = []
        newest: list["DataFrame"] = []
        for name in on:
            values = keys.select([name]) if keys is not None else _keys.collect(df, [name])
            if values is not None and values.column(0).null_count == values.num_rows:
                return self.spark.createDataFrame([], _FILES)
            if values is not None and name not in temporal:
                few[name] = values
                continue
            # The newest version of a key may lie anywhere: each task asks some keys of the whole index.
            answer = self.chunks(df, name)
            answers.append(answer)
            if name in temporal:
                newest.append(answer)
        if few:
            probes = to_bytes(pa.table({name: _padded(values, few) for name, values in few.items()}))
            answers.insert(0, self.over(self.main, functools.partial(_candidates, self.remote, probes)))
        found = answers[0]
        for answer in answers[1:]:
            found = found.join(answer.select("key"), "key", "left_semi")
        found = found.select("key", "file", "size", F.lit(False).alias("superseding"))
        for answer in newest:
            others = answer.join(found.select("key"), "key", "left_anti")
            found = found.union(others.select("key", "file", "size", F.lit(True).alias("superseding")))
        if self.has_list:
            found = self.tracked_of(found)
        return found.dropDuplicates(["key"]).select("file", "size", "superseding")

    def tracked_of(self, found: "DataFrame") -> "DataFrame":
        """Those of the files that are tracked, and the tracked ones that are not indexed."""
        from pyspark.sql import functions as F

        policy = self.remote.config.get("unindexed", "include")
        tracked = self.over(self.list, functools.partial(_tracked, self.remote), "key string, file string")
        names = self.over(self.main, functools.partial(_names, self.remote), "key string")
        found = found.join(tracked.select("key"), "key", "left_semi")
        if policy == "exclude":
            return found
        others = tracked.join(names, "key", "left_anti").select("file")
        if policy == "error":
            first = others.head()
            if first is not None:
                raise UnindexedFiles(
                    f"tracked files of index {self.remote.name!r} are not indexed yet, such as {first.file}: update "
                    "the index, or ask with unindexed=include or exclude"
                )
            return found
        others = others.repartition(self.tasks).mapInArrow(
            functools.partial(_unindexed, self.remote), "key string, file string, size long"
        )
        return found.union(others.withColumn("superseding", F.lit(False)))

    def over(
        self, parts: list[str], task: Callable[[Batches], Batches], schema: str = "key string, file string, size long"
    ) -> "DataFrame":
        """What a task makes of some parts, each once."""
        tasks = max(1, min(self.tasks, len(parts)))
        groups = [(json.dumps(parts[i::tasks]),) for i in range(tasks)]
        rows = self.spark.sparkContext.parallelize(groups, tasks)
        return self.spark.createDataFrame(rows, "parts string").mapInArrow(task, schema)

    def chunks(self, df: "DataFrame", name: str) -> "DataFrame":
        """Files for the values of one column, however many, asked in chunks."""
        values = df.select(_keys.column(df, name).alias("value")).where("value is not null").distinct()
        tasks = max(1, -(-values.count() // CHUNK))
        found = values.repartition(tasks).mapInArrow(
            functools.partial(_chunk, self.remote, name, self.main), "key string, file string, size long"
        )
        return found.dropDuplicates(["key"])


def _padded(values: pa.Table, others: dict[str, pa.Table]) -> pa.Array:
    """As long as the longest of them: NULL asks for nothing."""
    array = _array(values.column(0))
    longest = max(len(each.column(0).unique()) for each in others.values())
    return pa.concat_arrays([array, pa.nulls(longest - len(array), array.type)])


def _groups(batches: Batches) -> Iterator[list[str]]:
    for each in batches:
        for group in each.column(0):
            yield json.loads(group.as_py())


def _candidates(remote: Remote, probes: bytes, batches: Batches) -> Batches:
    asked = _probes(from_bytes(probes))
    for group in _groups(batches):
        yield batch(remote.worker().candidates(group, asked))


def _chunk(remote: Remote, name: str, main: list[str], batches: Batches) -> Batches:
    values = [each.column(0) for each in batches]
    if values:
        array = _array(pa.chunked_array(values))
        yield batch(remote.worker().candidates(main, [(name, array)]))


def _tracked(remote: Remote, batches: Batches) -> Batches:
    for group in _groups(batches):
        yield batch(remote.worker().tracked(group))


def _names(remote: Remote, batches: Batches) -> Batches:
    for group in _groups(batches):
        yield batch(remote.worker().names(group))


def _unindexed(remote: Remote, batches: Batches) -> Batches:
    for each in batches:
        entries: list[Any] = each.column(0).to_pylist()
        for i in range(0, len(entries), _ENTRIES):
            yield batch(remote.worker().unindexed(entries[i : i + _ENTRIES]))
