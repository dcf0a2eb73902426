# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Sourced by ../run.sh. All runs are under the JVM's own checks, which print a line
# beginning with WARNING or FATAL.
try() {  # NAME MODE ARGUMENTS...
  step "$1"
  java_with "$2" -Xcheck:jni RocksJavaHost "${@:3}" >"$work/$1" 2>&1 || fail "$1: $(cat "$work/$1")"
  cat "$work/$1" >&2
  if grep -E 'WARNING|FATAL' "$work/$1"; then fail "$1: -Xcheck:jni"; fi
}

dbs=$work/databases
mkdir "$dbs"
bloom=filter_policy=bloomfilter:10:false
ours=filter_policy=cassandra_bloom:10:blocks:rocksdb
for mode in plain ours mix; do
  try rows_$mode $mode rows "$dbs/$mode"
  expect rows_$mode "rocksdbs 1"
  expect rows_$mode "files [1-9][0-9]* 0"  # None is without a filter.
  [ "$(figure rows_$mode useful)" -gt 210000 ] || fail "rows_$mode: the filters rejected too few"
done
for mode in plain mix; do
  expect rows_$mode "policies bloomfilter"
  expect rows_$mode $bloom
done
expect rows_ours "policies cassandra_bloom"
expect rows_ours $ours

# Without us: with `mix`, the filters stay in use.
try back_ours plain again "$dbs/ours"
try back_mix plain again "$dbs/mix"
[ "$(figure back_mix useful)" = "$(figure rows_mix useful)" ] || fail "back_mix: filters are not used"

try wrong Mix rows "$dbs/wrong"
expect wrong "cassandra_bloom: not loaded: CASSANDRA_BLOOM_REPLACE is neither mix nor empty.*"
expect wrong "policies bloomfilter"
try bad_options ours options "$dbs/ours" bloomfilter:10:false cassandra_bloom:abc
expect bad_options "RocksDBException: cassandra_bloom: bits_per_key 'abc' .*"
try good_options ours options "$dbs/ours" bloomfilter:10:false cassandra_bloom:10
expect good_options loaded

try loaders ours loaders "$dbs/loaders" "$jar"
expect loaders "policies cassandra_bloom"
expect loaders "cassandra_bloom: not loaded: another class loader of this process has RocksJava.*"
expect loaders "policies bloomfilter"

# A jar (here its unpacked folder) whose library differs in one byte from the one in our folder.
step "another jar"
mkdir "$work/other"
(cd "$work/other" && jar xf "$jar")
printf x | dd of="$work/other/librocksdbjni-linux64.so" bs=1 seek=4000 conv=notrunc status=none
java -Xcheck:jni "-Djava.library.path=$folder" -cp "$work/classes:$work/other" RocksJavaHost load \
  >"$work/other_jar"
refused='java.io.IOException: cassandra_bloom: .* was made for another RocksJava than .*'
[ "$(grep -cx "$refused" "$work/other_jar")" = 2 ] || fail "another jar: $(cat "$work/other_jar")"

step "100 starts"
for i in {1..100}; do
  java_with ours -Xcheck:jni RocksJavaHost start "$dbs/starts" >"$work/start" 2>&1 || fail "start $i: $(cat "$work/start")"
  [ "$(cat "$work/start")" = "rows of earlier starts: $((i - 1))" ] || fail "start $i: $(cat "$work/start")"
done

step "passed"
echo "| RocksJava, Java $(java -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')" \
  "($(figure rows_ours release)) | \`-Djava.library.path\`; also \`mix\`" \
  "| 200,000 rows, half rewritten, a tenth deleted; 220,000 look-ups of absent rows; 100 starts" \
  "| $(figure rows_ours useful), $(figure rows_ours false); with \`mix\` $(figure rows_mix useful)," \
  "$(figure rows_mix false) [$(figure rows_plain useful), $(figure rows_plain false)] | $(date +%F) |"
