#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Shows that two builds give the same files; see usage.
set -euo pipefail

usage="Usage: reproducible.sh [FOLDER]

Builds the Debian packages and the static filterdb twice: in two folders, one after the
other, as two users (root and nobody), in two locales and time zones, and with another
number of jobs. Compares all packages and both files.

FOLDER  where to build; without it, a temporary one

Needs root, and what make deb and make filterdb-static need. Takes 10 minutes of CPU time.
Exit status 0 if all is equal, 1 if not, 2 for wrong usage."

case ${1-} in
  --help) echo "$usage"; exit ;;
  -*) echo "$usage" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "$usage" >&2; exit 2; }
repository=$(realpath "$(dirname "$0")/../../..")
work=$(realpath -m "${1-$(mktemp -d)}")
[ $# = 1 ] || trap 'rm -rf "$work"' EXIT
# Objects of a cache would be those of the first build.
export CCACHE_DISABLE=1

# build FOLDER USER JOBS LOCALE ZONE
build() {
  rm -rf "$1"
  mkdir -p "$1/source"
  (cd "$repository" && git ls-files -z | xargs -0 cp --parents -t "$1/source")
  chown -R "$2" "$1"
  chmod 755 "$work"  # For nobody.
  (cd "$1/source" && runuser -u "$2" -- env HOME="$1" LC_ALL="$4" TZ="$5" bash -euc '
    DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$1" dpkg-buildpackage --build=binary --no-sign
    cmake --preset static
    cmake --build --preset static --parallel "$1" --target filterdb' build "$3") >"$1.log" 2>&1 ||
    { tail -n 20 "$1.log" >&2; exit 1; }
}

sums() { (cd "$1" && sha256sum -- *.deb source/build/static/bin/filterdb); }

build "$work/one" root "$(nproc)" C UTC
build "$work/other/name" nobody 1 C.UTF-8 Asia/Tokyo
sums "$work/one"
diff <(sums "$work/one") <(sums "$work/other/name") && echo "both builds are equal"
