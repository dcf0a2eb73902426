#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the programs of this folder, and examples, with an installed cassandra_bloom.
set -euo pipefail

usage="usage: run.sh PREFIX [CMAKE_ARGUMENT...]

PREFIX is what cassandra_bloom was installed to, such as /usr. Builds by CMake
and by make with pkg-config in a temporary folder."
case ${1---help} in
  --help) echo "$usage"; exit ;;
esac
prefix=$1
shift
source=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source"/{CMakeLists.txt,Makefile,*.cc} "$source"/../../../examples/{c/filter_db.c,cpp/partitions.cc} "$work"
cd "$work"

run() {  # FOLDER PROGRAM...: runs the programs of FOLDER
  local folder=$1 program
  shift
  for program; do
    echo "-- $folder/$program"
    "$folder/$program" "$work/made-$program-$folder" | tee said
    [[ $program != plugin* ]] || filters
  done
}
filters() {  # The filter must have denied 98 % of 10,000 strangers, as partitions.cc has said.
  local denied
  denied=$(sed -n 's/^stranger: 0 rows .* no to \([0-9]*\) iterators .*/\1/p' said)
  [ "${denied:-0}" -ge 9800 ] || { echo "the filter denied ${denied:-none}"; exit 1; }
}

cmake -S . -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" "$@" >cmake.log 2>&1 || {
  cat cmake.log
  exit 1
}
cmake --build by-cmake
run by-cmake core core_static core_cc plugin plugin_static by_name
echo "-- by-cmake/plugin_module.so, loaded at run time"
python3 -c 'import ctypes, sys
arguments = (ctypes.c_char_p * 2)(b"plugin_module", sys.argv[2].encode())
sys.exit(ctypes.CDLL(sys.argv[1]).main(2, arguments))' by-cmake/plugin_module.so "$work/made-module" | tee said
filters

pkgconfig=$(find "$prefix"/lib* -name cassandra_bloom.pc)
[ -n "$pkgconfig" ] || { echo "no cassandra_bloom.pc in $prefix/lib*"; exit 1; }
rocksdb=$(sed -n 's|^ROCKSDB_LIBRARY:.*=\(.*\)/.*|\1|p' by-cmake/CMakeCache.txt)
export PKG_CONFIG_PATH=${pkgconfig%/*}:$rocksdb/pkgconfig LD_LIBRARY_PATH=${pkgconfig%/*/*}:$rocksdb
programs=(core plugin by_name)
[ -f "$rocksdb/pkgconfig/rocksdb.pc" ] || {
  echo "-- make builds core alone: $rocksdb/pkgconfig has no rocksdb.pc, which the plugin's file needs"
  programs=(core)
}
make "${programs[@]}"
run . "${programs[@]}"
