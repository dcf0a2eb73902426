#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Times filterdb on many keys, and measures its memory:
#   filterdb_bench.sh BUILD_DIR [KEYS [DB_KEYS]]
#
# `build` makes a filter of random keys of 16 bytes, and `check` asks it for every key.
# Then the stock db_bench fills a database, and `export` makes its filters, once from the
# filter blocks and once from the keys; both must be equal. The temporary folder takes
# about 3 GB.
set -eu

build=$(realpath "$1")
keys=${2:-100000000}
db_keys=${3:-10000000}
options=$(realpath "$(dirname "$0")")/levels.ini
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir"

# measure STEP KEYS PROGRAM COMMAND...: runs the command and prints a row of the table.
measure() {
  step=$1 count=$2 program=$3
  shift 3
  /usr/bin/time -o usage -f '%e %U %S %M' "$build/bin/$program" "$@" >output || {
    cat output
    exit 1
  }
  awk -v step="$step" -v keys="$count" '{
    printf "%-24s%13d%9.2f%9.2f%13.0f%9.1f\n",
           step, keys, $1, $2 + $3, keys / $1, $4 * 1024 / 1e6 }' usage
}

basenc --base16 --wrap=16 /dev/urandom | head -n "$keys" >keys.txt
# Otherwise the keys might still be written to disk while filterdb is timed.
sync keys.txt
printf '%-24s%13s%9s%9s%13s%9s\n' filterdb keys seconds 'of CPU' keys/s 'peak MB'
filter=nb-1-big-Filter.db
measure build "$keys" filterdb build --keys=keys.txt --key-format=text --bits=10 --out=$filter
measure check "$keys" filterdb check $filter --keys=keys.txt --key-format=text
"$build/bin/filterdb" info $filter >output
rm keys.txt

# Not its path, because LD_PRELOAD takes none with a space.
LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
  LD_PRELOAD=libcassandra_bloom_preload.so db_bench \
  --benchmarks=fillseq,compact --key_size=16 --value_size=100 --num="$db_keys" --disable_wal --db=db \
  --options_file="$options" >output 2>&1
for source in block keys; do
  measure "export --from=$source" "$db_keys" sst_filters export --db=db --out-dir=$source \
    --from=$source --sstable-version=nb --bits=10
done
# What the folder says of itself names the source.
diff -r --exclude=.cassandra_bloom_database block keys
