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
case $command in
  scan) metric=filterdb_scan_exit_status ;;
  doctor) metric=sst_filters_exit_status ;;
  *) echo "$usage" >&2; exit 64 ;;
esac
umask 022  # node_exporter is another user.
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT
case $command in
  scan) filterdb scan --json "$@" >"$tmp/json" ;;
  doctor) sst_filters doctor --json --db="$1" >"$tmp/json" ;;
esac
status=$?
# The last line has the sums, if the command was there and was not killed. Of the folders, only
# those with a harm have a line.
if [ "$command" = scan ] && tail -n 1 "$tmp/json" | grep -q '^{"summary":'; then
  # shellcheck disable=SC2016
  tail -n 1 "$tmp/json" | jq -r '
    ["refused", "hides_rows", "sstable_damaged", "wastes_reads", "wastes_memory", "not_known"] as $harms |
    .summary |
    (["sstables", "keys", "missing_keys", "filter_bytes", "reads_for_absent_key",
      "oversized_freed_bytes", "errors"][] as $n | "filterdb_\($n) \(.[$n])"),
    ($harms[] as $h | "filterdb_harm{harm=\"\($h)\"} \(.[$h])"),
    (.tables[] | .folder as $f | $harms[] as $h | select(.[$h] > 0) |
      "filterdb_folder_harm{folder=\($f | tojson),harm=\"\($h)\"} \(.[$h])")' >"$tmp/sums" ||
    { status=3; : >"$tmp/sums"; }
fi
{ echo "$metric $status"; cat "$tmp/sums" 2>/dev/null; } >"$tmp/prom"
# The folder may be of another user, who may put a link at any name in it at any time: so dd makes
# the file itself, and follows none. node_exporter reads only files named *.prom.
new=$(mktemp -u "$file.XXXXXX")
dd if="$tmp/prom" of="$new" conv=excl,fsync 2>/dev/null && mv -T "$new" "$file" || exit 3
exit $status
