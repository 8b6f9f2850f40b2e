"""An index as every process of a cluster can open it."""

from __future__ import annotations

import functools
import os
import pickle
from typing import TYPE_CHECKING, Iterator

import pyarrow as pa

from .. import _config, _native
from ..index import Index

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What a task may use where the lake was opened without saying: executors run several at a time.
_TASK = {"threads": 1, "memory": "512MiB"}


class Remote:
    """Where an index lies and how its lake was opened; can be sent to other processes."""

    def __init__(self, index: Index) -> None:
        root = index._root  # pylint: disable=protected-access
        # Executors have other working directories.
        self.root = root if "://" in root or root.startswith("file:") else os.path.abspath(root)
        self.name = index.name
        self.config = dict(index._config)  # pylint: disable=protected-access
        # An index that was made anew under its name is another one to processes that have opened it.
        self._schema = bytes(index.schema.serialize())

    def options(self) -> tuple[_native.Options, _native.RowGroupOptions]:
        return _config.options(self.config)

    def worker(self) -> _native.IndexWorker:
        """The index in this process, opened once, as a task of a cluster uses it."""
        config = {**_TASK, **{name: value for name, value in self.config.items() if value}}
        return _open(self.root, self.name, pickle.dumps(sorted(config.items())), self._schema)


@functools.lru_cache(maxsize=4)
def _open(root: str, name: str, pickled: bytes, _: bytes) -> _native.IndexWorker:
    options, row_groups = _config.options(dict(pickle.loads(pickled)))
    return _native.IndexWorker(root, name, options, row_groups)


class _Batch:
    def __init__(self, capsules: tuple[object, object]) -> None:
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._capsules


def batch(capsules: tuple[object, object]) -> pa.RecordBatch:
    """What the native library exported."""
    return pa.record_batch(_Batch(capsules))


def batches(stream: _native.RowStream) -> Iterator[pa.RecordBatch]:
    """Reads a stream to its end."""
    try:
        while (capsules := stream.next(None)) is not None:
            yield batch(capsules)
    finally:
        stream.close()


def tasks(spark: "SparkSession", count: int) -> "DataFrame":
    """A frame whose task i has the one row i. What tasks make of their rows is of a size that Spark does not know."""
    from pyspark.sql import DataFrame

    numbers = spark.range(0, count, 1, max(1, count))._jdf.toDF()
    # To Spark a range's few bytes are the size of all that is made of it: it would send it to every executor in a join.
    return DataFrame(spark._jsparkSession.createDataFrame(numbers.toJavaRDD(), numbers.schema()), spark)


def to_bytes(table: pa.Table) -> bytes:
    """A table that can be sent with a task."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def from_bytes(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()
