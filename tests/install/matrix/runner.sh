# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by the scripts of this folder. The comment at the head of a script, from
# "Usage:" on, is what its --help prints.

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
repository=$(realpath "$here/../../..")
jobs=${JOBS:-$(nproc)}
chroots=$(realpath -m "${CHROOTS:-$repository/build/chroots}")

step() { printf '\n==== %s (%d s)\n' "$*" "$SECONDS" >&2; }
fail() { echo "${0##*/}: $*" >&2; exit 1; }
# 77 is CTest's and Automake's exit status of a test that is skipped.
not_run() { echo "${0##*/}: NOT RUN: $*" >&2; exit 77; }

usage() {
  sed -n '/^# Usage:/,/^[^#]/s/^# \{0,1\}//p' "$0"
  if grep -q '^own_mounts ' "$0"; then
    cat <<END

Needs root; a Debian also debootstrap, a network and up to 4 GB. The Debian is made
once and kept, bare, in CHROOTS/RELEASE; the work is done in a copy of it.
Environment   CHROOTS=build/chroots; JOBS=$(nproc); KEEP=1 goes on in the copy that an
              earlier run of this script left
END
  fi
  printf '\nExit status 0 if all is well, 1 if not, 2 for wrong usage, 77 where it cannot run.\n'
}

# check_arguments MIN MAX ARGUMENTS...: prints the usage if it is asked for, or if the number
# of arguments is wrong. Options are environment variables.
check_arguments() {
  local min=$1 max=$2
  shift 2
  if [ "${1-}" = --help ]; then usage; exit; fi
  if [ $# -lt "$min" ] || [ $# -gt "$max" ] || [[ ${1-} == -* ]]; then usage >&2; exit 2; fi
}

# own_mounts ARGUMENTS...: goes on in a mount namespace of its own. All that is mounted there
# disappears with the script, however that ends.
own_mounts() {
  [ -z "${IN_OWN_MOUNTS-}" ] || return 0
  [ "$(id -u)" = 0 ] || not_run "mounts take root"
  unshare --mount true 2>/dev/null || not_run "nothing may be mounted here"
  IN_OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
}

# make_chroot RELEASE NAME: makes CHROOTS/RELEASE-NAME, and enters it.
make_chroot() {
  local bare=$chroots/$1 copy=$chroots/$1-$2
  if [ ! -d "$bare" ]; then
    command -v debootstrap >/dev/null || not_run "debootstrap is missing"
    step "Debian $1"
    rm -rf "$bare.part"
    mkdir -p "$chroots"
    debootstrap --variant=minbase "$1" "$bare.part" >"$bare.log" 2>&1 || fail "$(tail -n 5 "$bare.log")"
    # A mirror may be of an earlier day.
    echo 'Acquire::Check-Valid-Until "false";' >"$bare.part/etc/apt/apt.conf.d/old-mirror"
    chroot "$bare.part" /usr/sbin/useradd --create-home tester
    mv "$bare.part" "$bare"
  fi
  if [ -z "${KEEP-}" ] || [ ! -d "$copy" ]; then
    rm -rf --one-file-system "$copy"
    cp -a "$bare" "$copy"
  fi
  enter_chroot "$1-$2"
  inside apt-get update -qq
}

# enter_chroot FOLDER: mounts what programs need in CHROOTS/FOLDER, and sets `root`, where the
# functions below work. /dev/shm has the 64 MB that a container gives it.
enter_chroot() {
  root=$chroots/$1
  [ -d "$root" ] || fail "no $root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o size=64m tmpfs "$root/dev/shm"
}

# inside COMMAND...: runs it as root; as_user: as an ordinary user.
inside() {
  chroot "$root" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
as_user() { inside runuser -u tester -- env HOME=/home/tester "$@"; }
install() { inside apt-get -o Dpkg::Use-Pty=0 install -qq -y --no-install-recommends "$@" >/dev/null; }
version_of() { inside dpkg-query -W -f '${Version}' "$1"; }

# logged NAME COMMAND...: writes what it prints into a log beside the chroot. If it fails, also
# prints the end.
logged() {
  local log=$root.$1.log
  shift
  "$@" >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    echo "failed: $*; its whole output is in $log" >&2
    return 1
  }
}

# copy_sources: copies what git tracks to /home/tester/sources. Time stamps are kept, so that
# another run in the same copy compiles only what has changed.
copy_sources() {
  git -C "$repository" rev-parse >/dev/null || fail "needs a git clone"
  mkdir -p "$root/home/tester/sources"
  find "$root/home/tester/sources" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  (cd "$repository" && git ls-files -z | xargs -0 cp -p --parents -t "$root/home/tester/sources")
  inside chown -R tester: /home/tester/sources
}

# test_counts LOG: prints how many tests passed, were skipped and failed.
test_counts() {
  local failed total skipped
  read -r failed total < <(sed -nE 's/^.* ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$1") ||
    fail "no tests ran: $(tail -n 5 "$1")"
  skipped=$(grep -c '\*\*\*Skipped' "$1" || true)
  echo "$((total - failed - skipped)) $skipped $failed"
}

# uninstall: removes all packages of this project.
uninstall() {
  inside sh -c "dpkg-query -W -f '\${db:Status-Status} \${Package}:\${Architecture}\n' \
    'lib*cassandra-bloom*' filterdb sst-filters 2>/dev/null | sed -n 's/^installed //p' | xargs -r dpkg --purge >/dev/null"
}

# debug_rocksdb TREE [thread]: builds RocksDB's shared library with assertions, and with
# ThreadSanitizer if `thread` is given, in a folder of TREE, where RocksDB's tests can then be
# built. Prints the folder's name.
debug_rocksdb() {
  local tree build
  tree=$(realpath "$1")
  [ -f "$tree/include/rocksdb/version.h" ] || fail "'$1' is not a source tree of RocksDB"
  build=$tree/build-debug${2+-$2}
  cmake -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g0" \
    -DCMAKE_C_FLAGS_DEBUG=-O1 ${2+-DWITH_TSAN=ON} -DFAIL_ON_WARNINGS=OFF -DPORTABLE=1 \
    -DWITH_GFLAGS=ON -DWITH_LIBURING=OFF -DROCKSDB_BUILD_SHARED=ON -DWITH_TOOLS=OFF \
    -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TRACE_TOOLS=OFF >&2
  cmake --build "$build" --parallel "$jobs" --target rocksdb-shared >&2
  echo "$build"
}
