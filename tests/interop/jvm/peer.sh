#!/usr/bin/env bash
# The real JVM library behind Peer.scala.
#   peer.sh missing  say what is not there, if anything, and how to get it
#   peer.sh fetch    fetch Spark 3.5.5, Delta 3.2.1 and the Scala compiler through Maven, unless they are there
#   peer.sh compile  compile Peer.scala, unless that was done
#   peer.sh run      answer requests on standard input
# PEER_JAR: the library's jar, by default where it lies beside the checkout. PEER_HOME: where fetched and compiled
# things stay, by default in the user's cache. PEER_JVM: options of its JVM in place of those that start it quickly.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${PEER_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ariadne/jvm-peer}
beside=$(cd "$here/../../.." && pwd)/../shared/interop/peer
jar=${PEER_JAR:-$(ls "$beside"/ariadne-*.jar 2>/dev/null | head -n 1 || true)}
# Of another checkout's Peer.scala the classes may be others.
classes=$home/classes-$(sha256sum "$here/Peer.scala" | cut -c 1-16)
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

case ${1:?missing, fetch, compile or run} in
  missing)
    if [ ! -f "$jar" ]; then
      echo "the jar of the JVM library is not there: set PEER_JAR to it"
    elif ! command -v java >/dev/null; then
      echo "there is no java: install a JDK 17 to run the JVM library"
    elif [ ! -f "$home/scala/.complete" ] && ! command -v mvn >/dev/null; then
      echo "Spark is not there: install Maven, which fetches it into $home"
    fi ;;
  fetch)
    fetch spark "$(dependency org.apache.spark spark-sql_2.12 3.5.5)$(dependency io.delta delta-spark_2.12 3.2.1)$(
      dependency org.scala-lang scala-library 2.12.18)"
    fetch scala "$(dependency org.scala-lang scala-compiler 2.12.18)" ;;
  compile)
    [ -f "$classes/.complete" ] || {
      mkdir -p "$classes"
      java -Xmx2g -cp "$(jars scala)" scala.tools.nsc.Main -cp "$jar:$(jars spark)" -d "$classes" "$here/Peer.scala"
      touch "$classes/.complete"
    } ;;
  run)
    opens=()
    for package in java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent \
      java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar; do
      opens+=("--add-opens=java.base/$package=ALL-UNNAMED")
    done
    exec java "${opens[@]}" -Djdk.reflect.useDirectMethodHandle=false -Duser.timezone=UTC -Xmx3g \
      ${PEER_JVM--XX:TieredStopAtLevel=1} -cp "$classes:$jar:$(jars spark)" dev.cjfravel.ariadne.peer.Peer ;;
esac
