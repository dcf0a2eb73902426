#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests the plugin in RocksJava; see usage.
set -euo pipefail

usage() {
  cat <<END
Usage: rocksjava.sh ROCKSDB_TREE

Builds RocksDB's jar for Java, with this repository as its plugin, and runs
RocksJavaHost.java with it: databases with the policy, with RocksDB's own filter and
without a filter, whose answers are compared. filterdb doctor then looks at the SST
files. Prints a row of this table:

  | host | version | RocksDB | how switched on | work | answers compared | filter | date |

ROCKSDB_TREE  a checkout or an unpacked release of RocksDB. The script makes the
              link plugin/cassandra_bloom in it. A jar that is there already is not
              built again.
Environment   JOBS=2 (nproc), CXX=g++, CC=gcc, OPTIMIZE=-O2,
              JAVA_HOME (where javac is),
              FILTERDB=FILE (build/release/bin/filterdb), which must be for a RocksDB
              that reads the tree's files
Needs         what RocksDB needs, and a JDK from 11 on (Debian: default-jdk-headless).
              Nothing is downloaded
END
}

fail() { echo "rocksjava.sh: $*" >&2; exit 1; }
step() { printf '==== %s (%d s)\n' "$*" "$SECONDS" >&2; }

case ${1-} in
  --help) usage; exit ;;
  -*) usage >&2; exit 2 ;;
esac
[ $# = 1 ] || { usage >&2; exit 2; }
[ -f "$1/include/rocksdb/version.h" ] || fail "$1 is not a source tree of RocksDB"
tree=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
repository=$(realpath "$here/../../..")
filterdb=${FILTERDB:-$repository/build/release/bin/filterdb}
[ -x "$filterdb" ] || fail "no $filterdb: run make release, or set FILTERDB"
if [ -z "${JAVA_HOME-}" ]; then
  javac=$(command -v javac) || fail "no javac: install a JDK, or set JAVA_HOME"
  JAVA_HOME=$(dirname "$(dirname "$(realpath "$javac")")")
fi
export JAVA_HOME
unset LD_PRELOAD

link_plugin() {
  local link=$tree/plugin/cassandra_bloom
  if [ -e "$link" ] && [ "$(realpath "$link")" != "$repository" ]; then
    fail "$link is there and is not this repository: remove it"
  fi
  ln -sfn "$repository" "$link"
}

find_jar() { find "$tree/java/target" -maxdepth 1 -name 'rocksdbjni-*.jar' 2>/dev/null || true; }

# RocksDB's target rocksdbjava also compiles RocksJava's tests, for which it downloads
# jars, and makes its documentation. It does so with $(MAKE), and -o makes that one
# take both for done. So the native parts of the tests, which need headers made from
# the tests, are left out, too. Warnings are no errors here, because g++ 12 has
# warnings for RocksDB's own code.
build_jar() {
  [ -z "$(find_jar)" ] || return 0
  native=$(make -s -C "$tree" -f - native <<'END'
include src.mk
native:
	@echo $(filter-out %_test.cc %/testable_event_listener.cc,$(JNI_NATIVE_SOURCES))
END
  )
  make -C "$tree" -j"${JOBS:-$(nproc)}" MAKE="make -o java_test -o javadocs" \
    DEBUG_LEVEL=0 PORTABLE=1 DISABLE_WARNING_AS_ERROR=1 OPTIMIZE_LEVEL="${OPTIMIZE:--O2}" \
    ROCKSDB_PLUGINS=cassandra_bloom ALL_JNI_NATIVE_SOURCES="$native" \
    CC="${CC:-gcc}" CXX="${CXX:-g++}" rocksdbjava >&2
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The jar unpacks its library into java.io.tmpdir.
run_host() {
  mkdir "$work/tmp" "$work/databases"
  "$JAVA_HOME/bin/java" -Djava.io.tmpdir="$work/tmp" -cp "$jar" "$here/RocksJavaHost.java" \
    "$work/databases" >"$work/host.log" 2>&1 || fail "$(cat "$work/host.log")"
  sed '$d' "$work/host.log" >&2
  IFS=$'\t' read -r release answers filtered < <(tail -n 1 "$work/host.log")
}

check_files() {
  "$filterdb" doctor --db="$work/databases/ours" >"$work/doctor.log" 2>&1 ||
    fail "filterdb doctor: $(cat "$work/doctor.log")"
  grep -q '^all is well: every SST file has our filter' "$work/doctor.log" ||
    fail "filterdb doctor does not find our filter: $(cat "$work/doctor.log")"
}

link_plugin
step "the jar"
build_jar
jar=$(find_jar)
[ -f "$jar" ] || fail "not one jar in $tree/java/target: $jar"
step "RocksJavaHost.java"
run_host
step "filterdb doctor"
check_files
step "done"
java_version=$("$JAVA_HOME/bin/java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')
echo "| RocksJava, a jar with the plugin built in | Java $java_version | $release" \
  "| options string; then the stored OPTIONS file" \
  "| 200,000 rows written, flushed, compacted; reopened, 23 % rewritten or deleted, compacted" \
  "| $answers | $filtered; doctor: all is well | $(date +%F) |"
