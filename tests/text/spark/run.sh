#!/usr/bin/env bash
# Has Spark read every case and writes ../data/spark_rows.jsonl.gz and spark_schemas.jsonl.gz, which the C++ tests
# compare with.
#   SPARK_JARS=... SCALA_JARS=... run.sh      folders with the jars of Spark 3.5 and of the Scala 2.12 compiler
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jars() { ls "$1"/*.jar | tr '\n' ':'; }
classes=${CLASSES:-$work/classes}
if [ ! -e "$classes/SparkTextRows.class" ]; then
  mkdir -p "$classes"
  java -Xmx2g -cp "$(jars "${SCALA_JARS:?}")" scala.tools.nsc.Main -cp "$(jars "${SPARK_JARS:?}")" \
    -d "$classes" "$here/SparkTextRows.scala"
fi
opens=()
for p in java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent \
  java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
  opens+=("--add-opens=java.base/$p=ALL-UNNAMED")
done
mkdir -p "$here/../data"
for answers in ${ANSWERS:-rows schemas}; do
  cases=$([ "$answers" = rows ] && echo make_cases.py || echo make_schema_cases.py)
  python3 "$here/$cases" "$work/cases.jsonl"
  nice java "${opens[@]}" -Djdk.reflect.useDirectMethodHandle=false -Duser.timezone=UTC -Duser.language=en \
    -Dfile.encoding=UTF-8 -Xmx2g -cp "$classes:$(jars "$SPARK_JARS")" SparkTextRows "$work/cases.jsonl" "$work/out.jsonl"
  gzip -9 -n -c "$work/out.jsonl" >"$here/../data/spark_$answers.jsonl.gz"
done
