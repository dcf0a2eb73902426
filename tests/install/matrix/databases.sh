# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by scripts that write databases and read them, often with several RocksDBs. They
# define
#   db_bench PARTICIPANT MODE FOLDER FLAGS...
# which runs db_bench with a MODE, such as an OPTIONS file, on a FOLDER of $work.

KEYS=100000
READS=20000
MIN_USEFUL=98  # Percent of the absent keys that the filter must reject.

# options_file COLUMN_FAMILY TABLE: prints an OPTIONS file with these options, such as
# "write_buffer_size=1 compression=kNoCompression".
options_file() {
  # shellcheck disable=SC2086
  printf '%s\n' '[Version]' rocksdb_version=7.8.3 options_file_version=1.1 '[DBOptions]' create_if_missing=true \
    '[CFOptions "default"]' $1 '[TableOptions/BlockBasedTable "default"]' $2
}

# options_of_mode full|partitioned [TABLE]: prints an OPTIONS file with full or partitioned
# filters of whole keys, and more options.
options_of_mode() {
  local table="filter_policy=cassandra_bloom:10 ${2-}"
  [ "$1" = full ] || table+=" partition_filters=true index_type=kTwoLevelIndexSearch
    cache_index_and_filter_blocks=true pin_top_level_index_and_filter=true"
  # A compaction of the whole database makes one sorted run in one file.
  options_file "disable_auto_compactions=true target_file_size_base=1073741824
    compression=kNoCompression" "$table"
}

# Options for db_stress, with --prefix_size=7.
STRESS_OPTIONS="prefix_extractor=rocksdb.FixedPrefix.7 write_buffer_size=1048576
  target_file_size_base=1048576 max_bytes_for_level_base=4194304"

bench() {  # PARTICIPANT MODE FOLDER FLAGS...: the same seed gives the same keys everywhere.
  db_bench "$1" "$2" "$3" --num=$KEYS --seed=1 --key_size=16 --value_size=100 --statistics "${@:4}"
}

# write_database PARTICIPANT MODE: writes $work/written anew.
write_database() {
  rm -rf "$work/written"
  bench "$1" "$2" written --benchmarks=fillseq,flush,compact >"$work/write.log" 2>&1 ||
    fail "$1 does not write: $(tail -n 5 "$work/write.log")"
}

# read_database PARTICIPANT MODE: reads a copy of $work/written, because a reader writes files
# of its own. Prints "FOUND found, USEFUL rejected". Fails if a present key is not found, or if
# the filter rejects too few absent keys.
read_database() {
  local found useful
  rm -rf "$work/read"
  cp -r "$work/written" "$work/read"
  bench "$1" "$2" read --use_existing_db --benchmarks=readrandom --reads=$READS >"$work/present.log" 2>&1 &&
    bench "$1" "$2" read --use_existing_db --benchmarks=readmissing --reads=$READS >"$work/absent.log" 2>&1 || {
    tail -n 5 "$work"/*.log >&2
    echo "does not open"
    return 1
  }
  found=$(sed -nE 's/^readrandom .*\(([0-9]+) of .*/\1/p' "$work/present.log")
  useful=$(sed -nE 's/^rocksdb.bloom.filter.useful COUNT : //p' "$work/absent.log")
  echo "${found:-0} found, ${useful:-0} rejected"
  [ "${found:-0}" = $READS ] && [ $((100 * ${useful:-0})) -ge $((MIN_USEFUL * READS)) ]
}
