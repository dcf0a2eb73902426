#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tries SortMeRNA, which asks RocksDB for no filter; see usage.
set -euo pipefail

# shellcheck source=tests/install/hosts/host.sh
. "$(dirname "$0")/host.sh"

usage() {
  cat <<END
Usage: sortmerna.sh [bookworm|trixie|sid] [--root=FOLDER]

Debian's SortMeRNA aligns 20,000 reads with 40 references; RocksDB has what it found
until the output is written. It asks RocksDB for no filter, so preloading
libcassandra_bloom_replace.so must change nothing, neither the output nor the database.

$row_usage
END
}

read_arguments "bookworm trixie sid" "$@"
open_host sortmerna

step "references and reads"
inside python3 /check/sources/tests/install/hosts/sortmerna.py "$work"
for mode in plain replace; do
  step "$mode"
  run_with $mode sortmerna --ref "$work/references.fa" --reads "$work/reads.fa" --workdir "$work/run" \
    --sam --blast 1 --fastx --other --threads 1 >"$root$work/$mode.log" 2>&1 ||
    fail "$(tail -20 "$root$work/$mode.log")"
  mv "$root$work/run/kvdb" "$root$work/$mode"
  (cd "$root$work/run/out" && cat aligned.sam aligned.blast aligned.fa other.fa) >"$root$work/$mode.answers"
  rm -rf "$root$work/run"
  doctor $mode
  # 20,000 reads fit into memory, so there is no SST file. The OPTIONS file says which
  # filter a new one would have.
  grep -q 'filter_policy=nullptr$' "$(newest_options $mode)" || fail "$mode: OPTIONS: a filter policy"
done
step "comparing"
same plain.answers replace.answers "output"
step "passed"
echo "| SortMeRNA | $(version_of sortmerna) | $(rocksdb_version) | preloaded libcassandra_bloom_replace.so | 20,000 reads aligned with 40 references | the same: SAM, BLAST and FASTA, $(grep -vc '^[>@]' "$root$work/plain.answers") lines | none, as without it: SortMeRNA asks for none | $(today) |"
