#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reports what the installed loader does in a db_bench whose OPTIONS file names
# cassandra_bloom.
set -euo pipefail

usage="usage: policy_in_db_bench.sh DB_BENCH SST_DUMP

Prints \"used\" if the SST files have cassandra_bloom filters that reject absent
keys. If db_bench ran well without them, prints the line with which the loader
refused. Everything else is an error."
case ${1---help} in
  --help) echo "$usage"; exit ;;
esac
db_bench=$1 sst_dump=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  cat "$work/out" "$work/err" >&2
  echo "$*" >&2
  exit 1
}

cat >"$work/options.ini" <<'OPTIONS'
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  create_if_missing=true
[CFOptions "default"]
  compression=kNoCompression
[TableOptions/BlockBasedTable "default"]
  format_version=5
  filter_policy=cassandra_bloom:10
OPTIONS
LD_PRELOAD=libcassandra_bloom_preload.so "$db_bench" --options_file="$work/options.ini" \
  --db="$work/db" --benchmarks=fillseq,compact,readmissing --num=10000 --statistics \
  >"$work/out" 2>"$work/err" || fail "db_bench failed"
grep -q '^readmissing .*ops/sec' "$work/out" || fail "db_bench did not read"

"$sst_dump" --file="$work/db" --command=none --show_properties >"$work/properties" 2>&1
policies=$(sed -n 's/^ *filter policy name: *//p' "$work/properties" | sort -u)
useful=$(sed -n 's/^rocksdb.bloom.filter.useful COUNT : //p' "$work/out")
ours=$(grep -c '^cassandra_bloom: ' "$work/err" || true)
if [ "$policies" = cassandra_bloom ] && [ "$useful" -gt 9800 ] && [ "$ours" = 0 ]; then
  echo used
elif [ "$policies" != cassandra_bloom ] && [ "$useful" = 0 ] && [ "$ours" = 1 ]; then
  grep '^cassandra_bloom: ' "$work/err"
else
  fail "policies in the SST files: $policies; absent keys rejected: $useful of 10000; lines of the loader: $ours"
fi
