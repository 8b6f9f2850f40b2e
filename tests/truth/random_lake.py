"""Random lakes: Parquet files that hold the same columns in as many physical ways as there are.

A lake's rows are known twice: as they were generated, and as DuckDB reads the files.
"""

import json
import pathlib
import urllib.parse

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import column_types

COLUMN_NAMES = [
    "id",
    "user_id",
    "Größe",
    "with blank",
    "select",
    "Mixed",
    "x%y",
    'a"b',
    "日付",
    "o'clock",
    "c#",
    "dot.ted",
    "_under",
    "9th",
]
FILE_NAMES = [
    "plain",
    "with blank",
    "50%",
    "%20",
    "a+b",
    "hash#tag",
    "quo'te",
    'dou"ble',
    "ünï",
    "日本",
    "a&b",
    "[x]",
    "a=b",
    "semi;colon",
    "que?ry",
    "star*",
    "{brace}",
    "com,ma",
    "tilde~",
    "e\u0301",
]

# Column of table `lake` that names the file of a row.
FILE = "\x01file"


class Column:
    def __init__(self, name, type_name, pool, partition=False):
        self.name = name
        self.type_name = type_name
        self.arrow = column_types.arrow(type_name)
        self.pool = pool
        self.partition = partition
        self.kind = None  # "regular", "bloom", "range" or None


class File:
    def __init__(self, path, rows, complete):
        self.path = path
        self.complete = complete  # every column is there with its declared type
        self.rows = rows  # {column name: list of values of the declared type}
        self.count = len(next(iter(rows.values())))


def hive_escape(text):
    """A partition value as Spark writes it into a folder's name."""
    return "".join(f"%{ord(c):02X}" if c in "\"#%'*/:=?\\{[]^\x7f" or c < " " else c for c in text)


