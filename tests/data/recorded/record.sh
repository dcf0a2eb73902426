#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Writes the SSTables of this folder again, each with a release of Cassandra as
# Maven serves it. Needs Maven and Java 17, and no running Cassandra.
#
#   tests/data/recorded/record.sh RELEASE [big|bti]
#
# Without arguments, it writes those of all releases. The format is for 5.0 and
# later. Times are part of an SSTable, so each run gives other bytes.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)

if [[ $# == 0 ]]; then
  # The last release of a version, if it has many.
  for release in 1.2.0 1.2.4 1.2.19 2.0.0 2.0.17 2.1.22 2.2.0 2.2.19 3.0.0 \
    3.0.7 3.11.2 3.11.6 3.11.19 4.0-rc1 4.1.10; do
    "$0" "$release"
  done
  for format in big bti; do
    "$0" 5.0.6 "$format"
    "$0" 6.0-alpha2 "$format"
  done
  exit
fi

release=$1
format=${2:-big}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work"/{jars,classes,data,keys}

# Cassandra does not list all that the old releases need.
dependency() {
  echo "<dependency><groupId>$1</groupId><artifactId>$2</artifactId>"
  echo "<version>$3</version></dependency>"
}
{
  echo '<project><modelVersion>4.0.0</modelVersion><groupId>recorded</groupId>'
  echo '<artifactId>recorded</artifactId><version>1</version>'
  echo '<packaging>pom</packaging><dependencies>'
  dependency org.apache.cassandra cassandra-all "$release"
  case $release in
    [123].*) dependency org.apache.cassandra cassandra-thrift "$release" ;;
  esac
  case $release in
    1.2.0) dependency io.netty netty 3.5.9.Final ;;
  esac
  echo '</dependencies></project>'
} >"$work/pom.xml"
mvn -q -B -f "$work/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
  -DoutputDirectory="$work/jars"

cat >"$work/cassandra.yaml" <<YAML
cluster_name: recorded
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
data_file_directories: [$work/data]
commitlog_directory: $work/commitlog
saved_caches_directory: $work/saved_caches
commitlog_sync: periodic
commitlog_sync_period_in_ms: 10000
disk_access_mode: standard
listen_address: 127.0.0.1
rpc_address: 127.0.0.1
start_native_transport: false
# So that small partitions have an index of their rows.
column_index_size_in_kb: 1
num_tokens: 1
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{seeds: 127.0.0.1}]
YAML
case $release in
  [123].*) echo 'start_rpc: false' ;;
  # Not LZ4 for what is flushed, whatever the table says.
  *) echo 'flush_compression: table' ;;
esac >>"$work/cassandra.yaml"
case $release in
  [56].*)
    echo 'storage_compatibility_mode: NONE'
    echo "sstable: {selected_format: $format}"
    ;;
esac >>"$work/cassandra.yaml"

# Old releases use what newer Java hides.
options=(-Xmx1g -Djava.security.manager=allow "-Djava.io.tmpdir=$work")
for package in java.io java.lang java.lang.reflect java.net java.nio java.util \
  java.util.concurrent java.util.concurrent.atomic jdk.internal.misc \
  jdk.internal.ref jdk.internal.util.jar sun.nio.ch; do
  options+=("--add-opens=java.base/$package=ALL-UNNAMED")
done
for package in java.rmi/sun.rmi.registry java.rmi/sun.rmi.transport.tcp \
  java.management/com.sun.jmx.mbeanserver java.sql/java.sql \
  jdk.management/com.sun.management.internal; do
  options+=("--add-opens=$package=ALL-UNNAMED")
done
for agent in "$work"/jars/jamm-*.jar; do
  options+=("-javaagent:$agent")
done

javac -nowarn -d "$work/classes" -cp "$work/jars/*" "$here/Record.java"
if ! (cd "$work" && java "${options[@]}" -cp "$work/classes:$work/jars/*" \
  -Dcassandra-foreground=yes -Dcassandra.config="file:$work/cassandra.yaml" \
  -Dcassandra.storagedir="$work" -Dcassandra.ring_delay_ms=10 \
  Record "$release" "$work/keys") >"$work/log" 2>&1; then
  tail -n 60 "$work/log" >&2
  exit 1
fi

for keys in "$work"/keys/*.txt; do
  table=$(basename "$keys" .txt)
  # The folder is `table`, since 2.1 `table-id`.
  statistics=$(find "$work/data/ks/$table"* -name '*-Statistics.db')
  version=$(basename "$statistics" | sed "s/^ks-$table-//; s/-.*//")
  folder=$here/${version}_$table
  rm -rf "$folder"
  mkdir "$folder"
  cp "${statistics%Statistics.db}"* "$keys" "$folder"
  mv "$folder/$table.txt" "$folder/keys.txt"
  echo "${folder##*/}: Cassandra $release"
done
