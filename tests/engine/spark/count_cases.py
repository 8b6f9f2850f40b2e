"""Prints the table of docs/expressions.md: functions, their types, and how many of Spark's values each was compared with.

    count_cases.py [ANSWERS.jsonl.gz]
"""

import gzip
import json
import re
import sys
from pathlib import Path

DEFAULT = Path(__file__).parent.parent / "data" / "spark_expressions.jsonl.gz"

# (names as a pattern finds them in an expression, the row's title, types, remark)
ROWS = [
    (r"\bsubstr(ing)?\(", "substring, substr", "(string, int[, int]) → string; binary → binary", "counts characters"),
    (r"\b(left|right)\(", "left, right", "(string, int) → string; left of binary → binary", ""),
    (r"\b(upper|lower)\(", "upper, lower", "string → string", "full Unicode mappings"),
    (r"\btrim\(", "trim", "string → string", "spaces alone"),
    (r"\blength\(", "length", "string, binary → int", "characters; bytes"),
    (r"\bconcat\(|\|\|", "concat, &#124;&#124;", "any… → string; binary… → binary", "not of arrays"),
    (r"\bconcat_ws\(", "concat_ws", "(string, string or array<string>…) → string", ""),
    (r"\breplace\(", "replace", "(string, string[, string]) → string", ""),
    (r"\b[lr]pad\(", "lpad, rpad", "(string, int[, string]) → string", "not of binary"),
    (r"\bsplit\(", "split", "(string, constant[, int]) → array<string>", "see below"),
    (r"\b(coalesce|ifnull|nvl)\(", "coalesce, ifnull, nvl", "any… → their common type", ""),
    (r"\bnullif\(", "nullif", "(any, any) → the first", ""),
    (r"\bif\(", "if", "(boolean, any, any) → their common type", ""),
    (r"\bcase ", "case", "→ the common type of its values", ""),
    (r"\bcast\(", "cast", "string, int, float, double, decimal, boolean, date, timestamp, binary among themselves", ""),
    (r"\btry_cast\(", "try_cast", "the same, NULL where ANSI fails", ""),
    (r"\b(year|month|day|dayofmonth|quarter|weekofyear)\(", "year, month, day, dayofmonth, quarter, weekofyear", "date → int", ""),
    (r"\b(hour|minute)\(", "hour, minute", "timestamp → int", ""),
    (r"\bdate_format\(", "date_format", "(timestamp, constant) → string", "see below"),
    (r"\bto_date\(", "to_date", "any → date; (string, date or timestamp, constant) → date", ""),
    (r"\bto_timestamp\(", "to_timestamp", "any → timestamp; (string, date or timestamp, constant) → timestamp", ""),
    (r"\bdate_trunc\(", "date_trunc", "(string, timestamp) → timestamp", ""),
    (r"\btrunc\(", "trunc", "(date, string) → date", ""),
    (r"\bdate_(add|sub)\(|\bd [+-] ", "date_add, date_sub, date ± int", "(date, int) → date", ""),
    (r"\bdatediff\(", "datediff", "(date, date) → int", ""),
    (r"\bunix_timestamp\(", "unix_timestamp", "(string, date or timestamp[, constant]) → bigint", "not without argument"),
    (r"\bfrom_unixtime\(", "from_unixtime", "(bigint[, constant]) → string", ""),
    (r"\babs\(", "abs", "number → the same", ""),
    (r"\b(ceil|floor)\(", "ceil, floor", "number → bigint or decimal; (number, constant) → decimal", ""),
    (r"\bround\(", "round", "(number[, constant]) → the same; decimals their rounded type", "half up"),
    (r"\bpmod\(|%", "%, pmod", "(number, number) → their common type", "NULL for 0"),
    (r" [-+*/] | div |^[-+]", "+ - * / div", "(number, number) → their common type; / double or decimal; div bigint", "integers wrap"),
    (r" (=|<>|<|<=|>|>=|==|!=|<=>) | is (not )?distinct ", "= <> < <= > >= <=>, is distinct from", "two of a common type → boolean", ""),
    (r"\bin \(", "in, not in", "of a common type → boolean", ""),
    (r"\bbetween ", "between", "of a common type → boolean", ""),
    (r" like ", "like, not like, escape", "(string, string) → boolean", ""),
    (r"\b(and|or|not) |^! |\bis (not )?(null|true|false|unknown)", "and, or, not, is null, is true, …", "→ boolean", ""),
    (r"(?<!xx)\bhash\(", "hash", "any… → int", "murmur3, seed 42; not of maps"),
    (r"\bxxhash64\(", "xxhash64", "any… → bigint", "seed 42; not of maps"),
    (r"\bmd5\(", "md5", "binary → string", ""),
    (r"\bsha2\(", "sha2", "(binary, int) → string", "0, 224, 256, 384, 512"),
    (r"\bget_json_object\(", "get_json_object", "(string, string) → string", ""),
    (r"[a-z)\]]\[|\b(st|tags|ST)\.|\]\.", "a[i], a.b", "array, struct, array of structs", "NULL past an array's ends"),
]


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    compared = []
    for line in gzip.open(path, "rt", encoding="utf-8"):
        answer = json.loads(line)
        if "values" in answer:
            compared.append((answer["expression"], sum(not isinstance(v, dict) for v in answer["values"])))
    print("| function | types | notes | cases |")
    print("|---|---|---|---|")
    for pattern, title, types, note in ROWS:
        cases = sum(count for text, count in compared if re.search(pattern, text))
        print(f"| {title} | {types} | {note} | {cases:,} |")
    print(f"\n{sum(count for _, count in compared):,} values of {len(compared):,} expressions")


if __name__ == "__main__":
    main()
