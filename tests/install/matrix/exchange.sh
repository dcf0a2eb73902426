#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: exchange.sh PARTICIPANT...
#
# Every participant writes a database of 100,000 keys (format_version 5), once with full and
# once with partitioned filters. Every participant then reads all of them: 20,000 present
# keys, which must all be found, and 20,000 absent keys, of which the filter must reject 98 %
# (rocksdb.bloom.filter.useful).
#
# PARTICIPANT   a Debian release in which distributions.sh has run `make demo`, or NAME=FILE,
#               where FILE is a db_bench with the plugin built in
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
# shellcheck source=tests/install/matrix/databases.sh
. "$(dirname "$0")/databases.sh"
check_arguments 1 99 "$@"
own_mounts "$@"

LOADER=/home/tester/sources/build/release/lib/libcassandra_bloom_preload.so
PLACE=/mnt  # Where every participant finds the databases.
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mount --bind "$work" $PLACE
for participant; do
  if [[ $participant == *=* ]]; then
    [ -x "${participant#*=}" ] || fail "${participant#*=} is not a program"
  else
    enter_chroot "$participant-tests"
    [ -e "$root$LOADER" ] || fail "no $root$LOADER: run distributions.sh $participant first"
    mount --bind "$work" "$root$PLACE"
  fi
done
for mode in full partitioned; do
  options_of_mode $mode format_version=5 >"$work/$mode.ini"
done

db_bench() {
  local flags=("--options_file=$PLACE/$2.ini" "--db=$PLACE/$3" "${@:4}")
  case $1 in
    *=*) "${1#*=}" "${flags[@]}" ;;
    *) root=$chroots/$1-tests inside env "LD_PRELOAD=$LOADER" db_bench "${flags[@]}" ;;
  esac
}

status=0
echo '| written by | filters | read by | present and absent keys |'
echo '|---|---|---|---|'
for writer; do
  for mode in full partitioned; do
    write_database "$writer" $mode
    for reader; do
      result=$(read_database "$reader" $mode) || status=1
      echo "| ${writer%%=*} | $mode | ${reader%%=*} | $result |"
    done
  done
done
exit $status
