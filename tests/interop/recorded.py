"""The answers that the JVM library gave, and what its indexes and data files were.

Each fixture is a storage root with its data files, as the JVM library 0.1.8-beta wrote it, and
`expected.json`: every step in order. Here a step becomes a case with a stable name
(`{fixture}-{position of the step}`), which docs/differences.md refers to.
"""

import base64
import collections
import csv
import datetime
import decimal
import itertools
import json
import math
import pathlib
import tarfile

import numpy
import pyarrow as pa
import pyarrow.parquet as pq

import command_line
import sql_equality

NAMES = ["regular", "bloom", "range", "types_regular", "types_bloom", "types_range"]
NAMES += ["computed", "temporal", "exploded", "exploded_empty", "large", "csv", "json"]
# The index that tests about a fixture as a whole look at; a recorded step names its own.
MAIN_INDEX = {
    "temporal": "ent",
    "exploded": "ev3",
    "exploded_empty": "with_exploded",
    "csv": "people",
    "json": "orders",
}
# Data files that the index as packed does not track: of another index of the fixture, or deleted
# by its last step, when what was recorded before still names them.
UNTRACKED = {("large", "ev"): {"big.parquet"}, ("csv", "people"): {"c3_baddate.csv"}}
FOLDER = pathlib.Path(__file__).parent / "fixtures"

Case = collections.namedtuple("Case", "name fixture step")


def steps(fixture):
    with tarfile.open(FOLDER / f"{fixture}.tar.gz") as archive:
        return json.load(archive.extractfile(f"{fixture}/expected.json"))["steps"]


def cases(kind):
    """All recorded steps of a kind: "locateFiles" or "join"."""
    return [
        Case(f"{fixture}-{position:03d}", fixture, without_untracked(fixture, step))
        for fixture in NAMES
        for position, step in enumerate(steps(fixture))
        if step["step"] == kind
    ]


def asked(fixture):
    """The recorded steps of a fixture that ask an index."""
    return [case for kind in ("locateFiles", "join") for case in cases(kind) if case.fixture == fixture]


def without_untracked(fixture, step):
    """The step as it is answered by the fixture as packed."""
    untracked = UNTRACKED.get((fixture, step.get("index")), set())
    if "files" not in step or not untracked:
        return step
    return {**step, "files": [file for file in step["files"] if file not in untracked]}


