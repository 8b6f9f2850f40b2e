"""Writes the files that Spark and Ariadne are to read alike, one case a line: edge values, and random files."""

import base64
import bz2
import gzip
import json
import random
import sys
import zlib

CASES = []


def case(name, format_, schema, content, suffix=None, **options):
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    CASES.append({
        "name": name, "format": format_, "schema": schema, "options": {k: str(v) for k, v in options.items()},
        "suffix": suffix or "." + format_, "bytes": base64.b64encode(data).decode(),
    })


def csv(name, schema, content, **options):
    case("csv: " + name, "csv", schema, content, **options)


def js(name, schema, content, **options):
    case("json: " + name, "json", schema, content, **options)


ABC = "a string, b string, c string"

NUMBERS = """0 1 -1 +1 007 -0 +0 1.5 1e3 1E3 1e-3 .5 5. -.5 +.5 127 128 -128 -129 32767 32768 -32768 -32769 2147483647
2147483648 -2147483648 -2147483649 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809
1L 1f 1F 1d 1D 0x10 0x1p3 0x1.8p1 NaN nan -NaN +NaN Inf -Inf +Inf inf Infinity -Infinity +Infinity infinity
1,000 1,2,3 1_000 1e400 -1e400 1e-400 1e39 4.9e-324 2.4e-324 1.7976931348623157e308 1.7976931348623159e308 3.4028235e38
3.4028236e38 1.4e-45 0.1 0.30000000000000004 123456789012345678901234567890.123456789 99999999.994 99999999.995
99999999.999 0.005 0.004 -0.005 1.005 0.015 0.025 1e7 1e8 1E+2 1E+ E1 e . + - -- 1- 1+1 ١٢٣ １２ 1\u00a0 $5 5% 0b1 true
0.000 -0.00 1e2147483647 1e-2147483648 1e99999999999 12345678.12 123456789.12 00000000000000000000001 null NULL \\N""".split()
NUMBERS += [" 1", "1 ", " 1 ", "\t1", "1\t", "1\u0001", "1 2", " ", "\u00a01", "1.5 ", " 1.5", " NaN", "1e5 ", "\u20031"]

BOOLEANS = ["true", "false", "TRUE", "False", "tRuE", "t", "f", "1", "0", "yes", "no", "y", " true", "true ", "truE\t", "ﬁ"]

DATES = """2024-01-01 2024-1-1 2024-02-29 2023-02-29 2024-13-45 2024-00-10 2024-01-00 2024 2024-05 2024-5 20240101
2024-01-01T 2024-01-01T00:00:00 2024-01-01Z 0001-01-01 0000-01-01 -0001-01-01 9999-12-31 10000-01-01 +10000-01-01
1582-10-04 1582-10-10 1582-10-15 1900-01-01 1969-12-31 24-01-01 02024-01-01 002024-01-01 2024/01/01 01/02/2024 2024-01-1
2024-1-01 2024-01-01-01 epoch now today yesterday 1970-01-01 99999-01-01 999999-01-01 9999999-01-01 -9999-01-01 19723
0 1 -1 20240101GMT 2024-12-31T23:59:59+14:00 2024-01-01+01:00 2024-01-01x 2024-01-0x ２024-01-01""".split()
DATES += [" 2024-01-01", "2024-01-01 ", "2024-01-01 10:00:00", "\t2024-01-01", "2024-01-01 x", "2024-01-01 GMT+01:00"]

