#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: distributions.sh [quick] RELEASE...
#
# In each Debian RELEASE, such as trixie, builds everything from the files that git tracks,
# with its compiler and its RocksDB, and runs `make test` and `make demo`; with `quick` only
# the quick tests. An ordinary user does, as in a container: without git, and with 64 MB in
# /dev/shm. Prints a table of the results.
#
# AS=root       root does
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
check_arguments 1 99 "$@"
own_mounts "$@"
quick=
if [ "$1" = quick ]; then
  quick=1
  shift
  check_arguments 1 99 "$@"
fi
if [ "${AS-}" = root ]; then as_user() { inside "$@"; }; fi

# test_in RELEASE: sets `row`.
test_in() {
  local tests=0 demo=- counts
  make_chroot "$1" tests
  copy_sources
  install make
  step "$1: packages"
  logged packages inside make -C /home/tester/sources packages test-packages || return 1
  step "$1: make test, g++ $(inside g++ -dumpfullversion), RocksDB $(version_of librocksdb-dev)"
  logged test as_user make -C /home/tester/sources "JOBS=$jobs" test ${quick:+"TESTS=-L quick"} || tests=1
  counts=$(test_counts "$root.test.log") || return 1
  if [ -z "$quick" ]; then
    step "$1: make demo"
    demo=yes
    logged demo as_user make -C /home/tester/sources "JOBS=$jobs" demo || demo=no
  fi
  row="| $1 | $(version_of librocksdb-dev) | $(inside g++ -dumpfullversion) | ${counts// / | } | $demo | $(date +%F) |"
  [ $tests = 0 ] && [ $demo != no ]
}

rows=() status=0
for release; do
  row="| $release | did not run |"
  test_in "$release" || status=1
  rows+=("$row")
done
echo '| release | librocksdb-dev | g++ | passed | skipped | failed | demo | date |'
echo '|---|---|---|---:|---:|---:|---|---|'
printf '%s\n' "${rows[@]}"
exit $status
