#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mends filters of SSTables that ScyllaDB itself wrote; see usage.
set -euo pipefail

usage() {
  cat <<END
Usage: scylla_digests.sh SCYLLADB_TREE [FILTERDB]

Copies each SSTable of ScyllaDB's own tests whose Scylla.db has digests, and damages its
filter in several ways: keys missing, cut, empty, gone, a digest that differs. Mends each
with filterdb mend --rewrite-digests, and undoes that. Checks with check_digests.py, which
shares no code with filterdb, that all digests are right after the mend. All other files,
and after the undo all files, must be as before. Prints a line for each damage.

SCYLLADB_TREE  a checkout of ScyllaDB, or its folder test/resource/sstables
FILTERDB       build/release/bin/filterdb

Exit status 0 if all is right, 1 if not, 2 for wrong usage.
END
}

case ${1-} in
  --help) usage; exit ;;
  '' | -*) usage >&2; exit 2 ;;
esac
[ $# -le 2 ] || { usage >&2; exit 2; }
repository=$(realpath "$(dirname "$0")/../../..")
tree=$(realpath "$1")
filterdb=$(realpath "${2-$repository/build/release/bin/filterdb}")
check=$repository/tests/install/matrix/check_digests.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "scylla_digests.sh: $*" >&2; exit 1; }

# damage KIND FILTER
damage() {
  case $1 in
    "keys missing") head -c 8 "$2" >"$2.new"; head -c $(($(stat -c %s "$2") - 8)) /dev/zero >>"$2.new"; mv "$2.new" "$2" ;;
    cut) truncate -s 12 "$2" ;;
    empty) truncate -s 0 "$2" ;;
    gone) rm "$2" ;;
    "digest differs") printf '\377' | dd of="$2" bs=1 seek=8 conv=notrunc status=none ;;
  esac
}

sums() { (cd "$1" && find . -type f "${@:2}" -print0 | sort -z | xargs -0 sha256sum); }

mkdir "$work/good"
while read -r scylla; do
  folder=$(dirname "$scylla")
  prefix=$(basename "${scylla%Scylla.db}")
  copy=$work/good/$(realpath --relative-to="$tree" "$folder")
  mkdir -p "$copy"
  cp "$folder/$prefix"* "$copy"
  python3 "$check" "$copy" >"$work/log" 2>&1 || rm -r "$copy"
done < <(find "$tree" -name '*-Scylla.db')
find "$work/good" -name '*-Scylla.db' | grep -q . || fail "$tree has no SSTable with digests"
"$filterdb" scan "$work/good" >"$work/log" || fail "scan of what ScyllaDB wrote: $(cat "$work/log")"

for kind in "keys missing" cut empty gone "digest differs"; do
  rm -rf "$work/data" "$work/old"
  cp -r "$work/good" "$work/data"
  while read -r filter; do damage "$kind" "$filter"; done < <(find "$work/data" -name '*-Filter.db')
  sums "$work/data" ! -name '*-Scylla.db' >"$work/before"
  options=(--rewrite-digests --backup-dir="$work/old" --node-is-down)
  "$filterdb" mend "${options[@]}" "$work/data" >"$work/log" || fail "$kind: $(cat "$work/log")"
  mended=$(grep '^[0-9]* mended' "$work/log")
  checked=$(python3 "$check" "$work/data") || fail "$kind: $checked"
  "$filterdb" scan "$work/data" >"$work/log" || fail "$kind, after mend: $(cat "$work/log")"
  others=(! -name '*-Filter.db' ! -name '*-Scylla.db')
  cmp <(sums "$work/good" "${others[@]}") <(sums "$work/data" "${others[@]}") || fail "$kind: another file has changed"
  if [ "$kind" != gone ]; then
    "$filterdb" mend --undo="$(echo "$work"/old/*)" --node-is-down >"$work/log" ||
      fail "$kind, undo: $(cat "$work/log")"
    sums "$work/data" ! -name '*-Scylla.db' | cmp "$work/before" - || fail "$kind: undo has not put all back"
    python3 "$check" "$work/data" >"$work/log" || fail "$kind, undo: $(cat "$work/log")"
  fi
  echo "$kind: $mended; $checked"
done