TIMES = """2024-01-01T10:00:00 2024-01-01T10:00:00Z 2024-01-01T10:00:00.5Z 2024-01-01T10:00:00.123456Z
2024-01-01T10:00:00.1234567Z 2024-01-01T10:00:00.123456789 2024-01-01T10:00:00.9999999 2024-01-01T10:00:00+02:00
2024-01-01T10:00:00-02:30 2024-01-01T10:00:00+2:00 2024-01-01T10:00:00+02 2024-01-01T10:00:00+2 2024-01-01T10:00:00+0200
2024-01-01T10:00:00+18:00 2024-01-01T10:00:00+18:01 2024-01-01T10:00:00+19:00 2024-01-01T10:00:00+02:00:30
2024-01-01T10:00:00+02:61 2024-01-01T10:00:00-00:00 2024-01-01T10:00:00UTC 2024-01-01T10:00:00GMT 2024-01-01T10:00:00GMT+2
2024-01-01T10:00:00GMT+02:00 2024-01-01T10:00:00UTC+02:00 2024-01-01T10:00:00UT 2024-01-01T10:00:00UT+01:00
2024-01-01T10:00:00Europe/Berlin 2024-07-01T10:00:00Europe/Berlin 2024-01-01T10:00:00America/Los_Angeles
2024-03-31T02:30:00Europe/Berlin 2024-10-27T02:30:00Europe/Berlin 2024-01-01T10:00:00CET 2024-01-01T10:00:00PST
2024-01-01T10:00:00EST 2024-01-01T10:00:00z 2024-01-01T10:00:00utc 2024-01-01T10:00:00Nowhere/City 2024-01-01T10:00
2024-01-01T10:0:0 2024-01-01T1:2:3 2024-01-01T10 2024-01-01T1 2024-01-01T24:00:00 2024-01-01T23:60:00 2024-01-01T23:59:60
2024-01-01T100:00:00 2024-01-01T10:00:00. 2024-01-01T10:00:00.Z 2024-1-1T1:1:1.1 2024 2024-05 2024-05T10:00 10:00:00
T10:00:00 10:00 T10 1 2024-01-01T 2024-01-01t10:00:00 -2024-01-01T00:00:00 +2024-01-01T00:00:00 0001-01-01T00:00:00Z
1582-10-05T12:00:00Z 1900-01-01T00:00:00Z 1969-12-31T23:59:59.999999Z 9999-12-31T23:59:59.999999Z 10000-01-01T00:00:00Z
294247-01-10T04:00:54.775807Z 294247-01-10T04:00:54.775808Z 300000-01-01T00:00:00Z -290308-12-21T19:59:05.224192Z
2024-02-30T00:00:00 2024-01-01T10:00:00.000000001Z 2024-01-01T10:00:00.1+01:00 epoch now today 1704103200 2024/01/01
2024-01-01T10:00:00[Europe/Berlin] 2024-01-01T10:00:00+01:00[Europe/Berlin] 20240101T100000 2024-01-01T10:00:00-18
2024-01-01T10:00:00+1:2 2024-01-01T10:00:00+01:2 2024-01-01T10:00:00--01 2024-01-01T10:00:00x""".split()
TIMES += ["2024-01-01 10:00:00", "2024-01-01 10:00:00 UTC", "2024-01-01 10:00:00 +01:00", "2024-01-01 10:00:00 Europe/Paris",
          " 2024-01-01 10:00:00", "2024-01-01 10:00:00 ", "2024-01-01  10:00:00", "2024-01-01 10:00:00.5 Z", "2024-01-01 ",
          "2024-01-01 10:00:00GMT", "2024-01-01 10:00:00 GMT+1", "2024-01-01 10", "2024-01-01 10:00:00  Z",
          "Mon Jan 01 10:00:00 UTC 2024"]

DECIMALS = "decimal(10,2)"


