#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: headers.sh ROCKSDB_TREE...
#
# Compares RocksDB's private filter interface, as plugin/policy/filter_bits_api.h declares
# it, with source trees of RocksDB releases. plugin/policy is compiled twice for each: with
# RocksDB's own filter_policy_internal.h, and with cassandra_bloom's declaration of it and
# only RocksDB's public headers. The virtual function tables of cassandra_bloom's builder and
# reader, and the sizes of their base classes, must agree.
#
# Environment   CXX=g++
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
check_arguments 1 99 "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile OUTPUT FLAGS...: compiles to assembly, in which the virtual function tables
# name functions with their parameters.
compile() {
  local output=$1
  shift
  ${CXX:-g++} -x c++ -w -S -o "$output" -I"$repository" -I"$repository/include" \
    -DCASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB "$@" "$work/glue.cc"
}

# Prints the entries of the virtual function tables and the sizes, without those for RTTI, which
# are not functions. An assembler calls 8 bytes .quad, .xword, .dword or .8byte.
tables() {
  awk '/^[^ \t].*:$/ { table = /^_ZTV.*CassandraBloomBits|^base_class_sizes/ ? $1 : "" }
       table && !/_ZTI/ && /\.(quad|xword|dword|8byte)/ { print table, $2, $3 }' "$1"
}

{
  printf '#include "%s"\n' "$repository"/plugin/policy/*.cc
  cat <<END
extern const unsigned long base_class_sizes[];
const unsigned long base_class_sizes[] = {
    sizeof(ROCKSDB_NAMESPACE::FilterBitsBuilder),
    sizeof(ROCKSDB_NAMESPACE::FilterBitsReader)};
END
} >"$work/glue.cc"
status=0
echo '| RocksDB | with its own header | with our declaration | layouts |'
echo '|---|---|---|---|'
for tree in "$@"; do
  version_h=$tree/include/rocksdb/version.h
  if [[ ! -f $version_h || ! -f $tree/table/block_based/filter_policy_internal.h ]]; then
    fail "$tree is not a source tree of RocksDB 7.0 or later"
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
      grep -q "$table.*: " "$work/ours" || layouts="not found"
    done
  fi
  echo "| $release | $theirs | $ours | $layouts |"
  [[ $layouts == equal ]] || status=1
done
exit $status
