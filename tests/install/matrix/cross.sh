#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Usage: cross.sh ARCH
#
# Builds for another CPU. ARCH is Debian's name of it: arm64, riscv64 or s390x. In a Debian of
# x86-64, this
#
# - builds the tests with Debian's cross compiler (warnings are errors), and runs the quick
#   ones under qemu-user (the script names those left out, with the reason);
# - makes the Debian packages, and looks at their architecture, the files in them and what
#   they depend on;
# - installs them, writes databases of 100,000 keys with the stock db_bench of that CPU and the
#   policy preloaded, full and partitioned filters, and with RocksDB's Bloom filter replaced,
#   reads each with x86-64, and the other way round: all of 20,000 present keys must be found,
#   and the filter must reject 98 % of 20,000 absent keys;
# - exports all filters of these databases on both CPUs: all must be equal.
#
# The last line is for "Other CPUs" in docs/hosts.md.
#
# RELEASE=trixie  the Debian release
# SMALL=1         only the tests of the core, the policy and databases, which take half as
#                 long to build as all quick tests
set -euo pipefail
# shellcheck source=tests/install/matrix/runner.sh
. "$(dirname "$0")/runner.sh"
# shellcheck source=tests/install/matrix/databases.sh
. "$(dirname "$0")/databases.sh"
check_arguments 1 1 "$@"
own_mounts "$@"
arch=$1 small=${SMALL-}
# elf: what readelf calls the machine.
case $arch in
  arm64) triplet=aarch64-linux-gnu qemu=qemu-aarch64 elf=AArch64 ;;
  riscv64) triplet=riscv64-linux-gnu qemu=qemu-riscv64 elf=RISC-V ;;
  s390x) triplet=s390x-linux-gnu qemu=qemu-s390x elf='IBM S/390' ;;
  *) usage >&2; exit 2 ;;
esac
make_chroot "${RELEASE:-trixie}" "$arch"
check=/check sources=/home/tester/sources  # In the chroot.
mkdir -p "$root$check"

# ---- The Debian, the sources, the compilers ----

step "packages of $arch"
inside dpkg --add-architecture "$arch"
inside apt-get update -qq
foreign=(libgflags-dev libgmock-dev libgtest-dev liblz4-dev librocksdb-dev libsnappy-dev
  libzstd-dev zlib1g-dev)
native=(build-essential cmake "crossbuild-essential-$arch" debhelper dpkg-dev file g++ gzip libbz2-1.0 libcli11-dev liblz4-dev
  libsnappy-dev libzstd-dev locales make nlohmann-json3-dev python3 qemu-user zlib1g-dev)
install "${native[@]}" "${foreign[@]/%/:$arch}"
# Debian's RocksDB and gflags are not made to be installed for two CPUs at once. So
# those of x86-64, and the db_bench of both, are only unpacked.
rocksdb=$(inside dpkg-query -W -f '${Depends}' "librocksdb-dev:$arch" |
  grep -o 'librocksdb[0-9.]*[0-9]')
