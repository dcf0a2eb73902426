#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: debian_source.sh RELEASE
#
# In a bare Debian of this RELEASE, such as bookworm, this
#
# - builds the source package, and from it, with dpkg-buildpackage, the packages;
# - runs lintian, which must report no error and no warning;
# - runs the package's tests (debian/tests) with autopkgtest, which installs the packages;
# - uses what is installed: the stock db_bench in all ways to preload, and the consumer
#   project;
# - removes the packages: nothing of them may be left.
#
# The packages stay in CHROOTS/RELEASE-package/check/deb.
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
check_arguments 1 1 "$@"
own_mounts "$@"
make_chroot "$1" package
rm -rf "$root/check/deb"
mkdir -p "$root/check/deb"
copy_sources
scripts=/home/tester/sources/tests/install

step "the source package"
install build-essential debhelper lintian autopkgtest
inside bash -euc 'cd /check/deb && dpkg-source --build /home/tester/sources >/dev/null && ls *.dsc *.tar.xz'

step "the packages, from it"
logged packages inside bash -euc 'cd /check/deb && dpkg-source -x *.dsc source
  apt-get -o Dpkg::Use-Pty=0 build-dep -qq -y --no-install-recommends ./source
  cd source && DEB_BUILD_OPTIONS="parallel=$1" dpkg-buildpackage --no-sign' build "$jobs"
(cd "$root/check/deb" && ls -- *.deb)

step "lintian"
inside sh -c 'lintian --allow-root --profile debian --fail-on=error,warning /check/deb/*.changes'

step "autopkgtest"
logged autopkgtest inside bash -euc 'cd /check/deb && autopkgtest --output-dir=/check/deb/tests *.dsc *.deb -- null'
cat "$root/check/deb/tests/summary"

step "the stock db_bench"
for how in preload replace both; do
  result=$(inside $scripts/matrix/policy_in_db_bench.sh db_bench sst_dump $how)
  echo "$how: $result"
  [ "$result" = used ]
done

step "/bin/true, and filterdb"
inside env LD_PRELOAD=libcassandra_bloom_preload.so true
inside filterdb --version

step "the consumer project, by CMake and by pkg-config"
install cmake g++ make pkgconf python3
logged consumer inside $scripts/consumer/run.sh /usr
grep '^-- .*/' "$root.consumer.log"

step "removing"
inside sh -c "apt-get -o Dpkg::Use-Pty=0 purge -qq -y 'lib*cassandra-bloom*' filterdb sst-filters >/dev/null"
left=$(inside sh -c 'find / -xdev \( -path /check -o -path /home -o -path /proc -o -path /tmp -o -path /var/lib/apt \) -prune -o \( -name "*cassandra*bloom*" -o -name "filterdb*" -o -name "sst_filters*" \) -print')
[ -z "$left" ] || fail "left after the removal: $left"
step "passed"
