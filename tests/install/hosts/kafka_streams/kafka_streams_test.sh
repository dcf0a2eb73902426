# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by ../run.sh. KEYS=1000000 of the environment.
keys=${KEYS:-1000000}

try() {  # NAME MODE write|read FOLDER OPTIONS...
  step "$1"
  java_with "$2" "${@:5}" KafkaStreamsHost "$3" "$work/databases/$4" "$keys" \
    >"$work/$1" 2>"$work/$1.log" || fail "$1: $(cat "$work/$1.log")"
  grep -E '^(release|policies|files|bytes|bits|useful|false) ' "$work/$1" >&2
}

for store in hits all; do
  for mode in plain ours mix; do
    try write $mode write $store-$mode -Dfilters=$store
    try $store-$mode $mode read $store-$mode -Dfilters=$store
  done
  expect $store-plain "policies bloomfilter"
  expect $store-ours "policies cassandra_bloom"
  expect $store-mix "policies bloomfilter"
  # Started again without us.
  try back plain read $store-ours -Dfilters=$store
  try back plain read $store-mix -Dfilters=$store
done

step "passed"
kafka=$(echo "$work"/jars/kafka-streams-[0-9]*.jar)
kafka=${kafka##*-streams-}
for store in hits all; do
  [ $store = hits ] || where=", with \`setOptimizeFiltersForHits(false)\`"
  echo "| Kafka Streams ${kafka%.jar} ($(figure hits-plain release)) | \`-Djava.library.path\`; also \`mix\`" \
    "| a store of $keys keys${where-}; as many absent keys" \
    "| $(filters_of $store-ours); with \`mix\` $(filters_of $store-mix) [$(filters_of $store-plain)] | $(date +%F) |"
done
