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

Needs jq, and filterdb or sst_filters. The exit status is theirs, which is also in FILE.prom;
64 for wrong usage, 3 if FILE.prom cannot be written."

if [ $# -lt 3 ]; then echo "$usage" >&2; exit 64; fi
file=$1
command=$2
shift 2
json=$(mktemp) || exit 3
# A new name, because another user may have put a link at a name that can be guessed.
# node_exporter reads only files named *.prom.
new=$(mktemp "$file.XXXXXX") || { rm -f "$json"; exit 3; }
trap 'rm -f "$json" "$new"' EXIT
case $command in
  scan)
    filterdb scan --json "$@" >"$json"
    status=$?
    metric=filterdb_scan_exit_status ;;
  doctor)
    sst_filters doctor --json --db="$1" >"$json"
    status=$?
    metric=sst_filters_exit_status ;;
  *) echo "$usage" >&2; exit 64 ;;
esac
# The status alone needs no report, and no jq: a command may be missing, or killed.
echo "$metric $status" >"$new"
# The last line has the sums. Of the folders, only those with a harm have a line.
if [ "$command" = scan ] && tail -n 1 "$json" | grep -q '^{"summary":'; then
  # shellcheck disable=SC2016
  tail -n 1 "$json" | jq -r '
    ["refused", "hides_rows", "sstable_damaged", "wastes_reads", "wastes_memory", "not_known"] as $harms |
    .summary |
    (["sstables", "keys", "missing_keys", "filter_bytes", "reads_for_absent_key",
      "oversized_freed_bytes", "errors"][] as $n | "filterdb_\($n) \(.[$n])"),
    ($harms[] as $h | "filterdb_harm{harm=\"\($h)\"} \(.[$h])"),
    (.tables[] | .folder as $f | $harms[] as $h | select(.[$h] > 0) |
      "filterdb_folder_harm{folder=\($f | tojson),harm=\"\($h)\"} \(.[$h])")' >>"$new" || exit 3
fi
chmod 644 "$new" && mv "$new" "$file" || exit 3  # node_exporter is another user.
exit $status
