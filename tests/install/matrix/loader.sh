#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests the loader where both RocksDB 7.8 and 9.10 are installed: on Debian 13
# with RocksDB 7.8 from Debian 12.
set -euo pipefail

usage="usage: loader.sh [--root=FOLDER] [--keep-9.10] [PACKAGES]

Needs root. PACKAGES is the folder that \`make deb\` wrote on Debian 12
(build/deb/packages). The packages for RocksDB 9.10 are made in a Debian 13 in
FOLDER. debootstrap puts it there if it is missing; without --root it is temporary.
--keep-9.10: use the packages that an earlier run made in FOLDER."
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/install/matrix/chroot.sh
. "$here/chroot.sh"
keep= arguments=()
for argument; do
  if [ "$argument" = --keep-9.10 ]; then keep=1; else arguments+=("$argument"); fi
done
read_package_arguments "${arguments[@]}"
ls "$packages"/*7.8*.deb >/dev/null || { echo "no packages for 7.8 in $packages: make deb"; exit 1; }

open_chroot trixie "$root"

# Removes the packages that an earlier run installed. apt-get installs nothing if that run has
# ended while some of them missed others.
inside sh -c "dpkg-query -W -f '\${Package}\n' 'lib*cassandra-bloom*' 2>/dev/null | xargs -r dpkg --purge >/dev/null"

step "RocksDB of both, and the tools of both"
mirror=$(sed -n "s/^deb \\([^ ]*\\) trixie.*/\\1/p" "$root/etc/apt/sources.list" | head -1)
echo "deb $mirror bookworm main" >"$root/etc/apt/sources.list.d/bookworm.list"
inside apt-get update -qq
install make librocksdb9.10 librocksdb7.8 rocksdb-tools
inside bash -euc '
  mkdir -p /check/tools-7.8
  cd /check
  apt-get download -qq rocksdb-tools/bookworm
  dpkg-deb -x rocksdb-tools_7.8*.deb tools-7.8'
rm -rf "$root/check/7.8"
cp -r "$packages" "$root/check/7.8"
cp "$here/policy_in_db_bench.sh" "$root/check"

if [ -z "$keep" ]; then
  step "building for 9.10"
  rm -rf "$root/check/sources"
  copy_sources
  inside make -C /check/sources deb JOBS=2 >"$root/check/make_deb.log" 2>&1 || {
    tail -50 "$root/check/make_deb.log"
    exit 1
  }
fi
build_7_8=$(cd "$root" && ls check/7.8/librocksdb-cassandra-bloom7.8-*.deb)
build_9_10=$(cd "$root" && ls check/sources/build/deb/packages/librocksdb-cassandra-bloom9.10-*.deb)
loader=$(cd "$root" && ls check/7.8/libcassandra-bloom-preload_*.deb)

package_in() {  # FILE: the name of the package in a .deb file
  local file=${1##*/}
  echo "${file%%_*}"
}

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

install "/$build_7_8" "/$loader"
check_others
case_of "both RocksDBs, the 7.8 build alone"
check 9.10 "$(refuses 9.10)"
check 7.8 used

install "/$build_9_10"
case_of "both RocksDBs, both builds"
check 9.10 used
check 7.8 used

# The loader stays, although the one of this build depends on the other plugin.
inside dpkg --purge --force-depends "$(package_in "$build_7_8")" >/dev/null 2>&1
case_of "both RocksDBs, the 9.10 build alone"
check 9.10 used
check 7.8 "$(refuses 7.8)"

inside dpkg --install "/$build_7_8" >/dev/null
inside dpkg --purge --force-depends librocksdb7.8 >/dev/null 2>&1
case_of "RocksDB 9.10 alone, both builds"
check 9.10 used

inside dpkg --purge --force-depends "$(package_in "$build_9_10")" >/dev/null 2>&1
case_of "RocksDB 9.10 alone, the 7.8 build alone"
check 9.10 "$(refuses 9.10)"
install --fix-broken

[ $failed = 0 ] || exit 1
step "passed"
