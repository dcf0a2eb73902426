#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tries a program in Rust; see usage.
set -euo pipefail

# shellcheck source=tests/install/hosts/host.sh
. "$(dirname "$0")/host.sh"

usage() {
  cat <<END
Usage: rust.sh [trixie|sid] [--root=FOLDER]

Builds the program in the folder rust with Debian's crate rocksdb, which uses the
shared librocksdb, and runs it in four ways: with RocksDB's Bloom filter; with
libcassandra_bloom_replace.so preloaded; with an options string, with the loader
preloaded; and with an options string, linked to the plugin. All answers must be the
same, and all SST files must have the right filter. Prints a row for each of our
three ways.

$row_usage
END
}

read_arguments "trixie sid" "$@"
open_host cargo librust-rocksdb-dev

step "building the program"
build() {  # NAME ARGUMENTS...
  local name=$1
  shift
  inside sh -ec "
    cd /check/rust
    RUSTFLAGS='-L $libraries' cargo build --release --offline --target-dir=/check/rust_target $*
    cp /check/rust_target/release/rust_host $work/$name" \
    >"$root$work/cargo.log" 2>&1 || fail "$(tail -40 "$root$work/cargo.log")"
}
# A copy, because cargo writes Cargo.lock.
rm -rf "$root/check/rust"
cp -r "$hosts/rust" "$root/check/rust"
build rust_host
build rust_host_linked --features=linked
inside ldd "$work/rust_host" | grep rocksdb >&2 || fail "not linked to a shared librocksdb"

run() {  # NAME PROGRAM MODE VARIABLE
  step "$1"
  inside env ${4:+"$4"} "$work/$2" "$3" "$work/$1" "$work/$1.answers" \
    >"$root$work/$1.tickers"
  cat "$root$work/$1.tickers" >&2
  doctor "$1"
}
run plain rust_host bloom ""
run replace rust_host bloom LD_PRELOAD=$libraries/libcassandra_bloom_replace.so
run string rust_host string LD_PRELOAD=$libraries/libcassandra_bloom_preload.so
run linked rust_host_linked string LD_LIBRARY_PATH=$libraries

step "comparing"
for way in replace string linked; do
  same plain.answers $way.answers $way
  only_filters $way default "$ours"
  id=cassandra_bloom:16
  [ $way != replace ] || id+=:blocks:rocksdb
  grep -q "filter_policy=$id\$" "$(newest_options $way)" || fail "$way: OPTIONS: no $id"
  grep -q '^[1-9]' "$root$work/$way.tickers" || fail "$way: the filters gave no negative answer"
done
only_filters plain default "$rocksdbs"
step "passed"
row() {  # NAME HOW
  echo "| Rust, crate rocksdb $(version_of librust-rocksdb-dev) ($(rocksdb_version)) | $2" \
    "| 200,000 rows and 100,000 absent keys, at 16 bits per key" \
    "| $(cat "$root$work/$1.tickers") [$(cat "$root$work/plain.tickers")] | $(today) |"
}
row replace replaced
row string "options string with the loader"
row linked "options string, linked"
