#!/usr/bin/env bash
# Builds the Python wheel from what BUILD has compiled, into build/wheels, and a fresh virtual environment that holds it
# and pyarrow, build/wheel-env; does nothing where neither has changed.
# usage: wheel.sh PYTHON BUILD
# PYTHON is that of the environment that scripts/setup.sh made of scripts/wheel-requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 build=$2
wheels=build/wheels env=build/wheel-env

inputs=(pyproject.toml CMakeLists.txt README.md LICENSE NOTICE python "$python" scripts/wheel.sh
  "$build"/python/ariadne_lake/_native*.so "$build/python/ariadne_lake/bin/ariadne")
if [ -f "$env/.complete" ] && [ -z "$(find "${inputs[@]}" -name __pycache__ -prune -o \
    -newer "$env/.complete" -print -quit)" ]; then
  exit 0
fi

rm -rf "$wheels" "$env"
# Without isolation: with it the build folder would be configured anew for tools in a new place each time.
"$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
  -C build-dir="$build" -w "$wheels" .

"$python" -m venv --without-pip "$env"
"$python" -m pip -q --disable-pip-version-check --python "$env/bin/python" install --no-index --no-deps "$wheels"/*.whl
site() { "$1" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
from=$(site "$python") to=$(site "$env/bin/python")
# As pip would install it, without unpacking 150 MB again.
cp -al "$from"/pyarrow "$from"/pyarrow-*.dist-info "$to" 2>/dev/null ||
  cp -a "$from"/pyarrow "$from"/pyarrow-*.dist-info "$to"
# What the tests use besides comes after it on the path.
echo "$from" >"$to/tests.pth"
touch "$env/.complete"
