# SPDX-License-Identifier: Apache-2.0

# Sourced by scripts that link a program with RocksDB releases, built from their sources.
# shellcheck shell=bash

# build_release TREE JOBS: RocksDB alone, as a static library that checks its assertions, in
# TREE/build-mixed-blocks. What is built already is not built again.
build_release() {
  cmake -S "$1" -B "$1/build-mixed-blocks" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG="-O0 -include cstdint" -DROCKSDB_BUILD_SHARED=OFF \
    -DFAIL_ON_WARNINGS=OFF -DPORTABLE=1 -DWITH_GFLAGS=OFF -DWITH_TESTS=OFF \
    -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TOOLS=OFF -DWITH_CORE_TOOLS=OFF -DWITH_LIBURING=OFF || return
  cmake --build "$1/build-mixed-blocks" --parallel "$2" --target rocksdb
}

# standard_of TREE: the C++ standard that the release is compiled with.
standard_of() {
  sed -nE 's/^ *set\(CMAKE_CXX_STANDARD ([0-9]+)\)/c++\1/p' "$1/CMakeLists.txt" | head -n 1
}
