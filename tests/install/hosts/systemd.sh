#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Preloads the libraries into services of a running systemd.
set -euo pipefail

usage="usage: systemd.sh [--root=FOLDER] [PACKAGES]

Needs root and cgroup v2. PACKAGES is the folder that \`make deb\` wrote on Debian 12
(build/deb/packages). FOLDER holds a Debian 12, which debootstrap makes if it is
missing; without --root it is temporary. Starts the systemd of that Debian in
namespaces of its own. It runs db_bench as three services, with drop-ins as in
docs/hosts.md: with the loader, with the file that replaces RocksDB's Bloom filter,
and with a loader that cannot read the plugin. Then looks at their SST files and journals,
and prints a row for \"What was run\" in docs/hosts.md."
fail() { echo "systemd.sh: $*" >&2; exit 1; }

# shellcheck source=tests/install/matrix/chroot.sh
. "$(dirname "$0")/../matrix/chroot.sh"
read_package_arguments "$@"
open_chroot bookworm "$root"

step "installing"
rm -rf "$root/check" "$root"/etc/systemd/system/bench-* "$root/var/log/journal"
mkdir -p "$root/check" "$root/var/log/journal"
cp -r "$packages" "$root/check/packages"
inside apt-get update -qq
install systemd rocksdb-tools
inside sh -c 'apt-get -o Dpkg::Use-Pty=0 install -qq -y --no-install-recommends /check/packages/*.deb' >/dev/null
plugin=$(cd "$root" && ls usr/lib/*/librocksdb_cassandra_bloom.so.7.8-*)

cat >"$root/check/my_options.ini" <<'END'
[Version]
  rocksdb_version=7.1.0
  options_file_version=1.1
[DBOptions]
  create_if_missing=true
[CFOptions "default"]
[TableOptions/BlockBasedTable "default"]
  filter_policy=cassandra_bloom:10
END

# service NAME LIBRARY FLAG: a service that runs db_bench with this flag, and a drop-in
# that preloads the library.
service() {
  local unit=$root/etc/systemd/system/bench-$1.service
  mkdir -p "$unit.d"
  cat >"$unit" <<END
[Service]
Type=oneshot
ExecStart=/usr/bin/db_bench $3 --db=/check/$1 --num=10000 --benchmarks=fillseq,compact,readmissing --statistics
END
  printf '[Service]\nEnvironment=LD_PRELOAD=%s\n' "$2" >"$unit.d/cassandra_bloom.conf"
}
service loader libcassandra_bloom_preload.so --options_file=/check/my_options.ini
service replace libcassandra_bloom_replace.so --bloom_bits=10
service refused libcassandra_bloom_preload.so --bloom_bits=10
echo "InaccessiblePaths=/$plugin" >>"$root/etc/systemd/system/bench-refused.service.d/cassandra_bloom.conf"
cat >"$root/etc/systemd/system/bench-all.service" <<'END'
[Unit]
Wants=bench-loader.service bench-replace.service bench-refused.service
After=bench-loader.service bench-replace.service bench-refused.service
SuccessAction=exit-force
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'journalctl --flush; journalctl --sync'
END

step "running the services"
version=$(inside systemctl --version | sed -n '1s/systemd \([0-9]*\).*/\1/p')
timeout -s KILL 300 unshare --mount --pid --fork --cgroup --kill-child bash -c '
  set -e
  mount --make-rprivate /
  mount --rbind "$0" "$0"
  mount -t proc proc "$0/proc"
  mount -t sysfs -o ro sysfs "$0/sys"
  mount -t cgroup2 cgroup2 "$0/sys/fs/cgroup"
  mount -t tmpfs tmpfs "$0/run"
  exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$0" /lib/systemd/systemd --unit=bench-all.service' "$root" </dev/null >"$root/check/boot.log" 2>&1 ||
  fail "systemd did not come to its end: $(tail -5 "$root/check/boot.log")"

journal() { inside journalctl --directory=/var/log/journal --no-pager --output=cat --unit="bench-$1"; }
filter_of() {
  inside sst_dump --file="/check/$1" --command=none --show_properties 2>/dev/null |
    sed -n 's/^ *filter policy name: *//p' | sort -u
}
for name in loader replace; do
  [ "$(filter_of $name)" = cassandra_bloom ] || fail "$name: the filter is $(filter_of $name)"
  useful=$(journal $name | sed -n 's/^rocksdb.bloom.filter.useful COUNT : //p')
  [ "${useful:-0}" -gt 9800 ] || fail "$name: of 10000 absent reads ${useful:-none} were filtered"
  if journal $name | grep 'cassandra_bloom: '; then fail "$name: the loader spoke"; fi
done
[ "$(filter_of refused)" != cassandra_bloom ] || fail "refused: it was not"
journal refused | grep 'cassandra_bloom: not loaded: ' || fail "refused: its line is not in the journal"
step "done"
rocksdb=$(inside dpkg-query -W -f '${source:Upstream-Version}' librocksdb7.8)
echo "| \`db_bench\` under systemd $version ($rocksdb)" \
  "| drop-in: with the loader; with the replacing file" \
  "| 10,000 rows, 10,000 absent keys | over 9,800 | $(date +%F) |"