class Lake:
    """The folder of a random lake. `rng` decides everything."""

    format = "parquet"
    type_names = list(column_types.TYPES)

    def __init__(self, folder, rng):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.rng = rng
        self.files = []
        self.columns = self._columns()
        self.partitioned = any(column.partition for column in self.columns)

    def _columns(self):
        rng = self.rng
        names = rng.sample(COLUMN_NAMES, rng.randint(2, 6))
        columns = []
        for name in names:
            kind = rng.choice(self.type_names)
            values = column_types.TYPES[kind][1]
            columns.append(
                Column(name, kind, rng.sample(values, min(len(values), rng.randint(1, 14))))
            )
        if rng.random() < 0.25:
            kind = rng.choice(column_types.PARTITION_TYPES)
            values = [
                value
                for value in column_types.TYPES[kind][1]
                if value not in ("", "null", "NULL")
                and "\0" not in str(value)
                and "\n" not in str(value)
                and len(str(value)) < 80
            ]
            columns.append(Column("part", kind, rng.sample(values, min(4, len(values))), True))
        return columns

    def column(self, name):
        return next(column for column in self.columns if column.name == name)

    # --- files -----------------------------------------------------------------------------------

    def add_file(self):
        """Writes one more file with rows of its own."""
        rng = self.rng
        count = rng.choice([0, 1, 2, 5, 40, 40, 300])
        rows = {}
        constants = {}
        for column in self.columns:
            if column.partition:
                value = rng.choice([*column.pool, None])
                rows[column.name] = [value] * count
                constants[column.name] = value
                continue
            local = rng.sample(column.pool, rng.randint(1, len(column.pool)))
            nulls = rng.choice([0.0, 0.0, 0.2, 1.0])
            rows[column.name] = [
                None if rng.random() < nulls else rng.choice(local) for _ in range(count)
            ]
        path = self._path(constants)
        path.parent.mkdir(parents=True, exist_ok=True)
        file = self._write_rows(rows, path)
        self.files.append(file)
        return file

    def _write_rows(self, rows, path):
        """Writes the rows in one of many ways; returns the file with the rows that it holds."""
        table, rows = self._physical(rows)
        self._write(table, path)
        declared = {column.name: column.arrow for column in self.columns}
        # INT96 has no local form: a file of them does not say that a column is timestamp_ntz.
        complete = {f.name: f.type for f in table.schema} == declared and not any(
            column.type_name == "timestamp_ntz" for column in self.columns
        )
        return File(path, rows, complete)

    def _physical(self, rows):
        """(the table to write, the rows that it holds): columns may be missing or narrower."""
        rng = self.rng
        stored = [column for column in self.columns if not column.partition]
        arrays, kept = {}, dict(rows)
        for column in stored:
            values = rows[column.name]
            if len(stored) > 1 and rng.random() < 0.08 and len(arrays) + 1 < len(stored):
                kept[column.name] = [None] * len(values)
                continue
            kind = column.arrow
            narrow = column_types.NARROWER.get(column.type_name)
            if narrow is not None and rng.random() < 0.3:
                if all(column_types.fits(value, narrow) for value in values):
                    kind = narrow
            arrays[column.name] = pa.array(values, kind)
        if not arrays:
            column = stored[0]
            arrays[column.name] = pa.array(rows[column.name], column.arrow)
            kept[column.name] = rows[column.name]
        if rng.random() < 0.3:
            arrays = dict(rng.sample(list(arrays.items()), len(arrays)))
        return pa.table(arrays), kept

    def _path(self, constants):
        rng = self.rng
        name = f"{rng.choice(FILE_NAMES)}-{len(self.files)}{self._suffix()}"
        folder = self.folder
        if rng.random() < 0.2:
            folder = folder / rng.choice(["sub folder", "s%b", "übung"])
        for column, value in constants.items():
            spelled = (
                "__HIVE_DEFAULT_PARTITION__"
                if value is None
                else hive_escape(column_types.text(value))
            )
            folder = folder / f"{column}={spelled}"
        return folder / name

    def _suffix(self):
        return ".parquet"

    def _write(self, table, path):
        rng = self.rng
        options = {
            "compression": rng.choice(["none", "snappy", "zstd", "gzip"]),
            "use_dictionary": rng.choice([True, True, False]),
            "dictionary_pagesize_limit": rng.choice([1 << 20, 64, 16]),
            "data_page_size": rng.choice([1 << 20, 64]),
            "write_batch_size": rng.choice([1024, 4]),
            "data_page_version": rng.choice(["1.0", "2.0"]),
            "write_statistics": rng.choice([True, True, False]),
            "write_page_index": rng.random() < 0.3,
            "version": rng.choice(["2.6", "2.4"]),
        }
        if rng.random() < 0.2:
            options["use_deprecated_int96_timestamps"] = True
        with pq.ParquetWriter(path, table.schema, **options) as writer:
            if table.num_rows == 0 and rng.random() < 0.5:
                return  # a file without row groups
            writer.write_table(table, row_group_size=rng.choice([1 << 20, 1 << 20, 7, 1]) or None)

    # --- what is in it ---------------------------------------------------------------------------

    def format_arguments(self):
        """How `create` is told of the format."""
        return ["--format", self.format]

    def schema_json(self):
        """The declared schema as Spark's StructType JSON."""
        fields = [
            {"name": c.name, "type": c.type_name, "nullable": True, "metadata": {}}
            for c in self.columns
        ]
        return json.dumps({"type": "struct", "fields": fields}, ensure_ascii=False)

    def arrow_schema(self):
        return pa.schema([(c.name, c.arrow) for c in self.columns])

    def read_with_duckdb(self, connection, files):
        """Creates table `lake` from a full scan of the files by DuckDB, and checks it."""
        connection.register("declared", self.arrow_schema().empty_table())
        connection.execute(
            f"CREATE OR REPLACE TABLE lake AS SELECT *, ''::VARCHAR AS {quote(FILE)} FROM declared"
        )
        for file in files:
            pattern = "".join(f"[{c}]" if c in "[*?" else c for c in str(file.path))
            present = [
                row[0]
                for row in connection.execute(
                    "SELECT name FROM parquet_schema(?) WHERE num_children IS NULL", [pattern]
                ).fetchall()
            ]
            selected = [
                f"{quote(c.name)}::{duckdb_type(c.type_name)} AS {quote(c.name)}"
                for c in self.columns
                if c.name in present and not c.partition
            ]
            parameters = [str(file.path)]
            for column in self.columns:
                if column.partition and file.count:
                    selected.append(f"?::{duckdb_type(column.type_name)} AS {quote(column.name)}")
                    parameters.append(file.rows[column.name][0])
            connection.execute(
                f"INSERT INTO lake BY NAME SELECT ? AS {quote(FILE)}, {', '.join(selected)} "
                "FROM read_parquet(?, hive_partitioning = false)",
                [*parameters, pattern],
            )
        (count,) = connection.execute("SELECT count(*) FROM lake").fetchone()
        assert count == sum(file.count for file in files)


def duckdb_type(spark):
    return {
        "string": "VARCHAR",
        "boolean": "BOOLEAN",
        "byte": "TINYINT",
        "short": "SMALLINT",
        "integer": "INTEGER",
        "long": "BIGINT",
        "float": "FLOAT",
        "double": "DOUBLE",
        "date": "DATE",
        "timestamp": "TIMESTAMPTZ",
        "timestamp_ntz": "TIMESTAMP",
        "binary": "BLOB",
    }.get(spark) or spark.upper()


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def path_of(uri):
    """The path that a URI of the index names: escapes are decoded once."""
    assert uri.startswith("file:///"), uri
    return urllib.parse.unquote(uri.removeprefix("file://"))


def connect():
    """A DuckDB of its own, one thread, UTC."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    return connection
