#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tries a program of the JVM with our filters; see usage.
set -euo pipefail

hosts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$(cd "$hosts/../../.." && pwd)

usage() {
  cat <<END
Usage: run.sh HOST VERSION TREE

Runs the program in the folder HOST with the published jars of this VERSION, first as
it is, then with java -Djava.library.path=FOLDER, where FOLDER is what make rocksjava
makes for the rocksdbjni jar among them. TREE is RocksDB's source tree of that jar's
release. Prints a row for "What was run" in docs/hosts.md.

HOST is one of: $(cd "$hosts" && echo */pom.xml | sed 's,/pom.xml,,g')
Needs a JDK and Maven (Debian: default-jdk-headless maven)
END
}
step() { printf '\n==== %s (%d s)\n' "$*" "$SECONDS" >&2; }
fail() { echo "run.sh: $*" >&2; exit 1; }

if [ "${1-}" = --help ]; then usage; exit; fi
[ $# = 3 ] && [ -f "$hosts/$1/pom.xml" ] || { usage >&2; exit 2; }
host=$1 version=$2 tree=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CASSANDRA_BLOOM_REPLACE JAVA_TOOL_OPTIONS LD_LIBRARY_PATH LD_PRELOAD

step "jars"
mvn -q -B -f "$hosts/$host/pom.xml" dependency:copy-dependencies -Dhost.version="$version" \
  -DoutputDirectory="$work/jars" >&2
jar=$(echo "$work"/jars/rocksdbjni-*.jar)
step "make rocksjava"
make -C "$sources" rocksjava JAR="$jar" ROCKSDB="$(realpath "$tree")" >"$work/make.log" 2>&1 ||
  fail "$(cat "$work/make.log")"
folder=$sources/build/$(basename "$jar" .jar)/lib
javac -cp "$work/jars/*" -d "$work/classes" "$hosts/$host"/*.java

# java_with MODE ARGUMENTS...: runs the program. MODE is plain, ours, mix or another value
# of CASSANDRA_BLOOM_REPLACE.
java_with() {
  local mode=$1 options=() replace=
  shift
  case $mode in
    plain) ;;
    ours) options=("-Djava.library.path=$folder") ;;
    *) options=("-Djava.library.path=$folder") replace=$mode ;;
  esac
  CASSANDRA_BLOOM_REPLACE=$replace java "${options[@]}" -cp "$work/classes:$work/jars/*" "$@"
}

# expect FILE LINE: a line of FILE in $work must match LINE.
expect() {
  grep -qx -e "$2" "$work/$1" || fail "$1 has no line '$2': $(cat "$work/$1")"
}

figure() { sed -n "s/^$2 //p" "$work/$1"; }  # FILE NAME

# shellcheck source=/dev/null
. "$hosts/$host/${host}_test.sh"
