# SPDX-License-Identifier: Apache-2.0

# For scripts that need a bare Debian: to be sourced. open_chroot gives `root`, its
# folder, and what is in there is run by `inside` and installed by `install`.
# shellcheck shell=bash

step() { printf '\n==== %s (%d s)\n' "$*" "$SECONDS"; }
inside() { chroot "$root" env -i PATH="$PATH" HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
install() { inside apt-get -o Dpkg::Use-Pty=0 install -qq -y --no-install-recommends "$@" >/dev/null; }

close_chroot() {
  umount "$root/proc" 2>/dev/null || true
  if [ -n "${temporary-}" ]; then rm -rf "$temporary"; fi
}

# open_chroot RELEASE [FOLDER]: made by debootstrap, unless it is there; without a
# folder, a temporary one.
open_chroot() {
  root=${2-}
  if [ -z "$root" ]; then
    temporary=$(mktemp -d)
    root=$temporary/debian
  fi
  trap close_chroot EXIT
  if [ ! -e "$root/bin/sh" ]; then
    step "Debian $1"
    debootstrap --variant=minbase "$1" "$root" >/dev/null
  fi
  mount -t proc proc "$root/proc"
}
