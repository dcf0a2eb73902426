#!/bin/bash
# The policy under ThreadSanitizer: see usage.
set -euo pipefail

usage() {
  cat <<END
Usage: thread_sanitizer.sh ROCKSDB_TREE [TEST_FLAGS]

Builds RocksDB with ThreadSanitizer, and with it this repository's
concurrency_test, which does at once all that can run beside something else, and
runs that. A RocksDB that is not built so gives races that are none.

ROCKSDB_TREE  a checkout or an unpacked release of RocksDB, 7.8 to 10.10; built in
              its folder build-tsan, which takes half an hour of CPU time once
TEST_FLAGS    such as --gtest_repeat=100, five minutes
Environment   JOBS=2 (nproc)
Needs         what RocksDB and the tests need
END
}

case ${1-} in
  --help) usage; exit ;;
  "") usage >&2; exit 2 ;;
esac
[ -f "$1/include/rocksdb/version.h" ] ||
  { echo "thread_sanitizer.sh: $1 is not a source tree of RocksDB" >&2; exit 1; }
tree=$(realpath "$1")
shift
repository=$(realpath "$(dirname "$0")/../..")
jobs=${JOBS:-$(nproc)}
rocksdb=$tree/build-tsan
build=$repository/build/tsan

cmake -S "$tree" -B "$rocksdb" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
  -DCMAKE_C_FLAGS_DEBUG=-O1 -DWITH_TSAN=ON -DFAIL_ON_WARNINGS=OFF -DPORTABLE=1 \
  -DWITH_GFLAGS=ON -DWITH_LIBURING=OFF -DROCKSDB_BUILD_SHARED=ON
cmake --build "$rocksdb" --parallel "$jobs" --target rocksdb-shared
cmake --preset dev -S "$repository" -B "$build" -DCMAKE_CXX_FLAGS="-O1 -g1" \
  -DCASSANDRA_BLOOM_SANITIZERS=thread -DCASSANDRA_BLOOM_BUILD_BENCHMARKS=OFF \
  -DROCKSDB_INCLUDE_DIR="$tree/include" -DROCKSDB_LIBRARY="$rocksdb/librocksdb.so"
cmake --build "$build" --parallel "$jobs" --target concurrency_test
TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS-}" "$build/bin/concurrency_test" "$@"
