#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tries balboa, which asks RocksDB for no filter; see usage.
set -euo pipefail

# shellcheck source=tests/install/hosts/host.sh
. "$(dirname "$0")/host.sh"

usage() {
  cat <<END
Usage: balboa.sh [bookworm|trixie|sid] [--root=FOLDER]

Debian's balboa, a database of observed DNS answers, stores 60,000 observations, and
answers 10,000 queries. It asks RocksDB for no filter, so there is nothing that
libcassandra_bloom_replace.so could replace. The script runs it in four ways: as it
is; with libcassandra_bloom_replace.so preloaded, which must change nothing; with
give_bloom.so preloaded, which gives every database a Bloom filter; and with both. All
answers and a dump of the database must be the same. Prints a row for the second way
and for the last one.

$row_usage
END
}

read_arguments "bookworm trixie sid" "$@"
open_host balboa balboa-backend-rocksdb

# backend MODE DATABASE: starts balboa's backend, and sets `backend` and `backend_port`.
# The memory limit is small, so that a part of the observations is in SST files.
backend() {
  backend_port=$(free_port)
  rm -f "$root$work/statistics"
  start_server "$1,statistics" balboa-rocksdb -d "$work/$2" -l 127.0.0.1 -p "$backend_port" --membudget 4194304
  backend=$server
  wait_for_port "$backend_port"
}

frontend() {  # sets `frontend`, `feed_port` and `query_port`
  feed_port=$(free_port)
  query_port=$(free_port)
  cat >"$root$work/feeders.yaml" <<END
feeder:
    - name: HTTP
      type: http
      listen_host: 127.0.0.1
      listen_port: $feed_port
      input_format: fever_aggregate
END
  mv "$root$work/server.log" "$root$work/backend.log"
  start_server plain balboa serve -l '' -f "$work/feeders.yaml" -H "127.0.0.1:$backend_port" -p "$query_port"
  frontend=$server
  wait_for_port "$feed_port"
  wait_for_port "$query_port"
}

dump() {  # all observations, as text
  inside sh -ec "
    balboa-backend-console dump -h 127.0.0.1 -p $backend_port >$work/dump
    balboa-backend-console jsonize -d $work/dump" 2>/dev/null
}

client() { inside python3 /check/sources/tests/install/hosts/balboa.py "$@"; }

run() {  # MODE DATABASE
  local try
  step "$2: feed"
  backend "$1" "$2"
  frontend
  client feed "$feed_port"
  # The frontend hands observations over in the background.
  for ((try = 0; ; try++)); do
    sleep 2
    dump >"$root$work/$2.dump"
    [ "$(wc -l <"$root$work/$2.dump")" -lt 30000 ] || break
    [ $try -lt 60 ] || fail "not everything is stored: $(wc -l <"$root$work/$2.dump") records"
  done
  sleep 2
  stop_process "$frontend"
  stop_process "$backend"
  step "$2: ask"
  # When RocksDB opens the database, it writes what was not yet in SST files into one.
  backend "$1" "$2"
  frontend
  client ask "$query_port" "$work/$2.answers"
  dump >"$root$work/$2.dump"
  sleep 1  # until the statistics have been written
  cp "$root$work/statistics" "$root$work/$2.statistics"
  stop_process "$frontend"
  stop_process "$backend"
  grep 'bloom.filter' "$root$work/$2.statistics" >&2
  doctor "$2"
}
run plain plain
run replace replace
run give give
run give,replace ours

step "comparing"
compare_four_ways default
for database in replace give ours; do same plain.dump $database.dump "$database: dump"; done
[ "$(wc -l <"$root$work/plain.dump")" = 30000 ] || fail "not 30000 records"
[ "$(ticker bloom.filter.full.positive ours.statistics)" -gt 0 ] || fail "no filter was asked"
step "passed"
row_of_four_ways balboa balboa-backend-rocksdb "60,000 observations stored, 10,000 queries" \
  "the same; so is a dump of 30,000 records"
