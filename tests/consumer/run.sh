#!/usr/bin/env bash
# Installs into a fresh prefix, builds the project of this folder against it, and checks its answer.
# usage: run.sh BUILD_FOLDER PYTHON
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 python=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" ||
  { cat "$work/install.log"; exit 1; }
# Any user can run it: no library is found but in the installation and the system's folders.
find "$work/prefix" -name '*.so*' -o -path '*/bin/ariadne' | while read -r file; do
  if readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -vE '\[\$ORIGIN[^:]*\]'; then
    echo "$file looks for libraries elsewhere" >&2
    exit 1
  fi
done
if env -i ldd "$work/prefix/bin/ariadne" "$work/prefix"/lib/libariadne.so | grep '=>' |
  grep -vE "=> ($work/prefix/|/lib|/usr/lib)"; then
  echo "these libraries are neither installed nor the system's" >&2
  exit 1
fi
[ -s "$work/prefix/share/doc/ariadne/pyarrow/LICENSE.txt" ]
[ -s "$work/prefix/share/doc/ariadne/duckdb/LICENSE" ]

cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" --log-level=WARNING
cmake --build "$work/build"

mkdir -p "$work/run/data"
cd "$work/run"
"$python" - <<'PY'
import pyarrow as pa, pyarrow.parquet as pq
for part in range(4):
    users = [f"user-{part}", f"user-{part + 10}"]
    pq.write_table(pa.table({"user": users, "amount": [1.5, 2.5]}), f"data/part {part}.parquet")
open("users.csv", "w").write("user\nuser-1\nuser-11\nuser-12\nnobody\n")
PY
answer=$("$work/build/consumer")
echo "$answer"
[ "$answer" = "3 rows from 2 of 4 files" ]
[ "$("$work/prefix/bin/ariadne" --root indexes list)" = events ]
