#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs `make test` and `make demo` on Debian releases, each in its own chroot.
set -euo pipefail

ALL_RELEASES=(trixie bookworm sid)
REPOSITORY=$(cd "$(dirname "$0")/../../.." && pwd)

usage() {
  cat <<END
Usage: $0 [--ccache=DIR] [--jobs=N] [--snapshot] CHROOTS all|RELEASE...

Runs \`make test\` and \`make demo\` on Debian releases, ${ALL_RELEASES[*]}, in the
unpacked archive that \`make dist\` makes of the last commit (HEAD), and prints a table
of the results.

CHROOTS is a folder. The chroot of a release is CHROOTS/RELEASE; debootstrap makes
it if it is not there. Its logs are CHROOTS/RELEASE.*.log. Packages such as
librocksdb-dev are those that the release has today.

  --ccache=DIR  keep compilation results in DIR for the next run
  --jobs=N      compile this many files at once (default: one per CPU)
  --snapshot    accept expired package lists, from a mirror of an earlier day

Needs root, debootstrap, a network, and 3 GB per chroot. Exit status 0 if all
tests passed and all demos ran, 1 if not, 2 for wrong usage.
END
}

fail_usage() {
  echo "$0: $1; see --help" >&2
  exit 2
}

ccache= jobs=$(nproc) snapshot=
while [[ ${1-} == -* ]]; do
  case $1 in
    --help) usage; exit ;;
    --ccache=?*) ccache=$(realpath -m "${1#*=}") ;;
    --jobs=[1-9]*) jobs=${1#*=} ;;
    --snapshot) snapshot=--snapshot ;;
    *) fail_usage "unknown option $1" ;;
  esac
  shift
done
[[ $# -ge 2 ]] || fail_usage "no folder or no release given"
chroots=$(realpath -m "$1")
shift
releases=("$@")
[[ $* == all ]] && releases=("${ALL_RELEASES[@]}")
for release in "${releases[@]}"; do
  [[ " ${ALL_RELEASES[*]} " == *" $release "* ]] ||
    fail_usage "unknown release $release (known: ${ALL_RELEASES[*]})"
done
[[ $(id -u) == 0 ]] || fail_usage "chroots take root: run it with sudo"
command -v debootstrap >/dev/null ||
  fail_usage "debootstrap is missing: apt-get install debootstrap"

# This process gets mounts of its own. They disappear when it ends, for any reason.
if [[ ${CASSANDRA_BLOOM_MOUNTS-} != own ]]; then
  exec env CASSANDRA_BLOOM_MOUNTS=own unshare --mount "$0" \
    ${ccache:+"--ccache=$ccache"} "--jobs=$jobs" $snapshot "$chroots" "${releases[@]}"
fi

progress() { printf '%(%H:%M:%S)T %s: %s\n' -1 "$release" "$*" >&2; }

# logged NAME COMMAND...: writes the command's output only to the log NAME.
logged() {
  local log=$chroots/$release.$1.log
  shift
  progress "$* (log: $log)"
  "$@" >"$log" 2>&1 || {
    progress "failed; the end of $log:"
    tail -n 20 "$log" >&2
    return 1
  }
}

make_chroot() {
  rm -rf "$chroot.part"
  debootstrap --variant=minbase "$release" "$chroot.part" &&
    mv "$chroot.part" "$chroot"
}

# bind FOLDER PLACE-IN-CHROOT: mounts the folder in the chroot.
bind() {
  mkdir -p "$chroot$2"
  mount --rbind "$1" "$chroot$2"
}

inside() {
  chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${ccache:+CCACHE_DIR=/ccache} ${ccache:+CCACHE_MAXSIZE=2G} \
    ${ccache:+CMAKE_C_COMPILER_LAUNCHER=ccache} \
    ${ccache:+CMAKE_CXX_COMPILER_LAUNCHER=ccache} "$@"
}

prepare() {
  local apt_conf=$chroot/etc/apt/apt.conf.d/snapshot
  rm -f "$apt_conf"
  [[ -z $snapshot ]] ||
    echo 'Acquire::Check-Valid-Until "false";' >"$apt_conf"
  inside apt-get update &&
    inside apt-get install -y --no-install-recommends make ${ccache:+ccache} &&
    rm -rf "$chroot/root/cassandra_bloom" &&
    mkdir "$chroot/root/cassandra_bloom" &&
    tar x -C "$chroot/root/cassandra_bloom" --strip-components=1 -f "$archive"
}

make_inside() { inside make -C /root/cassandra_bloom "JOBS=$jobs" "$1"; }

# Prints "passed | skipped | failed" from the last lines of ctest's log.
test_counts() {
  local log=$chroots/$release.test.log failed total skipped
  read -r failed total < <(sed -nE \
    's/^.* ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log") || {
    echo "did not run | | "
    return
  }
  skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
  echo "$((total - failed - skipped)) | $skipped | $failed"
}

run_release() {
  local tests=0 demo=yes
  chroot=$chroots/$release
  [[ -d $chroot ]] || logged debootstrap make_chroot || return 1
  mount -t proc proc "$chroot/proc"
  bind /dev /dev
  [[ -z $ccache ]] || bind "$ccache" /ccache
  logged prepare prepare || return 1
  logged test make_inside test || tests=1
  logged demo make_inside demo || demo=no
  rows+=("$(printf '| %s | %s | %s | %s | %s | %(%F)T |' \
    "$release" \
    "$(inside dpkg-query -W -f '${Version}' librocksdb-dev)" \
    "$(inside g++ -dumpfullversion)" "$(test_counts)" "$demo" -1)")
  [[ $tests == 0 && $demo == yes ]]
}

mkdir -p "$chroots" ${ccache:+"$ccache"}
make -C "$REPOSITORY" --no-print-directory dist
archive=$(ls -t "$REPOSITORY"/build/dist/*.tar.gz | head -n 1)
rows=()
status=0
for release in "${releases[@]}"; do
  run_release || {
    progress "failed"
    status=1
  }
done
echo '| release | librocksdb-dev | g++ | passed | skipped | failed | demo | date |'
echo '|---|---|---|---:|---:|---:|---|---|'
printf '%s\n' "${rows[@]}"
exit $status
