"""The libraries that hand tables to Ariadne and take them, each by the Arrow C stream interface."""

import duckdb
import pandas
import polars
import pyarrow as pa


def _reader(table):
    """Batches that Python makes one at a time, as they are asked for."""
    return pa.RecordBatchReader.from_batches(table.schema, (batch for batch in table.to_batches(max_chunksize=3)))


class OnlyStream:
    """A foreign table: nothing but the interface."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


#: Name -> a table of that library from one of pyarrow.
GIVERS = {
    "pyarrow": lambda table: table,
    "pyarrow reader": _reader,
    "pandas": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "polars": polars.from_arrow,
    "duckdb": duckdb.from_arrow,
    "stream": OnlyStream,
}

#: Name -> a pyarrow table from what that library makes of `rows`.
TAKERS = {
    "pyarrow": pa.table,
    "pyarrow reader": lambda rows: pa.RecordBatchReader.from_stream(rows).read_all(),
    "pandas": lambda rows: pa.Table.from_pandas(
        rows.to_pandas(types_mapper=pandas.ArrowDtype), preserve_index=False
    ),
    "polars": lambda rows: polars.DataFrame(rows).to_arrow(),
    "to_polars": lambda rows: rows.to_polars().to_arrow(),
    "duckdb": lambda rows: duckdb.from_arrow(rows).to_arrow_table(),
    "to_arrow": lambda rows: rows.to_arrow(),
    "batches": lambda rows: pa.Table.from_batches(list(rows), rows.schema),
}


def sorted_rows(table):
    """Rows as text, in an order that does not depend on the reader: NaN and -0.0 have texts of their own."""
    return sorted(repr(tuple(row.values())) for row in table.to_pylist())
