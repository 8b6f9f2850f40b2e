"""Random lakes of CSV and JSON files, written as many ways as people do.

Expected rows are what DuckDB reads with explicit options, so values are those that it and Spark
read alike: no NUL characters, no doubtful quoting. `tests/text` compares the rest with Spark.
"""

import bz2
import gzip
import json
import math
import zlib

import column_types
import random_lake
from random_lake import FILE, File, duckdb_type, quote

COMPRESSIONS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".deflate": zlib.compress,
}
# What Java trims.
BLANKS = "".join(map(chr, range(33)))
# (Spark's pattern, Python's, DuckDB's)
DATE_PATTERNS = [None, ("dd/MM/yyyy", "%d/%m/%Y"), ("yyyyMMdd", "%Y%m%d")]


def spelled(value, date_pattern):
    """A value as text that both readers take."""
    if value is None:
        return None
    if date_pattern and type(value) is column_types.DATE:
        # Python does not pad years before 1000.
        return value.strftime(date_pattern[1].replace("%Y", f"{value.year:04d}"))
    if isinstance(value, float) and math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return column_types.text(value)


class TextLake(random_lake.Lake):
    type_names = [name for name in column_types.TYPES if name != "binary"]

    def __init__(self, folder, rng):
        super().__init__(folder, rng)
        for column in self.columns:
            column.pool = [v for v in column.pool if not self._unreadable(v)] or [None]
        self.date_pattern = rng.choice(DATE_PATTERNS)
        self.plain = {}  # {path: the text that the file holds, decompressed, in UTF-8}

    def _unreadable(self, value):
        return isinstance(value, str) and "\0" in value

    def _suffix(self):
        self.compression = self.rng.choice(["", "", *COMPRESSIONS])
        return f".{self.format}{self.compression}"

    def _stored(self):
        return [column for column in self.columns if not column.partition]

    def _write_rows(self, rows, path):
        stored = self._stored()
        count = len(next(iter(rows.values())))
        records = [{c.name: rows[c.name][i] for c in stored} for i in range(count)]
        text, records = self._text(records)
        path.write_bytes(COMPRESSIONS[self.compression](text.encode(self.encoding)))
        self.plain[path] = text
        kept = {c.name: [record[c.name] for record in records] for c in stored}
        return File(path, {**rows, **kept}, complete=False)

    def options(self):
        options = dict(self.read_options)
        if self.date_pattern:
            options["dateFormat"] = self.date_pattern[0]
        return options

    def format_arguments(self):
        arguments = ["--format", self.format]
        for name, value in self.options().items():
            arguments += ["--option", f"{name}={value}"]
        return arguments

    def read_with_duckdb(self, connection, files):
        connection.register("declared", self.arrow_schema().empty_table())
        connection.execute(
            f"CREATE OR REPLACE TABLE lake AS SELECT *, ''::VARCHAR AS {quote(FILE)} FROM declared"
        )
        scratch = self.folder.parent / f"plain.{self.format}"
        for file in files:
            scratch.write_text(self.plain[file.path], encoding="utf-8", newline="")
            selected, parameters = [], []
            for column in self.columns:
                name = quote(column.name)
                if column.partition:
                    if file.count:
                        selected.append(f"?::{duckdb_type(column.type_name)} AS {name}")
                        parameters.append(file.rows[column.name][0])
                elif column.type_name == "date" and self.date_pattern:
                    selected.append(f"strptime({name}, '{self.date_pattern[1]}')::DATE AS {name}")
                else:
                    selected.append(f"{name}::{duckdb_type(column.type_name)} AS {name}")
            connection.execute(
                f"INSERT INTO lake BY NAME SELECT ? AS {quote(FILE)}, {', '.join(selected)} "
                f"FROM {self._reader(scratch)}",
                [str(file.path), *parameters],
            )
        (count,) = connection.execute("SELECT count(*) FROM lake").fetchone()
        assert count == sum(file.count for file in files)

    def _columns_clause(self):
        names = ", ".join(f"{sql_text(c.name)}: 'VARCHAR'" for c in self._stored())
        return f"columns = {{{names}}}"


def sql_text(text):
    return "'" + text.replace("'", "''") + "'"


