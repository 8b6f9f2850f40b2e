"""Extracts, from indexes that the JVM library wrote, each bloom filter with the values behind it.

Writes bloom_cases.arrows: Arrow IPC streams end to end, one a (file, column). A stream has the file's
values, the filter's bytes in the first row of a second column, and file, column and rate in the
metadata of its schema.

Usage: extract_bloom_cases.py FIXTURES OUT (needs pyarrow). FIXTURES: the folder that holds
bloom.tar.gz and types_bloom.tar.gz; OUT: the folder to write to.
"""

import glob
import json
import os
import sys
import tarfile
import tempfile
import urllib.parse

import pyarrow as pa
import pyarrow.parquet as pq


def main(fixtures, out):
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bloom", "types_bloom"):
            tarfile.open(f"{fixtures}/{name}.tar.gz").extractall(folder)
            root = f"{folder}/{name}"
            for index in glob.glob(f"{root}/storage/indexes/*"):
                metadata = json.load(open(f"{index}/metadata.json"))
                for part in sorted(glob.glob(f"{index}/index/*.parquet")):
                    for row in pq.read_table(part).to_pylist():
                        file = os.path.basename(urllib.parse.unquote(row["filename"]))
                        data = pq.read_table(f"{root}/data/{file}")
                        for bloom in metadata["bloom_indexes"]:
                            column = bloom["column"]
                            if pa.types.is_binary(data[column].type):
                                continue  # hashed by object identity there
                            cases.append((f"{name}/{file}", column, bloom["fpr"],
                                          row["bloom_" + column], data[column].combine_chunks()))
    with pa.OSFile(f"{out}/bloom_cases.arrows", "wb") as sink:
        for file, column, fpr, filter_bytes, values in cases:
            meta = {"file": file, "column": column, "fpr": repr(fpr)}
            schema = pa.schema([pa.field("values", values.type), pa.field("filter", pa.binary())], meta)
            n = max(len(values), 1)
            values = pa.concat_arrays([values, pa.nulls(n - len(values), values.type)])
            filters = pa.array([filter_bytes] + [None] * (n - 1), pa.binary())
            with pa.ipc.new_stream(sink, schema) as writer:
                writer.write_batch(pa.record_batch([values, filters], schema=schema))


main(*sys.argv[1:])
