"""Files of keys as people have them: what is NULL, what is text, and what is said of a bad one."""

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
