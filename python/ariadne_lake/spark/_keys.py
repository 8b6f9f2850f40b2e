"""Keys of a DataFrame: their distinct values, and values as those of the lake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

import pyarrow as pa

from ._remote import Remote, batch

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

#: Distinct keys up to which they go to every task.
MOST = 100_000
#: Bytes up to which they are taken as they come: to bring equal ones together takes another round of tasks.
_FEW_BYTES = 8 << 20


def collect(df: "DataFrame", on: list[str]) -> pa.Table | None:
    """The distinct values of these columns together; None: more than ``MOST``. Some may come twice."""
    rows = df.select(*[column(df, name) for name in on])
    found = rows.limit(MOST + 1).toArrow() if _size(rows) <= _FEW_BYTES else None
    if found is None or found.num_rows > MOST:
        found = rows.distinct().limit(MOST + 1).toArrow()
    return found if found.num_rows <= MOST else None


def _size(df: "DataFrame") -> int:
    """Bytes that Spark expects, as it does to choose how to join."""
    return int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))


def check(remote: Remote, keys: pa.Table) -> None:
    """Raises InvalidArgument, here and now, for a value of the wrong kind."""
    for name in keys.column_names:
        for chunk in keys.column(name).chunks:
            remote.worker().convert(name, chunk)


def column(df: "DataFrame", name: str) -> "Column":
    """A column of that very name, whatever characters it has."""
    return df["`" + name.replace("`", "``") + "`"]


def converted(remote: Remote, values: "Column", name: str, kind: "DataType") -> "Column":
    """Values as those of the lake's column ``name``, exactly; NULL where its type cannot hold one."""
    from pyspark.sql.functions import arrow_udf

    def convert(arrays: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for array in arrays:
            yield batch(remote.worker().convert(name, array)).column(0)

    convert.__annotations__ = {"arrays": Iterator[pa.Array], "return": Iterator[pa.Array]}
    return arrow_udf(convert, kind)(values)
