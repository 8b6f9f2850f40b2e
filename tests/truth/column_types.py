"""The column types of random lakes: values with edges, near misses, and other spellings of them."""

import datetime
import decimal
import math

import numpy
import pyarrow as pa

D = decimal.Decimal
DATE = datetime.date
UTC = datetime.timezone.utc


def _moments(zone):
    texts = (
        "2024-01-01T00:00:00 2024-02-29T12:34:56.789 1969-12-31T23:59:59.999999 "
        "2000-01-01T12:00:00.120 1900-01-01T00:00:00 2024-03-10T02:30:00.100 "
        "2024-11-03T05:30:00.000001 1970-01-01T00:00:00 2262-04-11T23:47:16.854775 "
        "9999-12-31T23:59:59.999999 1582-10-10T00:00:00 2024-06-15T10:00:00"
    )
    return [datetime.datetime.fromisoformat(text).replace(tzinfo=zone) for text in texts.split()]


# Spark's name of a type: (Arrow type, values that lakes draw from).
TYPES = {
    "string": (
        pa.string(),
        [
            "",
            "a",
            "b",
            "aa",
            "ä",
            "e\u0301",
            "\u00e9",
            "日本語",
            "😀",
            " blank ",
            "o'neil",
            'x"y',
            "a,b",
            "line\nbreak",
            "\0nul",
            "NULL",
            "null",
            "long " * 40,
            "Z",
            "~",
            "=",
            "1",
            "1.0",
        ],
    ),
    "boolean": (pa.bool_(), [True, False]),
    "byte": (pa.int8(), [0, 1, 2, 3, 7, 42, -1, -128, 127]),
    "short": (pa.int16(), [0, 1, 2, 3, 7, 300, -1, -32768, 32767]),
    "integer": (pa.int32(), [0, 1, 2, 3, 7, 300, 70_000, -1, -(2**31), 2**31 - 1]),
    "long": (
        pa.int64(),
        [0, 1, 2, 3, 7, 300, 70_000, 2**40, 2**53, 2**53 + 1, -1, -(2**63), 2**63 - 1],
    ),
    "float": (
        pa.float32(),
        [
            float(numpy.float32(x))
            for x in (
                0.0,
                1.0,
                2.5,
                1e10,
                1e-5,
                1.1,
                0.3,
                16777216.0,
                1.4e-45,
                3.4028235e38,
                -1.5,
                33554432.0,
            )
        ]
        + [-0.0, math.nan, math.inf, -math.inf],
    ),
    "double": (
        pa.float64(),
        [
            0.0,
            1.0,
            2.5,
            1e10,
            1e-5,
            1.1,
            0.1 + 0.2,
            1e7,
            1e-3,
            5e-324,
            1.7976931348623157e308,
            1e23,
            2.0**-44,
            9007199254740992.0,
            -1.5,
            2e-44,
            -0.0,
            math.nan,
            math.inf,
            -math.inf,
        ],
    ),
    "decimal(10,2)": (
        pa.decimal128(10, 2),
        [
            D(x)
            for x in "0.00 1.10 2.50 -0.01 99999999.99 -99999999.99 1000.00 7.00 12345.60".split()
        ],
    ),
    "decimal(38,10)": (
        pa.decimal128(38, 10),
        [
            D(x)
            for x in "0E-10 1.1000000000 -1E-10 1000.0000000000 "
            "1234567890123456789012345678.0123456789 "
            "-9999999999999999999999999999.9999999999 0.5000000000".split()
        ],
    ),
    "date": (
        pa.date32(),
        [
            DATE.fromisoformat(x)
            for x in "2024-01-01 2024-02-29 1970-01-01 1969-12-31 1900-01-01 9999-12-31 "
            "1582-10-10 2024-06-15 "
            "0001-01-01".split()
        ],
    ),
    "timestamp": (pa.timestamp("us", "UTC"), _moments(UTC)),
    "timestamp_ntz": (pa.timestamp("us"), _moments(None)),
    "binary": (pa.binary(), [b"", b"abc", b"\0\xff", b"\xc3\x84", b"zz", b"\x80", b"a" * 80]),
}

# What an older file may hold instead, with a type that the declared one widens.
NARROWER = {
    "short": pa.int8(),
    "integer": pa.int16(),
    "long": pa.int32(),
    "double": pa.float32(),
    "decimal(10,2)": pa.decimal128(7, 2),
    "decimal(38,10)": pa.decimal128(20, 10),
}

# Hive partition folders: types whose values have a plain spelling there.
PARTITION_TYPES = ["string", "integer", "date"]


def arrow(name):
    return TYPES[name][0]


def fits(value, arrow_type):
    """True if the value survives the narrower type."""
    if value is None:
        return True
    if pa.types.is_float32(arrow_type):
        return math.isnan(value) or single(value) == value
    try:
        return pa.array([value], arrow_type).to_pylist() == [value]
    except (pa.ArrowInvalid, OverflowError):
        return False


def single(value):
    """The nearest single-precision number."""
    with numpy.errstate(over="ignore"):
        return float(numpy.float32(value))


def near_miss(value, rng):
    """A value of the same type that is next to, or looks like, the given one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return rng.choice([value + "x", value + " ", value.swapcase(), value[:-1]])
    if isinstance(value, bytes):
        return rng.choice([value + b"\0", value[:-1]])
    if isinstance(value, int):
        return value + 1 if value < 127 else value - 1
    if isinstance(value, float):
        return 77.25 if math.isnan(value) or math.isinf(value) else value / 2 + 0.125
    if isinstance(value, decimal.Decimal):
        with decimal.localcontext(prec=60):
            return value - D("0.01") if value > 0 else value + D("0.01")
    step = datetime.timedelta(days=1)
    if isinstance(value, datetime.datetime):
        step = datetime.timedelta(microseconds=1)
    return value - step if value.year > 1 else value + step


def text(value):
    """A literal that means the value, in the form of `--where`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        plain = value.replace(tzinfo=None).isoformat(sep=" ")
        return plain if value.tzinfo is None else plain.replace(" ", "T") + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


def related(name, values, rng):
    """The values in another type that holds them exactly, where there is one: (type, values)."""
    present = [value for value in values if value is not None]
    choices = []
    if name in ("byte", "short", "integer", "long"):
        choices = [pa.int64(), pa.decimal128(25, 3), pa.string()]
        if all(abs(value) <= 2**53 for value in present):
            choices.append(pa.float64())
    elif name == "float":
        choices = [pa.float64()]
    elif name == "decimal(10,2)":
        choices = [pa.decimal128(12, 3), pa.decimal128(38, 4), pa.string()]
    elif name == "date":
        choices = [pa.string(), pa.timestamp("us", "UTC")]
    elif name == "timestamp":
        choices = [pa.string()]
    if not choices:
        return None
    kind = rng.choice(choices)
    if pa.types.is_string(kind):
        return kind, [None if value is None else text(value) for value in values]
    if pa.types.is_decimal(kind):
        return kind, [None if value is None else D(value) for value in values]
    if pa.types.is_floating(kind):
        return kind, [None if value is None else float(value) for value in values]
    if pa.types.is_timestamp(kind):
        return kind, [
            (
                None
                if value is None
                else datetime.datetime(value.year, value.month, value.day, tzinfo=UTC)
            )
            for value in values
        ]
    return kind, values
