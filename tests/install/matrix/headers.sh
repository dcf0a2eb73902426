#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compares RocksDB's private filter interface, as
# plugin/policy/filter_bits_api.h declares it, with RocksDB's sources.
set -euo pipefail

REPOSITORY=$(cd "$(dirname "$0")/../../.." && pwd)
CXX=${CXX:-g++}

usage() {
  cat <<END
Usage: $0 CHECKOUT...

A CHECKOUT is a source tree of a RocksDB release. plugin/policy is compiled twice for
each: with RocksDB's own filter_policy_internal.h, and with cassandra_bloom's
declaration of it and only RocksDB's public headers. The virtual function tables of
cassandra_bloom's builder and reader, and the sizes of their base classes, must agree.

CXX is the compiler ($CXX). Exit status 0 if everything compiled and agrees, 1 if
not, 2 for wrong usage.
END
}

case ${1-} in
  --help) usage; exit ;;
  '' | -*) echo "$0: no source tree of RocksDB given; see --help" >&2; exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

glue() {
  for source in "$REPOSITORY"/plugin/policy/*.cc; do
    echo "#include \"$source\""
  done
  cat <<END
extern const unsigned long base_class_sizes[];
const unsigned long base_class_sizes[] = {
    sizeof(ROCKSDB_NAMESPACE::FilterBitsBuilder),
    sizeof(ROCKSDB_NAMESPACE::FilterBitsReader)};
END
}

# compile OUTPUT FLAGS...: compiles to assembly, in which the virtual function tables
# name functions with their parameters.
compile() {
  local output=$1
  shift
  $CXX -x c++ -w -S -o "$output" -I"$REPOSITORY" -I"$REPOSITORY/include" \
    -DCASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB "$@" "$work/glue.cc"
}

# Prints the virtual function tables, without the entries for RTTI, which are not
# functions.
tables() {
  awk '/^[^ \t].*:$/ { on = /^_ZTV.*CassandraBloomBits|^base_class_sizes/ }
       on && !/_ZTI/ && (/:$/ || /\.quad/)' "$1"
}

glue >"$work/glue.cc"
status=0
echo '| RocksDB | with its own header | with our declaration | layouts |'
echo '|---|---|---|---|'
for tree in "$@"; do
  version_h=$tree/include/rocksdb/version.h
  if [[ ! -f $version_h || ! -f $tree/table/block_based/filter_policy_internal.h ]]; then
    echo "$0: $tree is not a source tree of RocksDB 7.0 or later" >&2
    exit 2
  fi
  release=$(sed -nE 's/^#define ROCKSDB_(MAJOR|MINOR|PATCH) ([0-9]+)/\2/p' \
    "$version_h" | paste -sd.)
  std=-std=c++17
  # The headers of RocksDB 10 need C++20.
  [[ ${release%%.*} -lt 10 ]] || std=-std=c++20
  theirs=compiles ours=compiles layouts=-
  compile "$work/theirs.s" $std -I"$tree" -I"$tree/include" \
    -DROCKSDB_PLATFORM_POSIX -DOS_LINUX || theirs=fails
  compile "$work/ours.s" $std -I"$tree/include" || ours=fails
  if [[ $theirs$ours == compilescompiles ]]; then
    tables "$work/theirs.s" >"$work/theirs"
    tables "$work/ours.s" >"$work/ours"
    layouts=equal
    diff "$work/theirs" "$work/ours" >&2 || layouts=DIFFERENT
    for table in CassandraBloomBitsBuilder CassandraBloomBitsReader base_class_sizes; do
      grep -q "^[^ ]*$table.*:$" "$work/ours" || layouts="not found"
    done
  fi
  echo "| $release | $theirs | $ours | $layouts |"
  [[ $layouts == equal ]] || status=1
done
exit $status
