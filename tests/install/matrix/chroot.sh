# SPDX-License-Identifier: Apache-2.0

# Sourced by scripts that need a bare Debian. open_chroot sets `root` to the folder
# of the Debian. `inside` runs a command in the Debian, and `install` installs
# packages in it. `sources` is this repository.
# shellcheck shell=bash

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

step() { printf '\n==== %s (%d s)\n' "$*" "$SECONDS"; }
inside() { chroot "$root" env -i PATH="$PATH" HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
install() { inside apt-get -o Dpkg::Use-Pty=0 install -qq -y --no-install-recommends "$@" >/dev/null; }

close_chroot() {
  umount "$root/proc" "$root/dev/shm" 2>/dev/null || true
  if [ -n "${temporary-}" ]; then rm -rf "$temporary"; fi
}

# open_chroot RELEASE [FOLDER]: makes a chroot with debootstrap, unless FOLDER already
# contains one. Without FOLDER, the chroot is temporary. It has a /dev/shm, because tests
# of leases take a tmpfs. Fails if that is not possible.
open_chroot() {
  root=${2-}
  if [ -z "$root" ]; then
    temporary=$(mktemp -d)
    root=$temporary/debian
  fi
  trap close_chroot EXIT
  if [ ! -e "$root/bin/sh" ]; then
    step "Debian $1"
    debootstrap --variant=minbase "$1" "$root" >/dev/null || return 1
  fi
  mount -t proc proc "$root/proc"
  mkdir -p "$root/dev/shm"
  mount -t tmpfs tmpfs "$root/dev/shm"
}

# read_release ARGUMENTS...: sets `root`, the FOLDER of --root=FOLDER or nothing, and
# `release`, the Debian release that is given. Prints `usage` if it is asked for, or if the
# arguments are wrong.
read_release() {
  root=''
  case ${1-} in --root=?*) root=$(realpath -m "${1#*=}"); shift ;; esac
  case ${1-} in
    --help) echo "$usage"; exit ;;
    '' | -*) echo "$usage" >&2; exit 2 ;;
  esac
  release=$1
}

# copy_sources: copies this repository into /check/sources of the chroot. The time
# stamps are kept, so that another run compiles only what has changed.
copy_sources() {
  git -C "$sources" rev-parse || { echo "this script needs a git clone" >&2; exit 1; }
  mkdir -p "$root/check/sources"
  (cd "$sources" && git ls-files -z | xargs -0 cp -p --parents -t "$root/check/sources")
}

# read_package_arguments ARGUMENTS...: sets `root`, the FOLDER of --root=FOLDER, and
# `packages`, the folder of Debian packages that is given or that `make deb` wrote.
read_package_arguments() {
  local argument
  packages=$sources/build/deb/packages root=
  for argument; do
    case $argument in
      --help) echo "$usage"; exit ;;
      --root=*) root=${argument#--root=} ;;
      -*) echo "$usage" >&2; exit 2 ;;
      *) packages=$argument ;;
    esac
  done
  ls "$packages"/*.deb >/dev/null || { echo "no packages in $packages: make deb" >&2; exit 1; }
}
