#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tries sourmash, which asks RocksDB for no filter; see usage.
set -euo pipefail

# shellcheck source=tests/install/hosts/host.sh
. "$(dirname "$0")/host.sh"

usage() {
  cat <<END
Usage: sourmash.sh [sid] [--root=FOLDER]

Debian's sourmash indexes 60 genomes in RocksDB, and finds out which of them are in 40
samples. (The sourmash of Debian 13 is linked to RocksDB, but calls none of its
functions.) It asks RocksDB for no filter, so there is nothing that
libcassandra_bloom_replace.so could replace. The script runs it in four ways: as it is;
with libcassandra_bloom_replace.so preloaded, which must change nothing; with
give_bloom.so preloaded, which gives every database a Bloom filter; and with both. All
results must be the same. Prints a row for the second way and for the last one.

$row_usage
END
}

read_arguments "sid" "$@"
open_host sourmash

step "genomes, samples, sketches"
inside python3 /check/sources/tests/install/hosts/sourmash.py "$work"
inside sh -ec "
  cd $work
  sourmash sketch dna -p k=31,scaled=100 genome*.fa -o genomes.zip
  mkdir samples
  sourmash sketch dna -p k=31,scaled=100 sample*.fa --output-dir samples" \
  >"$root$work/sketch.log" 2>&1 || fail "$(tail -20 "$root$work/sketch.log")"

# run MODE NAME: The index has the same path in each run, because the results name the
# path.
run() {
  step "$2"
  rm -f "$root$work/statistics"
  rm -rf "$root$work/index.rocksdb"
  run_with "$1" sh -ec "
    cd $work
    sourmash index -F rocksdb -k 31 --scaled 100 index.rocksdb genomes.zip
    mkdir $2.results
    sourmash multigather --db index.rocksdb --query samples/*.sig --output-dir $2.results \
      --threshold-bp 10000 -U" \
    >"$root$work/$2.log" 2>&1 || fail "$(tail -20 "$root$work/$2.log")"
  cp "$root$work/statistics" "$root$work/$2.statistics"
  mv "$root$work/index.rocksdb" "$root$work/$2"
  (cd "$root$work/$2.results" && find . -type f | sort | xargs tail -n +1) >"$root$work/$2.answers"
  grep 'bloom.filter' "$root$work/$2.statistics" >&2
  doctor "$2"
}
run statistics,library plain
run replace,statistics,library replace
run give,statistics,library give
run replace,give,statistics,library ours

step "comparing"
compare_four_ways hashes metadata
[ "$(find "$root$work/ours.results" -name '*.csv' | wc -l)" = 40 ] || fail "not 40 results"
[ "$(ticker bloom.filter.useful ours.statistics)" -gt 0 ] || fail "the filters gave no negative answer"
step "passed"
row_of_four_ways sourmash sourmash "60 genomes indexed, 40 samples looked up" "the same, 40 results"
