#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes what filterdb or sst_filters finds into a text file for Prometheus's node_exporter; see usage.
PATH=/usr/local/bin:/usr/bin:/bin:$PATH

usage="Usage: watch_filters.sh FILE.prom scan PATH...
       watch_filters.sh FILE.prom doctor DB

FILE.prom  in the folder that node_exporter's --collector.textfile.directory names; it is
           replaced when all is written
PATH       data directories of Cassandra or ScyllaDB
DB         a RocksDB database that uses cassandra_bloom

Needs jq, and filterdb or sst_filters. The exit status is theirs, which is also in FILE.prom."

if [ $# -lt 3 ]; then echo "$usage" >&2; exit 2; fi
file=$1
command=$2
shift 2
umask 022  # node_exporter is another user.
json=$(mktemp) || exit 2
trap 'rm -f "$json"' EXIT
case $command in
  scan)
    filterdb scan --jobs=1 --json "$@" >"$json"
    status=$?
    # shellcheck disable=SC2016
    metrics='"filterdb_scan_exit_status \($status)",
      (.tables[] | .folder as $f | to_entries[] | (.value | numbers) as $v |
        "filterdb_\(.key){folder=\($f | tojson)} \($v)")' ;;
  doctor)
    sst_filters doctor --json --db="$1" >"$json"
    status=$?
    # shellcheck disable=SC2016
    metrics='"sst_filters_exit_status{db=\($db | tojson)} \($status)"' ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
# Without a report, as after a crash, the exit status alone.
if ! jq -e . "$json" >/dev/null 2>&1; then echo '{"tables": []}' >"$json"; fi
# node_exporter reads only files named *.prom.
jq -r --arg status $status --arg db "$1" "$metrics" "$json" >"$file.new" && mv "$file.new" "$file" || exit 2
exit $status
