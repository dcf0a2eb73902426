#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests that CMakeLists.txt sees where it is: in RocksDB's tree as RocksDB's plugin, or in
# another project as a part of that project.
set -euo pipefail

sources=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The part of RocksDB's CMakeLists.txt that adds a plugin. The project has no languages,
# so cmake would fail if this repository added its own targets.
mkdir -p "$work/rocksdb/plugin" "$work/program" "$work/both" "$work/user"
ln -s "$sources" "$work/rocksdb/plugin/cassandra_bloom"
cat >"$work/rocksdb/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(rocksdb LANGUAGES NONE)
option(ROCKSDB_WITH_PLUGIN "" ON)
if(ROCKSDB_WITH_PLUGIN)
  add_subdirectory(plugin/cassandra_bloom)
  message(STATUS "plugin: <${cassandra_bloom_INCLUDE_PATHS}> <${cassandra_bloom_TESTS}>")
endif()
END

# A program, such as Kvrocks, that builds RocksDB as a part of itself.
cat >"$work/program/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(program LANGUAGES NONE)
add_subdirectory(../rocksdb rocksdb)
END

ours='
add_subdirectory("'$sources'" cassandra_bloom)
if(NOT TARGET cassandra_bloom::core OR NOT TARGET cassandra_bloom::core_static)
  message(FATAL_ERROR "no library")
endif()
message(STATUS "library, tests: ${CASSANDRA_BLOOM_BUILD_TESTS}")'
printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(user LANGUAGES C CXX)' "$ours" \
  >"$work/user/CMakeLists.txt"
printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(both LANGUAGES C CXX)' \
  'set(ROCKSDB_WITH_PLUGIN OFF)' 'add_subdirectory(../rocksdb rocksdb)' "$ours" \
  >"$work/both/CMakeLists.txt"

# expect PROJECT TEXT: cmake must succeed for the project, and say TEXT.
expect() {
  echo "==== $1"
  if ! cmake -S "$work/$1" -B "$work/build-$1" -DCASSANDRA_BLOOM_CORE_ONLY=ON >"$work/log" 2>&1 ||
    ! grep -qF -e "$2" "$work/log"; then
    cat "$work/log"
    echo "cmake failed, or did not say: $2"
    failed=1
  fi
}

plugin="plugin: <$work/rocksdb/plugin/cassandra_bloom;$work/rocksdb/plugin/cassandra_bloom/include> <tests/install/"
expect rocksdb "$plugin"
expect program "$plugin"
expect user "library, tests: OFF"
# The project has RocksDB, but adds this repository itself.
expect both "library, tests: OFF"
if grep -q 'file(INSTALL' "$work/build-user/cassandra_bloom/cmake_install.cmake"; then
  echo "a part of another project is installed with that project"
  failed=1
fi
exit $failed