def unpack(fixture, folder):
    """Unpacks a fixture below `folder`; returns its folder, which has `storage` and `data`."""
    with tarfile.open(FOLDER / f"{fixture}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return pathlib.Path(folder) / fixture


def path_map(fixture, folder):
    return f"file:///srv/ariadne-interop/{fixture}/=file://{folder}/"


def short_names(fixture, uris):
    prefix = f"file:///srv/ariadne-interop/{fixture}/data/"
    for uri in uris:
        assert uri.startswith(prefix), uri
    return [uri.removeprefix(prefix) for uri in uris]


def index_of(fixture):
    return MAIN_INDEX.get(fixture, "ty" if fixture.startswith("types_") else "ev")


def kind_of(fixture):
    kinds = {"exploded_empty": "exploded", "json": "exploded", "large": "regular", "csv": "regular"}
    return kinds.get(fixture, fixture.removeprefix("types_"))


# --- values --------------------------------------------------------------------------------------


def timestamp(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def probe_value(tagged):
    """A recorded probe value with its Java type, as (Arrow type, Python value)."""
    kind, text = tagged["type"], tagged["value"]
    if kind == "string":
        return pa.string(), text
    if kind == "boolean":
        return pa.bool_(), text == "true"
    integers = {"byte": pa.int8(), "short": pa.int16(), "integer": pa.int32(), "long": pa.int64()}
    if kind in integers:
        return integers[kind], int(text)
    if kind == "float":
        return pa.float32(), float(numpy.float32(text))
    if kind == "double":
        return pa.float64(), float(text)
    if kind == "decimal":
        value = decimal.Decimal(text)
        digits, exponent = value.as_tuple()[1:]
        scale = max(0, -exponent)
        return pa.decimal128(max(len(digits) + max(0, exponent), scale, 1), scale), value
    if kind == "date":
        return pa.date32(), datetime.date.fromisoformat(text)
    if kind in ("timestamp", "instant"):
        return pa.timestamp("us", "UTC"), timestamp(text)
    if kind == "localdatetime":
        return pa.timestamp("us"), timestamp(text)
    if kind == "binary":
        return pa.binary(), base64.b64decode(text)
    assert kind == "null", kind
    return pa.null(), None


def probe_arrays(probe):
    """A recorded probe as {column: Arrow array of its Java type}; NULLs take their neighbours'."""
    arrays = {}
    for column, tagged in probe.items():
        decoded = [probe_value(value) for value in tagged]
        types = [kind for kind, _ in decoded if kind != pa.null()] or [pa.null()]
        assert len(set(types)) == 1, probe
        arrays[column] = pa.array([value for _, value in decoded], types[0])
    return arrays


def arrow_type(spark):
    """Arrow's type for one of Spark's types, as Spark's schema JSON has it."""
    if isinstance(spark, dict) and spark["type"] == "array":
        return pa.list_(arrow_type(spark["elementType"]))
    if isinstance(spark, dict):
        return pa.struct([(f["name"], arrow_type(f["type"])) for f in spark["fields"]])
    if spark.startswith("decimal("):
        return pa.decimal128(*map(int, spark[8:-1].split(",")))
    return {
        "string": pa.string(),
        "boolean": pa.bool_(),
        "byte": pa.int8(),
        "short": pa.int16(),
        "integer": pa.int32(),
        "long": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us", "UTC"),
        "timestamp_ntz": pa.timestamp("us"),
        "binary": pa.binary(),
    }[spark]


def from_json(value, spark):
    """A value as Spark's `to_json` prints it, as a Python value of Spark's type."""
    if value is None:
        return None
    if isinstance(spark, dict):
        if spark["type"] == "array":
            return [from_json(item, spark["elementType"]) for item in value]
        return {f["name"]: from_json(value[f["name"]], f["type"]) for f in spark["fields"]}
    if spark == "float":
        return float(numpy.float32(value))
    if spark == "double":
        return float(value)
    if spark.startswith("decimal("):
        scale = int(spark[8:-1].split(",")[1])
        return decimal.Decimal(str(value)).quantize(decimal.Decimal(1).scaleb(-scale))
    if spark == "date":
        return datetime.date.fromisoformat(value)
    if spark in ("timestamp", "timestamp_ntz"):
        return timestamp(value)
    if spark == "binary":
        return base64.b64decode(value)
    return value


def keys_table(step):
    """The probe table of a recorded join."""
    fields = step["probeSchema"]["fields"]
    return pa.table(
        {
            field["name"]: pa.array(
                [from_json(row[field["name"]], field["type"]) for row in step["probeRows"]],
                arrow_type(field["type"]),
            )
            for field in fields
        }
    )


def comparable(value, spark):
    """A value in the precision of the record: timestamps to the millisecond, decimals as double."""
    if value is None:
        return "null"
    if isinstance(spark, dict):
        if spark["type"] == "array":
            return "[" + ", ".join(comparable(item, spark["elementType"]) for item in value) + "]"
        inside = [
            f"{f['name']}: {comparable(value[f['name']], f['type'])}" for f in spark["fields"]
        ]
        return "{" + ", ".join(inside) + "}"
    if spark in ("timestamp", "timestamp_ntz"):
        return str(sql_equality.microseconds(value) // 1000)
    if spark.startswith("decimal("):
        return repr(float(value))
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return repr(value)


def recorded_rows(rows, schema):
    """Recorded join rows as a multiset of comparable texts."""
    return collections.Counter(
        ", ".join(
            comparable(from_json(row[f["name"]], f["type"]), f["type"]) for f in schema["fields"]
        )
        for row in rows
    )


def table_rows(table, schema):
    """Rows of an Arrow table as a multiset of comparable texts, in the recorded column types."""
    return collections.Counter(
        ", ".join(comparable(row[f["name"]], f["type"]) for f in schema["fields"])
        for row in table.to_pylist()
    )


def spark_type(arrow):
    """Spark's name of an Arrow type."""
    if pa.types.is_list(arrow):
        return f"array<{spark_type(arrow.value_type)}>"
    if pa.types.is_struct(arrow):
        return "struct<" + ", ".join(f"{f.name}: {spark_type(f.type)}" for f in arrow) + ">"
    if pa.types.is_decimal(arrow):
        return f"decimal({arrow.precision},{arrow.scale})"
    for name in (
        "string boolean byte short integer long float double date timestamp timestamp_ntz binary"
    ).split():
        if arrow_type(name) == arrow:
            return name
    return str(arrow)


def recorded_type(spark):
    """The same spelling for a type of a recorded schema."""
    if not isinstance(spark, dict):
        return spark
    if spark["type"] == "array":
        return f"array<{recorded_type(spark['elementType'])}>"
    inside = ", ".join(f"{f['name']}: {recorded_type(f['type'])}" for f in spark["fields"])
    return f"struct<{inside}>"


# --- the truth -----------------------------------------------------------------------------------


def tags(field):
    """The values that an exploded field has in a row."""
    return lambda row: [field(tag) for tag in row["tags"] or []]


def items(field):
    """The same of the orders in JSON."""
    return lambda row: [field(item) for item in row["items"] or []]


HASHES = {row["user_id"]: row["h"] for row in steps("computed")[19]["result"]}

# What derived columns of the fixtures are, said in Python: lists of the values of a row.
EXPLODED = {
    "tag_k": tags(lambda tag: tag["k"]),
    "tag_v": tags(lambda tag: tag["v"]),
    "tag_q": tags(lambda tag: tag["p"] and tag["p"]["q"]),
    "sku": items(lambda item: item["sku"]),
    "w": items(lambda item: item["dim"] and item["dim"]["w"]),
}
DERIVED = EXPLODED | {
    "uid_up": lambda row: [row["user_id"] and row["user_id"].upper()],
    "yr_mon": lambda row: [row["ts"] and row["ts"].strftime("%Y-%m")],
    "pref": lambda row: [row["user_id"] and row["user_id"][:2]],
    "bucket": lambda row: [abs(HASHES[row["user_id"]]) % 4],
    "big": lambda row: [None if row["amount"] is None else row["amount"] > 50],
    "amt_dec": lambda row: [
        None if row["amount"] is None else decimal.Decimal(repr(row["amount"])).quantize(THOUSANDTH)
    ],
}
THOUSANDTH = decimal.Decimal("0.001")
# The timestamp of a temporal index.
TEMPORAL = {
    ("temporal", "ent"): lambda row: row["updated_at"] and row["updated_at"].timestamp(),
    ("temporal", "ent_nested"): lambda row: (
        row["meta"] and row["meta"]["updatedAt"] and row["meta"]["updatedAt"].timestamp()
    ),
    ("large", "ent"): lambda row: row["ts"] and row["ts"].timestamp(),
}


def csv_value(text, spark):
    """A field of the CSV fixture; what does not fit its column is NULL, as in mode PERMISSIVE."""
    if spark == "boolean":
        return {"true": True, "false": False}.get(text)
    read = {
        "string": lambda: text or None,
        "integer": lambda: int(text),
        "double": lambda: float(text),
        "date": lambda: datetime.date.fromisoformat(text),
        "timestamp": lambda: timestamp(text.replace(".5Z", ".500Z")),
    }[spark]
    try:
        return read()
    except ValueError:
        return None


def read_text_tables(fixture, folder):
    """The data files of the CSV or JSON fixture, read by Python."""
    index = MAIN_INDEX[fixture]
    metadata = next(s for s in steps(fixture) if s["step"] == "metadata.json" and s["index"] == index)
    fields = json.loads(metadata["content"]["schema"])["fields"]
    schema = pa.schema([(field["name"], arrow_type(field["type"])) for field in fields])
    for file in sorted(folder.glob(f"*.{fixture}")):
        if fixture == "json":
            rows = json.loads(file.read_text(encoding="utf-8"))
        else:
            with file.open(encoding="utf-8", newline="") as lines:
                records = list(csv.reader(lines, delimiter="|"))[1:]
            rows = [
                {f["name"]: csv_value(text, f["type"]) for f, text in zip(fields, record)}
                for record in records
            ]
        yield file.name, pa.Table.from_pylist(rows, schema)


class Lake:
    """The data files of a fixture, held in memory."""

    def __init__(self, fixture, folder):
        if fixture in ("csv", "json"):
            self.tables = dict(read_text_tables(fixture, folder))
        else:
            files = sorted(folder.glob("*.parquet"))
            self.tables = {file.name: pq.read_table(file) for file in files}
        self.schema = next(iter(self.tables.values())).schema

    def values(self, file, column):
        if column in DERIVED:
            return [value for row in self.tables[file].to_pylist() for value in DERIVED[column](row)]
        return self.tables[file].column(column).to_pylist()

    def type_of(self, column):
        return "string" if column in DERIVED else spark_type(self.schema.field(column).type)

    def matching_values(self, column, probes):
        """Probe values as SQL compares them with the column: text is read as the column's type."""
        name = self.type_of(column)
        for value in probes:
            if value is None:
                continue
            if isinstance(value, str) and name != "string":
                value = sql_equality.parse(value, name)
            yield value

    def files(self, case):
        """Names of the files that the index of a recorded step tracks."""
        untracked = UNTRACKED.get((case.fixture, case.step["index"]), set())
        return [file for file in self.tables if file not in untracked]

    def full_scan(self, case, arrays):
        """Names of the files in which every column holds one of its probe values."""
        files = self.files(case)
        timestamp = TEMPORAL.get((case.fixture, case.step["index"]))
        found = [
            file
            for file in files
            if all(
                any(
                    sql_equality.equal(probe, value)
                    for probe in self.matching_values(column, array.to_pylist())
                    for value in self.values(file, column)
                )
                for column, array in arrays.items()
            )
        ]
        if timestamp is None:
            return found
        ((column, array),) = arrays.items()
        newest = {self.newest(files, column, key, timestamp) for key in array.to_pylist()}
        return [file for file in found if file in newest]

    def newest(self, files, column, key, timestamp):
        """The first file by name that holds the newest version of a key; NULL is the oldest."""
        versions = [
            (timestamp(row) is not None, timestamp(row) or 0, file)
            for file in files
            for row in self.tables[file].to_pylist()
            if row[column] == key and key is not None
        ]
        best = max((version[:2] for version in versions), default=None)
        return min((file for *version, file in versions if tuple(version) == best), default=None)

    def plain_join(self, case):
        """Rows of an inner join with the files as a plain reader sees them, the derived columns
        that the result has beside."""
        named = [*case.step["on"], *case.step["select"]]
        columns = case.step["columns"]
        for file in self.files(case):
            for row in self.tables[file].to_pylist():
                derived = [
                    column
                    for column in columns
                    if column in DERIVED and (column not in EXPLODED or column in named)
                ]
                for values in itertools.product(*(DERIVED[column](row) for column in derived)):
                    whole = {**row, **dict(zip(derived, values, strict=True))}
                    for key in case.step["probeRows"]:
                        if all(whole[column] == key[column] for column in case.step["on"]):
                            yield {**key, **whole}


Opened = collections.namedtuple("Opened", "ariadne lake folder index")


def open_fixture(fixture, folder, **keywords):
    """`folder`: an unpacked fixture. The bloom tokens of timestamps were written in UTC."""
    keywords.setdefault("options", ["--token-time-zone", "UTC"])
    return Opened(
        command_line.Ariadne(folder / "storage", path_map=[path_map(fixture, folder)], **keywords),
        Lake(fixture, folder / "data"),
        folder,
        index_of(fixture),
    )
