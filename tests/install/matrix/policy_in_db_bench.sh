#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reports what the installed libraries to preload do in db_bench.
set -euo pipefail
# shellcheck source=tests/install/matrix/databases.sh
. "$(dirname "$0")/databases.sh"

usage="usage: policy_in_db_bench.sh DB_BENCH SST_DUMP [preload|replace|both]

preload  the loader, and an OPTIONS file that names cassandra_bloom (the default)
replace  libcassandra_bloom_replace.so, and RocksDB's Bloom filter (--bloom_bits)
both     the same with both libraries

Prints \"used\" if the SST files have cassandra_bloom filters that reject absent
keys. If db_bench ran well without them, and in the last two cases with RocksDB's
Bloom filter, prints the line with which each library refused. Everything else is an
error."
case ${1---help} in
  --help) echo "$usage"; exit ;;
esac
db_bench=$1 sst_dump=$2 how=${3-preload}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  cat "$work/out" "$work/err" >&2
  echo "$*" >&2
  exit 1
}

options_file compression=kNoCompression "format_version=5 filter_policy=cassandra_bloom:10" \
  >"$work/options.ini"
case $how in
  preload)
    libraries=libcassandra_bloom_preload.so
    flags=(--options_file="$work/options.ini")
    useful_if_refused=0 refusals=1 ;;
  replace | both)
    libraries=libcassandra_bloom_replace.so refusals=1
    if [ "$how" = both ]; then
      libraries+=:libcassandra_bloom_preload.so
      refusals=2  # Each library says that it loads no plugin.
    fi
    flags=(--bloom_bits=10 --format_version=5 --compression_type=none)
    useful_if_refused=9800 ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
LD_PRELOAD=$libraries "$db_bench" "${flags[@]}" \
  --db="$work/db" --benchmarks=fillseq,compact,readmissing --num=10000 --statistics \
  >"$work/out" 2>"$work/err" || fail "db_bench failed"
grep -q '^readmissing .*ops/sec' "$work/out" || fail "db_bench did not read"

"$sst_dump" --file="$work/db" --command=none --show_properties >"$work/properties" 2>&1
policies=$(sed -n 's/^ *filter policy name: *//p' "$work/properties" | sort -u)
useful=$(sed -n 's/^rocksdb.bloom.filter.useful COUNT : //p' "$work/out")
ours=$(grep -c '^cassandra_bloom: ' "$work/err" || true)
if [ "$policies" = cassandra_bloom ] && [ "$useful" -gt 9800 ] && [ "$ours" = 0 ]; then
  echo used
elif [ "$policies" != cassandra_bloom ] && [ "$useful" -ge "$useful_if_refused" ] &&
  [ "$useful" -le $((useful_if_refused * 10 / 9)) ] && [ "$ours" = $refusals ]; then
  grep -m 1 '^cassandra_bloom: ' "$work/err"
else
  fail "policies in the SST files: $policies; absent keys rejected: $useful of 10000; lines of the loader: $ours"
fi
