"""What SQL calls equal, by hand: the oracle that recorded and computed answers are checked with.

Values are those that pyarrow's `to_pylist` gives. A value equals another one of a related type if
it does after the conversion that Spark applies: numbers by value, a decimal against a floating
number as floating numbers, a date against a timestamp as that day's midnight in UTC.
"""

import datetime
import decimal
import math

import numpy

EPOCH = datetime.datetime(1970, 1, 1)


def microseconds(value):
    """Microseconds since the epoch of a date or a datetime, naive ones taken as UTC."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return (value - EPOCH) // datetime.timedelta(microseconds=1)


def is_number(value):
    return isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)


def equal(left, right):
    """True if SQL's `left = right` holds; NULL equals nothing, NaN equals NaN, -0.0 equals 0.0."""
    if left is None or right is None:
        return False
    if is_number(left) and is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            if isinstance(left, decimal.Decimal):
                left = float(left)
            if isinstance(right, decimal.Decimal):
                right = float(right)
            if isinstance(left, float) and math.isnan(left):
                return isinstance(right, float) and math.isnan(right)
        return left == right
    if isinstance(left, datetime.date) and isinstance(right, datetime.date):
        return microseconds(left) == microseconds(right)
    return type(left) is type(right) and left == right


def order(value):
    """A sort key with SQL's order inside one type: NaN greatest, text and binary by bytes."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    if isinstance(value, datetime.date):
        return microseconds(value)
    return value


def parse(text, type_name):
    """A literal as a value of a column's type, by Spark's name of the type; None if it is none."""
    try:
        if type_name == "string":
            return text
        if type_name == "binary":
            return text.encode()
        if type_name in ("byte", "short", "integer", "long"):
            return int(text)
        if type_name == "float":
            return float(numpy.float32(text))
        if type_name == "double":
            return float(text)
        if type_name.startswith("decimal"):
            return decimal.Decimal(text)
        if type_name == "boolean":
            return {"true": True, "false": False}[text.lower()]
        if type_name == "date":
            return datetime.date.fromisoformat(text)
        if type_name in ("timestamp", "timestamp_ntz"):
            return datetime.datetime.fromisoformat(text)
    except (ValueError, KeyError, decimal.InvalidOperation):
        return None
    raise AssertionError(f"no literals of type {type_name}")
