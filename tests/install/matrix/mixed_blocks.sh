#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lets RocksDB releases, without the plugin, read databases with blocks=rocksdb; see usage.
set -euo pipefail

usage() {
  cat <<END
Usage: mixed_blocks.sh ROCKSDB_TREE...

Writes six databases (full and partitioned filters; whole keys, prefixes and both) with
Debian's RocksDB and this repository's build/release. Each has filters of RocksDB's Bloom
and Ribbon policy and of cassandra_bloom, in one level and in two. Then each release opens
copies of them with its own Bloom policy and looks up every key by Get, MultiGet and, with
prefixes, Seek. Prints for each a row of this table:

  | RocksDB | filters | look-ups of present keys | lost | filtered per absent key |

ROCKSDB_TREE  a source tree of a RocksDB release, which is built without optimisation in
              its folder build-mixed-blocks. What is built already is not built again.
Environment   KEYS (120000) in each database, JOBS (all CPUs), CXX (g++), LIBS (what a RocksDB
              that you have built yourself is linked to, such as -llz4)
Needs         make release; what RocksDB needs

Exit status 0 if no key was lost, 1 if not, 2 for wrong usage.
END
}

case ${1-} in
  --help) usage; exit ;;
  '' | -*) usage >&2; exit 2 ;;
esac

repository=$(realpath "$(dirname "$0")/../../..")
# shellcheck source=tests/install/matrix/release_tree.sh
. "$repository/tests/install/matrix/release_tree.sh"
source=$repository/tests/install/matrix/mixed_blocks.cc
lib=$repository/build/release/lib
jobs=${JOBS:-$(nproc)}
keys=${KEYS:-120000}
CXX=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -e "$lib/librocksdb_cassandra_bloom.so" ] ||
  { echo "mixed_blocks.sh: no $lib/librocksdb_cassandra_bloom.so: run make release" >&2; exit 1; }

$CXX -std=c++17 -O1 -DWRITER -I"$repository" -I"$repository/include" -o "$work/write" "$source" \
  -L"$lib" -Wl,-rpath,"$lib" -lrocksdb_cassandra_bloom -lrocksdb
mkdir "$work/written"
"$work/write" "$work/written" "$keys"

status=0
for argument in "$@"; do
  tree=$(realpath "$argument")
  build_release "$tree" "$jobs" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
  # shellcheck disable=SC2086
  $CXX -std="$(standard_of "$tree")" -O1 -I"$repository" -I"$tree/include" -o "$work/read" "$source" \
    "$tree"/build-mixed-blocks/librocksdb*.a -lpthread -ldl ${LIBS:-}
  cp -r "$work/written" "$work/databases"
  "$work/read" "$work/databases" "$keys" || status=1
  rm -r "$work/databases"
done
exit $status
