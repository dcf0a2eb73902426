#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: crash_test.sh ROCKSDB_TREE [SECONDS]
#
# Runs tools/db_crashtest.py, which kills and verifies db_stress again and again: blackbox
# (killed after a time) and whitebox (killed at places in RocksDB's code), with the policy in
# each of its forms, with full and partitioned filters, prefixes, and user-defined timestamps.
# The policy comes from an OPTIONS file. Prints for each a row of this table:
#
#   | test | policy | filters | timestamps | seed | runs of db_stress | result |
#
# After a failure the same is run with RocksDB's own filter and the same seed. "shared" means
# that it fails, too; otherwise the result is "FAILED".
#
# ROCKSDB_TREE  a source tree in which in_tree.sh has built RocksDB by CMake, in Debug: with
#               assertions and the places where whitebox kills
# SECONDS       in all: 7200
# Environment   SEED (random), FOLDER (a temporary one) for databases and logs; it is kept after
#               a failure
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
# shellcheck source=tests/install/matrix/databases.sh
. "$(dirname "$0")/databases.sh"

check_arguments 1 2 "$@"
tree=$(realpath "$1")
seconds=${2-7200}
stress=$tree/build-cassandra-bloom/db_stress
[ -x "$stress" ] || fail "no $stress: run in_tree.sh cmake $tree"
folder=${FOLDER:-$(mktemp -d)}
seed=${SEED:-$RANDOM}

# POLICY FILTERS [ts], where ts means user-defined timestamps.
cases=(
  "cassandra_bloom:10 full"
  "cassandra_bloom:10 partitioned"
  "cassandra_bloom:10:blocks:rocksdb partitioned"
  "cassandra_bloom:mix:10:filter:ribbon full ts"
  "cassandra_bloom:mix:10 full"
  "cassandra_bloom:mix:10 partitioned ts"
)

# crash_test TEST POLICY FILTERS TS: writes the log into $log. The flags switch off what the
# OPTIONS file does not have.
crash_test() {
  local limits=() table="filter_policy=$2 format_version=5 optimize_filters_for_memory=true"
  # A run of whitebox ends when 32 threads have done all operations, or when it is killed,
  # with a chance of 1 in random_kill_odd at each place for it. With the values of
  # db_crashtest.py, a Debug build on two cores takes longer than the time given.
  [ "$1" = blackbox ] || limits=(--ops_per_thread=20000 --random_kill_odd=8888)
  [ "$3" = full ] || table+=" partition_filters=true index_type=kTwoLevelIndexSearch metadata_block_size=512"
  options_file "$STRESS_OPTIONS level_compaction_dynamic_level_bytes=true
    ${4:+comparator=leveldb.BytewiseComparator.u64ts}" "$table" >"$folder/options.ini"
  rm -rf "$folder/databases"
  mkdir "$folder/databases"
  (cd "$tree" && TEST_TMPDIR=$folder/databases python3 tools/db_crashtest.py \
    --initial_random_seed_override="$seed" --stress_cmd="$stress" "$1" --simple ${4:+--enable_ts} \
    "${limits[@]}" --duration="$((seconds / 2 / ${#cases[@]}))" --interval=20 \
    --options_file="$folder/options.ini" --max_key=100000 --prefix_size=7 \
    --persist_user_defined_timestamps=1 --use_merge=0 --use_put_entity_one_in=0 \
    --use_trie_index=0 --use_udi_as_primary_index=0 --use_multiscan=0 \
    --enable_compaction_filter=0 --compression_manager=none) >"$log" 2>&1
}

status=0
for test in blackbox whitebox; do
  for a_case in "${cases[@]}"; do
    read -r policy filters ts <<<"$a_case"
    log=$folder/$test.$policy.$filters.log
    result=passed
    crash_test "$test" "$policy" "$filters" "$ts" || result=shared
    runs=$(grep -c '^Running db_stress' "$log" || true)
    if [ $result = shared ]; then
      log+=.builtin
      if crash_test "$test" bloomfilter:10 "$filters" "$ts"; then
        result="FAILED, see ${log%.builtin}"
        status=1
      fi
    fi
    echo "| $test | \`$policy\` | $filters | ${ts:-no} | $seed | $runs | $result |"
    seed=$((seed + 1))
  done
done
[ $status != 0 ] || [ -n "${FOLDER-}" ] || rm -r "$folder"
exit $status
