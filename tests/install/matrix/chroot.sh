# SPDX-License-Identifier: Apache-2.0

# Sourced by scripts that need a bare Debian. open_chroot sets `root` to its
# folder; `inside` runs a command in it, and `install` installs packages there.
# shellcheck shell=bash

step() { printf '\n==== %s (%d s)\n' "$*" "$SECONDS"; }
inside() { chroot "$root" env -i PATH="$PATH" HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
install() { inside apt-get -o Dpkg::Use-Pty=0 install -qq -y --no-install-recommends "$@" >/dev/null; }

close_chroot() {
  umount "$root/proc" 2>/dev/null || true
  if [ -n "${temporary-}" ]; then rm -rf "$temporary"; fi
}

# open_chroot RELEASE [FOLDER]: makes a chroot with debootstrap, unless FOLDER already
# contains one. Without FOLDER, the chroot is temporary.
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