x86=$check/x86-64
unpack() {  # FOLDER PACKAGE...
  inside bash -euc 'rm -rf "$1" && mkdir -p "$1" && cd "$1" && apt-get download -qq "${@:2}" 2>/dev/null
    for package in *.deb; do dpkg-deb -x "$package" .; done' - "$@"
}
unpack $x86/debian {librocksdb-dev,"$rocksdb",rocksdb-tools,libgflags2.2}:amd64
unpack "$check/debian" "rocksdb-tools:$arch"
x86_rocksdb=$(cd "$root" && find ".$x86/debian" -name librocksdb.so)
x86_rocksdb=${x86_rocksdb#.}
inside dpkg-query -W -f '  ${Package} ${Version} ${Architecture}\n' "librocksdb-dev:$arch" qemu-user

copy_sources

cat >"$root$check/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${triplet%%-*})
set(CMAKE_C_COMPILER $triplet-gcc)
set(CMAKE_CXX_COMPILER $triplet-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR $check/emulate)
END

# Some tests start programs, but the kernel of x86-64 cannot start those of another CPU.
# So each program FILE that tests start is moved to FILE.elf, and FILE becomes a script
# that runs FILE.elf by qemu.
cat >"$root$check/emulate" <<END
#!/bin/sh
program=\$1
shift
elf=\$program
[ ! -e "\$program.elf" ] || elf=\$program.elf
exec /usr/bin/$qemu -L / -0 "\$program" "\$elf" "\$@"
END
chmod +x "$root$check/emulate"
# `run` begins a command of that CPU. `run_with` does so, too, and sets a variable,
# NAME=VALUE.
run=("$qemu" -L /) run_with=("$qemu" -L / -E)
emulated_by_script() {  # FILE
  if [ "$(head -c 4 "$root$1")" = $'\x7fELF' ]; then
    mv "$root$1" "$root$1.elf"
    printf '#!/bin/sh\nexec %s/emulate "$0" "$@"\n' "$check" >"$root$1"
    chmod +x "$root$1"
  fi
}

# ---- The tests ----

# Programs with quick tests. Others are not built.
test_programs=(
  filter_test filter_db_test sstable_test lsm_test     # the core
  bits_test no_memory_test options_test options_registry_test  # the policy
  database_test database_no_memory_test)
[ -n "$small" ] || test_programs+=(
  c_no_memory_test c_programs_test c_rocksdb_programs_test
  cassandra_bloom_plugin_test partitions_example_test
  filterdb_console_test sstable_health_test
  export_test export_command_test filterdb_command_test sst_filters_test filterdb_scan_test filterdb_mend_test
  filterdb_mending_test
  random_db)

# Programs that tests start.
started=(filterdb sst_filters partitions_example random_db
  c_filter_db_test c_filter_db_example c_rocksdb_test c_rocksdb_example)

# Tests that are left out, and why.
left_out=(
  # Python scripts, which have nothing to do with the CPU.
  check_layout check_layout_test figures_test newest_release
  # Python of x86-64 cannot load a library of another CPU.
  'PythonExampleTest\..*'
  # The test limits the memory of its process, and the emulator needs some of it.
  'CompressedDataFileDeathTest\.WantOfMemoryIsNoDamage'
  # The program is a script here, whose shell cannot preload a library of another CPU.
  CRocksdbProgramsTest.AnotherRocksdbIsAnErrorAndOneLineOnStderr
  # No process can trace another one in qemu-user.
  'ListenerKillTest\..*' 'KillTest\.(MendIsContinued|Install|InPlace|Undo|AnSstableThatIsRemovedMeanwhile)'
  # The kernel knows the process by the emulator's name.
  LeaseTest.SeesWhoHasTheFileOpen
  # These limit the memory or the threads of filterdb, and the emulator needs some itself.
  BesideNodeTest.MemoryDoesNotGrowWithTheNumberOfSstables HarmsTest.AFilterThatIsFarTooLarge
  DoctorNotAskedTest.NoMemory UndoTest.AHugeFilter ScanTest.ManyJobsWithFewFilesOrThreads
  # This allows 8 seconds, and an emulator takes ten times as long as the CPU.
  DoctorTest.AmongDeletions
)
[ -z "$small" ] || left_out+=(soak crash random_db)  # Not built.
case $arch in
  s390x) left_out+=(NewPolicyTest.CommaInTheCLocale) ;;  # x86-64 makes a little-endian locale.
esac

step "building the tests"
logged configure inside cmake -S $sources -B "$check/tests" \
  "-DCMAKE_TOOLCHAIN_FILE=$check/toolchain.cmake" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O2 \
  -DCASSANDRA_BLOOM_WERROR=ON
logged build inside nice -n 10 cmake --build "$check/tests" --parallel "$jobs" --target "${test_programs[@]}"
for program in "${started[@]}"; do
  [ ! -e "$root$check/tests/bin/$program" ] || emulated_by_script "$check/tests/bin/$program"
done

step "the tests, under $qemu"
# A test takes longer in an emulator.
find "$root$check/tests/tests" -name '*.cmake' -exec sed -Ei 's/(TIMEOUT "?)300\>/\11800/' {} +
[ -n "$small" ] || for test in "${left_out[@]}"; do
  if inside ctest --test-dir "$check/tests" -N -R "^($test)\$" | grep -qx 'Total Tests: 0'; then
    fail "left_out names $test, and there is no such test"
  fi
done
tests=0
inside ctest --test-dir "$check/tests" -L quick -E "^($(IFS='|'; echo "${left_out[*]}"))\$" \
  --parallel "$jobs" --output-on-failure >"$root.test.log" 2>&1 || tests=1
sed -nE '/% tests passed/p; /^The following tests/,/^$/p' "$root.test.log"
counts=$(test_counts "$root.test.log")
read -r passed skipped failed <<<"$counts"

# ---- The packages ----

step "the packages"
rm -rf "$root$check/deb"
mkdir -p "$root$check/deb/packages"
cp -rp "$root$sources" "$root$check/deb/source"
rm -rf "$root$check/deb/source/build"
logged packages inside env -C "$check/deb/source" "DEB_BUILD_OPTIONS=nocheck noautodbgsym parallel=$jobs" \
  nice -n 10 dpkg-buildpackage --host-arch="$arch" --build=any --no-sign
