# SPDX-License-Identifier: Apache-2.0

# Sourced by scripts of this folder that try a host: a program that uses the shared
# librocksdb of a Debian release, and knows nothing of this repository. The host runs
# in a chroot, in which this repository is built, too.
# shellcheck shell=bash

hosts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
libraries=/check/sources/build/release/lib
name=${0##*/}
work=/check/work/${name%.sh}  # A folder in the chroot, for the databases and the answers.
unset LD_PRELOAD

# shellcheck source=tests/install/matrix/chroot.sh
. "$hosts/../matrix/chroot.sh"
step() { printf '\n==== %s (%d s)\n' "$*" "$SECONDS" >&2; }
fail() { echo "$name: $*" >&2; exit 1; }

row_usage="Needs root. Prints a row for \"What was run\" in docs/hosts.md, and everything else
on stderr.

--root=FOLDER  the chroot; debootstrap puts a Debian there if it is missing. Without
               it, the chroot is temporary. What is built there already is not built
               again
Environment    JOBS=2"

# read_arguments "RELEASES" ARGUMENTS...: sets `release` and `folder`. Without a
# RELEASE in ARGUMENTS, it is the first of RELEASES.
read_arguments() {
  local releases=$1 argument
  release=${1%% *} folder=
  shift
  for argument; do
    case $argument in
      --help) usage; exit ;;
      --root=?*) folder=${argument#--root=} ;;
      *)
        if [[ $argument = -* || " $releases " != *" $argument "* ]]; then
          usage >&2
          exit 2
        fi
        release=$argument ;;
    esac
  done
}

# open_host PACKAGES...: makes the chroot, installs PACKAGES, and builds this
# repository.
open_host() {
  open_chroot "$release" "$folder"
  step "packages"
  inside apt-get update -qq
  install cmake g++ libcli11-dev libgflags-dev librocksdb-dev make nlohmann-json3-dev python3 \
    rocksdb-tools "$@"
  step "building cassandra_bloom"
  copy_sources
  if ! inside sh -ec "
    cd /check/sources
    cmake --preset release
    cmake --build --preset release --parallel ${JOBS:-2} --target sst_filters \
      rocksdb_cassandra_bloom cassandra_bloom_preload cassandra_bloom_replace
    cc -std=gnu11 -O2 -Wall -Wextra -shared -fPIC tests/install/hosts/statistics.c \
      -o /check/statistics.so -ldl -lpthread" >"$root/check/build.log" 2>&1; then
    tail -50 "$root/check/build.log" >&2
    fail "cassandra_bloom does not build"
  fi
  rm -rf "${root:?}$work"
  mkdir -p "$root$work"
}

version_of() { inside dpkg-query -W -f '${Version}' "$1"; }
rocksdb_version() {
  inside dpkg-query -W -f '${source:Upstream-Version}\n' librocksdb-dev
}

# run_with MODE COMMAND...: runs COMMAND in the chroot. MODE is a list of what is
# preloaded, in the order of the list, divided by commas:
#   plain       nothing
#   replace     this filter in the place of RocksDB's Bloom filter
#   loader      libcassandra_bloom_preload.so
#   statistics  RocksDB's statistics, into $work/statistics (statistics.c)
run_with() {
  local preload= what
  for what in ${1//,/ }; do
    case $what in
      plain) ;;
      replace) preload+=" $libraries/libcassandra_bloom_replace.so" ;;
      loader) preload+=" $libraries/libcassandra_bloom_preload.so" ;;
      statistics) preload+=" /check/statistics.so" ;;
      *) fail "run_with: $what" ;;
    esac
  done
  shift
  inside env ${preload:+"LD_PRELOAD=${preload# }"} STATISTICS_FILE="$work/statistics" "$@"
}

# start_server MODE COMMAND...: starts COMMAND, which writes to $root$work/server.log.
# Sets `server` to the ID for stop_process.
start_server() {
  run_with "$@" >"$root$work/server.log" 2>&1 &
  server=$!
}

# stop_process ID: ends a COMMAND of start_server, and waits until it has closed its files.
stop_process() {
  # ID is a shell of its own, which executes the function run_with and waits for its only
  # child. The child is COMMAND itself, as chroot and env start no process. So only the
  # child is told to end.
  local children
  read -r children <"/proc/$1/task/$1/children" || true
  # shellcheck disable=SC2086
  kill ${children:-$1} 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

free_port() {
  inside python3 -c '
import socket
with socket.socket() as any_port:
    any_port.bind(("127.0.0.1", 0))
    print(any_port.getsockname()[1])'
}

wait_for_port() {  # PORT
  inside python3 -c '
import socket, sys, time
for _ in range(300):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit("nothing listens")' "$1"
}

# same FILE FILE WHAT: both files in $work are the same, and not empty.
same() {
  [ -s "$root$work/$1" ] || fail "$3: no answers in $1"
  cmp "$root$work/$1" "$root$work/$2" >&2 || fail "$3: the answers in $1 and $2 differ"
}

# doctor DATABASE: writes what sst_filters doctor prints into $root$work/DATABASE.doctor, and
# a line for each SST file to stderr. sst_filters exits with 2 if a filter is not used. That
# is no failure here, so the exit status is ignored.
doctor() {
  inside "$libraries/../bin/sst_filters" doctor --json --db="$work/$1" >"$root$work/$1.doctor" || true
  files "$1" >&2
}

# The policies as `files` prints them: ours, and RocksDB's Bloom filter.
ours=' cassandra_bloom '
rocksdbs=' bloomfilter '

# files DATABASE [COLUMN_FAMILY]: prints a line for each SST file that the last `doctor
# DATABASE` has seen: the file, the policy that wrote its filter, and whether it is used.
files() {
  python3 -c '
import json, sys
for family in json.load(open(sys.argv[1]))["column_families"]:
    if family["name"] in (sys.argv[2:] or [family["name"]]):
        for sst in family["ssts"]:
            policy = sst["policy"] if sst["filter_bytes"] else "(no filter)"
            print(sst["file"], policy, sst["use"])
' "$root$work/$1.doctor" "${@:2}"
}

# only_filters DATABASE COLUMN_FAMILY POLICY: the column family must have SST files with
# keys, and each of them must have a filter of this policy.
only_filters() {
  local found
  found=$(files "$1" "$2") || fail "$1: no SST files in $2"
  if grep -vE "$3" <<<"$found" >&2; then fail "$1: these SST files have no filter of the policy$3"; fi
}

newest_options() { find "$root$work/$1" -name 'OPTIONS-*[0-9]' | sort | tail -n 1; }

# ticker NAME FILE: RocksDB's count of rocksdb.NAME in a file of statistics in $work.
ticker() { sed -n "s/^rocksdb\\.$1 COUNT : //p" "$root$work/$2" | tail -n 1; }

# filter_answers FILE: the look-ups that filters rejected, and those that passed in vain,
# from a file of statistics.
filter_answers() {
  local positive true_positive
  positive=$(ticker bloom.filter.full.positive "$1")
  true_positive=$(ticker bloom.filter.full.true.positive "$1")
  echo "$(ticker bloom.filter.useful "$1"), $((positive - true_positive))"
}

today() { date +%F; }
