#!/usr/bin/env bash
# Installs what the build and the tests need: system packages, a Python environment with the Arrow wheel, DuckDB's
# library and headers, and the compiled crates of the Delta C ABI. Everything fetched lies under the cache folder, by
# version, so a second run, or another checkout, finds it there.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${ARIADNE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ariadne}
pyarrow_version=26.0.1
duckdb_version=1.5.6
duckdb_npm="@duckdb/node-bindings-linux-x64@1.5.6-r.1"
duckdb_crate=1.10506.0
sqllogictest_version=0.29.1
tpchgen_version=4.0.0
pyspark_version=4.3.0

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf 'setup: %s\n  what to do: %s\n' "$1" "$2" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# One setup at a time: two checkouts share the cache.
mkdir -p "$cache"
exec 9>"$cache/setup.lock"
flock 9

[ "$(uname -sm)" = "Linux x86_64" ] ||
  die "this machine is $(uname -sm)" "the prebuilt DuckDB library is for Linux x86_64: build there"

# --- system packages -------------------------------------------------------------------------------------------------
packages=(cmake ninja-build ccache clang-format clang-tidy nlohmann-json3-dev libcli11-dev libxxhash-dev libgtest-dev
  libgmock-dev libbenchmark-dev libmurmurhash-dev libcctz-dev libicu-dev libssl-dev tzdata)
missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
have g++ || missing+=(g++)
have make || missing+=(make)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
[ -f "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h" ] ||
  missing+=(python3-dev)
