#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the preset dev in a bare Debian, and runs its quick tests; see usage.
set -euo pipefail

usage="Usage: quick_tests.sh [--root=FOLDER] RELEASE

Builds everything with the compiler and the RocksDB of this Debian RELEASE, such as
trixie, warnings being errors, and runs the quick tests.

FOLDER holds the Debian; debootstrap puts it there if it is missing. Without --root it is
temporary.

Needs root, debootstrap, a network, 3 GB. Where no chroot can be made, a line says so.
Exit status 0 if all tests passed or no chroot can be made, 1 if not, 2 for wrong usage."

# shellcheck source=tests/install/matrix/chroot.sh
. "$(dirname "$0")/chroot.sh"
read_release "$@"

not_run() { echo "not run on $release: $1"; exit 0; }
[ "$(id -u)" = 0 ] || not_run "a chroot takes root"
command -v debootstrap >/dev/null || not_run "debootstrap is missing"

open_chroot "$release" "$root" || not_run "debootstrap or mount failed"
copy_sources

step "packages of $release"
inside apt-get update -qq
install make
inside make -C /check/sources packages test-packages >/dev/null

step "everything, by its compiler $(inside g++ -dumpfullversion)"
inside bash -euc 'cd /check/sources
  cmake --preset dev -DCMAKE_CXX_FLAGS="-O2 -g0"
  cmake --build --preset dev --parallel "$(nproc)"'

step "the quick tests, with its RocksDB $(inside dpkg-query -W -f '${Version}' librocksdb-dev)"
inside bash -euc 'cd /check/sources && ctest --preset dev -L quick'
