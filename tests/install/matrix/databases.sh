# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by scripts in which several RocksDBs read each other's databases. They define
#   db_bench PARTICIPANT MODE FOLDER FLAGS...
# MODE is an OPTIONS file of options/ without .ini, or another of theirs. `work` is a folder.

KEYS=100000
READS=20000
MIN_USEFUL=98  # Percent of the absent keys that the filter must reject.

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
