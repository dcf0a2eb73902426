#!/bin/bash
# run.sh FUZZERS_FOLDER SECONDS: runs each fuzzer there for so long, from the
# inputs in corpus/ and those that earlier runs have found.
set -euo pipefail

if [ $# != 2 ] || [ "$1" = --help ]; then
  sed -n '2,3s/^# //p' "$0"
  exit 2
fi
fuzzers=$(realpath "$1")
seconds=$2
corpora=$(realpath "$(dirname "$0")")/corpus
cd "$fuzzers"

for fuzzer in ./*_fuzzer; do
  name=$(basename "$fuzzer")
  printf '==== %s\n' "$name"
  mkdir -p "found/$name"
  # The limit of a key in a list, which is 65535 bytes, has to be in reach.
  longest=4096
  [ "$name" = key_list_fuzzer ] && longest=140000
  if ! "$fuzzer" -max_total_time="$seconds" -max_len=$longest -rss_limit_mb=4096 \
      -timeout=60 -print_final_stats=1 -artifact_prefix="$fuzzers/$name-" \
      "found/$name" "$corpora/$name" >"$name.log" 2>&1; then
    tail -40 "$name.log"
    echo "run.sh: $name failed; run it with the file that is named above, in $fuzzers"
    exit 1
  fi
  grep -E 'stat::number_of_executed_units|cov: .*(DONE)' "$name.log"
done
