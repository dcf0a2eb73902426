# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by ../run.sh. ENTRIES=300000 of the environment.
entries=${ENTRIES:-300000}

try() {  # NAME MODE write|read|absent FOLDER [OPTIONS]
  step "$1"
  java_with "$2" BookKeeperHost "$3" "$work/databases/$4" "$entries" "${@:5}" >"$work/$1" 2>&1 ||
    fail "$1: $(tail -50 "$work/$1")"
  grep -E '^(release|policies|files|bytes|bits|useful|false) ' "$work/$1" >&2 || true
}

# An OPTIONS file with this policy, as BookKeeper's own entry_location_rocksdb.conf has it.
options() {  # POLICY
  options_file "write_buffer_size=1048576 level_compaction_dynamic_level_bytes=true" \
    "format_version=5 block_size=65536 cache_index_and_filter_blocks=true filter_policy=$1"
}
options cassandra_bloom:10 >"$work/good"
options cassandra_bloom:10:abc >"$work/bad"

for mode in plain ours mix; do
  try write-$mode $mode write $mode
  try read-$mode $mode read $mode
  try absent-$mode $mode absent $mode
done
expect read-plain "policies bloomfilter"
expect read-ours "policies cassandra_bloom"
expect read-mix "policies bloomfilter"

try write-file ours write file "$work/good"
try read-file ours read file "$work/good"
expect read-file "policies cassandra_bloom"

# Started again without us.
try back plain read ours
try back plain read mix

step "a wrong string"
if java_with ours BookKeeperHost read "$work/databases/ours" "$entries" "$work/bad" >"$work/bad.log" 2>&1; then
  fail "a wrong string: started"
fi
expect bad.log '.*RocksDBException: cassandra_bloom: .*abc.*'

step "passed"
row() { filters_of "absent-$1" "read-$1"; }  # MODE
echo "| BookKeeper $version ($(figure read-plain release)) | \`-Djava.library.path\`; \`mix\`; an OPTIONS file" \
  "| $entries entries in 100 ledgers; as many absent ones | $(row ours); with \`mix\` $(row mix)" \
  "[$(row plain)] | $(date +%F) |"
