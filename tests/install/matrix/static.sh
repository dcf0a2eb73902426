#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: static.sh FILE [CHROOT...]
#
# FILE    the file that "make filterdb-static" wrote, of this CPU or of arm64
# CHROOT  a folder with a Debian, such as debootstrap makes
#
# In an empty folder with FILE alone, and then in each CHROOT, as root's new root folder: makes
# a filter, damages it, and lets FILE check, scan and mend. All answers must be the same
# everywhere. Prints a line for each place. A file of arm64 runs by qemu-aarch64, without a
# CHROOT.
#
# Needs binutils, and for arm64 qemu-user.
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"

check_arguments 1 99 "$@"
own_mounts "$@"
file=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'umount --lazy "$work"/*/proc 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

case $(od -An -t u1 -j 18 -N 1 "$file" | tr -d ' ') in
  62) emulator=() ;;
  183) emulator=(qemu-aarch64) ;;
  *) fail "$file is of another CPU" ;;
esac
! readelf --program-headers "$file" | grep -q INTERP || fail "$file needs shared libraries"

# enter ROOT ARGUMENTS...: filterdb in the folder, whose /proc is mounted.
enter() {
  local root=$1
  shift
  if [ ${#emulator[@]} = 0 ]; then
    chroot "$root" /filterdb "$@"
  else
    (cd "$root" && "${emulator[@]}" "$file" "$@")
  fi
}

# steps ROOT: all answers, without the name of the folder.
steps() {
  local root=$1 path=/check
  if [ ${#emulator[@]} -gt 0 ]; then path=$root/check; fi
  local filter=$path/ks/t/me-1-big-Filter.db
  rm -rf "$root/check" "$root/check-run"
  mkdir -p "$root/check/ks/t"
  printf '\0\5alice\0\3bob\0\5carol' >"$root/check/ks/t/me-1-big-Data.db"
  printf '\0\5alice\0\0\0\3bob\7\0\0\5carol\14\0' >"$root/check/ks/t/me-1-big-Index.db"
  {
    printf '\0\0\0\2\0\0\0\0\0\0\0\24\0\0\0\2\0\0\0\64\0\26ByteOrderedPartitioner'
    printf '\77\204\172\341\107\256\24\173\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3'
  } >"$root/check/ks/t/me-1-big-Statistics.db"
  printf 'alice\nbob\n' | enter "$root" build --keys=- --key-format=text --fp-chance=0.01 --out="$filter"
  printf 'alice\nbob\n' | enter "$root" check "$filter" --keys=- --key-format=text
  enter "$root" info "$filter"
  enter "$root" scan "$path" || echo "exit status $?"
  enter "$root" mend --in-place --node-is-down --run="$path-run" "$path" || echo "exit status $?"
  enter "$root" scan --json "$path" || echo "exit status $?"
}

try_in() {  # try_in NAME ROOT
  cp "$file" "$2/filterdb"
  mkdir -p "$2/proc"
  mount -t proc proc "$2/proc"
  # Not "steps || fail", because that would switch off "set -e" in it.
  steps "$2" >"$work/all"
  sed "s|$2||g" "$work/all" >"$work/answers"
  local wanted
  for wanted in 'keys missing' '1 installed' ' ok'; do
    grep -q "$wanted" "$work/answers" || fail "$1: no \"$wanted\" in $(cat "$work/answers")"
  done
  [ -e "$work/expected" ] || cp "$work/answers" "$work/expected"
  cmp "$work/expected" "$work/answers" || fail "$1: other answers: $(diff "$work/expected" "$work/answers")"
  rm -rf "$2/check" "$2/check-run" "$2/filterdb"
  echo "$1: $(wc -l <"$work/answers") lines, as everywhere"
}

mkdir "$work/empty"
try_in "$([ ${#emulator[@]} = 0 ] && echo "an empty folder" || echo "qemu-aarch64")" "$work/empty"
for root; do
  try_in "$(cat "$root/etc/debian_version"), $root" "$(realpath "$root")"
done
