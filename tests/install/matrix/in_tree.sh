#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: in_tree.sh make|cmake ROCKSDB_TREE
#
# Builds RocksDB with this repository as its plugin, with RocksDB's Makefile or its
# CMake, and checks that the policy works there without preloading. It runs the
# plugin's test, db_bench with an OPTIONS file, sst_dump, ldb, and db_stress with
# four threads and reopenings. Prints a row of this table:
#
#   | RocksDB | build | compiler | plugin tests | present and absent keys | db_stress |
#
# ROCKSDB_TREE  a checkout or an unpacked release of RocksDB. The script copies this
#               repository into its plugin/cassandra_bloom; cmake builds in its folder
#               build-cassandra-bloom. What is already built is not built again.
# Environment   JOBS=2 (nproc), STRESS_OPS=100000 per thread,
#               CXX=g++, CC=gcc, OPTIMIZE=-O2
# Needs         what RocksDB needs, libgflags-dev, libgtest-dev
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
# shellcheck source=tests/install/matrix/databases.sh
. "$(dirname "$0")/databases.sh"

check_arguments 2 2 "$@"
build=$1
case $build in make | cmake) ;; *) usage >&2; exit 2 ;; esac
[ -f "$2/include/rocksdb/version.h" ] || fail "$2 is not a source tree of RocksDB"
tree=$(realpath "$2")
tools="db_bench ldb sst_dump db_stress"
test=cassandra_bloom_plugin_test
unset LD_PRELOAD

version() { sed -n "s/^#define ROCKSDB_$1 //p" "$tree/include/rocksdb/version.h"; }
release=$(version MAJOR).$(version MINOR).$(version PATCH)

# A copy, because make refuses a link. The time stamps are kept, so that another run
# compiles only what has changed.
copy_plugin() {
  local copy=$tree/plugin/cassandra_bloom
  if [ -L "$copy" ] || [ -e "$copy/.git" ]; then
    fail "$copy is there and is not a copy that this script made: remove it"
  fi
  mkdir -p "$copy"
  tar -C "$repository" -c --exclude-vcs --exclude=./build --exclude='*.[od]' . | tar -x -C "$copy"
}

accept=-DCASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB

# Warnings are no errors here, because g++ 12 has warnings for RocksDB's own code.
build_by_make() {
  # shellcheck disable=SC2086
  make -C "$tree" -j"$jobs" DEBUG_LEVEL=0 PORTABLE=1 DISABLE_WARNING_AS_ERROR=1 OPTIMIZE_LEVEL="${OPTIMIZE:--O2}" \
    ROCKSDB_PLUGINS=cassandra_bloom EXTRA_CXXFLAGS=$accept CC="${CC:-gcc}" CXX="${CXX:-g++}" static_lib $tools
  bin=$tree
}

# RocksDB's CMake builds tests only in Debug, and so with RocksDB's assertions.
build_by_cmake() {
  bin=$tree/build-cassandra-bloom
  local goals=$tools
  if grep -q PLUGIN_TESTS "$tree/CMakeLists.txt"; then goals+=" $test"; fi
  cmake -S "$tree" -B "$bin" -DROCKSDB_PLUGINS=cassandra_bloom \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="${OPTIMIZE:--O2} $accept" \
    -DFAIL_ON_WARNINGS=OFF -DPORTABLE=1 -DWITH_GFLAGS=ON -DROCKSDB_BUILD_SHARED=OFF
  # shellcheck disable=SC2086
  cmake --build "$bin" --parallel "$jobs" --target $goals
  ln -sf "$bin"/tools/{ldb,sst_dump} "$bin"/db_stress_tool/db_stress "$bin"
}

