#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: rocksdb_filter_tests.sh ROCKSDB_TREE [PROGRAM... | all]
#
# Builds test programs of RocksDB, and runs each of their tests in a process of its own,
# with a small library loaded before RocksDB. The library makes NewBloomFilterPolicy, and
# the function that makes built-in policies by name for tests, return a cassandra_bloom
# policy of one of these forms, with the bits per key of the call:
#
#   plain           cassandra_bloom:BITS
#   blocks:rocksdb  cassandra_bloom:BITS:blocks:rocksdb
#   mix             cassandra_bloom:mix:BITS; outside the range of its bits, blocks:rocksdb
#
# Prints a line for each test that does not pass, and a table:
#
#   | test program | form | passed | not applicable | failed without it, too | failed | made no filter |
#
# A test is not applicable if it fails as filter_tests_not_applicable.txt, next to this
# script, says, with the reason. A test that fails otherwise is run again with RocksDB's
# own filter, to see whether it fails then, too. A test that makes no filter policy is run
# with the first form only. Not well is a test that fails with cassandra_bloom alone, one that
# is not applicable and passes, and that no test made a cassandra_bloom policy.
#
# ROCKSDB_TREE  a checkout or an unpacked release of RocksDB, 10.9 to 11.8. Its library
#               and the programs are built once, in its folder build-debug: the library
#               in 20 minutes of CPU time, a program in 1 or 2
# PROGRAM       bloom_test and others; without it the four tests of filters. With `all`,
#               every program whose source calls one of the two functions
# Environment   FORMS="plain blocks:rocksdb mix"; JOBS=2 (nproc); LIMIT=600, the seconds
#               for a test; TMPDIR=/dev/shm for databases
# Needs         what RocksDB and the tests need
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"

check_arguments 1 999 "$@"
tree=$(realpath "$1")
shift
read -ra forms <<<"${FORMS:-plain blocks:rocksdb mix}"
programs=(bloom_test full_filter_block_test partitioned_filter_block_test db_bloom_filter_test)
if [ "$*" = all ]; then
  # Without db_sanity_test, which makes databases for another script.
  mapfile -t programs < <(
    grep -rlZE 'NewBloomFilterPolicy|BloomLikeFilterPolicy::Create' --include='*_test.cc' \
      --exclude-dir=plugin "$tree" | xargs -0 grep -l RUN_ALL_TESTS | sed 's:.*/::; s:\.cc$::' | sort)
elif [ $# != 0 ]; then
  programs=("$@")
fi
export LD_LIBRARY_PATH TMPDIR=${TMPDIR:-/dev/shm}

rocksdb=$(debug_rocksdb "$tree")
LD_LIBRARY_PATH=$rocksdb
cmake --build "$rocksdb" --parallel "$jobs" --target "${programs[@]}" >&2

build=$repository/build/filter-tests
cmake --preset dev -S "$repository" -B "$build" -DCMAKE_CXX_FLAGS="-O1 -g1" \
  -DCASSANDRA_BLOOM_BUILD_TESTS=OFF -DCASSANDRA_BLOOM_BUILD_TOOLS=OFF \
  -DROCKSDB_INCLUDE_DIR="$tree/include" -DROCKSDB_LIBRARY="$rocksdb/librocksdb.so" >&2
cmake --build "$build" --parallel "$jobs" --target rocksdb_cassandra_bloom >&2

policy=$build/filter_tests_policy.so
${CXX:-g++} -std=c++20 -O1 -fPIC -shared -I"$tree" \
  -I"$tree/include" -I"$repository/include" -DROCKSDB_PLATFORM_POSIX -DOS_LINUX \
  "$here/filter_tests_policy.cc" -L"$build/lib" -lrocksdb_cassandra_bloom -Wl,-rpath,"$build/lib" \
  -L"$rocksdb" -lrocksdb -o "$policy"

python3 -B "$here/run_filter_tests.py" --policy="$policy" --forms "${forms[@]}" --jobs="$jobs" \
  --limit="${LIMIT:-600}" --reasons="$here/filter_tests_not_applicable.txt" \
  --programs "${programs[@]/#/$rocksdb/}"
