#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: thread_sanitizer.sh ROCKSDB_TREE
#
# Builds RocksDB and this repository's random_db and export_test with ThreadSanitizer,
# and runs them. They do everything that may run concurrently. With a RocksDB built
# without ThreadSanitizer they would report races that do not exist. random_db repeats a
# race with RocksDB's own filters, and counts it apart if it is there, too.
#
# ROCKSDB_TREE  a checkout or an unpacked release of RocksDB, 7.8 to 11.8. It is built
#               once, in its folder build-debug-thread, in 20 minutes of CPU time
# Environment   JOBS=2 (nproc), TEST_SECONDS=60: how long each of the two runs
# Needs         what RocksDB and the tests need
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"

check_arguments 1 1 "$@"
build=$repository/build/tsan

rocksdb=$(debug_rocksdb "$1" thread)
tree=$(realpath "$1")
cmake --preset dev -S "$repository" -B "$build" -DCMAKE_CXX_FLAGS="-O1 -g1" \
  -DCASSANDRA_BLOOM_SANITIZERS=thread \
  -DROCKSDB_INCLUDE_DIR="$tree/include" -DROCKSDB_LIBRARY="$rocksdb/librocksdb.so"
cmake --build "$build" --parallel "$jobs" --target random_db export_test
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS-}"
seconds=${TEST_SECONDS:-60}
"$build/bin/random_db" --at_once --seconds="$seconds" --time_limit=600 --jobs="$jobs"
CASSANDRA_BLOOM_CHURN_SECONDS=$seconds "$build/bin/export_test" --gtest_filter='ChurnTest.*'
