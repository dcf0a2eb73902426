#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests that cmake says what to install or to set if something is missing.
set -euo pipefail

sources=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect PARTS CMAKE_ARGUMENT...: cmake must fail with a message that has all PARTS,
# which | divides.
expect() {
  local parts part
  IFS='|' read -ra parts <<<"$1"
  shift
  echo "==== $*"
  rm -rf "$work/build"
  cp -r "$work/core-only" "$work/build"
  if cmake -S "$sources" -B "$work/build" -DCASSANDRA_BLOOM_CORE_ONLY=OFF "$@" >"$work/log" 2>&1; then
    echo "cmake succeeded, but must fail"
    failed=1
  fi
  for part in "${parts[@]}"; do
    if ! tr -s '\n ' ' ' <"$work/log" | grep -qF -e "$part"; then
      cat "$work/log"
      echo "the message does not say: $part"
      failed=1
    fi
  done
}

nowhere=(-DCMAKE_FIND_ROOT_PATH="$work" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
  -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY)
only_libraries=(-DCASSANDRA_BLOOM_BUILD_TESTS=OFF -DCASSANDRA_BLOOM_BUILD_TOOLS=OFF)
mkdir "$work/rocksdb"

# Every case starts with a copy of the folder core-only, in which cmake has already found
# the compilers.
cmake -S "$sources" -B "$work/build" -DCASSANDRA_BLOOM_CORE_ONLY=ON "${only_libraries[@]}" \
  >/dev/null
mv "$work/build" "$work/core-only"

expect "install librocksdb-dev|CASSANDRA_BLOOM_CORE_ONLY" "${nowhere[@]}"
expect "ROCKSDB_INCLUDE_DIR=$work/none holds no|librocksdb-dev" -DROCKSDB_INCLUDE_DIR="$work/none"
expect "ROCKSDB_LIBRARY=$work/none.so does not exist|librocksdb-dev" -DROCKSDB_LIBRARY="$work/none.so"
expect "is not a source tree of RocksDB" -DROCKSDB_SOURCE_DIR="$work"
touch "$work/librocksdb.so.99.9"
expect "$work/librocksdb.so.99.9 is of 99.9|set ROCKSDB_INCLUDE_DIR and ROCKSDB_LIBRARY" \
  -DROCKSDB_LIBRARY="$work/librocksdb.so.99.9"
printf '#define ROCKSDB_%s\n' "MAJOR 99" "MINOR 9" >"$work/rocksdb/version.h"
echo "#error broken" >"$work/rocksdb/filter_policy.h"
expect "$work does not compile and link" -DROCKSDB_INCLUDE_DIR="$work" \
  -DROCKSDB_LIBRARY="$work/librocksdb.so.99.9"
echo "#pragma GCC poison from_chars" >"$work/old_library.h"
expect "does not support all of C++17|install g++ 11" "${only_libraries[@]}" \
  -UCASSANDRA_BLOOM_COMPILER_HAS_CXX17 -DCMAKE_CXX_FLAGS="-include $work/old_library.h"
for missing in "GTest libgtest-dev TESTS" "CLI11 libcli11-dev TOOLS" \
    "nlohmann_json nlohmann-json3-dev TOOLS" "benchmark libbenchmark-dev BENCHMARKS"; do
  read -r package debian_package part <<<"$missing"
  expect "$package, which|install $debian_package|-DCASSANDRA_BLOOM_BUILD_$part=OFF" \
    "${only_libraries[@]}" -DCASSANDRA_BLOOM_BUILD_$part=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_$package=ON
done
for missing in "lz4 lz4.h liblz4-dev" "snappy snappy.h libsnappy-dev" "z zlib.h zlib1g-dev" \
    "zstd zstd.h libzstd-dev"; do
  read -r library header debian_package <<<"$missing"
  expect "lib$library with $header, which|install $debian_package|-DCASSANDRA_BLOOM_BUILD_TOOLS=OFF" \
    "${only_libraries[@]}" -DCASSANDRA_BLOOM_BUILD_TOOLS=ON "-D${library^^}_LIBRARY=FALSE"
done
exit $failed
