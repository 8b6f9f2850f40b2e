#!/usr/bin/env bash
# The real JVM library behind Peer.scala.
#   peer.sh setup    fetch Spark 3.5.5, Delta 3.2.1 and the Scala compiler through Maven, and compile Peer.scala
#   peer.sh run      answer requests on standard input
# PEER_JAR: the library's jar. PEER_HOME: where fetched and compiled things stay, by default in the user's cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${PEER_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ariadne/jvm-peer}
jar=$(realpath "${PEER_JAR:?names the jar of the JVM library}")
jars() { printf '%s:' "$home/$1"/lib/*.jar; }

dependency() { printf '<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>' "$@"; }
fetch() { # PART DEPENDENCIES
  [ -f "$home/$1/.complete" ] && return
  mkdir -p "$home/$1"
  printf '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>x</groupId>%s%s' \
    "<artifactId>$1</artifactId><version>1</version>" "<dependencies>$2</dependencies></project>" >"$home/$1/pom.xml"
  (cd "$home/$1" && mvn -q -B dependency:copy-dependencies -DoutputDirectory="$home/$1/lib" -DincludeScope=runtime)
  touch "$home/$1/.complete"
}

case ${1:?setup or run} in
  setup)
    fetch spark "$(dependency org.apache.spark spark-sql_2.12 3.5.5)$(dependency io.delta delta-spark_2.12 3.2.1)$(
      dependency org.scala-lang scala-library 2.12.18)"
    fetch scala "$(dependency org.scala-lang scala-compiler 2.12.18)"
    mkdir -p "$home/classes"
    [ "$home/classes/.complete" -nt "$here/Peer.scala" ] || {
      java -Xmx2g -cp "$(jars scala)" scala.tools.nsc.Main -cp "$jar:$(jars spark)" -d "$home/classes" "$here/Peer.scala"
      touch "$home/classes/.complete"
    } ;;
  run)
    opens=()
    for package in java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent \
      java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
      opens+=("--add-opens=java.base/$package=ALL-UNNAMED")
    done
    exec java "${opens[@]}" -Djdk.reflect.useDirectMethodHandle=false -Duser.timezone=UTC -Xmx3g \
      -cp "$home/classes:$jar:$(jars spark)" dev.cjfravel.ariadne.peer.Peer ;;
esac
