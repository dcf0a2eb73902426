#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs RocksDB's own filter tests with cassandra_bloom; see usage.
set -euo pipefail

usage() {
  cat <<END
Usage: rocksdb_filter_tests.sh ROCKSDB_TREE

Builds RocksDB's own filter tests, and runs each with a small library loaded before
RocksDB. The library makes NewBloomFilterPolicy, and the function that makes
built-in policies by name for these tests, return a cassandra_bloom policy. Prints
a line for each test that does not pass, and a table:

  | test program | pass | do not apply | fail |

A test does not apply if it fails as filter_tests_not_applicable.txt, next to this
script, says, with the reason. Exit status 1 if a test fails otherwise, if one that
should not apply passes, or if a program never made a cassandra_bloom policy.

ROCKSDB_TREE  a checkout or an unpacked release of RocksDB, 10.9 or 10.10. It is built
              once, in its folder build-debug, in 20 minutes of CPU time
Environment   JOBS=2 (nproc); SANITIZER=thread for ThreadSanitizer
Needs         what RocksDB and the tests need
END
}

case ${1-} in
  --help) usage; exit ;;
  "") usage >&2; exit 2 ;;
esac
case ${SANITIZER-} in
  "" | thread) ;;
  *) usage >&2; exit 2 ;;
esac
tree=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
repository=$(realpath "$here/../../..")
jobs=${JOBS:-$(nproc)}
sanitizer=${SANITIZER-}
programs=(bloom_test full_filter_block_test partitioned_filter_block_test db_bloom_filter_test)
export LD_LIBRARY_PATH

rocksdb=$("$here/debug_rocksdb.sh" "$tree" ${sanitizer:+"$sanitizer"})
LD_LIBRARY_PATH=$rocksdb
cmake --build "$rocksdb" --parallel "$jobs" --target "${programs[@]}" >&2

build=$repository/build/filter-tests${sanitizer:+-$sanitizer}
cmake --preset dev -S "$repository" -B "$build" -DCMAKE_CXX_FLAGS="-O1 -g1" \
  -DCASSANDRA_BLOOM_SANITIZERS="$sanitizer" \
  -DCASSANDRA_BLOOM_BUILD_TESTS=OFF -DCASSANDRA_BLOOM_BUILD_TOOLS=OFF \
  -DROCKSDB_INCLUDE_DIR="$tree/include" -DROCKSDB_LIBRARY="$rocksdb/librocksdb.so" >&2
cmake --build "$build" --parallel "$jobs" --target rocksdb_cassandra_bloom_static >&2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
policy=$work/policy.so
${CXX:-g++} -std=c++20 -O1 -fPIC -shared ${sanitizer:+"-fsanitize=$sanitizer"} -I"$tree" \
  -I"$tree/include" -I"$repository/include" -DROCKSDB_PLATFORM_POSIX -DOS_LINUX \
  "$here/filter_tests_policy.cc" "$build/lib/librocksdb_cassandra_bloom.a" \
  -L"$rocksdb" -lrocksdb -o "$policy"

python3 -B "$here/run_filter_tests.py" --policy="$policy" --jobs="$jobs" \
  --reasons="$here/filter_tests_not_applicable.txt" "${programs[@]/#/$rocksdb/}"
