# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by ../run.sh. The crate is linked to Debian's shared librocksdb.
grep -q "\"=$version\"" "$hosts/rust/Cargo.toml" || fail "rust/Cargo.toml has another release of rocksdb"
build plugin
libraries=$repository/build/release/lib
cp -r "$hosts/rust" "$work"  # Cargo writes Cargo.lock.
for features in "" linked; do
  step "cargo ${features:-(not linked)}"
  ROCKSDB_LIB_DIR=$(dirname "$(realpath "$(cc -print-file-name=librocksdb.so)")") ROCKSDB_INCLUDE_DIR=/usr/include \
    RUSTFLAGS="-L $libraries" cargo build --features="$features" \
    --manifest-path="$work/rust/Cargo.toml" --target-dir="$work/target$features" >"$work/cargo.log" 2>&1 ||
    fail "$(tail -40 "$work/cargo.log")"
done

try() {  # NAME MODE PRELOADED code|file DATABASE
  step "$1"
  run_with "$2" "$3" "$work/target/debug/rust_host" "$4" "$work/$5" >"$work/$1.log"
  cat "$work/$1.log" >&2
}
replace=$libraries/libcassandra_bloom_replace.so
try plain plain "" code plain
try ours ours "$replace" code ours
try mix mix "$replace" code mix
expect_filters "$work/plain" bloomfilter bloomfilter
expect_filters "$work/ours" cassandra_bloom cassandra_bloom:16:blocks:rocksdb
expect_filters "$work/mix" bloomfilter bloomfilter

# By the OPTIONS file of `ours`, with the loader, and linked.
try file ours "$libraries/libcassandra_bloom_preload.so" file ours
step linked
LD_LIBRARY_PATH=$libraries "$work/targetlinked/debug/rust_host" file "$work/ours" >"$work/linked.log"
for way in file linked; do
  cmp "$work/$way.log" "$work/ours.log" || fail "$way: the filters are others"
done
expect_filters "$work/ours" cassandra_bloom cassandra_bloom:16:blocks:rocksdb
try back plain "" code ours
step "passed"
row() { echo "$(figure "$1.log" useful), $(figure "$1.log" false)"; }
echo "| Rust, crate rocksdb $version ($(release "$work/plain"))" \
  "| replaced, also \`mix\`; OPTIONS file, with the loader and linked" \
  "| 200,000 rows, as many absent ones, at 16 bits per key" \
  "| $(row ours); with \`mix\` $(row mix) [$(row plain)] | $(date +%F) |"
