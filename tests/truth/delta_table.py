"""Delta tables with column mapping, partitions and deletion vectors, written as their protocol says."""

import itertools
import json
import struct
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
SPARK = {pa.string(): "string", pa.int64(): "long", pa.int32(): "integer", pa.date32(): "date"}


def z85(data):
    data += b"\0" * (-len(data) % 4)
    text = ""
    for (word,) in struct.iter_unpack(">I", data):
        digits = ""
        for _ in range(5):
            word, digit = divmod(word, 85)
            digits = Z85[digit] + digits
        text += digits
    return text


def bitmap(rows):
    """A set of rows as a Roaring bitmap in the portable format, each 2^32 rows one."""
    by_high = {}
    for row in sorted(rows):
        by_high.setdefault(row >> 32, {}).setdefault(row >> 16 & 0xFFFF, []).append(row & 0xFFFF)
    out = struct.pack("<IQ", 1681511377, len(by_high))
    for high, containers in by_high.items():
        out += struct.pack("<III", high, 12346, len(containers))
        for key, values in containers.items():
            out += struct.pack("<HH", key, len(values) - 1)
        offset = 8 + 8 * len(containers)
        bodies = []
        for values in containers.values():
            if len(values) <= 4096:
                body = struct.pack(f"<{len(values)}H", *values)
            else:
                bits = bytearray(8192)
                for value in values:
                    bits[value >> 3] |= 1 << (value & 7)
                body = bytes(bits)
            out += struct.pack("<I", offset)
            offset += len(body)
            bodies.append(body)
        out += b"".join(bodies)
    return out


class DeltaTable:
    """`stored`: the names that the files have for columns and, as "column.member", members. `partitions`: columns
    that the log alone holds."""

    def __init__(self, folder, schema, stored=None, partitions=()):
        self.folder = folder
        self.schema = schema
        self.stored = stored
        self.partitions = partitions
        self.version = -1
        self.ids = itertools.count(1)
        self.live = {}  # path: (rows in the file, places of the deleted ones)
        self.values = {}  # path: the log's values of the partition columns, by the names of the files
        (folder / "_delta_log").mkdir(parents=True)
        features = ["deletionVectors"] + (["columnMapping"] if stored else [])
        configuration = {"delta.enableDeletionVectors": "true"}
        if stored:
            configuration["delta.columnMapping.mode"] = "name"
        self.commit(
            [
                {
                    "protocol": {
                        "minReaderVersion": 3,
                        "minWriterVersion": 7,
                        "readerFeatures": features,
                        "writerFeatures": features,
                    }
                },
                {
                    "metaData": {
                        "id": str(uuid.uuid4()),
                        "format": {"provider": "parquet", "options": {}},
                        "schemaString": json.dumps(self._struct(schema, "")),
                        "partitionColumns": list(partitions),
                        "configuration": configuration,
                        "createdTime": 0,
                    }
                },
            ]
        )

    def name(self, path):
        return self.stored.get(path, path.split(".")[-1]) if self.stored else path.split(".")[-1]

    def _spark(self, type, path):
        if pa.types.is_struct(type):
            return self._struct(type, path + ".")
        if pa.types.is_list(type):
            element = self._spark(type.value_type, path)
            return {"type": "array", "elementType": element, "containsNull": True}
        return SPARK[type]

    def _struct(self, fields, below):
        found = []
        for field in fields:
            path = below + field.name
            metadata = {}
            if self.stored:
                metadata = {
                    "delta.columnMapping.id": next(self.ids),
                    "delta.columnMapping.physicalName": self.name(path),
                }
            found.append(
                {
                    "name": field.name,
                    "type": self._spark(field.type, path),
                    "nullable": True,
                    "metadata": metadata,
                }
            )
        return {"type": "struct", "fields": found}

    def _stored_type(self, type, path):
        if pa.types.is_struct(type):
            return pa.struct(
                [
                    (self.name(f"{path}.{f.name}"), self._stored_type(f.type, f"{path}.{f.name}"))
                    for f in type
                ]
            )
        if pa.types.is_list(type):
            return pa.list_(pa.field("element", self._stored_type(type.value_type, path)))
        return type

    def _stored_value(self, value, path):
        if isinstance(value, dict):
            return {
                self.name(f"{path}.{k}"): self._stored_value(v, f"{path}.{k}")
                for k, v in value.items()
            }
        if isinstance(value, list):
            return [self._stored_value(each, path) for each in value]
        return value

    def commit(self, actions):
        self.version += 1
        log = self.folder / "_delta_log" / f"{self.version:020}.json"
        log.write_text("".join(json.dumps(action) + "\n" for action in actions))

    def add(self, path, rows, **properties):
        """A file of rows, dicts by the declared names, which agree in the partition columns."""
        columns = {
            self.name(field.name): pa.array(
                [self._stored_value(row[field.name], field.name) for row in rows],
                self._stored_type(field.type, field.name),
            )
            for field in self.schema
            if field.name not in self.partitions
        }
        self.values[path] = {
            self.name(name): None if rows[0][name] is None else str(rows[0][name]) for name in self.partitions
        }
        (self.folder / path).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(columns), self.folder / path, **properties)
        self.live[path] = (rows, set())
        self.commit([{"add": self.added(path)}])

    def added(self, path):
        rows, deleted = self.live[path]
        add = {
            "path": path.replace("%", "%25").replace(" ", "%20"),
            "partitionValues": self.values[path],
            "size": (self.folder / path).stat().st_size,
            "modificationTime": 0,
            "dataChange": True,
            "stats": json.dumps({"numRecords": len(rows)}),
        }
        if deleted:
            data = bitmap(deleted)
            add["deletionVector"] = {
                "storageType": "i",
                "pathOrInlineDv": z85(data),
                "sizeInBytes": len(data),
                "cardinality": len(deleted),
            }
        return add

    def removed(self, path):
        return {
            "path": self.added(path)["path"],
            "dataChange": True,
            "deletionTimestamp": 0,
            **{k: v for k, v in self.added(path).items() if k == "deletionVector"},
        }

    def delete_rows(self, path, places):
        before = {"remove": self.removed(path)}
        rows, deleted = self.live[path]
        if deleted.issuperset(places):
            return  # A commit may not remove and add the same vector.
        self.live[path] = (rows, deleted | set(places))
        self.commit([before, {"add": self.added(path)}])

    def drop(self, path):
        """The file stays in the folder, as one of the table's history."""
        self.commit([{"remove": self.removed(path)}])
        del self.live[path]

    def rows(self):
        """(path, row), in the order of the files' names."""
        for path in sorted(self.live):
            rows, deleted = self.live[path]
            for place, row in enumerate(rows):
                if place not in deleted:
                    yield path, row
