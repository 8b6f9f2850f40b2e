#!/usr/bin/env python3
"""Makes the benchmark lake: files of 100,000 rows, Snappy, one row group each, a fixed seed.

`id` is random over 50 million and `user_id` one of a million users, both without locality, so a
thousand users touch every file; `ts` rises, one hour a file; `category` has 100 values; `tags` is a
list of structs that a pruned read need not touch.

usage: gen_data.py OUT [--files 200] [--rows 100000] [--seed 20261130]
"""

import argparse
import os
import pathlib

import numpy
import pyarrow as pa
import pyarrow.parquet as pq

SEED = 20261130
HOUR_US = 3_600_000_000
FIRST_TS_US = 1_700_000_000_000_000
USERS = 1_000_000
IDS = 50_000_000


def user(number):
    return f"user-{number:07d}"


def write_file(path, number, rows, seed, names):
    random = numpy.random.default_rng([seed, number])
    ids = random.integers(0, IDS, rows, dtype=numpy.int64)
    users = pa.array(random.integers(0, USERS, rows))
    categories = pa.array(random.integers(0, 100, rows))
    first = FIRST_TS_US + number * HOUR_US
    moments = numpy.sort(first + random.integers(0, HOUR_US, rows))
    amounts = numpy.round(random.exponential(100.0, rows), 2)
    lengths = random.integers(0, 4, rows)
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int32)
    tag_count = int(offsets[-1])
    tags = pa.StructArray.from_arrays(
        [
            names["tag"].take(pa.array(random.integers(0, 50, tag_count))),
            pa.array(random.integers(0, 10_000, tag_count, dtype=numpy.int64)),
        ],
        names=["k", "v"],
    )
    table = pa.table(
        {
            "id": ids,
            "user_id": names["user"].take(users),
            "ts": pa.array(moments, type=pa.timestamp("us", tz="UTC")),
            "category": names["category"].take(categories),
            "amount": amounts,
            "tags": pa.ListArray.from_arrays(pa.array(offsets), tags),
        }
    )
    # Under another name until it is whole, so that an interrupted run leaves no half a lake.
    partial = path.with_suffix(".partial")
    pq.write_table(table, partial, compression="snappy", row_group_size=rows)
    partial.rename(path)


def generate(out, files=200, rows=100_000, seed=SEED):
    """Writes the files that are missing; returns their paths."""
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"part-{number:05d}.parquet" for number in range(files)]
    missing = [number for number, path in enumerate(paths) if not path.exists()]
    if missing:
        names = {
            "user": pa.array([user(i) for i in range(USERS)]),
            "category": pa.array([f"category_{i:02d}" for i in range(100)]),
            "tag": pa.array([f"key{i}" for i in range(50)]),
        }
        for number in missing:
            write_file(paths[number], number, rows, seed, names)
    return paths


def probe_users(count, seed=SEED):
    """The users that questions ask for; `count` up to 1,000."""
    random = numpy.random.default_rng([seed, 10**6])
    return [user(number) for number in random.choice(USERS, 1000, replace=False)[:count]]


def probe_ids(count, seed=SEED):
    """The ids that questions ask for; `count` up to 1,000. Some are in the lake, some not."""
    random = numpy.random.default_rng([seed, 10**6])
    random.choice(USERS, 1000, replace=False)
    return random.integers(0, IDS, 1000)[:count].tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    paths = generate(arguments.out, arguments.files, arguments.rows, arguments.seed)
    print(f"{len(paths)} files, {sum(os.path.getsize(path) for path in paths):,} bytes")


if __name__ == "__main__":
    main()
