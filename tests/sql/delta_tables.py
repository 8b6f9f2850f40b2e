"""Delta tables as other engines write them: column mapping, partitions, deletion vectors."""

import json
import struct
import urllib.parse

import pyarrow as pa
import pyarrow.parquet as pq

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
MAGIC = 1681511377


def z85(data):
    data += b"\0" * (-len(data) % 4)
    text = ""
    for (number,) in struct.iter_unpack(">I", data):
        digits = []
        for _ in range(5):
            number, digit = divmod(number, 85)
            digits.append(Z85[digit])
        text += "".join(reversed(digits))
    return text


def inline_vector(rows):
    """The log's description of a deletion vector: a 64-bit Roaring bitmap of one part."""
    rows = sorted(set(rows))
    containers = {}
    for row in rows:
        containers.setdefault(row >> 16, []).append(row & 0xFFFF)
    head = struct.pack("<II", 12346, len(containers))
    keys = b"".join(struct.pack("<HH", key, len(values) - 1) for key, values in containers.items())
    at, offsets, values = len(head) + 8 * len(containers), b"", b""
    for lows in containers.values():
        offsets += struct.pack("<I", at + len(values))
        values += struct.pack(f"<{len(lows)}H", *lows)
    bitmap = head + keys + offsets + values
    data = struct.pack("<iQI", MAGIC, 1, 0) + bitmap
    return {
        "storageType": "i", "pathOrInlineDv": z85(data), "sizeInBytes": len(data),
        "cardinality": len(rows),
    }  # fmt: skip


def spark_type(type):
    names = {pa.int64(): "long", pa.int32(): "integer", pa.string(): "string",
             pa.float64(): "double", pa.date32(): "date"}  # fmt: skip
    return names[type]


class DeltaTable:
    """A table of one commit an `add`, whose columns are `{logical name: (physical name, type)}`."""

    def __init__(self, folder, columns, *, partitions=(), mapping="name"):
        self.folder = folder
        self.columns = columns
        self.partitions = partitions
        self.mapping = mapping
        self.version = 0
        (folder / "_delta_log").mkdir(parents=True)
        fields = []
        for number, (logical, (physical, type)) in enumerate(columns.items(), 1):
            metadata = {}
            if mapping != "none":
                metadata = {
                    "delta.columnMapping.id": number,
                    "delta.columnMapping.physicalName": physical,
                }
            fields.append(
                {"name": logical, "type": spark_type(type), "nullable": True, "metadata": metadata}
            )
        configuration = {"delta.enableDeletionVectors": "true"}
        features = ["deletionVectors"]
        if mapping != "none":
            configuration["delta.columnMapping.mode"] = mapping
            configuration["delta.columnMapping.maxColumnId"] = str(len(columns))
            features.append("columnMapping")
        self.metadata = {
            "id": "a-table", "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": list(partitions), "configuration": configuration,
            "createdTime": 0,
        }  # fmt: skip
        protocol = {
            "minReaderVersion": 3, "minWriterVersion": 7,
            "readerFeatures": features, "writerFeatures": features,
        }  # fmt: skip
        self.commit([{"protocol": protocol}, {"metaData": self.metadata}])

    def commit(self, actions):
        path = self.folder / "_delta_log" / f"{self.version:020}.json"
        path.write_text("".join(json.dumps(action) + "\n" for action in actions))
        self.version += 1

    def write(self, name, rows, *, partition=None, deleted=(), **options):
        """Adds a file of `{logical name: values}`; returns what the log says of it."""
        data = {
            self.columns[column][0]: pa.array(values, self.columns[column][1])
            for column, values in rows.items()
        }
        table = pa.table(data)
        if self.mapping != "none":
            numbers = {physical: i for i, (physical, _) in enumerate(self.columns.values(), 1)}
            table = table.cast(
                pa.schema([f.with_metadata({"PARQUET:field_id": str(numbers[f.name])}) for f in table.schema])
            )
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path, **options)
        add = {
            "path": urllib.parse.quote(name), "size": path.stat().st_size,
            "modificationTime": 0, "dataChange": True,
            "partitionValues": {
                self.columns[column][0]: value for column, value in (partition or {}).items()
            },
        }  # fmt: skip
        if deleted:
            add["deletionVector"] = inline_vector(deleted)
        self.commit([{"add": add}])
        return add

    def delete(self, add, rows):
        """Another vector for a file."""
        remove = {"path": add["path"], "deletionTimestamp": 1, "dataChange": True}
        if "deletionVector" in add:
            remove["deletionVector"] = add["deletionVector"]
        changed = {**add, "deletionVector": inline_vector(rows)}
        self.commit([{"remove": remove}, {"add": changed}])
        return changed
