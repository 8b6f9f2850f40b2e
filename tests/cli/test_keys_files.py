"""Files of keys as people have them: what is NULL, what is text, and what is said of a bad one."""

import json
import random
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line
from command_line import DONE, FAILED, NOT_FOUND, USAGE


@pytest.fixture(scope="module")
def ariadne(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lake")
    texts = ["", "a", None, "07", "7", "b,c", 'say "x"', " "]
    columns = {
        "s": texts,
        "n": pa.array([None, 1, 2, 7, 8, 9, 10, 11], pa.int64()),
        "last, first": texts,
        'quo"te': texts,
        "flag": pa.array([True, False, None, True, False, None, True, False]),
    }
    pq.write_table(pa.table(columns), folder / "part.parquet")
    bound = command_line.Ariadne(tmp_path_factory.mktemp("root"))
    flags = [word for column in columns for word in ("--regular", column)]
    bound.ok("create", "ix", "--schema-from", folder, *flags)
    bound.ok("add", "ix", folder)
    bound.ok("update", "ix")
    return bound


def joined(ariadne, keys, on, *more):
    answer = ariadne.json("join", "ix", keys, "--on", on, *more)
    names = [column["name"] for column in answer["columns"]]
    return [dict(zip(names, row)) for row in answer["data"]]


def test_a_quoted_empty_field_is_the_empty_text_and_an_empty_one_is_null(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text('s,k\n"",quoted\n,bare\na,text\n"b,c",comma\n')
    found = {row["k"]: row["s"] for row in joined(ariadne, keys, "s")}
    assert found == {"quoted": "", "text": "a", "comma": "b,c"}
    keys.write_text('k\ts\nquoted\t""\nbare\t\n')
    keys = keys.rename(tmp_path / "keys.tsv")
    assert [row["k"] for row in joined(ariadne, keys, "s")] == ["quoted"]


def test_a_quoted_empty_field_among_numbers_and_booleans_is_null(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text('n,flag,k\n"",true,a\n7,"",b\n"8",false,c\n,,d\n')
    assert [(row["n"], row["k"]) for row in joined(ariadne, keys, "n")] == [(7, "b"), (8, "c")]
    assert {row["k"] for row in joined(ariadne, keys, "flag")} == {"a", "c"}


def test_random_csv_keys_are_null_only_where_nothing_stands(ariadne, tmp_path):
    choices = random.Random(3)
    lake = {"", "a", "07", "7", "b,c", 'say "x"', " "}
    for round_ in range(12):
        fields = choices.choices(["", '""', "a", '"a"', '"07"', "7", '"b,c"', '" "', "z"], k=8)
        keys = tmp_path / f"{round_}.csv"
        keys.write_text("k,s\n" + "".join(f"r{i},{field}\n" for i, field in enumerate(fields)))
        values = [None if field == "" else field.strip('"') for field in fields]
        expected = {(f"r{i}", value) for i, value in enumerate(values) if value in lake}
        assert {(row["k"], row["s"]) for row in joined(ariadne, keys, "s")} == expected, fields


def test_names_with_commas_and_quotes_are_quoted_in_on_and_select(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text('"last, first","quo""te",s\na,a,a\n')
    rows = joined(ariadne, keys, '"last, first"', "--on", '"quo""te"', "--select", '"last, first"')
    assert rows == [{"last, first": "a", 'quo"te': "a", "s": "a"}]
    rows = joined(ariadne, keys, '"last, first","quo""te"', "--on", "s", "--select", "n,flag")
    assert rows == [{"last, first": "a", 'quo"te': "a", "s": "a", "n": 1, "flag": False}]
    rows = joined(ariadne, keys, "s", "--select", "n", "--select", '"last, first"')
    assert list(rows[0])[:3] == ["s", "n", "last, first"]
    located = ariadne.ok("locate", "ix", "--keys", keys, "--on", '"last, first"', "--on", "s")
    assert "part.parquet" in located.stdout


def test_a_bad_file_of_keys_is_named_with_what_is_wrong(ariadne, tmp_path):
    def keys(name, data):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.csv" / "x").write_text("s\n")
    for path, code, *words in (
        (tmp_path / "none.csv", NOT_FOUND, "there is no file"),
        (tmp_path / "folder.csv", USAGE, "is a folder"),
        (keys("empty.csv", b""), FAILED, "is empty"),
        (keys("empty.parquet", b""), FAILED, "is empty"),
        (keys("text.parquet", b"s\na\n"), FAILED, "no whole Parquet file"),
        (keys("utf16.csv", "s\na\n".encode("utf-16")), FAILED, "utf"),
        (keys("half.json", b'{"s": 3'), FAILED, "JSON"),
        (keys("scalars.json", b'["a", "b"]'), FAILED, "JSON objects"),
        (keys("text.jsonl", b'"a"\n'), FAILED, "JSON objects"),
        (keys("other.csv", b"t\na\n"), NOT_FOUND, 'no column "s"', '"t"'),
        (keys("twice.csv", b"s,k,s\na,b,c\n"), FAILED, 'two columns alike, "s" and "s"'),
        (keys("case.csv", b"s,k,S\na,b,c\n"), FAILED, 'two columns alike, "s" and "S"'),
        (keys("blank.tsv", b"s\tk\t S\na\tb\tc\n"), FAILED, "two columns alike"),
        (keys("keys.txt", b"s\na\n"), USAGE, ".csv", ".parquet"),
    ):
        message = ariadne.refused("join", "ix", path, "--on", "s", code=code)
        assert path.name in message or code == NOT_FOUND, message
        assert all(word.lower() in message.lower() for word in words), message
        assert "Invalid:" not in message and "please report" not in message
        assert message.count(path.name) <= 1, message


def test_a_header_alone_is_a_table_without_keys(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text("s\n")
    assert ariadne.json("join", "ix", keys, "--on", "s", code=DONE)["rows"] == 0


SPELLED = ["1.50", "1.5", "1e3", "nan", "0x10", "10:00:00", "89014103211118510720", "True", "-0", "1.10", "abc"]


@pytest.fixture(scope="module")
def spelled(tmp_path_factory):
    """A file for each of the spellings, with a decimal and a float beside it."""
    folder = tmp_path_factory.mktemp("spelled")
    for i, text in enumerate(SPELLED):
        columns = {
            "code": [text],
            "amount": pa.array([Decimal(89014103211118510720) + i], pa.decimal128(38, 5)),
            "rate": pa.array([i / 10], pa.float32()),
        }
        pq.write_table(pa.table(columns), folder / f"{i}.parquet")
    bound = command_line.Ariadne(tmp_path_factory.mktemp("root"))
    bound.ok("create", "ix", "--schema-from", folder, "--regular", "code", "--regular", "amount", "--range", "rate",
             "--computed", "same=concat(code, '')")  # fmt: skip
    bound.ok("add", "ix", folder)
    bound.ok("update", "ix")
    return bound


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("column", ["code", "same"])
def test_keys_of_text_are_what_is_written_whatever_stands_beside_them(column, quote, spelled, tmp_path):
    choices = random.Random(column + quote)
    keys = tmp_path / "keys.csv"
    for chosen in [[text] for text in SPELLED] + [choices.sample(SPELLED, k) for k in (2, 3, 5) * 3]:
        keys.write_text("k," + column + "\n" + "".join(f"x,{quote}{text}{quote}\n" for text in chosen))
        assert {row[column] for row in joined(spelled, keys, column)} == set(chosen)
        located = spelled.json("locate", "ix", "--keys", keys, "--on", column)["files"]
        assert len(located) == len(chosen)


def test_keys_of_decimals_and_floats_keep_their_digits(spelled, tmp_path):
    keys = tmp_path / "keys.csv"
    keys.write_text('amount,rate,k\n89014103211118510722,0.3,a\n"",0.1,b\n,"",c\n')
    assert [row["k"] for row in joined(spelled, keys, "amount")] == ["a"]
    assert sorted(row["k"] for row in joined(spelled, keys, "rate")) == ["a", "b"]


def test_a_csv_file_of_keys_is_split_at_commas_whatever_else_it_holds(ariadne, tmp_path):
    keys = tmp_path / "keys.csv"
    for text, found in (
        ("s\na;x\n07;x\n", []),
        ("s\n7|x\na|x\n", []),
        ("s,k\na;x,1\n'a',2\na,3\n", ["3"]),
        ("s,k\na,#1\n", ["#1"]),
        ('s,k\n"b,c",1\n', ["1"]),
    ):
        keys.write_text(text)
        assert [str(row["k"]) for row in joined(ariadne, keys, "s")] == found, text


def test_another_delimiter_is_given_or_told_by_the_suffix(ariadne, tmp_path):
    for name, delimiter, given in (
        ("keys.csv", ";", [";"]), ("keys.csv", "|", ["|"]), ("keys.csv", "\t", ["\\t"]), ("keys.csv", "::", ["::"]),
        ("keys.tsv", "\t", []), ("keys.tsv", ",", [","]),
    ):  # fmt: skip
        keys = tmp_path / name
        keys.write_text(f"s{delimiter}k\na{delimiter}1\n")
        more = [word for each in given for word in ("--delimiter", each)]
        assert [row["k"] for row in joined(ariadne, keys, "s", *more)] == [1]
        assert ariadne.json("locate", "ix", "--keys", keys, "--on", "s", *more)["files"]
    message = ariadne.refused("join", "ix", keys, "--on", "s", "--delimiter", "a\nb", code=USAGE)
    assert "no delimiter" in message
    keys = tmp_path / "semicolons.csv"
    keys.write_text("s;k\na;1\n")
    assert '"s;k"' in ariadne.refused("join", "ix", keys, "--on", "s", code=NOT_FOUND)
    for text in ("s,k\na,1,2\n", "s,k\na\n", 's,k\n"a,1\n'):
        keys.write_text(text)
        message = ariadne.refused("join", "ix", keys, "--on", "s", code=FAILED)
        assert "semicolons.csv" in message and "delimiter" in message and "\n" not in message.strip()


LARGE = [2**53 + 1, 2**63 - 1, -(2**63), 1]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file for each of some integers, whose neighbours are no keys of the lake."""
    folder = tmp_path_factory.mktemp("large")
    for i, number in enumerate(LARGE):
        columns = {
            "id": pa.array([number], pa.int64()),
            "code": [str(number) + "0" * 5],
            "amount": pa.array([Decimal(number) + Decimal("0.10")], pa.decimal128(38, 2)),
        }
        pq.write_table(pa.table(columns), folder / f"{i}.parquet")
    bound = command_line.Ariadne(tmp_path_factory.mktemp("root"))
    bound.ok("create", "ix", "--schema-from", folder, *(f"--regular={name}" for name in ("id", "code", "amount")))
    bound.ok("add", "ix", folder)
    bound.ok("update", "ix")
    return bound


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl"])
@pytest.mark.parametrize("column", ["id", "code", "amount"])
def test_large_numbers_of_text_files_keep_every_digit(large, column, suffix, tmp_path):
    """Beside them stand numbers that make any one type round them, and their neighbours."""
    written = {"id": str, "code": lambda n: str(n) + "0" * 5, "amount": lambda n: str(Decimal(n) + Decimal("0.10"))}
    keys = tmp_path / f"keys.{suffix}"
    for beside in ([], ["1.5"], ["89014103211118510720"], ["123456789012345678901234567890123456789012345", "-0.5"]):
        fields = [written[column](number) for number in LARGE] + beside
        fields += [written[column](number + 1) for number in LARGE if number < 2**62]
        if suffix == "csv":
            keys.write_text(f"{column},k\n" + "".join(f"{field},x\n" for field in fields))
        elif suffix == "json":
            keys.write_text("[" + ",\n".join(f'{{"{column}": {field}, "k": "x"}}' for field in fields) + "]")
        else:
            keys.write_text("".join(f'{{"k": "x", "{column}": {field}}}\n' for field in fields))
        found = sorted(str(row[column]) for row in joined(large, keys, column))
        assert found == sorted(written[column](number) for number in LARGE), fields
        assert len(large.json("locate", "ix", "--keys", keys, "--on", column)["files"]) == len(LARGE)


def test_texts_of_json_keys_are_what_is_written_whatever_they_look_like(tmp_path):
    texts = ["2024-01-01T00:00:00Z", "10:00", "2024-01-01", "1.50", "true", "é\n\"", "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b"]
    lake = tmp_path / "lake"
    lake.mkdir()
    for i, text in enumerate(texts):
        pq.write_table(pa.table({"s": [text]}), lake / f"{i}.parquet")
    bound = command_line.Ariadne(tmp_path / "root")
    bound.ok("create", "ix", "--schema-from", lake, "--regular", "s")
    bound.ok("add", "ix", lake)
    bound.ok("update", "ix")
    keys = tmp_path / "keys.json"
    for chosen in [[text] for text in texts] + [texts, ["1.50", "true"]]:
        keys.write_text(json.dumps([{"s": text, "row": i} for i, text in enumerate(chosen)]))
        rows = joined(bound, keys, "s")
        assert {(row["s"], row["row"]) for row in rows} == {(text, i) for i, text in enumerate(chosen)}
    keys.write_text('{"s": 1.50}\n{"s": true}\n{"s": null}\n{}\n{"t": 3}\n')
    assert sorted(row["s"] for row in joined(bound, keys, "s")) == ["1.50", "true"]
    keys.write_text('{"s": 1}\n{"s": [2]}\n')
    message = bound.refused("join", "ix", keys, "--on", "s", code=FAILED)
    assert "keys.json" in message and "lists or objects" in message


def test_rows_of_json_keys_stay_together(large, tmp_path):
    keys = tmp_path / "keys.json"
    count = 60_000
    with open(keys, "w") as file:
        for row in range(count):
            file.write(f'{{"id": {row}.0, "row": {row}, "text": "{"x" * 100}"}}\n')
    rows = joined(large, keys, "id", "--how", "right")
    assert len(rows) == count and all(float(row["id"]) == row["row"] for row in rows)
