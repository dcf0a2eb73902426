#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes databases with cassandra_bloom and one RocksDB release, and reads them
# with another.
set -euo pipefail

REPOSITORY=$(cd "$(dirname "$0")/../../.." && pwd)
KEYS=100000
READS=50000
MIN_USEFUL=98  # Percent of the absent keys that the filter must reject.

usage() {
  cat <<END
Usage: $0 CHROOTS PARTICIPANT...

Every participant writes a database (format_version 5), once with full and once
with partitioned filters. Every participant then reads all of them: $READS present
keys, which must all be found, and $READS absent keys, of which the filter must
reject $MIN_USEFUL % (rocksdb.bloom.filter.useful).

A PARTICIPANT is a release, such as bookworm, whose chroot distributions.sh has left
in CHROOTS with the plugin built in it, or NAME=FILE, where FILE is a db_bench with
the plugin built in.

Needs root. Exit status 0 if all is well, 1 if not, 2 for wrong usage.
END
}

fail() {
  echo "$0: $1; see --help" >&2
  exit 2
}

[[ ${1-} != --help ]] || { usage; exit; }
[[ $# -ge 2 && $1 != -* ]] || fail "no folder or no participant given"
[[ $(id -u) == 0 ]] || fail "chroots take root: run it with sudo"

# This process gets mounts of its own, which disappear when it ends.
if [[ ${CASSANDRA_BLOOM_MOUNTS-} != own ]]; then
  exec env CASSANDRA_BLOOM_MOUNTS=own unshare --mount "$0" "$@"
fi
chroots=$(realpath "$1")
shift

LOADER=/root/cassandra_bloom/build/release/lib/libcassandra_bloom_preload.so
PLACE=/mnt  # Where every participant finds the databases.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mount --bind "$work" "$PLACE"
for participant in "$@"; do
  if [[ $participant == *=* ]]; then
    [[ -x ${participant#*=} ]] || fail "${participant#*=} is not a program"
    continue
  fi
  chroot=$chroots/$participant
  [[ -e $chroot$LOADER ]] ||
    fail "no $chroot$LOADER: run distributions.sh $chroots $participant first"
  mount -t proc proc "$chroot/proc"
  mount --rbind /dev "$chroot/dev"
  mount --bind "$work" "$chroot$PLACE"
done

for mode in full partitioned; do
  sed '/^\[TableOptions/a\  format_version=5' \
    "$REPOSITORY/tests/install/matrix/options/$mode.ini" >"$work/$mode.ini"
done

# db_bench PARTICIPANT MODE FOLDER FLAGS...: runs the participant's db_bench on FOLDER.
db_bench() {
  local participant=$1 command
  case $participant in
    *=*) command=("${participant#*=}") ;;
    *) command=(chroot "$chroots/$participant" env "LD_PRELOAD=$LOADER" db_bench) ;;
  esac
  "${command[@]}" "--options_file=$PLACE/$2.ini" "--db=$PLACE/$3" "--num=$KEYS" \
    --key_size=16 --value_size=100 --statistics "${@:4}"
}

# read_all READER MODE FOLDER: prints "found | useful", or what went wrong.
read_all() {
  local found useful
  if ! db_bench "$@" --use_existing_db --benchmarks=readrandom "--reads=$READS" \
    >"$work/present.log" 2>&1 ||
    ! db_bench "$@" --use_existing_db --benchmarks=readmissing "--reads=$READS" \
      >"$work/absent.log" 2>&1; then
    tail -n 5 "$work"/*.log >&2
    echo "does not open | -"
    return 1
  fi
  found=$(sed -nE 's/^readrandom .*\(([0-9]+) of .*/\1/p' "$work/present.log")
  useful=$(sed -nE 's/^rocksdb.bloom.filter.useful COUNT : //p' "$work/absent.log")
  awk -v found="${found:-0}" -v useful="${useful:-0}" -v reads=$READS -v min=$MIN_USEFUL \
    'BEGIN { percent = 100 * useful / reads
             printf "%d of %d | %.2f %%\n", found, reads, percent
             exit !(found == reads && percent > min) }'
}

status=0
echo '| written by | filters | read by | found | absent keys rejected by the filter |'
echo '|---|---|---|---:|---:|'
for writer in "$@"; do
  for mode in full partitioned; do
    if ! db_bench "$writer" $mode written --benchmarks=fillseq,flush,compact \
      >"$work/write.log" 2>&1; then
      tail -n 5 "$work/write.log" >&2
      fail "${writer%%=*} could not write"
    fi
    for reader in "$@"; do
      # Reads a copy, because the reader writes files of its own release into
      # it.
      cp -r "$work/written" "$work/read"
      result=$(read_all "$reader" $mode read) || status=1
      echo "| ${writer%%=*} | $mode | ${reader%%=*} | $result |"
      rm -r "$work/read"
    done
    rm -r "$work/written"
  done
done
exit $status
