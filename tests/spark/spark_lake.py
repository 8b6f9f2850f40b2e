"""A small lake of every kind of index and of the types whose mapping Spark and Arrow must agree on."""

import datetime
import decimal
import random

import pyarrow as pa
import pyarrow.parquet as pq

UTC = datetime.timezone.utc
KINDS = {
    "regular": ["id", "price", "at", "day", "data"],
    "bloom": ["name"],
    "range": ["weight"],
    "temporal": {"key": "version"},
    "exploded": {"tag": "tags"},
    "computed": {"loud": "upper(name)"},
}


def rows(choose: random.Random, count: int) -> pa.Table:
    """Awkward values of the types whose mapping Spark and Arrow must agree on; one in ten is NULL."""

    def some(make):
        return [None if choose.random() < 0.1 else make() for _ in range(count)]

    below = choose.randrange
    return pa.table(
        {
            "id": pa.array(some(lambda: below(300)), pa.int64()),
            "name": pa.array(some(lambda: choose.choice(["", "é", "a'b", "x y", "n%"]) + str(below(200))), pa.string()),
            "price": pa.array(some(lambda: decimal.Decimal(below(500)).scaleb(-2)), pa.decimal128(12, 2)),
            "weight": pa.array(some(lambda: choose.choice([-0.0, 0.0, float("nan"), below(99) / 8])), pa.float64()),
            "at": pa.array(
                some(lambda: datetime.datetime(2024, 3, 10, tzinfo=UTC) + datetime.timedelta(minutes=30 * below(200))),
                pa.timestamp("us", "UTC"),
            ),
            "local": pa.array(
                some(lambda: datetime.datetime(1900 + below(300), 1, 1, 12, 30, 0, 7)), pa.timestamp("us")
            ),
            "day": pa.array(some(lambda: datetime.date(1600 + below(300), 2, 28)), pa.date32()),
            "data": pa.array(some(lambda: bytes([below(60), 0])), pa.binary()),
            "key": pa.array(some(lambda: f"k{below(40)}"), pa.string()),
            "version": pa.array(some(lambda: below(5)), pa.int64()),
            "tags": pa.array(some(lambda: [f"t{below(60)}" for _ in range(below(3))]), pa.list_(pa.string())),
            "meta": pa.array(
                some(lambda: {"n": below(9), "of": [("a", float(below(3)))]}),
                pa.struct([("n", pa.int32()), ("of", pa.map_(pa.string(), pa.float64()))]),
            ),
        }
    )


def write(folder, numbers, seed=1, count=40):
    """Files of a lake, with names that need escaping."""
    folder.mkdir(exist_ok=True)
    for i in numbers:
        pq.write_table(rows(random.Random(seed * 1000 + i), count), folder / f"f {i}%é.parquet")
