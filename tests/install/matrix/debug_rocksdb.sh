#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# debug_rocksdb.sh ROCKSDB_TREE [thread]: builds RocksDB's shared library with
# assertions, and with ThreadSanitizer if `thread` is given, in a folder of
# ROCKSDB_TREE. RocksDB's tests can then be built there. Prints the folder's name.
set -euo pipefail

case ${2-thread} in
  thread) ;;
  *) echo "debug_rocksdb.sh: there is no '$2'" >&2; exit 2 ;;
esac
[ -f "${1-}/include/rocksdb/version.h" ] ||
  { echo "debug_rocksdb.sh: '${1-}' is not a source tree of RocksDB" >&2; exit 1; }
tree=$(realpath "$1")
build=$tree/build-debug${2+-$2}
cmake -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g0" \
  -DCMAKE_C_FLAGS_DEBUG=-O1 ${2+-DWITH_TSAN=ON} -DFAIL_ON_WARNINGS=OFF -DPORTABLE=1 \
  -DWITH_GFLAGS=ON -DWITH_LIBURING=OFF -DROCKSDB_BUILD_SHARED=ON -DWITH_TOOLS=OFF \
  -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TRACE_TOOLS=OFF >&2
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target rocksdb-shared >&2
echo "$build"
