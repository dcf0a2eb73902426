#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the programs of this folder with an installed cassandra_bloom.
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
cp "$source"/{CMakeLists.txt,Makefile,*.c,*.cc} "$work"
cd "$work"

run() {  # FOLDER PROGRAM...: runs the programs of FOLDER
  local folder=$1 program
  shift
  for program; do
    echo "-- $folder/$program"
    "$folder/$program" "$work/db-$program-${folder//\//-}"
  done
}

cmake -S . -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" "$@" >cmake.log 2>&1 || {
  cat cmake.log
  exit 1
}
cmake --build by-cmake
run by-cmake core core_static core_cc plugin plugin_static by_name

pkgconfig=$(find "$prefix"/lib* -name cassandra_bloom.pc)
[ -n "$pkgconfig" ] || { echo "no cassandra_bloom.pc in $prefix/lib*"; exit 1; }
export PKG_CONFIG_PATH=${pkgconfig%/*} LD_LIBRARY_PATH=${pkgconfig%/*/*}
make
run . core plugin by_name
