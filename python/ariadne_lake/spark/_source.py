"""``spark.read.format("ariadne")``: the files of an index as a table, its filters asked of the index."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from typing import TYPE_CHECKING, Any, Iterable, Iterator

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.types import StructType

from .. import _given, reports
from ..errors import InvalidArgument
from ..lake import Lake
from ._remote import Remote, batch, batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: A task reads files until it has so many bytes, or so many files.
_BYTES = 128 << 20
_FILES = 1_000
#: What a file costs beside its bytes, as Spark counts it for its own files.
_OPEN_BYTES = 4 << 20
_COMPARISONS = {LessThan: "<", LessThanOrEqual: "<=", GreaterThan: ">", GreaterThanOrEqual: ">="}


#: Spark's class that, where it has this field, keeps what filters left of a scan to that scan.
_SCAN_BUILDER = "org.apache.spark.sql.execution.datasources.v2.python.PythonScanBuilder"
_SCAN_FIELD = "readInfo"


def register(spark: "SparkSession") -> None:
    """Makes ``spark.read.format("ariadne")`` known to a session.

    Filters choose files by themselves only where Spark keeps the filters of one scan from the others of the same frame or
    view, which no release up to 4.3 does; see the option ``pushFilters``.
    """
    spark.dataSource.register(_PushingDataSource if _keeps_filters_apart(spark) else AriadneDataSource)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")


def _keeps_filters_apart(spark: "SparkSession") -> bool:
    try:
        fields = spark._jvm.java.lang.Class.forName(_SCAN_BUILDER).getDeclaredFields()
        return any(field.getName() == _SCAN_FIELD for field in fields)
    except Exception:  # pylint: disable=broad-except
        return False  # Of a JVM that cannot be asked nothing is known.


class AriadneDataSource(DataSource):
    """The files of an index as a table; read-only.

    ``load(NAME)`` names the index. Options: ``root``; ``columns``, a JSON list of what to read, all but the derived
    ones if it is not there; ``pushFilters``; and the settings of ``Lake``, such as ``row_group_bloom``; ``path_map`` and
    ``storage`` as JSON objects. Rows are those of all tracked files, in all their versions.

    ``pushFilters``: "true" lets a query's filters choose the files that are read. Spark up to 4.3 hands what the filters
    of one scan left to every scan of the same frame or view, whose answers are then wrong: say it only of a frame that
    each query reads once and always with a filter, and ``load`` another for the next.
    """

    #: What ``pushFilters`` is where it is not said.
    pushes = False

    @classmethod
    def name(cls) -> str:
        return "ariadne"

    def _remote(self) -> Remote:
        options = {key.lower(): value for key, value in self.options.items()}
        name = options.pop("path", None)
        root = options.pop("root", None)
        options.pop("columns", None)
        options.pop("pushfilters", None)
        if not root or not name:
            raise InvalidArgument('say option("root", ROOT) and load(NAME of the index)')
        return Remote(Lake(root, **{key: _setting(key, value) for key, value in options.items()})[name])

    def _columns(self, remote: Remote) -> list[str]:
        given = self.options.get("columns")
        if given is not None:
            return _given.names(json.loads(given), "columns")
        return list(Lake(remote.root, **remote.config)[remote.name].schema.names)

    def schema(self) -> StructType:
        remote = self._remote()
        return StructType.fromJson(json.loads(remote.worker().row_schema({"columns": self._columns(remote)})))

    def reader(self, schema: StructType) -> "AriadneReader":
        pushes = str(self.options.get("pushFilters", self.pushes)).lower() == "true"
        return AriadneReader(self._remote(), schema.names, pushes)


class _PushingDataSource(AriadneDataSource):
    pushes = True


class _Files(InputPartition):
    pass


class AriadneReader(DataSourceReader):
    """Reads the files that the filters leave."""

    def __init__(self, remote: Remote, columns: list[str], pushes: bool) -> None:
        self.remote = remote
        self.pushes = pushes
        self.columns = columns
        self.conditions: list[tuple[str, str, list[Any]]] = []

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Takes what an index or a scan can judge. All are left to Spark as well, which decides."""
        for each in filters if self.pushes else []:
            condition = _condition(each)
            if condition is not None and condition[0] in self.columns:
                self.conditions.append(condition)
        return filters

    def partitions(self) -> list[InputPartition]:
        types = _types(self.remote, self.columns)
        asked = []
        for column, op, values in self.conditions:
            array = _array(values, types[column])
            if array is not None:
                asked.append((column, op, array))
        found = batch(self.remote.worker().select(asked))
        partitions: list[InputPartition] = []
        files: list[tuple[str, int]] = []
        taken = 0
        for file, size in zip(found.column("file").to_pylist(), found.column("size").to_pylist()):
            cost = max(size, 0) + _OPEN_BYTES
            if files and (taken + cost > _BYTES or len(files) == _FILES):
                partitions.append(_Files(files))
                files, taken = [], 0
            files.append((file, size))
            taken += cost
        if files:
            partitions.append(_Files(files))
        return partitions or [_Files([])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if partition.value:
            request = {"columns": self.columns, "where": self._where()}
            yield from batches(self.remote.worker().read(partition.value, request))

    def _where(self) -> str:
        parts = [_sql(*condition) for condition in self.conditions]
        return " AND ".join(part for part in parts if part is not None)


def _types(remote: Remote, columns: list[str]) -> dict[str, pa.DataType]:
    rows = remote.worker().read([], {"columns": columns})
    return {field.name: field.type for field in reports.schema(rows.schema())}


def _setting(name: str, value: str) -> Any:
    """A setting of ``Lake`` from an option's text."""
    if name in ("path_map", "storage"):
        return json.loads(value)
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value


def _condition(each: Filter) -> tuple[str, str, list[Any]] | None:
    """A filter as a column, "in" or a comparison, and values; None: one that nothing here judges."""
    attribute: Any = getattr(each, "attribute", ())
    if len(attribute) != 1:
        return None
    if isinstance(each, (EqualTo, EqualNullSafe)):
        return (attribute[0], "in", [each.value]) if each.value is not None else None
    if isinstance(each, In):
        values = [value for value in each.value if value is not None]
        return (attribute[0], "in", values) if values else None
    op = _COMPARISONS.get(type(each))
    return None if op is None or each.value is None else (attribute[0], op, [each.value])


def _array(values: list[Any], kind: pa.DataType) -> pa.Array | None:
    """The values as the column's type; None where they are none of it, which asks nothing of the index."""
    try:
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            # Spark gives local times of this process without saying so.
            values = [value.astimezone(datetime.timezone.utc) for value in values]
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError):
        return None


def _sql(column: str, op: str, values: list[Any]) -> str | None:
    """A condition for the scan; None: one that it cannot be told exactly."""
    texts = [_literal(value) for value in values]
    if None in texts:
        return None
    name = '"' + column.replace('"', '""') + '"'
    return f"{name} IN ({', '.join(map(str, texts))})" if op == "in" else f"{name} {op} {texts[0]}"


def _literal(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)" if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return format(value, "f") if value.is_finite() else None
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'" if "\0" not in value else None
    if isinstance(value, datetime.datetime):
        return None
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    return None
