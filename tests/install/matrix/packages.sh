#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Debian packages in a bare Debian 12 that has nothing else of this
# project.
set -euo pipefail

usage="usage: packages.sh [--root=FOLDER] [PACKAGES]

Needs root. PACKAGES is the folder that \`make deb\` wrote (build/deb/packages).
FOLDER holds a bare Debian 12; debootstrap puts it there if it is missing. Without
--root it is temporary."
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/install/matrix/chroot.sh
. "$here/chroot.sh"
read_package_arguments "$@"
open_chroot bookworm "$root"
rm -rf "$root/check"
mkdir "$root/check"
cp -r "$packages" "$root/check/packages"
cp -r "$sources/tests/install/consumer" "$here/policy_in_db_bench.sh" "$root/check"

step "installing"
inside apt-get update -qq
install rocksdb-tools
inside sh -c 'apt-get -o Dpkg::Use-Pty=0 install -qq -y --no-install-recommends /check/packages/*.deb'
inside dpkg -l | awk '/cassandra|filterdb|librocksdb/ {print $1, $2, $3}'

step "the stock db_bench"
for how in preload replace both; do
  result=$(inside /check/policy_in_db_bench.sh db_bench sst_dump $how)
  echo "$how: $result"
  [ "$result" = used ]
done

step "/bin/true, and filterdb"
inside env LD_PRELOAD=libcassandra_bloom_preload.so true
inside filterdb --version

step "the consumer project, by CMake and by pkg-config"
install cmake g++ make pkgconf python3
inside /check/consumer/run.sh /usr

step "the examples"
inside bash -euc '
  cd /check
  docs=/usr/share/doc
  cc -std=c99 $docs/libcassandra-bloom-dev/examples/filter_db.c -o filter_db -lcassandra_bloom
  ./filter_db nb-1-big-Filter.db
  printf "alice\nbob\ncarol\n" >keys.txt
  python3 $docs/libcassandra-bloom-dev/examples/check_filter_db.py nb-1-big-Filter.db keys.txt --text
  filterdb check nb-1-big-Filter.db --keys=keys.txt --key-format=text
  cc -std=c99 $docs/librocksdb-cassandra-bloom-dev/examples/rocksdb_filter.c -o rocksdb_filter \
    -lrocksdb_cassandra_bloom -lrocksdb
  ./rocksdb_filter db'

step "removing"
inside sh -c "apt-get -o Dpkg::Use-Pty=0 purge -qq -y 'lib*cassandra-bloom*' filterdb"
left=$(inside sh -c 'find / -xdev -path /check -prune -o -name "*cassandra*bloom*" -print -o -name "filterdb*" -print | grep -v "^/proc/" || true')
[ -z "$left" ] || { echo "left after the removal: $left"; exit 1; }
step "passed"
