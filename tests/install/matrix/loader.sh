#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: loader.sh
#
# Tests the loader where both RocksDB 7.8 and 9.10 are installed: on Debian 13, with RocksDB
# 7.8 from Debian 12. The packages are those that `debian_source.sh bookworm` and
# `debian_source.sh trixie` left.
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
check_arguments 0 0 "$@"
own_mounts "$@"
make_chroot trixie loader
uninstall  # apt-get installs nothing if an earlier run has ended while packages missed others.

step "RocksDB of both, and the tools of both"
mirror=$(sed -n "s/^deb \\([^ ]*\\) trixie.*/\\1/p" "$root/etc/apt/sources.list" | head -1)
echo "deb $mirror bookworm main" >"$root/etc/apt/sources.list.d/bookworm.list"
inside apt-get update -qq
install librocksdb9.10 librocksdb7.8 rocksdb-tools
rm -rf "$root/check"
mkdir -p "$root/check/tools-7.8"
inside bash -euc '
  cd /check
  apt-get download -qq rocksdb-tools/bookworm
  dpkg-deb -x rocksdb-tools_7.8*.deb tools-7.8'
cp "$here"/{policy_in_db_bench,databases}.sh "$root/check"
# package FILE: copies a package of debian_source.sh into the chroot, and prints its name there.
package() {
  cp "$chroots"/$1 "$root/check" || fail "no package: run debian_source.sh first"
  basename "$chroots"/$1
}
build_7_8=$(package "bookworm-package/check/deb/librocksdb-cassandra-bloom7.8-?.?_*.deb")
build_9_10=$(package "trixie-package/check/deb/librocksdb-cassandra-bloom9.10-?.?_*.deb")
loader=$(package "bookworm-package/check/deb/libcassandra-bloom-preload_*.deb")

# ---- The cases ----

declare -A db_bench=([7.8]=/check/tools-7.8/usr/bin/db_bench [9.10]=db_bench)
declare -A sst_dump=([7.8]=/check/tools-7.8/usr/bin/sst_dump [9.10]=sst_dump)
failed=0

check() {  # HOST EXPECTED: what the result must begin with.
  local result how
  for how in preload replace both; do
    result=$(inside /check/policy_in_db_bench.sh "${db_bench[$1]}" "${sst_dump[$1]}" $how 2>&1) || true
    printf 'host %-5s %-8s %s\n' "$1" "$how" "$result"
    if [[ $result != "$2"* || $result == *$'\n'* ]]; then
      echo "           EXPECTED: $2"
      failed=1
    fi
  done
}
# Checks programs without RocksDB. An unprivileged user starts one of them, which
# has the setuid bit. For such a program, the dynamic linker ignores the library,
# and says so if the library is named without its path.
check_others() {
  local folder name library program said expected
  folder=$(inside dpkg -L libcassandra-bloom-preload | sed -n 's|/libcassandra_bloom_preload.so$|/|p')
  for name in libcassandra_bloom_{preload,replace}.so; do
    for library in $name "$folder$name"; do
      for program in "true" "bash -c 'ls | wc -l >/dev/null'" \
        "setpriv --reuid=65534 --clear-groups su --version >/dev/null"; do
        expected=
        [[ $program != setpriv* || $library != "$name" ]] || expected="ERROR: ld.so: object '$name' from LD_PRELOAD \
cannot be preloaded (cannot open shared object file): ignored."
        said=$(inside env LD_PRELOAD="$library" bash -c "$program" 2>&1) || said+=" (failed)"
        [ "$said" = "$expected" ] || { echo "$program with $library said: $said"; failed=1; }
      done
    done
  done
}
refuses() { echo "cassandra_bloom: not loaded: no plugin for RocksDB $1: "; }

case_of() {  # WHAT: describes what is installed now
  step "$1"
  inside dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'librocksdb*' 'lib*cassandra-bloom*' |
    sed -n 's/^installed /  /p'
}

install "/check/$build_7_8" "/check/$loader"
check_others
case_of "both RocksDBs, the 7.8 build alone"
check 9.10 "$(refuses 9.10)"
check 7.8 used

install "/check/$build_9_10"
case_of "both RocksDBs, both builds"
check 9.10 used
check 7.8 used

# The loader stays, although the one of this build depends on the other plugin.
inside dpkg --purge --force-depends "${build_7_8%%_*}" >/dev/null 2>&1
case_of "both RocksDBs, the 9.10 build alone"
check 9.10 used
check 7.8 "$(refuses 7.8)"

inside dpkg --install "/check/$build_7_8" >/dev/null
inside dpkg --purge --force-depends librocksdb7.8 >/dev/null 2>&1
case_of "RocksDB 9.10 alone, both builds"
check 9.10 used

inside dpkg --purge --force-depends "${build_9_10%%_*}" >/dev/null 2>&1
case_of "RocksDB 9.10 alone, the 7.8 build alone"
check 9.10 "$(refuses 9.10)"
install --fix-broken

[ $failed = 0 ] || exit 1
step "passed"
