#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tries Oxigraph with this filter in the place of RocksDB's; see usage.
set -euo pipefail

# shellcheck source=tests/install/hosts/host.sh
. "$(dirname "$0")/host.sh"

usage() {
  cat <<END
Usage: oxigraph.sh [trixie|sid] [--root=FOLDER]

Debian's Oxigraph, an RDF database, loads 500,000 triples, adds 20,000, compacts,
adds 20,000 more, and answers 10,000 SPARQL queries over HTTP. It does so with
RocksDB's Bloom filter, and with libcassandra_bloom_replace.so preloaded. All
answers and a dump of the database must be the same, and the SST files of the column
family id2str, the only one that has a filter, must have the right one. A copy of the
compacted database with RocksDB's filters gets the last 20,000 triples and the queries
with the library: filters of both kinds must be used, and without the library those of
RocksDB. Then ldb gives this copy our filters alone.

$row_usage
END
}

read_arguments "trixie sid" "$@"
open_host oxigraph

# run_oxigraph MODE ARGUMENTS...: a command of Oxigraph. Oxigraph 0.4 ends with an assertion
# of RocksDB, with every filter and after its work is done: Debian's RocksDB checks
# assertions, and Oxigraph leaves handles of column families open.
run_oxigraph() {
  local mode=$1
  shift
  run_with "$mode" oxigraph "$@" 2>"$root$work/command.log" && return
  grep -q "ColumnFamilySet::~ColumnFamilySet(): Assertion .last_ref. failed" "$root$work/command.log" ||
    fail "oxigraph $1: $(cat "$root$work/command.log")"
  aborts[$mode]=$((aborts[$mode] + 1))
}
declare -A aborts=([plain]=0 [replace]=0)

# client MODE DATABASE STATISTICS ARGUMENTS...: oxigraph.py with a server.
client() {
  local mode=$1 database=$2 statistics=$3 port
  shift 3
  port=$(free_port)
  rm -f "$root$work/statistics"
  start_server "$mode,statistics" oxigraph serve --location "$work/$database" --bind "127.0.0.1:$port"
  wait_for_port "$port"
  inside python3 /check/sources/tests/install/hosts/oxigraph.py "$1" "$port" "$2"
  sleep 1  # until the statistics have been written
  cp "$root$work/statistics" "$root$work/$statistics"
  stop_process "$server"
  grep 'bloom.filter' "$root$work/$statistics" >&2
}

step "data"
inside python3 /check/sources/tests/install/hosts/oxigraph.py data "$work/data.nt"
[ "$(wc -l <"$root$work/data.nt")" = 500000 ] || fail "not 500000 triples"

for mode in plain replace; do
  step "$mode: load"
  run_oxigraph $mode load --location "$work/$mode" --file "$work/data.nt"
  doctor $mode
  # What is loaded in bulk has no filter, whatever the policy: Oxigraph writes these SST
  # files with other options. A compaction with other keys rewrites them.
  step "$mode: add, compact"
  client $mode $mode $mode.first add 0
  run_oxigraph $mode optimize --location "$work/$mode"
  doctor $mode
  [ $mode = replace ] || cp -a "$root$work/plain" "$root$work/switched"
  step "$mode: add"
  client $mode $mode $mode.add add 1
  step "$mode: ask"
  client $mode $mode $mode.ask ask "$work/$mode.answers"
  step "$mode: dump"
  run_oxigraph $mode dump --location "$work/$mode" --file "$work/$mode.nq"
  doctor $mode
done
step "the database with our filters, without the preloaded file"
cp -a "$root$work/replace" "$root$work/without"
client plain without without.ask ask "$work/without.answers"
step "a database with RocksDB's filters, with the preloaded file"
doctor switched
only_filters switched id2str "$rocksdbs"
client replace switched switched.add add 1
client replace switched switched.ask ask "$work/switched.answers"
doctor switched
for kind in "$ours" "$rocksdbs"; do
  files switched id2str | grep -qE "$kind" || fail "switched: no SST file has a filter of the policy$kind"
done
step "the same database, without the preloaded file"
client plain switched back.ask ask "$work/back.answers"
step "our filters at once"
# Without new keys, Oxigraph's own compaction leaves an SST file with all keys as it is. Its
# start stores our policy in the OPTIONS file, which ldb reads.
run_oxigraph replace optimize --location "$work/switched"
run_with loader ldb --db="$work/switched" --try_load_options --column_family=id2str compact >&2
run_oxigraph replace dump --location "$work/switched" --file "$work/switched.nq"
doctor switched

step "comparing"
only_filters plain id2str "$rocksdbs"
only_filters replace id2str "$ours"
same plain.answers replace.answers "queries"
same plain.answers without.answers "queries without the file"
same plain.answers switched.answers "queries of the switched database"
same plain.answers back.answers "queries of the switched database without the file"
same plain.nq replace.nq "dump"
same plain.nq switched.nq "dump of the switched database"
only_filters switched id2str "$ours"
[ "$(wc -l <"$root$work/replace.nq")" = 540000 ] || fail "the dump has not 540000 triples"
id=cassandra_bloom:10:blocks:rocksdb
grep -q "filter_policy=$id\$" "$(newest_options replace)" || fail "OPTIONS: no $id"
[ "$(ticker bloom.filter.useful replace.ask)" -gt 0 ] || fail "the filters gave no negative answer"
[ "$(ticker bloom.filter.useful without.ask)" = 0 ] || fail "without the file, a filter of ours was used"
# A filter of either kind that is not used would lower this number by more than 2 %.
[ $((100 * $(ticker bloom.filter.useful switched.ask))) -gt $((98 * $(ticker bloom.filter.useful plain.ask))) ] ||
  fail "the switched database does not use all filters"
[ "$(ticker bloom.filter.useful back.ask)" -gt 0 ] || fail "without the file, RocksDB's filters were not used"
step "passed"
ended=
if [ "${aborts[plain]}${aborts[replace]}" != 00 ]; then
  ended="; ${aborts[plain]} of 3 commands ended with an assertion with RocksDB's filter, ${aborts[replace]} of 5 with this one"
fi
echo "| Oxigraph $(version_of oxigraph) ($(rocksdb_version)) | replaced" \
  "| 500,000 triples loaded, 20,000 added, compacted, 20,000 added, 10,000 queries, a dump$ended" \
  "| adding: $(filter_answers replace.add) [$(filter_answers plain.add)];" \
  "queries: $(filter_answers replace.ask) [$(filter_answers plain.ask)];" \
  "both kinds of filters: $(filter_answers switched.ask) | $(today) |"
