#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests the plugin in RocksJava; see usage.
set -euo pipefail

# shellcheck source=tests/install/hosts/host.sh
. "$(dirname "$0")/host.sh"

usage() {
  cat <<END
Usage: rocksjava.sh JAR

Runs RocksJavaHost.java with JAR, a RocksJava that was built with this repository as
RocksDB's plugin (docs/hosts.md says how): databases with the policy, with RocksDB's
own filter and without a filter, whose answers are compared. sst_filters doctor then
looks at the SST files. Prints a row for "What was run" in docs/hosts.md.

Environment   JAVA_HOME (where java is),
              SST_FILTERS=FILE (build/release/bin/sst_filters), which must be for a RocksDB
              that reads the files of JAR's
Needs         a JDK from 11 on (Debian: default-jdk-headless)
END
}

case ${1-} in
  --help) usage; exit ;;
  -*) usage >&2; exit 2 ;;
esac
[ $# = 1 ] || { usage >&2; exit 2; }
[ -f "$1" ] || fail "there is no $1"
jar=$(realpath "$1")
sst_filters=${SST_FILTERS:-$sources/build/release/bin/sst_filters}
[ -x "$sst_filters" ] || fail "no $sst_filters: run make release, or set SST_FILTERS"
if [ -z "${JAVA_HOME-}" ]; then
  javac=$(command -v javac) || fail "no javac: install a JDK, or set JAVA_HOME"
  JAVA_HOME=$(dirname "$(dirname "$(realpath "$javac")")")
fi
export JAVA_HOME

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The jar unpacks its library into java.io.tmpdir.
run_host() {
  mkdir "$work/tmp" "$work/databases"
  "$JAVA_HOME/bin/java" -Djava.io.tmpdir="$work/tmp" -cp "$jar" "$hosts/RocksJavaHost.java" \
    "$work/databases" >"$work/host.log" 2>&1 || fail "$(cat "$work/host.log")"
  sed '$d' "$work/host.log" >&2
  IFS=$'\t' read -r release answers filtered < <(tail -n 1 "$work/host.log")
}

check_files() {
  "$sst_filters" doctor --db="$work/databases/ours" >"$work/doctor.log" 2>&1 ||
    fail "sst_filters doctor: $(cat "$work/doctor.log")"
  grep -q '^all is well: RocksDB uses the filter of every SST file' "$work/doctor.log" ||
    fail "sst_filters doctor finds a filter that is not used: $(cat "$work/doctor.log")"
}

step "RocksJavaHost.java"
run_host
step "sst_filters doctor"
check_files
step "done"
java_version=$("$JAVA_HOME/bin/java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')
echo "| RocksJava, Java $java_version ($release)" \
  "| plugin in the jar; options string, then the stored OPTIONS file" \
  "| 200,000 rows, 23 % rewritten or deleted; $answers | $filtered | $(today) |"
