#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: run.sh HOST VERSION [TREE]
#
# Takes this VERSION of HOST from where its users take it, and runs a program with it:
# first as it is, then with our filters, as docs/hosts.md says. TREE is RocksDB's source
# tree of the release that is in HOST. Prints a row for "What was run" in docs/hosts.md.
#
# HOST           VERSION of         TREE  packages of Debian 12, besides make
# rocksjava      rocksdbjni         yes   default-jdk-headless maven
# kafka_streams  kafka-streams      yes   the same
# bookkeeper     bookkeeper-server  yes   the same
# node           rocksdb-native     yes   nodejs npm
# python         pyrex-rocksdb      yes   python3-venv
# rust           rocksdb: 0.20.1    no    cargo-web libclang-dev librocksdb-dev
set -euo pipefail
hosts=$(realpath "$(dirname "$0")")
# shellcheck source=tests/install/matrix/runner.sh
. "$hosts/../matrix/runner.sh"
# shellcheck source=tests/install/matrix/databases.sh
. "$hosts/../matrix/databases.sh"
check_arguments 2 3 "$@"
[ -f "$hosts/$1/${1}_test.sh" ] || { usage >&2; exit 2; }
host=$1 version=$2 tree=${3:+$(realpath "$3")}
[ "$host" = rust ] || [ -n "$tree" ] || { usage >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CASSANDRA_BLOOM_REPLACE JAVA_TOOL_OPTIONS LD_LIBRARY_PATH LD_PRELOAD

# build TARGET VARIABLES...: our make.
build() {
  step "make $1"
  make -C "$repository" "$@" >"$work/make.log" 2>&1 || fail "$(cat "$work/make.log")"
}

# run_with MODE PRELOADED COMMAND...: runs COMMAND. MODE is plain, ours, mix or another value
# of CASSANDRA_BLOOM_REPLACE. PRELOADED is a file, if it is not plain.
run_with() {
  local mode=$1 preloaded=$2 replace=
  shift 2
  case $mode in plain) preloaded= ;; ours) ;; *) replace=$mode ;; esac
  LD_PRELOAD=$preloaded CASSANDRA_BLOOM_REPLACE=$replace "$@"
}

# expect FILE LINE: a line of FILE in $work must match LINE.
expect() {
  grep -qx -e "$2" "$work/$1" || fail "$1 has no line '$2': $(cat "$work/$1")"
}

# expect_filters DATABASE POLICY ID: all filters of its SST files are of this policy, and its
# newest OPTIONS file has this ID. (The tools of Debian 12 do not read newer SST files.)
expect_filters() {
  local found
  found=$(grep -aoh 'policy[a-z_]*' "$1"/*.sst | sort -u)
  [ "$found" = "policy$2" ] || fail "$1: the filters are of $found"
  grep -qx " *filter_policy=$3" "$(find "$1" -name 'OPTIONS-*' | sort | tail -n 1)" ||
    fail "$1: OPTIONS has no filter_policy=$3"
}

# What Filters.java prints in these files, for a row: of the look-ups, and of the SST files.
filters_of() {  # FILE [FILE]
  echo "$(figure "$1" useful), $(figure "$1" false); $(($(figure "${2-$1}" bytes) / 1024)) KiB"
}
figure() { sed -n "s/^$2 //p" "$work/$1"; }  # FILE NAME
release() { sed -n "s/ *rocksdb_version=//p" "$(find "$1" -name "OPTIONS-*" | head -n 1)"; }  # DATABASE

# try_module MODULE COMMAND...: COMMAND DATABASE must find all its rows as it is, with our
# library for this native module preloaded, and then, without it, in the same databases.
try_module() {
  local module=$1 mode
  shift
  build module MODULE="$module" ROCKSDB="$tree"
  local ours
  ours=$repository/build/module-$(basename "${module%.*}")/lib/libcassandra_bloom_replace.so
  for mode in plain ours mix; do
    step "$mode"
    run_with $mode "$ours" "$@" "$work/$mode"
  done
  expect_filters "$work/plain" bloomfilter bloomfilter:10:false
  expect_filters "$work/ours" cassandra_bloom cassandra_bloom:10:blocks:rocksdb
  expect_filters "$work/mix" bloomfilter bloomfilter:10:false
  for mode in ours mix; do
    step "back from $mode"
    run_with plain "" "$@" "$work/$mode"
  done
  step "passed"
  echo "| $host, $version ($(release "$work/plain"))" \
    "| \`make module\`; also \`mix\` | 200,000 rows, as many absent ones | all answers right, with ours," \
    "with \`mix\`, and without them again | $(date +%F) |"
}

# The jars of a host in Java: GROUP:ARTIFACT:VERSION[:CLASSIFIER].
case $host in
  rocksjava) jars="org.rocksdb:rocksdbjni:$version" ;;
  # The broker in the second takes classes of the third.
  kafka_streams) jars="org.apache.kafka:kafka-streams:$version
    org.apache.kafka:kafka-test-common-runtime:$version org.apache.kafka:kafka-clients:$version:test" ;;
  # ZooKeeper's server needs the last two, but does not say so.
  bookkeeper) jars="org.apache.bookkeeper:bookkeeper-server:$version
    io.dropwizard.metrics:metrics-core:4.1.12.1 org.xerial.snappy:snappy-java:1.1.10.5" ;;
  *) jars= ;;
esac

project() {  # JARS: prints Maven's project file.
  local group artifact release classifier
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo '<groupId>cassandra_bloom</groupId><artifactId>host</artifactId><version>0</version><dependencies>'
  for jar in $1; do
    IFS=: read -r group artifact release classifier <<<"$jar"
    echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$release</version>"
    echo "${classifier:+<classifier>$classifier</classifier>}</dependency>"
  done
  echo '</dependencies></project>'
}

if [ -n "$jars" ]; then
  step "jars"
  project "$jars" >"$work/pom.xml"
  mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/jars" >&2
  jar=$(echo "$work"/jars/rocksdbjni-*.jar)
  build rocksjava JAR="$jar" ROCKSDB="$tree"
  folder=$repository/build/$(basename "$jar" .jar)/lib
  javac -cp "$work/jars/*" -d "$work/classes" "$hosts/Filters.java" "$hosts/$host"/*.java
fi

# java_with MODE ARGUMENTS...: runs the program; MODE is as in run_with.
java_with() {
  local mode=$1 options=("-Djava.library.path=$folder") replace=
  shift
  case $mode in plain) options=() ;; ours) ;; *) replace=$mode ;; esac
  CASSANDRA_BLOOM_REPLACE=$replace java "${options[@]}" -cp "$work/classes:$work/jars/*" "$@"
}

# shellcheck source=/dev/null
. "$hosts/$host/${host}_test.sh"
