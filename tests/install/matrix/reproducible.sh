#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: reproducible.sh RELEASE
#
# Builds the Debian packages and the static filterdb twice, in this Debian RELEASE, such as
# bookworm: in two folders, one after the other, as two users (root and another), in two
# locales and time zones, and with another number of jobs. All packages and both files must be
# equal. Takes 10 minutes of CPU time.
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
check_arguments 1 1 "$@"
own_mounts "$@"
make_chroot "$1" reproducible
copy_sources
install make tzdata
inside make -C /home/tester/sources packages deb-packages static-packages >/dev/null

# build FOLDER RUN JOBS LOCALE ZONE: RUN is inside or as_user.
build() {
  step "$*"
  rm -rf "${root:?}$1"
  mkdir -p "$root$1"
  cp -a "$root/home/tester/sources" "$root$1/source"
  rm -rf "$root$1/source/build"
  [ "$2" = as_user ] && inside chown tester: "$1" || inside chown -R root: "$1"
  logged "${1##*/}" "$2" env -C "$1/source" LC_ALL="$4" TZ="$5" bash -euc '
    DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$1" dpkg-buildpackage --build=binary --no-sign
    cmake --preset static
    cmake --build --preset static --parallel "$1" --target filterdb' build "$3"
}

sums() { (cd "$root$1" && sha256sum -- *.deb source/build/static/bin/filterdb); }

build /check/one inside "$jobs" C UTC
build /check/other/name as_user 1 C.UTF-8 Asia/Tokyo
sums /check/one
diff <(sums /check/one) <(sums /check/other/name)
echo "both builds are equal"