class CsvLake(TextLake):
    format = "csv"

    def __init__(self, folder, rng):
        super().__init__(folder, rng)
        self.delimiter = rng.choice([",", ",", ";", "|", "\t", "::"])
        self.quote = rng.choice(['"', '"', "'"])
        self.escape = rng.choice(["\\", self.quote])
        self.null = rng.choice(["", "", "NULL", "n/a"])
        self.header = rng.random() < 0.6
        texts = [v for c in self._stored() for v in c.pool if isinstance(v, str)]
        names = [c.name for c in self._stored()]
        lines = any("\n" in text for text in texts)
        self.encoding = rng.choice(["utf-8", "utf-8", "iso-8859-1"])
        if not all(fits_latin(text) for text in texts + names):
            self.encoding = "utf-8"
        self.read_options = {"header": str(self.header).lower(), "nullValue": self.null}
        self.read_options[rng.choice(["sep", "delimiter"])] = self.delimiter.replace("\t", "\\t")
        self.read_options |= {"quote": self.quote, "escape": self.escape}
        if lines or rng.random() < 0.2:
            self.read_options["multiLine"] = "true"
        if self.encoding != "utf-8" or rng.random() < 0.1:
            self.read_options["encoding"] = self.encoding
        self.read_options["mode"] = rng.choice(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])
        self.multi_line = "multiLine" in self.read_options

    def _text(self, records):
        rng = self.rng
        stored = self._stored()
        end = "\n" if self.multi_line else rng.choice(["\n", "\r\n"])
        lines = []
        if self.header and (records or rng.random() < 0.7):
            lines.append(self.delimiter.join(self._quoted(c.name) for c in stored))
        kept = []
        for record in records:
            fields, read = [], {}
            for column in stored:
                text = spelled(record[column.name], self.date_pattern)
                if text is not None and text != "":
                    fields.append(self._field(text, isinstance(record[column.name], str)))
                elif text is None or self.null == "":
                    fields.append(self.null)
                    text = None
                else:
                    fields.append(self.quote * 2)
                read[column.name] = None if text in (None, self.null) else record[column.name]
            line = self.delimiter.join(fields)
            if not line.strip(BLANKS):
                # A line without anything but blanks, tabs between its columns too, is no record.
                line = self.quote * 2 + line
            lines.append(line)
            kept.append(read)
        text = end.join(lines)
        return text + (end if lines and rng.random() < 0.8 else ""), kept

    def _field(self, text, is_text):
        special = any(c in text for c in self.delimiter + self.quote + "\r\n\\") or text != text.strip()
        if special or (is_text and self.rng.random() < 0.3):
            return self._quoted(text)
        return text

    def _quoted(self, text):
        return self.quote + text.replace(self.quote, self.escape + self.quote) + self.quote

    def _reader(self, path):
        return (
            f"read_csv({sql_text(str(path))}, auto_detect = false, {self._columns_clause()}, "
            f"header = {str(self.header).lower()}, delim = {sql_text(self.delimiter)}, "
            f"quote = {sql_text(self.quote)}, escape = {sql_text(self.escape)}, "
            f"nullstr = {sql_text(self.null)}, allow_quoted_nulls = true, parallel = false)"
        )


def fits_latin(text):
    try:
        text.encode("iso-8859-1")
    except UnicodeEncodeError:
        return False
    return True


class JsonLake(TextLake):
    format = "json"
    encoding = "utf-8"

    def __init__(self, folder, rng):
        super().__init__(folder, rng)
        self.read_options = {"mode": rng.choice(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])}
        self.multi_line = rng.random() < 0.4
        if self.multi_line:
            self.read_options["multiLine"] = "true"

    def _text(self, records):
        rng = self.rng
        ascii_only = rng.random() < 0.5
        objects = []
        for record in records:
            members = list(record.items())
            rng.shuffle(members)
            given = {
                name: self._member(value)
                for name, value in members
                if value is not None or rng.random() < 0.5
            }
            objects.append(given)
        if self.multi_line:
            text = json.dumps(objects, ensure_ascii=ascii_only, indent=rng.choice([None, 1]))
        else:
            end = rng.choice(["\n", "\r\n"])
            text = end.join(json.dumps(o, ensure_ascii=ascii_only) for o in objects)
            text += end if objects and rng.random() < 0.8 else ""
        return text, records

    def _member(self, value):
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return value
        if isinstance(value, float):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return spelled(value, self.date_pattern)

    def _reader(self, path):
        kind = "array" if self.multi_line else "newline_delimited"
        return f"read_json({sql_text(str(path))}, {self._columns_clause()}, format = '{kind}')"
