#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into temporary folders and builds the consumer project with
# each installation.
set -euo pipefail

[ $# = 4 ] || { echo "usage: installed_test.sh BUILD_FOLDER ROCKSDB_RELEASE ROCKSDB_INCLUDE_DIR ROCKSDB_LIBRARY"; exit 2; }
build=$1 release=$2 include_dir=$3 library=$4
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
major=${version%%.*} major_minor=${version%.*}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rocksdb=(-DROCKSDB_INCLUDE_DIR="$include_dir" -DROCKSDB_LIBRARY="$library")

must_be_there() {  # PREFIX: compares the libraries installed there
  local libraries
  libraries=$(cd "$1"/lib* && find . -name '*.so*' -o -name '*.a' | sed 's|.*/||' | sort | tr '\n' ' ')
  local expected="libcassandra_bloom.a libcassandra_bloom.so libcassandra_bloom.so.$major \
libcassandra_bloom.so.$version libcassandra_bloom_preload.so libcassandra_bloom_replace.so librocksdb_cassandra_bloom.a \
librocksdb_cassandra_bloom.so librocksdb_cassandra_bloom.so.$release-$major_minor "
  [ "$libraries" = "$expected" ] || {
    echo "installed: $libraries"
    echo "expected:  $expected"
    exit 1
  }
}

must_be_refused() {  # PART_OF_THE_MESSAGE CMAKE_ARGUMENT...
  local message=$1
  shift
  if cmake -S "$here" -B "$work/refused" -DCMAKE_PREFIX_PATH="$work/prefix" "$@" \
      >"$work/log" 2>&1; then
    echo "not refused: $*"
    exit 1
  fi
  rm -rf "$work/refused"
  tr -s '\n ' ' ' <"$work/log" | grep -qF -e "$message" || {
    cat "$work/log"
    echo "the message does not say: $message"
    exit 1
  }
}

echo "==== a tree by --prefix"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
must_be_there "$work/prefix"
"$work/prefix/bin/filterdb" --version
"$here/run.sh" "$work/prefix" "${rocksdb[@]}"

echo "==== moved"
mv "$work/prefix" "$work/moved"
"$here/run.sh" "$work/moved" "${rocksdb[@]}" >/dev/null
mv "$work/moved" "$work/prefix"

echo "==== staged by DESTDIR"
DESTDIR=$work/stage cmake --install "$build" >/dev/null
must_be_there "$work/stage$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")"

echo "==== no path of the build or the sources in files for CMake and pkg-config"
if grep -rlF -e "$build" -e "${here%/tests/install/consumer}" "$work"/prefix/lib*/cmake \
    "$work"/prefix/lib*/pkgconfig "$work"/prefix/lib*/*/{cmake,pkgconfig} 2>/dev/null; then
  echo "these files contain such a path"
  exit 1
fi

echo "==== another RocksDB is refused"
mkdir -p "$work/headers/rocksdb"
printf '#define ROCKSDB_%s\n' "MAJOR 99" "MINOR 9" "PATCH 0" >"$work/headers/rocksdb/version.h"
must_be_refused "built for RocksDB $release, and $work/headers is RocksDB 99.9" \
  -DROCKSDB_INCLUDE_DIR="$work/headers" -DROCKSDB_LIBRARY="$library"
touch "$work/librocksdb.so.99.9.0"
must_be_refused "$work/librocksdb.so.99.9.0 is of 99.9" \
  -DROCKSDB_INCLUDE_DIR="$include_dir" -DROCKSDB_LIBRARY="$work/librocksdb.so.99.9.0"
must_be_refused "RocksDB $release was not found: install librocksdb-dev" \
  -DROCKSDB_INCLUDE_DIR="$work/nowhere" -DROCKSDB_LIBRARY="$library"

echo "passed"