def quoted(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def values():
    for type_ in ("tinyint", "smallint", "int", "bigint", "float", "double", DECIMALS, "decimal(38,0)", "decimal(38,18)",
                  "decimal(3,3)", "boolean", "date", "timestamp", "timestamp_ntz", "string"):
        every = NUMBERS + BOOLEANS if type_ not in ("date", "timestamp", "timestamp_ntz") else DATES + TIMES
        if type_ in ("date", "timestamp", "timestamp_ntz"):
            # One file a value: Spark ends the whole read where its old parser would have taken the text.
            for value in dict.fromkeys(every):
                for format_ in ("csv", "json"):
                    text = f"{quoted(value)},x\n" if format_ == "csv" else json.dumps({"a": value, "b": "x"}) + "\n"
                    case(f"{format_}: {type_} {value!r}", format_, f"a {type_}, b string", text)
            continue
        csv(f"values of {type_}", f"a {type_}, b string", "".join(f"{quoted(v)},{i}\n" for i, v in enumerate(every)))
        for mode in ("DROPMALFORMED", "dropMalformed"):
            csv(f"values of {type_}, {mode}", f"a {type_}, b string",
                "".join(f"{quoted(v)},{i}\n" for i, v in enumerate(every)), mode=mode)
        js(f"strings as {type_}", f"a {type_}, b int",
           "".join(json.dumps({"a": v, "b": i}, ensure_ascii=i % 2 == 0) + "\n" for i, v in enumerate(every)))
    raw = """0 1 -1 -0 127 128 -129 32768 2147483648 -2147483649 9223372036854775807 9223372036854775808 1.5 -1.5 0.1 1e3 1E3
    1e-3 1.50 100.00 0.001 0.0001 1234567.0 12345678.0 1e7 1e21 1e400 -1e400 1e39 1e-400 123456789012345678901234567890 99999999.995
    0.005 0.015 4.9e-324 1.7976931348623159e308 true false null [] {} [1] {"x":1} "x" "" "1" "1.5" "true" "NaN" "Infinity" "-INF" "+INF"
    "+Infinity" "Inf" NaN Infinity -Infinity +Infinity INF -INF +INF nan 01 -01 +1 1. .5 0x1 1e 1e+ - tru nul falsee nullx
    "2024-01-01" 1704103200 -1 "dGVzdA==" "dGVz dA==" "!!" "dGVzdA" [1,"x",2] [[1],2] {"x":[1,2]} {"x":{"y":1}} 'single' 2.0E-3
    1.0E10 123456.789e3 0.00001 -0.0 2e0 1.0e+5""".split()
    for type_ in ("tinyint", "smallint", "int", "bigint", "float", "double", DECIMALS, "decimal(38,10)", "boolean", "date",
                  "timestamp", "timestamp_ntz", "string", "binary", "array<int>", "array<string>", "struct<x:int>",
                  "struct<x:string,y:int>", "map<string,int>", "map<string,string>", "array<array<int>>", "struct<x:array<int>>"):
        for i, v in enumerate(raw):
            if type_ in ("date",) and v == '"-1"':
                continue
            js(f"{v} as {type_}", f"a {type_}, b int", f'{{"a":{v},"b":{i}}}\n{{"b":{i},"a":{v}}}\n')


def csv_structure():
    texts = {
        "plain": "1,2,3\n4,5,6\n",
        "no newline at the end": "1,2,3\n4,5,6",
        "windows line ends": "1,2,3\r\n4,5,6\r\n",
        "old mac line ends": "1,2,3\r4,5,6\r",
        "mixed line ends": "1,2,3\n4,5,6\r\n7,8,9\r10,11,12\n\r\n13,14,15",
        "blank lines": "\n\n1,2,3\n\n   \n\t\n4,5,6\n\n",
        "empty": "",
        "one newline": "\n",
        "short rows": "1\n1,2\n1,2,3\n,\n,,\n",
        "long rows": "1,2,3,4\n1,2,3,4,5\n1,2,3,\n1,2,3,,\n",
        "empty fields": ",,\n1,,3\n\"\",\"\",\"\"\n,\"\",\n",
        "quotes": "\"a\",\"b,c\",\"d\"\"e\"\n\"a\\\"b\",\"\\\\\",\"x\"\n",
        "unclosed quote": "\"a,b,c\n1,2,3\n",
        "unclosed quote at the end": "1,2,3\n1,\"b,c",
        "quote inside": "a\"b,c\"\"d,e\"\n\"a\"b,c,d\n\"a\" ,b,c\n\"a\" x,b,c\n",
        "quote inside quoted": "\"a\"b\",c,d\n\"a \"b\" c\",d,e\n\"a,\"b\",c\",d\n\"\"a\"\",b,c\n\"\"\"a\"\"\",b,c\n",
        "escapes": "\"a\\nb\",\"\\t\",\"\\\"\"\na\\,b,c\n\\\"a\\\",b,c\n\"\\\\\\\"\",b,c\n\"a\\\\\",b,c\n\"\\a\",b,c\n",
        "blanks": " a , b , c \n\" a \", \" b \" ,\" c \"\n  \"x\"  ,y,z\n,  ,\t\n",
        "newline in quotes": "\"a\nb\",c,d\n1,2,3\n",
        "crlf in quotes": "\"a\r\nb\",c,d\r\n1,2,3\r\n",
        "unicode": "jürgen,北京,😀\n\u00a0,\u2003,\u200b\n",
        "bom": "\ufeff1,2,3\n4,5,6\n",
        "comment signs": "#a,b,c\n # d,e,f\n1,#2,3\n",
        "other signs": "1;2;3\n1|2|3\n1\t2\t3\n",
        "single quotes": "'a,b','c''d',e\n'a\\'b',c,d\n",
        "null words": "null,NULL,\\N\nNA,\"NA\",na\n-,\"-\",\n",
        "control characters": "a\u0000b,\u0001,\u001f\n\u0000,\u007f,c\n",
        "header": "a,b,c\n1,2,3\n",
        "header after blank lines": "\n  \na,b,c\n1,2,3\n",
        "only a header": "a,b,c\n",
        "other header": "c,b,a\n1,2,3\n",
        "quoted header": "\"a\nx\",b,c\n1,2,3\n",
        "delimiter only": ",\n,,,,\n",
        "quote only": "\"\n\"\"\n\"\"\"\n\"\"\"\"\n",
        "quote then text": "\"\"x,b,c\n\"\" ,b,c\n\"\"\"x,b\",c\n\"x\"\"\",b,c\n\"x\"\"\n",
        "multi delimiter": "1||2||3\n1|2||3||4\n\"a||b\"||c||d\na|||b||c\n||||\n\"a\"|||b||c\n1||2||3||\n",
    }
    options = [
        {}, {"header": "true"}, {"multiLine": "true"}, {"multiLine": "true", "header": "true"}, {"mode": "DROPMALFORMED"},
        {"mode": "FAILFAST"}, {"escape": "\""}, {"escape": ""}, {"quote": "'"}, {"quote": ""}, {"nullValue": "NA"},
        {"nullValue": "NA", "emptyValue": "E"}, {"emptyValue": "E"}, {"nullValue": "-"},
        {"ignoreLeadingWhiteSpace": "true"}, {"ignoreTrailingWhiteSpace": "true"},
        {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true", "nullValue": "NA"},
        {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true", "multiLine": "true"},
        {"comment": "#"}, {"comment": "#", "header": "true"}, {"comment": "#", "multiLine": "true"},
        {"sep": ";"}, {"delimiter": "|"}, {"sep": "\\t"}, {"sep": "\t"}, {"sep": "||"}, {"escape": "\"", "multiLine": "true"},
        {"multiLine": "true", "mode": "DROPMALFORMED", "header": "true"}, {"quote": "'", "escape": "'"},
        {"lineSep": "\n"}, {"lineSep": "\r"}, {"header": "TRUE", "multiLine": "TRUE", "escape": "\""},
    ]
    for name, text in texts.items():
        for option in options:
            csv(f"{name} {option}", ABC, text, **option)
        csv(f"{name}, as numbers", "a int, b double, c string", text)
        csv(f"{name}, one column", "a string", text)
        csv(f"{name}, one column, header", "a string", text, header="true")


def encodings():
    text = "jürgen,é,ß\n\"ü\",ÿ,¿\n"
    for encoding in ("iso-8859-1", "utf-8", "us-ascii"):
        for option in ({}, {"multiLine": "true"}):
            for content in ("iso-8859-1", "utf-8"):
                csv(f"{content} read as {encoding} {option}", ABC, text.encode(content), encoding=encoding, **option)
    csv("charset", ABC, text.encode("iso-8859-1"), charset="ISO-8859-1")
    csv("latin1", ABC, text.encode("iso-8859-1"), encoding="latin1")
    csv("windows-1252", ABC, "€,“x”,ž\n".encode("cp1252"), encoding="windows-1252")
    for encoding, python in (("UTF-16", "utf-16"), ("UTF-16LE", "utf-16-le"), ("UTF-16BE", "utf-16-be")):
        csv(f"{encoding} multiLine", ABC, (text + "😀,b,c\n").encode(python), encoding=encoding, multiLine="true")
        js(f"{encoding} multiLine", ABC, '{"a":"jürgen😀"}'.encode(python), encoding=encoding, multiLine="true")
    csv("bad utf-8", ABC, b"a\xff,b\xc3,c\xe2\x82\n\xc0\x80,\xed\xa0\x80,\xf0\x9f\x98\n\xf5\x80\x80\x80,\x80\x80,\xe2\x28\xa1\n")
    csv("bad utf-8, multiLine", ABC, b"a\xff,b\xc3,c\xe2\x82\n\xc0\x80,\xed\xa0\x80,\xf0\x9f\x98\n", multiLine="true")
    csv("bom, multiLine, header", ABC, "\ufeffa,b,c\n1,2,3\n", multiLine="true", header="true")
    js("bad utf-8", ABC, b'{"a":"x\xff","b":"y"}\n{"a":"x","b":"\xc3"}\n{"a":"ok"}\n{"a":"\xed\xa0\x80"}\n{"a":"\xc0\x80"}\n')
    js("latin1", ABC, '{"a":"jürgen","b":"é"}\n'.encode("iso-8859-1"), encoding="ISO-8859-1")
    js("latin1 as utf-8", ABC, '{"a":"jürgen","b":"é"}\n'.encode("iso-8859-1"), encoding="UTF-8")
    js("bom", ABC, "\ufeff{\"a\":\"1\"}\n{\"a\":\"2\"}\n")
    js("bom, multiLine", ABC, "\ufeff{\"a\":\"1\"}\n{\"a\":\"2\"}\n", multiLine="true")
    for format_, content in (("csv", b"1,2,3\n4,5,6\n"), ("json", b'{"a":"1"}\n{"b":"2"}\n')):
        for option in ({}, {"multiLine": "true"}):
            case(f"{format_}: gzip {option}", format_, ABC, gzip.compress(content, mtime=0), suffix=f".{format_}.gz", **option)
            case(f"{format_}: two gzip members {option}", format_, ABC,
                 gzip.compress(content, mtime=0) + gzip.compress(content, mtime=0), suffix=f".{format_}.gz", **option)
            case(f"{format_}: bzip2 {option}", format_, ABC, bz2.compress(content), suffix=f".{format_}.bz2", **option)
            case(f"{format_}: deflate {option}", format_, ABC, zlib.compress(content), suffix=f".{format_}.deflate", **option)
            case(f"{format_}: GZ in capitals {option}", format_, ABC, content, suffix=f".{format_}.GZ", **option)
            case(f"{format_}: empty gzip {option}", format_, ABC, gzip.compress(b"", mtime=0), suffix=f".{format_}.gz", **option)
            case(f"{format_}: cut gzip {option}", format_, ABC, gzip.compress(content, mtime=0)[:-12],
                 suffix=f".{format_}.gz", **option)


DATE_PATTERNS = {
    "dd/MM/yyyy": ["01/02/2024", "1/2/2024", "31/02/2024", "32/01/2024", "01/02/24", "01/02/02024", "", " 01/02/2024", "01/02/2024 "],
    "yyyyMMdd": ["20240102", "2024012", "202401021", "2024-01-02", "20241302", "20240230"],
    "d.M.yyyy": ["1.2.2024", "01.02.2024", "31.12.2024", "1.2.24", "31.4.2024"],
    "yyyy-MM-dd": ["2024-01-01", "2024-1-1", "2024-01-01T00:00:00", "-2024-01-01", "10000-01-01", "0001-01-01", "0000-01-01"],
    "yy-MM-dd": ["24-01-02", "99-01-02", "70-01-02", "2024-01-02", "00-12-31"],
    "MMM d, yyyy": ["Jan 2, 2024", "jan 2, 2024", "JAN 2, 2024", "January 2, 2024", "Dec 31, 2024", "Sept 1, 2024", "Sep 1, 2024"],
    "MMMM d yyyy": ["January 2 2024", "Jan 2 2024", "may 5 2024", "May 5 2024"],
    "dd-MMM-yy": ["02-Jan-24", "02-JAN-24", "02-Jan-2024"],
    "yyyy": ["2024", "24", "20244"],
    "yyyy-MM": ["2024-03", "2024-3", "2024-13"],
    "yyyy-DDD": ["2024-001", "2024-366", "2023-366", "2024-1"],
    "E, dd MMM yyyy": ["Mon, 01 Jan 2024", "Tue, 01 Jan 2024", "mon, 01 Jan 2024"],
    "EEEE dd.MM.yyyy": ["Monday 01.01.2024", "Mon 01.01.2024"],
    "dd/MM/uuuu": ["01/02/2024", "31/02/2024", "01/02/-2024"],
    "'day' dd 'of' MM yyyy": ["day 01 of 02 2024", "Day 01 of 02 2024"],
    "yyyy''MM''dd": ["2024'01'02"],
    "yyyy-MM[-dd]": ["2024-01-02", "2024-01"],
    "yyyy.MM.dd G": ["2024.01.02 AD", "0044.03.15 BC"],
    "yyyy-M-d": ["2024-1-2", "2024-01-02", "2024-001-2"],
    "y-M-d": ["2024-1-2", "24-1-2", "10000-1-2"],
    "yyyy-'W'ww": ["2024-W01"], "YYYY-MM-dd": ["2024-01-02"], "yyyy-MM-dd e": ["2024-01-02 2"], "yyyy-QQ": ["2024-01"],
    "yyyy-MM-dd HH:mm": ["2024-01-02 10:20"], "bad'": ["x"], "abc": ["x"], "yyyy-MM-dd'T'": ["2024-01-02T"], "yyyyyyy": ["2024"],
}

TIME_PATTERNS = {
    "yyyy-MM-dd HH:mm:ss": ["2024-01-02 03:04:05", "2024-01-02 3:4:5", "2024-01-02 24:00:00", "2024-01-02 03:04:05.6", "2024-01-02",
                            "2024-01-02T03:04:05", "2024-01-02 03:04:60"],
    "dd/MM/yyyy HH:mm": ["02/01/2024 03:04", "2/1/2024 3:4", "02/01/2024 03:04:05"],
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX": ["2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05.678+02:00", "2024-01-02T03:04:05.678+0200",
                                    "2024-01-02T03:04:05.6Z", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.678"],
    "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]": ["2024-01-02T03:04:05", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.678",
                                        "2024-01-02T03:04:05.678-05:30", "2024-01-02T03:04:05.67"],
    "yyyy-MM-dd HH:mm:ss.SSSSSS": ["2024-01-02 03:04:05.123456", "2024-01-02 03:04:05.123", "2024-01-02 03:04:05.1234567"],
    "yyyy-MM-dd HH:mm:ss.S": ["2024-01-02 03:04:05.1", "2024-01-02 03:04:05.12"],
    "yyyy-MM-dd HH:mm:ss.SSSSSSSSS": ["2024-01-02 03:04:05.123456789"],
    "MM/dd/yyyy hh:mm a": ["01/02/2024 03:04 AM", "01/02/2024 03:04 PM", "01/02/2024 12:04 AM", "01/02/2024 12:04 PM",
                           "01/02/2024 13:04 PM", "01/02/2024 03:04 pm", "01/02/2024 00:04 AM"],
    "M/d/yyyy h:mm:ss a": ["1/2/2024 3:04:05 PM", "01/02/2024 11:04:05 AM", "1/2/2024 12:00:00 AM"],
    "yyyyMMddHHmmss": ["20240102030405", "2024010203040"],
    "yyyyMMddHHmmssSSS": ["20240102030405678"],
    "yyyy-MM-dd HH:mm:ssX": ["2024-01-02 03:04:05Z", "2024-01-02 03:04:05+02", "2024-01-02 03:04:05+0230", "2024-01-02 03:04:05+02:00"],
    "yyyy-MM-dd HH:mm:ssXX": ["2024-01-02 03:04:05Z", "2024-01-02 03:04:05+0200", "2024-01-02 03:04:05+02"],
    "yyyy-MM-dd HH:mm:ssx": ["2024-01-02 03:04:05Z", "2024-01-02 03:04:05+02", "2024-01-02 03:04:05+00"],
    "yyyy-MM-dd HH:mm:ssxxx": ["2024-01-02 03:04:05+02:00", "2024-01-02 03:04:05Z", "2024-01-02 03:04:05+00:00"],
    "yyyy-MM-dd HH:mm:ssZ": ["2024-01-02 03:04:05+0200", "2024-01-02 03:04:05Z", "2024-01-02 03:04:05+02:00"],
    "yyyy-MM-dd HH:mm:ss z": ["2024-01-02 03:04:05 UTC", "2024-01-02 03:04:05 PST", "2024-01-02 03:04:05 CET"],
    "yyyy-MM-dd HH:mm:ss VV": ["2024-01-02 03:04:05 Europe/Berlin", "2024-01-02 03:04:05 UTC", "2024-01-02 03:04:05 Z"],
    "yyyy-MM-dd HH:mm:ss O": ["2024-01-02 03:04:05 GMT+2"],
    "yyyy-MM-dd": ["2024-01-02", "2024-01-02 03:04:05"],
    "HH:mm:ss": ["03:04:05", "3:04:05"],
    "dd MMM yyyy HH:mm:ss": ["02 Jan 2024 03:04:05", "02 JAN 2024 03:04:05"],
    "EEE MMM dd HH:mm:ss yyyy": ["Tue Jan 02 03:04:05 2024", "Mon Jan 02 03:04:05 2024"],
    "yyyy-MM-dd kk:mm": ["2024-01-02 24:04", "2024-01-02 01:04", "2024-01-02 00:04"],
    "yyyy-MM-dd KK:mm a": ["2024-01-02 00:04 PM", "2024-01-02 11:04 AM"],
    "yyyy-MM-dd H:m:s": ["2024-01-02 3:4:5", "2024-01-02 03:04:05"],
    "yyyy-MM-dd hh:mm": ["2024-01-02 03:04"],
    "yyyy-MM-dd HH:mm:ss.SSS": ["2024-01-02 03:04:05.678", "2024-01-02 03:04:05.67"],
    "yyyy-MM-dd'T'HH:mm:ss'Z'": ["2024-01-02T03:04:05Z"],
    "yyyy-MM-dd n": ["2024-01-02 5"], "yyyy-MM-dd A": ["2024-01-02 5"], "yyyy-MM-dd B": ["2024-01-02 x"], "c": ["1"],
    "yyyy-MM-dd HH:mm:ssXXXX": ["2024-01-02 03:04:05+0200"], "yyyy-MM-dd HH:mm:ssXXXXX": ["2024-01-02 03:04:05+02:00"],
}


def patterns():
    for option, type_, table in (("dateFormat", "date", DATE_PATTERNS), ("timestampFormat", "timestamp", TIME_PATTERNS),
                                 ("timestampNTZFormat", "timestamp_ntz", TIME_PATTERNS)):
        for pattern, texts in table.items():
            for text in texts:
                csv(f"{option} {pattern} {text!r}", f"a {type_}, b string", f"{quoted(text)},x\n", **{option: pattern})
                js(f"{option} {pattern} {text!r}", f"a {type_}, b string", json.dumps({"a": text, "b": "x"}) + "\n",
                   **{option: pattern})


def json_structure():
    lines = {
        "plain": '{"a":"1","b":"2"}\n{"c":"3","a":null}\n',
        "blank lines": '\n  \n{"a":"1"}\n\t\n\n{"a":"2"}\n',
        "windows line ends": '{"a":"1"}\r\n{"a":"2"}\r\n',
        "old mac line ends": '{"a":"1"}\r{"a":"2"}\r',
        "not objects": '1\n"x"\nnull\ntrue\n[]\n[1]\n[{"a":"1"},{"b":"2"}]\n[[{"a":"1"}]]\n[null]\n[{"a":"1"},null]\n[{"a":"1"},2]\n',
        "corrupt": '{"a":"1"\n{"a":"1",\n{"a":\n{"a"\n{\n{"a":"1"}}\n{"a":"1"} x\n{"a":"1"},{"a":"2"}\n{"a":"1"}{"a":"2"}\n{a:"1"}\nx\n'
                   '{"a":"1",}\n{"a":"1" "b":"2"}\n{"a" "1"}\n{,"a":"1"}\n{"a":"1","b":x,"c":"3"}\n{"a":"1","b":"2\n}\n]\n[\n[{"a":"1"}\n[{"a":"1"},\n',
        "duplicate keys": '{"a":"1","a":"2"}\n{"a":"1","a":null}\n{"a":null,"a":"2"}\n{"a":"1","A":"2"}\n{"A":"1"}\n',
        "escapes": '{"a":"\\u00e9\\n\\t\\"\\\\\\/\\b\\f\\r","b":"\\ud83d\\ude00","c":"\\u0000"}\n{"a":"\\ud83d"}\n{"a":"\\x41"}\n'
                   '{"a":"\\u12"}\n{"\\u0061":"1"}\n{"a":"\\ude00x"}\n{"a":"\\\'"}\n',
        "control characters": '{"a":"x\ty"}\n{"a":"x\u0001y"}\n{"a":"x\u007fy"}\n',
        "single quotes": "{'a':'1','b':'x\"y'}\n{'a':\"it's\"}\n{'a':'it\\'s'}\n",
        "comments": '{"a":"1"/* x */}\n// x\n{"a":"1"} // y\n# z\n',
        "values as text": '{"a":1,"b":1.50,"c":true}\n{"a":{"x": 1, "y" : [1, 2 ]},"b":[ ],"c":{ }}\n{"a":"1","b":1e10,"c":-0}\n'
                          '{"a":[{"x":"\\u00e9\\n/"}],"b":[null,1.0,NaN],"c":12345678901234567890}\n{"a":0.1,"b":100000000.5,"c":1e-5}\n',
        "mismatch then more": '{"a":"1","b":[1,2,{"c":"3"}],"c":"x"}\n',
        "unicode": '{"a":"jürgen","b":"北京","c":"😀"}\n',
        "blanks": ' { "a" : "1" , "b":"2" } \n\t{"a":"1"}\n\u00a0{"a":"1"}\n',
        "top-level array": '[\n{"a":"1"},\n{"a":"2"}\n]\n',
        "one object over lines": '{\n"a":"1",\n"b":"2"\n}\n',
        "objects over lines": '{\n"a":"1"}\n{"a":\n"2"}\n',
        "empty": "", "one newline": "\n",
        "deep": '{"a":' + "[" * 50 + "]" * 50 + ',"b":"2"}\n',
    }
    options = [{}, {"multiLine": "true"}, {"mode": "DROPMALFORMED"}, {"mode": "FAILFAST"}, {"allowComments": "true"},
               {"allowUnquotedFieldNames": "true"}, {"allowSingleQuotes": "false"}, {"allowNumericLeadingZeros": "true"},
               {"allowBackslashEscapingAnyCharacter": "true"}, {"allowUnquotedControlChars": "true"},
               {"allowNonNumericNumbers": "false"}, {"primitivesAsString": "true"}, {"lineSep": "\n"}, {"dropFieldIfAllNull": "true"},
               {"multiLine": "true", "mode": "DROPMALFORMED"}]
    for name, text in lines.items():
        for option in options:
            js(f"{name} {option}", ABC, text, **option)
        js(f"{name}, numbers", "a int, b double, c boolean", text)
        js(f"{name}, nested", "a struct<x:int,y:array<int>>, b array<string>, c map<string,double>", text)
        for line in text.split("\n"):
            if name == "corrupt":
                js(f"{name} {line!r}", ABC, line)
                js(f"{name} {line!r}, multiLine", ABC, line, multiLine="true")
                js(f"{name} {line!r}, FAILFAST", ABC, line, mode="FAILFAST")
    nested = "a struct<x:int,y:struct<z:string,w:double>>, b array<struct<p:int,q:string>>, m map<string,int>, c int"
    for line in ['{"a":{"x":1,"y":{"z":"s","w":2.5}},"b":[{"p":1,"q":"r"},{}],"m":{"k":1,"l":2},"c":3}',
                 '{"a":{"x":"bad","y":{"z":"s","w":2.5}},"c":3}', '{"a":{"x":1,"y":{"z":"s","w":"bad"}},"c":3}',
                 '{"a":{"x":1,"y":5},"c":3}', '{"a":5,"c":3}', '{"a":[1],"c":3}', '{"b":[{"p":"bad","q":"r"},{"p":2}],"c":3}',
                 '{"b":[1,{"p":2}],"c":3}', '{"b":[{"p":2},1],"c":3}', '{"b":{"p":2},"c":3}', '{"b":[[{"p":2}]],"c":3}',
                 '{"b":[null,{"p":2}],"c":3}', '{"m":{"k":"bad","l":2},"c":3}', '{"m":{"k":1,"k":2},"c":3}', '{"m":{"k":null},"c":3}',
                 '{"m":{"k":1,"c":"bad","c":9},"c":3}', '{"m":{"k":"bad","c":9},"c":3}', '{"m":[1],"c":3}', '{"m":{},"b":[],"a":{},"c":3}',
                 '{"a":{"x":1,"x":2},"c":3}', '{"a":{"X":1},"c":3}', '{"a":{"x":2147483648},"c":2147483648}', '{"c":3,"a":{"x":1',
                 '{"c":3,"a":{"x":tru}}', '{"c":3,"b":[1,}', '{"a":{"x":"bad","c":7},"c":3}', '{"a":{"y":{"w":"bad","z":"t"},"x":4},"c":3}',
                 '{"b":[{"p":1},{"p":"bad"},{"p":3}],"m":{"z":"bad"},"c":3}', '{"b":[{"p":1,"q":{"r":[1, 2]}}],"c":3}',
                 '{"a":null,"b":null,"m":null,"c":null}', '{"m":{"k":1.5},"c":3}', '{"m":{"k":{"c":8}},"c":3}',
                 '{"b":["x",{"p":1}],"c":3}', '{"b":["x","c",5],"c":3}']:
        for option in ({}, {"mode": "DROPMALFORMED"}, {"mode": "FAILFAST"}, {"multiLine": "true"}):
            js(f"nested {line} {option}", nested, line + "\n", **option)
    arrays = "a array<int>, b array<array<int>>, c map<string,array<int>>, d struct<x:array<int>,y:int>, e int"
    for line in ['{"a":[1,"x",3],"e":5}', '{"a":["x",1],"e":5}', '{"b":[[1,"x"],[2]],"e":5}', '{"c":{"k":[1,"x",2],"l":[3]},"e":5}',
                 '{"d":{"x":[1,"x",2],"y":4},"e":5}', '{"d":{"y":4,"x":[1,"x",{"y":9}]},"e":5}', '{"a":[1,2.5],"e":5}', '{"a":[1,null],"e":5}',
                 '{"a":[[1],2],"e":5}', '{"a":[{"e":7},2],"e":5}', '{"a":["x",{"e":7}],"e":5}', '{"b":[["x",{"e":7}]],"e":5}',
                 '{"c":{"k":["x",{"e":7}]},"e":5}', '{"a":[1,01],"e":5}', '{"a":[1,x],"e":5}', '{"a":[1,2,],"e":5}', '{"e":5,"a":[1,99999999999]}']:
        js(f"arrays {line}", arrays, line + "\n")
        js(f"arrays in a root array {line}", arrays, "[" + line + "," + line + "]\n")


def random_csv(rng):
    pieces = ["a", "b1", ",", ",", ",", "\"", "\"", "\\", " ", "\n", "\r\n", "\"\"", "\\\"", ",\"", "\",", "x y", "é", "'", "#", "\t", "\"\n", "NA", ";", "1.5"]
    text = "".join(rng.choice(pieces) for _ in range(rng.randint(5, 60)))
    options = {}
    if rng.random() < 0.3:
        options["multiLine"] = "true"
    if rng.random() < 0.2:
        options["header"] = "true"
    if rng.random() < 0.3:
        options["escape"] = rng.choice(["\"", "", "'", "\\"])
    if rng.random() < 0.15:
        options["quote"] = rng.choice(["'", ""])
    if rng.random() < 0.2:
        options["ignoreLeadingWhiteSpace"] = "true"
    if rng.random() < 0.2:
        options["ignoreTrailingWhiteSpace"] = "true"
    if rng.random() < 0.2:
        options["nullValue"] = "NA"
    if rng.random() < 0.1:
        options["emptyValue"] = "EMPTY"
    if rng.random() < 0.1:
        options["comment"] = "#"
    if rng.random() < 0.15:
        options["mode"] = "DROPMALFORMED"
    if rng.random() < 0.1:
        options["sep"] = rng.choice([";", "\\t", ",\"", ", "])
    return text, options


def random_value(rng, depth):
    kind = rng.randint(0, 11 if depth < 3 else 8)
    if kind < 3:
        return rng.choice(["1", "2", "-3", "4.5", "1e2", "99999999999", "0"])
    if kind < 5:
        return rng.choice(['"x"', '""', '"5"', '"c"', '"é"', "'q'"])
    if kind < 7:
        return rng.choice(["true", "false", "null", "null"])
    if kind == 7:
        return rng.choice(["x", "tru", "01", "+1", "NaN", "-Infinity", "\"unclosed", "1.", "nulll", "-", "{", "}", "]"]) if rng.random() < 0.3 else "7"
    if kind < 10:
        return "{" + random_fields(rng, depth + 1) + "}"
    return "[" + ",".join(random_value(rng, depth + 1) for _ in range(rng.randint(0, 3))) + "]"


def random_fields(rng, depth):
    return ",".join(f'"{rng.choice("abcdxymk")}":{random_value(rng, depth)}' for _ in range(rng.randint(0, 4)))


def random_files():
    rng = random.Random(20260101)
    for i in range(1500):
        text, options = random_csv(rng)
        csv(f"random {i}", rng.choice([ABC, ABC, "a string", "a string, b int, c double"]), text, **options)
    for i in range(700):
        lines = "".join("{" + random_fields(rng, 0) + "}\n" for _ in range(rng.randint(1, 4)))
        if rng.random() < 0.2:
            lines = "[" + lines.strip().replace("}\n{", "},{") + "]\n"
        options = {}
        if rng.random() < 0.2:
            options["multiLine"] = "true"
        if rng.random() < 0.1:
            options["mode"] = "DROPMALFORMED"
        schema = rng.choice(["a int, b string, c double, d boolean",
                             "a struct<x:int,y:string>, b array<int>, c map<string,int>, d string",
                             "a array<struct<x:int,y:string>>, b struct<a:struct<b:int>,c:string>, c array<array<string>>, d bigint",
                             "d map<string,struct<x:int,a:string>>, c map<string,array<int>>, x int"])
        js(f"random {i}", schema, lines, **options)


def main():
    values()
    csv_structure()
    encodings()
    patterns()
    json_structure()
    random_files()
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for item in CASES:
            out.write(json.dumps(item, ensure_ascii=True) + "\n")
    print(len(CASES), "cases")


if __name__ == "__main__":
    main()
