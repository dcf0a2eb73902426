#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures the memory of filters in the block cache, under jemalloc and glibc; see usage.
set -euo pipefail

usage() {
  cat <<END
Usage: filter_memory.sh [ROCKSDB_TREE...]

Writes a database of 200 files, each with 1,000 to 30,000 keys, for each combination of
policy (bloomfilter:10, cassandra_bloom:10:blocks:rocksdb), full or partitioned filters, and
optimize_filters_for_memory off or on. Reads it with its filters in the block cache. Does
all that with glibc's malloc and then with jemalloc: prints the allocator, and for each
database a row of this table:

  | RocksDB | policy | filters | option | filter_size | charge | waste | mean rate |

"charge" is what the block cache counts for filters, and "waste" by how much that is more
than the property filter_size. "mean rate" is the mean of the files' false positive rates;
each file gets the same number of look-ups of absent keys. All present keys must be found.

ROCKSDB_TREE  a source tree of a RocksDB release. The script builds it without optimisation
              in TREE/build-mixed-blocks, if that is not done yet. Without a tree it takes
              Debian's RocksDB and build/release
Environment   LOOKUPS (4000000), JOBS (all CPUs), CXX (g++), LIBS (what a RocksDB that you
              have built yourself is linked to, such as -llz4)
Needs         libjemalloc2; without a tree, make release; with one, what RocksDB needs
END
}

case ${1-} in
  --help) usage; exit ;;
  -*) usage >&2; exit 2 ;;
esac

repository=$(realpath "$(dirname "$0")/../../..")
# shellcheck source=tests/install/matrix/release_tree.sh
. "$repository/tests/install/matrix/release_tree.sh"
jobs=${JOBS:-$(nproc)}
CXX=${CXX:-g++}
source=$repository/tests/install/matrix/filter_memory.cc
jemalloc=$(/sbin/ldconfig -p | sed -n 's/.*libjemalloc\.so\.2.* => //p' | head -n 1)
[ -n "$jemalloc" ] || { echo "filter_memory.sh: no libjemalloc.so.2: install libjemalloc2" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build_with_plugin TREE: the program, RocksDB and the plugin's sources.
build_with_plugin() {
  local flags
  build_release "$1" "$jobs" || return
  flags="-std=$(standard_of "$1") -O2 -fno-rtti -I$repository -I$repository/include -I$1/include -I$1"
  rm -rf "$work/objects"
  mkdir "$work/objects"
  # shellcheck disable=SC2016,SC2086
  sed -n 's/^cassandra_bloom_SOURCES = //p' "$repository/cassandra_bloom.mk" | tr ' ' '\n' |
    xargs -P "$jobs" -I{} sh -c \
      '$1 $2 -c "$3/$5" -o "$4/$(echo "$5" | tr / _).o"' sh "$CXX" "$flags" "$repository" "$work/objects" {} ||
    return
  # shellcheck disable=SC2086
  $CXX $flags -o "$work/measure" "$source" "$work"/objects/*.o \
    "$1"/build-mixed-blocks/librocksdb*.a -lpthread -ldl ${LIBS:-}
}

build_with_debians() {
  local lib=$repository/build/release/lib
  $CXX -std=c++17 -O2 -I"$repository" -I"$repository/include" -o "$work/measure" "$source" \
    -L"$lib" -Wl,-rpath,"$lib" -Wl,--no-as-needed -lrocksdb_cassandra_bloom -lrocksdb
}

# measure BUILD...: by BUILD, then with both allocators.
measure() {
  local allocator
  "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
  for allocator in "" "$jemalloc"; do
    echo "${allocator:-glibc}"
    rm -rf "$work/databases"
    mkdir "$work/databases"
    LD_PRELOAD=$allocator "$work/measure" "$work/databases" "${LOOKUPS:-4000000}"
  done
}

[ $# -gt 0 ] || measure build_with_debians
for argument in "$@"; do
  measure build_with_plugin "$(realpath "$argument")"
done