# Builds the plugin's test where RocksDB's build does not: 7.8 has no tests of plugins,
# and make builds them only in Debug.
build_test_by_hand() {
  [ -x "$bin/$test" ] && return
  local flags=() library standard=17
  if [ "${release%%.*}" -ge 10 ]; then standard=20; fi
  if [ "$build" = make ]; then flags+=(-fno-rtti); fi
  # RocksDB is linked to those of these libraries that its build has found, so the test
  # must be linked to them, too.
  for library in z bz2 snappy lz4 zstd uring numa tbb jemalloc; do
    if [ -e "$(${CXX:-g++} -print-file-name=lib$library.so)" ]; then
      flags+=("-l$library")
    fi
  done
  ${CXX:-g++} -std=c++$standard -O1 -I"$tree/include" "$repository/tests/install/in_tree/$test.cc" \
    -o "$bin/$test" -Wl,--as-needed "$bin/librocksdb.a" -lgtest -lgflags -lpthread -ldl \
    "${flags[@]}"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options_of_mode full >"$work/full.ini"
db_bench() { "$bin/db_bench" --options_file="$work/$2.ini" --db="$work/$3" "${@:4}"; }

check_tools() {
  local properties key ldb=("$bin/ldb" --db="$work/written" --try_load_options --hex)
  properties=$("$bin/sst_dump" --file="$work/written" --show_properties --command=none)
  grep -q 'filter policy name: cassandra_bloom$' <<<"$properties" ||
    fail "sst_dump: no filter policy cassandra_bloom in $properties"
  key=$("${ldb[@]}" scan --max_keys=1 | cut -d' ' -f1)
  "${ldb[@]}" get "$key" >/dev/null || fail "ldb does not find the key $key"
  # For an absent key, ldb's exit status depends on the release.
  "${ldb[@]}" get 0x00 >"$work/ldb.log" 2>&1 || true
  grep -qi 'not *found' "$work/ldb.log" || fail "ldb finds the key 0x00, which is absent"
}

# Runs db_stress. Some features need a special build, an option that the OPTIONS file
# omits, or special hardware: flags switch them off. Flags that a release does not know
# are left out.
check_db_stress() {
  local ops=${STRESS_OPS:-100000} flag flags=()
  for flag in --clear_column_family_one_in=0 --read_fault_one_in=0 \
    --metadata_read_fault_one_in=0 --write_fault_one_in=0 \
    --metadata_write_fault_one_in=0 --open_read_fault_one_in=0 \
    --open_write_fault_one_in=0 --open_metadata_read_fault_one_in=0 \
    --open_metadata_write_fault_one_in=0 --secondary_cache_fault_one_in=0 \
    --sync_fault_injection=0 --compression_manager=none --remote_compaction_worker_threads=0; do
    local name=${flag#--}
    if grep -rqw "${name%%=*}" "$tree/db_stress_tool/db_stress_gflags.cc"; then
      flags+=("$flag")
    fi
  done
  mkdir -p "$work/expected"
  options_file "$STRESS_OPTIONS" "filter_policy=cassandra_bloom:10 format_version=5" >"$work/stress.ini"
  "$bin/db_stress" --db="$work/stress" --expected_values_dir="$work/expected" \
    --options_file="$work/stress.ini" --prefix_size=7 \
    --threads=4 --ops_per_thread="$ops" --reopen=5 --max_key=100000 --value_size_mult=33 \
    --column_families=1 --destroy_db_initially=1 --compact_range_one_in=20000 \
    --flush_one_in=5000 "${flags[@]}" >"$work/stress.log" 2>&1 ||
    { cp "$work/stress.log" "$tree/db_stress.log"
      fail "db_stress: $(tail -5 "$work/stress.log"); full log: $tree/db_stress.log"; }
  grep -q 'Verification successful' "$work/stress.log" ||
    fail "db_stress verified nothing: $(tail -5 "$work/stress.log")"
  grep -hq 'filter_policy=cassandra_bloom:10$' "$work"/stress/OPTIONS-* ||
    fail "db_stress ran without cassandra_bloom"
  stressed="4 x $ops operations, verified"
}

copy_plugin
step "RocksDB $release by $build"
build_by_"$build" >&2
step "the plugin's test"
build_test_by_hand
"$bin/$test" >"$work/test.log" 2>&1 || fail "$(cat "$work/test.log")"
passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\.$/\1/p' "$work/test.log")
step "db_bench"
write_database db_bench full
found=$(read_database db_bench full) || fail "db_bench: $found"
step "sst_dump, ldb"
check_tools
step "db_stress"
check_db_stress
step "done"
echo "| $release | $build | $(${CXX:-g++} -dumpfullversion) | $passed passed | $found | $stressed |"