mv "$root$check"/deb/*.deb "$root$check/deb/packages"
packages=0
# package_fault FILE: prints what is wrong with a package.
package_fault() {
  local fields libraries file
  fields=$(inside dpkg-deb --field "$1")
  grep -qx "Architecture: $arch" <<<"$fields" || echo "is for $(grep Architecture: <<<"$fields")"
  rm -rf "$root$check/unpacked"
  inside dpkg-deb -x "$1" "$check/unpacked"
  libraries=$(find "$root$check/unpacked" -type f \( -name '*.so*' -o -path '*/bin/*' \))
  for file in $libraries; do
    inside readelf -h "${file#"$root"}" | grep -q "Machine: *$elf\$" || echo "has a file of another CPU: $file"
  done
  for file in $(inside find "$check/unpacked" -name '*.so*'); do
    [[ $file == */usr/lib/$triplet/* ]] || echo "has a library in another folder: $file"
  done
  [ -z "$libraries" ] || grep -q '^Depends: .*libc6 (' <<<"$fields" || echo "does not depend on libc6"
  case $1 in
    */librocksdb-cassandra-bloom[0-9]* | */sst-filters_*)
      grep -q "^Depends: .*$rocksdb (" <<<"$fields" || echo "does not depend on $rocksdb" ;;
  esac
}
for package in "$root$check"/deb/packages/*.deb; do
  package=${package#"$root"}
  printf '  %s\n    %s\n' "${package##*/}" "$(inside dpkg-deb --field "$package" Depends)"
  fault=$(package_fault "$package")
  [ -z "$fault" ] || { echo "    FAULT: $fault"; packages=1; }
done
uninstall  # Those of an earlier run.
inside sh -c "apt-get -o Dpkg::Use-Pty=0 install -qq -y --no-install-recommends $check/deb/packages/*.deb" >/dev/null

# ---- Databases of both CPUs ----

step "building for x86-64"
logged configure_x86 inside cmake -S $sources -B $x86/build -DCMAKE_BUILD_TYPE=Release \
  -DCASSANDRA_BLOOM_BUILD_TESTS=OFF \
  "-DROCKSDB_LIBRARY=$x86_rocksdb" -DROCKSDB_INCLUDE_DIR=$x86/debian/usr/include
logged build_x86 inside nice -n 10 cmake --build $x86/build --parallel "$jobs" \
  --target sst_filters rocksdb_cassandra_bloom cassandra_bloom_preload cassandra_bloom_replace

step "databases"
databases=$check/databases work=$root$check/databases
rm -rf "$work"
mkdir "$work"
for mode in full partitioned; do options_of_mode $mode >"$work/$mode.ini"; done

db_bench() {
  local library=libcassandra_bloom_preload.so policy=--options_file=$databases/$2.ini
  [ "$2" != replaced ] || library=libcassandra_bloom_replace.so policy=--bloom_bits=10
  local command=("${run_with[@]}" "LD_PRELOAD=$library" "$check/debian/usr/bin/db_bench")
  [ "$1" = "$arch" ] || command=(env "LD_LIBRARY_PATH=${x86_rocksdb%/*}"
    "LD_PRELOAD=$x86/build/lib/$library" "$x86/debian/usr/bin/db_bench")
  inside "${command[@]}" $policy "--db=$databases/$3" "${@:4}"
}

# digest CPU: the SHA-256 of all filters of $work/written, as sst_filters on that CPU exports them.
digest() {
  local command=("${run[@]}" /usr/bin/sst_filters)
  [ "$1" = "$arch" ] || command=(env "LD_LIBRARY_PATH=${x86_rocksdb%/*}" "$x86/build/bin/sst_filters")
  rm -rf "$work/filters"
  inside "${command[@]}" export "--db=$databases/written" "--out-dir=$databases/filters" --sstable-version=nb \
    >"$work/export.log" 2>&1 || { tail -n 5 "$work/export.log" >&2; echo "no export by $1"; return; }
  cat "$work"/filters/*-Filter.db | sha256sum | cut -c1-64
}

exchanged=yes equal=yes
for mode in full partitioned replaced; do
  results=() digests=()
  for writer in x86-64 "$arch"; do
    write_database "$writer" $mode
    for reader in x86-64 "$arch"; do
      result=$(read_database "$reader" $mode) || exchanged=no
      sum=$(digest "$reader")
      printf '  %-11s  written by %-7s read by %-7s %s; filters exported: %s\n' \
        $mode "$writer," "$reader:" "$result" "$sum"
      results+=("$result") digests+=("$sum")
    done
  done
  # On both CPUs, filters must reject equally many absent keys.
  [ "$(printf '%s\n' "${results[@]}" | sort -u | wc -l)" = 1 ] || exchanged=no
  [ "$(printf '%s\n' "${digests[@]}" | sort -u | wc -l)" = 1 ] && [ ${#digests[0]} = 64 ] || equal=no
done

step "done"
printf '%s, RocksDB %s, g++ %s: %s tests passed, %s skipped, %s failed; packages good: %s; Filter.db files equal: %s; databases exchanged: %s; %(%F)T\n' \
  "$arch" "$(version_of "librocksdb-dev:$arch")" \
  "$(inside "$triplet-g++" -dumpfullversion)" "$passed" "$skipped" "$failed" \
  "$([ $packages = 0 ] && echo yes || echo no)" "$equal" "$exchanged" -1
[ $tests$packages$equal$exchanged = 00yesyes ]
