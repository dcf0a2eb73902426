#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh FUZZERS_FOLDER SECONDS [JOBS]: runs each fuzzer in the folder for SECONDS, JOBS (1)
# at a time, with the inputs in corpus/ and those that earlier runs have found.
set -euo pipefail

if [ $# -lt 2 ] || [ "$1" = --help ]; then
  sed -n '3,4s/^# //p' "$0"
  exit 2
fi
fuzzers=$(realpath "$1")
export fuzzers seconds=$2 corpora
corpora=$(realpath "$(dirname "$0")")/corpus

run() {
  local name=$1
  mkdir -p "found/$name"
  # A key list must be able to contain a key of the longest length, 65535 bytes.
  local longest=4096
  [ "$name" = key_list_fuzzer ] && longest=140000
  if ! "./$name" -max_total_time="$seconds" -max_len=$longest -rss_limit_mb=4096 \
      -timeout=60 -print_final_stats=1 -artifact_prefix="$fuzzers/$name-" \
      "found/$name" "$corpora/$name" >"$name.log" 2>&1; then
    tail -40 "$name.log"
    echo "run.sh: $name failed; to repeat, run it with the file named above, in $fuzzers"
    return 1
  fi
  printf '%-22s %9d runs, coverage %d\n' "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: //p' "$name.log")" \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$name.log" | tail -1)"
}
export -f run

cd "$fuzzers"
printf '%s\n' *_fuzzer | xargs -P "${3:-1}" -I{} bash -euc 'run {}'