# Spark 4 runs on Java 17 or later.
java=$(java -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' || true)
[ "${java:-0}" -ge 17 ] || missing+=(openjdk-17-jre-headless)
if [ ${#missing[@]} -gt 0 ]; then
  say "system packages: ${missing[*]}"
  have apt-get || die "apt-get is not here" "install with your package manager: ${missing[*]}"
  sudo=""
  if [ "$(id -u)" != 0 ]; then
    have sudo || die "packages are missing and neither root nor sudo is at hand" \
      "as root: apt-get install ${missing[*]}"
    sudo=sudo
  fi
  log="$cache/apt.log"
  { $sudo apt-get -o DPkg::Lock::Timeout=300 update -qq &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq \
      --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    die "apt-get could not install ${missing[*]}" "read $log; is the network up?"
fi

# --- compilers and clients -------------------------------------------------------------------------------------------
printf '#include <span>\n#include <concepts>\nint main() { return 0; }\n' |
  "${CXX:-g++}" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null ||
  die "the C++ compiler '${CXX:-g++}' does not compile C++20" "install g++ 12 or later, or set CXX"
have cargo || die "cargo is not here" "install Rust 1.88 or later (rustup.rs)"
rust=$(cargo --version 2>/dev/null | sed -nE 's/^cargo ([0-9]+)\.([0-9]+).*/\1 \2/p')
[ -n "$rust" ] || die "cargo does not run" "rustup default stable (1.88 or later is needed)"
# shellcheck disable=SC2086
set -- $rust
[ "$1" -gt 1 ] || [ "$2" -ge 88 ] || die "Rust $1.$2 is too old" "rustup update stable (1.88 or later is needed)"
have npm || die "npm is not here" "install Node.js with npm (apt-get install npm)"
have python3 || die "python3 is not here" "apt-get install python3 python3-venv"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  die "$(python3 --version) is too old" "install Python 3.11"

# --- Python environments -----------------------------------------------------------------------------------------------
python_version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')

# make_venv NAME REQUIREMENTS: sets `venv` to an environment of its own for each content of the file.
make_venv() {
  venv="$cache/$1-$(sha256sum "$2" | cut -c1-12)-$python_version"
  [ ! -f "$venv/.complete" ] || return 0
  say "Python environment '$1': $(grep -vc '^#' "$2") packages"
  rm -rf "$venv"
  python3 -m venv "$venv" || die "python3 -m venv failed" "apt-get install python3-venv"
  "$venv/bin/pip" install -q --disable-pip-version-check -r "$2" ||
    die "pip could not install $2" "is the network up? then run make again"
  touch "$venv/.complete"
}
# What builds the Python package and lies beside it in its tests.
make_venv wheel scripts/wheel-requirements.txt
wheel_venv=$venv
# The Arrow that is linked, and what the tests and the demo use.
make_venv python scripts/requirements.txt

# --- what the tests of SQL use: the runner of *.test files, and TPC-H's data ---------------------------------------------
tpchgen="$cache/tpchgen-$tpchgen_version"
if [ ! -f "$tpchgen/.complete" ]; then
  say "TPC-H data generator"
  rm -rf "$tpchgen"
  "$venv/bin/pip" install -q --disable-pip-version-check --no-deps --target "$tpchgen" \
    "tpchgen-cli==$tpchgen_version" ||
    die "pip could not install tpchgen-cli $tpchgen_version" "is the network up? then run make again"
  touch "$tpchgen/.complete"
fi
duckdb_cli="$cache/duckdb-cli-$duckdb_version"
if [ ! -f "$duckdb_cli/.complete" ]; then
  say "DuckDB's command line, to load the extension"
  rm -rf "$duckdb_cli"
  "$venv/bin/pip" install -q --disable-pip-version-check --no-deps --target "$duckdb_cli" \
    "duckdb-cli==$duckdb_version" ||
    die "pip could not install duckdb-cli $duckdb_version" "is the network up? then run make again"
  touch "$duckdb_cli/.complete"
fi
sqllogictest="$cache/sqllogictest-$sqllogictest_version"
if [ ! -x "$sqllogictest/bin/sqllogictest" ]; then
  say "sqllogictest $sqllogictest_version (some minutes, once)"
  cargo install --quiet --locked sqllogictest-bin --version "$sqllogictest_version" --root "$sqllogictest" ||
    die "cargo could not install sqllogictest-bin $sqllogictest_version" "is the network up? then run make again"
fi

# --- what the tests of Spark use: PySpark with Spark's jars, beside the wheel's environment ------------------------------
pyspark="$cache/pyspark-$pyspark_version"
if [ ! -f "$pyspark/.complete" ]; then
  say "PySpark $pyspark_version (500 MB, once)"
  rm -rf "$pyspark"
  "$wheel_venv/bin/pip" install -q --disable-pip-version-check --no-deps --target "$pyspark" \
    "pyspark==$pyspark_version" "py4j>=0.10.9.7,<0.10.9.10" ||
    die "pip could not install pyspark $pyspark_version" "is the network up? then run make again"
  touch "$pyspark/.complete"
fi

# --- DuckDB: the library from npm, the headers from the crate that bundles its source -----------------------------------
duckdb="$cache/duckdb-$duckdb_version"
if [ ! -f "$duckdb/.complete" ]; then
  say "DuckDB $duckdb_version: library and headers"
  rm -rf "$duckdb"
  mkdir -p "$duckdb/fetch/src"
  (cd "$duckdb/fetch" && npm pack --silent "$duckdb_npm" >/dev/null && tar xzf ./*.tgz package/libduckdb.so) ||
    die "npm pack $duckdb_npm failed" "is the network up? then run make again"
  mkdir -p "$duckdb/lib"
  mv "$duckdb/fetch/package/libduckdb.so" "$duckdb/lib/"
  printf '[package]\nname="headers"\nversion="0.0.0"\nedition="2021"\n[dependencies]\nlibduckdb-sys="=%s"\n' \
    "$duckdb_crate" >"$duckdb/fetch/Cargo.toml"
  touch "$duckdb/fetch/src/lib.rs"
  (cd "$duckdb/fetch" && cargo vendor --quiet vendor >/dev/null) ||
    die "cargo could not fetch libduckdb-sys $duckdb_crate" "is the network up? then run make again"
  tar xzf "$duckdb/fetch/vendor/libduckdb-sys/duckdb.tar.gz" -C "$duckdb" \
    --wildcards --strip-components=1 '*.h' '*.hpp' '*.tcc'
  rm -rf "$duckdb/fetch"
  touch "$duckdb/.complete"
fi

# --- the crates of the Delta C ABI: fetched now, compiled by the build into the cache ------------------------------------
if [ -f delta/Cargo.toml ]; then
  (cd delta && cargo fetch --quiet --locked) ||
    die "cargo could not fetch the crates of delta/Cargo.lock" "is the network up? then run make again"
fi

cat >"$cache/paths.mk" <<EOF
ARIADNE_CACHE := $cache
ARIADNE_PYTHON := $venv/bin/python
ARIADNE_WHEEL_PYTHON := $wheel_venv/bin/python
ARIADNE_DUCKDB := $duckdb
ARIADNE_PYSPARK := $pyspark
ARIADNE_CARGO_TARGET := $cache/delta-target
EOF
