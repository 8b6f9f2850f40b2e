"""Writes the files whose schemas Spark and Ariadne are to infer alike, one case a line."""

import base64
import json
import random
import sys

from make_cases import BOOLEANS, DATES, NUMBERS, TIMES

CASES = []


def case(name, format_, files, **options):
    CASES.append({
        "name": f"{format_}: {name}", "format": format_, "suffix": "." + format_,
        "options": {k: str(v) for k, v in options.items()},
        "files": [base64.b64encode(file.encode("utf-8")).decode() for file in files],
    })


def plain(values):
    """Values that stand in a CSV field as they are."""
    return [value for value in values if value and not set(value) & set(",\"\\\n\r\x00") and value.strip() == value]


POOLS = [plain(NUMBERS), plain(BOOLEANS), plain(DATES), plain(TIMES)]
INTEGERS = "1 -2 2147483647 2147483648 9223372036854775807 9223372036854775808 123456789012345678901234567890".split()
INTEGERS += ["9" * 38, "9" * 39, "1.5", "1e3", "007", "+5"]


def single_values():
    for values in POOLS:
        for start in range(0, len(values), 12):
            part = values[start:start + 12]
            # A column for each value, alone and above a value of another kind.
            case(f"values {part[0]!r}...", "csv", [",".join(part) + "\n"], inferSchema="true")
            for under in ("1", "2024-01-01", "x", "2024-01-01T10:00:00"):
                lines = [",".join(part), ",".join([under] * len(part))]
                case(f"{under} under {part[0]!r}...", "csv", ["\n".join(lines) + "\n"], inferSchema="true")


def random_csv(rng, number):
    columns = rng.randint(1, 5)
    pools = [rng.choice([*POOLS, INTEGERS]) for _ in range(columns)]
    options = {"inferSchema": rng.choice(["true", "true", "false"])}
    if rng.random() < 0.5:
        options["header"] = "true"
    if rng.random() < 0.2:
        options["nullValue"] = rng.choice(["NULL", "-", "1"])
    if rng.random() < 0.2:
        options["dateFormat"] = rng.choice(["dd/MM/yyyy", "yyyy-MM-dd", "yyyy/M/d"])
    if rng.random() < 0.2:
        options["timestampFormat"] = rng.choice(["yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]"])
    if rng.random() < 0.2:
        options["multiLine"] = "true"
    files = []
    names = [rng.choice(["a", "b", "A", "", "x y", "NULL", "c"]) for _ in range(columns)]
    for _ in range(rng.randint(1, 2)):
        lines = [",".join(names)] if "header" in options else []
        for _ in range(rng.randint(0, 4)):
            width = rng.choice([columns, columns, columns, max(1, columns - 1), columns + 1])
            pool = (pools + pools[:1])[:width]
            lines.append(",".join(rng.choice(["", "NULL", *rng.sample(p, min(6, len(p)))]) for p in pool))
        files.append("\n".join(lines) + ("\n" if lines else ""))
    case(f"random {number}", "csv", files, **options)


def value(rng, depth=0):
    kind = rng.randint(0, 10 if depth < 3 else 7)
    if kind <= 1:
        return rng.choice(["1", "0", "-7", "2147483648", "9223372036854775807", "9223372036854775808", "9" * 38, "9" * 39])
    if kind <= 3:
        return rng.choice(["1.5", "-0.0", "1e5", "1E400", "0.001", "123456789.123456789", "NaN", "Infinity"])
    if kind == 4:
        return rng.choice(["true", "false"])
    if kind <= 6:
        return json.dumps(rng.choice(["", "x", "1", "1.50", "2024-01-01", "true", "NaN"]))
    if kind == 7:
        return "null"
    if kind == 8:
        return "[" + ", ".join(value(rng, depth + 1) for _ in range(rng.randint(0, 3))) + "]"
    return members(rng, depth + 1)


def members(rng, depth=0):
    names = rng.sample(["a", "b", "A", "ä", "x y", "c", "_d"], rng.randint(0, 4))
    return "{" + ", ".join(f"{json.dumps(name)}: {value(rng, depth)}" for name in names) + "}"


def random_json(rng, number):
    options = {}
    for name in ("primitivesAsString", "prefersDecimal", "dropFieldIfAllNull", "multiLine"):
        if rng.random() < 0.15:
            options[name] = "true"
    records = [members(rng) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.2:
        records.insert(0, rng.choice(["", "[]", "null", "{bad", '{"a": tru', "5", '["x"]', "[{}, " + members(rng) + "]"]))
    if "multiLine" in options:
        files = [records[0]] if rng.random() < 0.3 else ["[" + ",\n".join(records) + "]"]
    else:
        files = ["\n".join(records[::2]) + "\n", "\n".join(records[1::2])]
    case(f"random {number}", "json", files, **options)


def main():
    rng = random.Random(20240615)
    case("no file has a line", "csv", ["", ""], header="true")
    case("only the second file has lines", "csv", ["", "a,b\n1,2\n"], header="true", inferSchema="true")
    case("the header stands among rows too", "csv", ["a,b\n1,x\na,b\n2,y\n"], header="true", inferSchema="true")
    case("comments and blank lines", "csv", ["#c\n\n \na,b\n#x\n1,2\n"], header="true", inferSchema="true", comment="#")
    case("commas within numbers", "csv", ['"1,000";5\n"1,000.5";6\n'], sep=";", inferSchema="true")
    case("names of equal letters", "csv", ["a,A,b,a\n1,2,3,4\n"], header="true")
    single_values()
    for number in range(150):
        random_csv(rng, number)
    for number in range(200):
        random_json(rng, number)
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for test in CASES:
            out.write(json.dumps(test, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
