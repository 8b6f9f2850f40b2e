#!/usr/bin/env python3
"""Makes a shared library a DuckDB extension: a copy with the 512 bytes at its end by which DuckDB tells
for which version and platform it was built. The signature stays empty, so it is loaded with -unsigned.

usage: extension_footer.py LIBRARY OUT DUCKDB_VERSION EXTENSION_VERSION [PLATFORM]
"""

import pathlib
import sys

# DuckDB reads eight fields of 32 bytes and 256 of a signature. They follow the header of a custom
# section of WebAssembly named duckdb_signature, which loaders of other formats do not look at.
SECTION = bytes([0, 147, 4, 16]) + b"duckdb_signature" + bytes([128, 4])
FORMAT = "4"
SIGNATURE = bytes(256)


def footer(duckdb_version, extension_version, platform):
    fields = [FORMAT, platform, f"v{duckdb_version}", extension_version, "CPP", "", "", ""]
    return SECTION + b"".join(text.encode().ljust(32, b"\0") for text in reversed(fields)) + SIGNATURE


def main():
    if len(sys.argv) not in (5, 6):
        raise SystemExit(__doc__)
    library, out, duckdb_version, version, *platform = sys.argv[1:]
    data = pathlib.Path(library).read_bytes()
    end = footer(duckdb_version, version, platform[0] if platform else "linux_amd64")
    partial = pathlib.Path(out + ".partial")
    partial.write_bytes(data + end)
    partial.rename(out)


if __name__ == "__main__":
    main()
