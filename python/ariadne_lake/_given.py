"""What callers give, checked and brought to the form that the native library takes."""

from __future__ import annotations

import datetime
import decimal
import os
import uuid
from typing import Any, Iterable, Mapping, Sequence, Union

import pyarrow as pa

from .errors import InvalidArgument

#: A table: has ``__arrow_c_stream__`` (pyarrow, pandas, Polars, a DuckDB relation), or is a dictionary of columns.
TableLike = Any
Path = Union[str, "os.PathLike[str]"]
Names = Union[str, Iterable[str]]


def text(value: Any, what: str) -> str:
    """A str as it is. `what` names the argument in the error."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{what} is {shown(value)}: give a str")
    return value


def path(value: Any, what: str) -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise InvalidArgument(f"{what} is {shown(value)}: give a path or URL, as a str or pathlib.Path") from None


def paths(values: Any, what: str) -> list[str]:
    if isinstance(values, (str, bytes, os.PathLike)):
        return [path(values, what)]
    return [path(each, f"an item of {what}") for each in _items(values, what, "paths")]


def names(values: Any, what: str) -> list[str]:
    """One name, or several."""
    if isinstance(values, str):
        return [values]
    return [text(each, f"an item of {what}") for each in _items(values, what, "names")]


def number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, decimal.Decimal)):
        raise InvalidArgument(f"{what} is {shown(value)}: give a number")
    return float(value)


def flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidArgument(f"{what} is {shown(value)}: give True or False")
    return value


def texts_by_name(values: Any, what: str) -> dict[str, str]:
    """A dictionary of texts; booleans and numbers are written as Spark's options have them."""
    if not isinstance(values, Mapping):
        raise InvalidArgument(f"{what} is {shown(values)}: give a dictionary of names and values")
    result = {}
    for name, value in values.items():
        text(name, f"a name in {what}")
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, (int, float)):
            value = str(value)
        result[name] = text(value, f"{what}[{name!r}]")
    return result


def table(value: TableLike, what: str) -> Any:
    """An object with ``__arrow_c_stream__`` that gives record batches."""
    if hasattr(value, "__arrow_c_stream__"):
        return value
    if hasattr(value, "__arrow_c_array__"):
        try:
            return pa.table(value)
        except pa.ArrowException as error:
            raise InvalidArgument(f"{what} is {shown(value)}, which is no table: {error}") from error
    if isinstance(value, Mapping):
        columns = {text(name, f"a column of {what}"): array(column, name) for name, column in value.items()}
        try:
            return pa.table(columns)
        except (pa.ArrowException, ValueError) as error:
            raise InvalidArgument(f"{what} is no table: {error}") from error
    raise InvalidArgument(
        f"{what} is {shown(value)}, which is no table: give one of pyarrow, pandas or Polars, a DuckDB relation, "
        "anything with __arrow_c_stream__, or a dictionary of columns"
    )


def schema(value: Any) -> Any:
    """An object with ``__arrow_c_schema__``."""
    if hasattr(value, "__arrow_c_schema__"):
        return value
    if hasattr(value, "__arrow_c_stream__") and not isinstance(value, type):
        return pa.RecordBatchReader.from_stream(value).schema
    raise InvalidArgument(
        f"schema is {shown(value)}, which is no schema: give a pyarrow.Schema or anything with __arrow_c_schema__, "
        "or say schema_from=PATH to take it from data files"
    )


def array(values: Any, column: str) -> pa.Array:
    """Values asked of a column: one value, a collection, or an Arrow, pandas, Polars or NumPy array."""
    try:
        return _array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(
            f"the values for column {column!r} are {shown(values)}, which are no values of one type ({error}): give "
            "one value or a list of str, int, float, bool, bytes, decimal, date, datetime or UUID, or an Arrow array"
        ) from error


def _array(values: Any) -> pa.Array:
    if isinstance(values, pa.Array):
        return values
    if hasattr(values, "__arrow_c_array__"):
        return pa.array(values)
    if hasattr(values, "__arrow_c_stream__"):
        values = pa.chunked_array(values)
    if isinstance(values, pa.ChunkedArray):
        chunks = values.combine_chunks()
        return pa.concat_arrays(chunks.chunks) if isinstance(chunks, pa.ChunkedArray) else chunks
    if isinstance(values, pa.Scalar):
        return pa.array([values.as_py()], values.type)
    if hasattr(values, "__array__") and getattr(values, "ndim", 0) > 0:  # NumPy, pandas
        return pa.array(values)
    if isinstance(values, Mapping):
        raise TypeError("a dictionary is no collection of values")
    if isinstance(values, (str, bytes, bytearray, memoryview)) or not isinstance(values, Iterable):
        values = [values]
    return _from_objects(list(values))


def _from_objects(values: list[Any]) -> pa.Array:
    values = [_plain(value) for value in values]
    if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values):
        # Decimals keep every digit, so that a number that no column holds is no error: it matches nothing.
        values = [decimal.Decimal(value) if isinstance(value, int) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if any(isinstance(value, (list, tuple, set, Mapping)) for value in values):
        raise TypeError("there are collections among them")
    if bool in kinds and len(kinds) > 1:
        raise TypeError("booleans and other values are mixed")
    if float in kinds and decimal.Decimal in kinds:
        raise TypeError("floats and decimals are mixed")
    if float in kinds and any(isinstance(value, int) and float(value) != value for value in values):
        raise TypeError("floats and an integer that no float holds are mixed")
    zoned = {value.tzinfo is not None for value in values if isinstance(value, datetime.datetime)}
    if len(zoned) > 1:
        raise TypeError("times with and without a time zone are mixed")
    return pa.array(values)


def _plain(value: Any) -> Any:
    if isinstance(value, uuid.UUID):
        return value.bytes  # Spark's binary
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, pa.Scalar):
        return value.as_py()
    if isinstance(value, str):
        return str.__str__(value)  # Of an enumeration's member its value.
    return value


def _items(values: Any, what: str, kind: str) -> list[Any]:
    if isinstance(values, (bytes, Mapping)) or not isinstance(values, Iterable):
        raise InvalidArgument(f"{what} is {shown(values)}: give a str or a list of {kind}")
    return list(values)


def shown(value: Any) -> str:
    """A value in an error: short, with its type."""
    described = repr(value)
    if len(described) > 80:
        described = described[:77] + "..."
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{described} ({name})"


def one_of(value: Any, choices: Sequence[str], what: str) -> str:
    if not isinstance(value, str) or value not in choices:
        raise InvalidArgument(f"{what} is {shown(value)}: give one of {', '.join(map(repr, choices))}")
    return value
