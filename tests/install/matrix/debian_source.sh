#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian source package in a bare Debian, and tests what comes out; see usage.
set -euo pipefail

usage="Usage: debian_source.sh [--root=FOLDER] RELEASE

In a bare Debian of this RELEASE, such as bookworm, this

- builds the source package, and from it, with dpkg-buildpackage, the packages;
- runs lintian, which must report no error and no warning;
- runs the package's tests (debian/tests) with autopkgtest, which installs the packages;
- uses what is installed: the README's example of preloading, the stock db_bench in all
  ways to preload, and the consumer project;
- removes the packages: nothing of them may be left.

FOLDER holds the Debian; debootstrap puts it there if it is missing. Without --root it is
temporary. The packages stay in FOLDER/check/deb.

Needs root, debootstrap, a network, 2 GB. Exit status 0 if all is well, 1 if not, 2 for
wrong usage."

# shellcheck source=tests/install/matrix/chroot.sh
. "$(dirname "$0")/chroot.sh"
read_release "$@"
open_chroot "$release" "$root"
rm -rf "$root/check/deb" "$root/check/sources"
mkdir -p "$root/check/deb"
copy_sources
cp -r "$sources/tests/install/consumer" "$sources/tests/install/matrix/policy_in_db_bench.sh" "$root/check"

step "the source package"
inside apt-get update -qq
install build-essential debhelper lintian autopkgtest
inside bash -euc 'cd /check/deb && dpkg-source --build /check/sources >/dev/null && ls *.dsc *.tar.xz'

step "the packages, from it"
inside bash -euc 'cd /check/deb && dpkg-source -x *.dsc source >/dev/null
  apt-get -o Dpkg::Use-Pty=0 build-dep -qq -y --no-install-recommends ./source >/dev/null
  cd source && DEB_BUILD_OPTIONS="parallel=$(nproc)" dpkg-buildpackage --no-sign >/check/deb/log 2>&1' ||
  { tail -n 20 "$root/check/deb/log" >&2; exit 1; }
(cd "$root/check/deb" && ls -- *.deb)

step "lintian"
inside sh -c 'lintian --allow-root --profile debian --fail-on=error,warning /check/deb/*.changes'

step "autopkgtest"
inside bash -euc 'cd /check/deb && autopkgtest --output-dir=/check/deb/tests *.dsc *.deb -- null >log 2>&1' ||
  { tail -n 30 "$root/check/deb/log" >&2; exit 1; }
cat "$root/check/deb/tests/summary"

step "the README's example"
# The first indented block below this heading is the OPTIONS file. In the second, "$ "
# begins a command.
example=$(sed -n '/^### By preloading/,/^(Not installed/s/^    //p' "$sources/README.md")
sed '/^\$ /,$d' <<<"$example" >"$root/check/my_options.ini"
sed -n 's/^\$ //p' <<<"$example" >"$root/check/example.sh"
expected=$(tail -n 1 <<<"$example")
printed=$(inside sh -euc 'cd /check && rm -rf db && . ./example.sh 2>/dev/null' | tee /dev/stderr | tail -n 1)
[ "$printed" = "$expected" ] || { echo "README says: $expected" >&2; exit 1; }

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
install cmake g++ make pkgconf
inside /check/consumer/run.sh /usr >"$root/check/deb/consumer.log" 2>&1 || { tail -n 30 "$root/check/deb/consumer.log" >&2; exit 1; }
grep '^-- .*/' "$root/check/deb/consumer.log"

step "removing"
inside sh -c "apt-get -o Dpkg::Use-Pty=0 purge -qq -y 'lib*cassandra-bloom*' filterdb sst-filters >/dev/null"
left=$(inside sh -c 'find / -xdev \( -path /check -o -path /proc -o -path /tmp -o -path /var/lib/apt \) -prune -o \( -name "*cassandra*bloom*" -o -name "filterdb*" -o -name "sst_filters*" \) -print')
[ -z "$left" ] || { echo "left after the removal: $left" >&2; exit 1; }
step "passed"
