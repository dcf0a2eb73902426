# SPDX-License-Identifier: Apache-2.0

"""What the documents show but commands_test.py does not run, and why."""

_LONG = "takes minutes: "
_ROOT = "installs packages: "

# A command as in the document, and why it is not run, or where it is tested.
NOT_RUN = {
    # README, docs/speed.md, docs/testing.md
    "sst_filters doctor --db=/path/to/database": "wants a database; docs/sst_filters.md runs it",
    "filterdb scan /var/lib/cassandra/data --only-faults": "wants a node; docs/filterdb.md runs it",
    "make demo": _ROOT + "tests/install/matrix/distributions.sh",
    "make test": _ROOT + "tests/install/matrix/distributions.sh; it runs this test",
    "make bench-db": _ROOT + "db_bench_ext/database/bench.py --quick, by hand",
    "make release": ".ci/run builds so",
    "make bench-db QUICK=1": _ROOT + "by hand",
    "make bench": _ROOT + ".ci/run builds filter_bench, and runs it under sanitizers",
    "make bench BENCH_FLAGS=--help": _ROOT + "by hand",
    "make bench-filterdb": _LONG + "db_bench_ext/database/filterdb_bench.sh, by hand",
    "make filterdb-static": _ROOT + "tests/install/matrix/static.sh",
    "make filterdb-static ARCH=arm64": _ROOT + "tests/install/matrix/static.sh",
    "make deb": _ROOT + "tests/install/matrix/debian_source.sh",
    "apt-get install ./build/deb/packages/*.deb": _ROOT + "tests/install/matrix/debian_source.sh",
    "cmake --install build/release --prefix=DIR": "tests/install/consumer/installed_test.sh",
    "DESTDIR=… cmake --install BUILD --component NAME": "debian/rules, by debian_source.sh",
    "ctest -L quick -j2": _LONG + "make test runs these tests, too",
    "git clone … plugin/cassandra_bloom": "tests/install/matrix/in_tree.sh",
    "make ROCKSDB_PLUGINS=cassandra_bloom …": "tests/install/matrix/in_tree.sh",
    "build/release/bin/filter_bench --keys=1M --filters=50 --policies=bloomfilter:10,cassandra_bloom:10 "
    "--benchmark_filter=lookup_absent":
        _LONG + "by hand, for the table",
    "build/release/bin/filter_bench --keys=1M "
    "--policies=bloomfilter:10,cassandra_bloom:10,bloomfilter:16,cassandra_bloom:16 "
    "--benchmark_filter=lookup_absent":
        _LONG + "by hand, for the rates",
    "make bench-db ROCKSDB=TREE": _LONG + "by hand",
    "make bench-db BENCH_DB_FLAGS=--universal": _LONG + "by hand",
    "make bench-layouts": _LONG + "by hand",
    "make test ROCKSDB_PREFIX=DIR": _LONG + "by hand",
    "make test ROCKSDB_PREFIX=FOLDER": _LONG + "by hand",
    "make bench-db QUICK=1 BENCH_DB_FLAGS=--picture=docs/speed/memory.svg": _LONG + "by hand",
    "make bench-db ROCKSDB=TREE WORKLOAD=mixgraph": _LONG + "by hand",
    "make soak MINUTES=60": _LONG + "tests/stress/random, for seconds",
    "make crash ROUNDS=100": _LONG + "tests/stress/random, for seconds",
    "make export-stress KILLS=200 SECONDS=1200": _LONG + "tests/stress/export_stress, for seconds",
    "make random SECONDS=600": _LONG + "tests/stress/random, for seconds",
    "make scan-loop SCANS=5000": _LONG + "scan_loop_test, for seconds",
    "make damage CASES=4000": _LONG + "ctest runs damage_test, with fewer cases",
    "make fuzz SECONDS=900": _LONG + "tests/stress/fuzz/run.sh, by hand",
    "make mutants": _LONG + "by hand",
    "make coverage": _LONG + "by hand",
    "tests/install/matrix/thread_sanitizer.sh TREE": _LONG + "by hand",
    "CASSANDRA_BLOOM_PRESENT_KEYS=1000000000 build/dev/bin/false_negative_test":
        _LONG + "the test runs with fewer keys",
    "CASSANDRA_BLOOM_BUILDER_KEYS=1000000000 build/dev/bin/builder_memory_test":
        _LONG + "the test runs with fewer keys",
    "tests/install/matrix/new_release.sh TREE": _LONG + "by hand",
    "tests/install/matrix/newest_release.py 12.0":
        "changes files; ctest runs it without a release",
    "cmake --preset release | dev | asan-ubsan | core-only":
        "a choice; tests/install/configure, and every build",
    # CONTRIBUTING.md
    "tests/install/matrix/distributions.sh build/distributions trixie bookworm": _LONG + "by hand",
    "tests/install/matrix/quick_tests.sh trixie": _LONG + ".ci/run runs it",
    "tests/install/matrix/debian_source.sh trixie": _LONG + "by hand",
    "git tag -s v0.1.0": "makes a tag",
    "make dist": "needs git",
    "make random SECONDS=3600": _LONG + "tests/stress/random, for seconds",
    "make packages test-packages": _ROOT + "make test needs both",
    "cmake --preset dev": "every build",
    "cmake --build --preset dev --parallel $(nproc) --target filter_test":
        "every build",
    "build/dev/bin/filter_test --gtest_filter='*Kernel*:*UpperHalves*'": "ctest runs these tests",
    "build/dev/bin/filter_test --gtest_filter='*/avx2'": "ctest runs these tests",
    "CASSANDRA_BLOOM_PERCENT=1 build/dev/bin/kernel_cases_test":
        "ctest runs these tests",
    "CASSANDRA_BLOOM_PERCENT=100 build/dev/bin/kernel_cases_test": _LONG + "ctest runs 5 %",
    "ctest --preset dev -L quick": "ctest runs this test, too",
    "ctest --preset dev -R KernelTest": "ctest runs this test, too",
    "cmake -DCASSANDRA_BLOOM_CORE_ONLY=ON": "the preset core-only, in .ci/run",
    "make format": "it would change the sources under test",
    "python3 tests/docs/commands_test.py --source=. --build=build/dev docs/hosts.md":
        "it is this test",
    # docs/filterdb_node.md: a block to copy on a node. The section "Without a node"
    # of docs/filterdb.md and filterdb/tests/commands/ run the same commands.
    "sudo install -d /var/lib/filterdb && sudo install -d -o $user -m 700 $run": "wants a node",
    "sudo -u $user filterdb scan $data --only-faults": "wants a node",
    "sudo -u $user filterdb mend $data --run=$run": "wants a node",
    "sudo -u $user filterdb install $run --dry-run": "wants a node",
    "sudo -u $user filterdb install $run": "wants a node",
    "sudo -u $user filterdb install $run --undo": "wants a node",
    "nodetool drain && sudo systemctl stop $service": "wants a node",
    "sudo systemctl start $service": "wants a node",
    "nodetool repair --full KEYSPACE TABLE": "wants a node",
    # docs/packaging.md
    # docs/hosts.md
    "g++ program.cc $(pkg-config --cflags --libs rocksdb_cassandra_bloom)":
        "wants an installed tree: tests/install/consumer/installed_test.sh",
    "cc program.c $(pkg-config --cflags --libs cassandra_bloom)":
        "wants an installed tree: tests/install/consumer/installed_test.sh",
    "systemctl daemon-reload && systemctl restart NAME": "wants a running systemd",
    "journalctl -u NAME": "as above",
    "ROCKSDB_LIB_DIR=/usr/lib/x86_64-linux-gnu ROCKSDB_INCLUDE_DIR=/usr/include "
    "cargo build --release": "tests/install/hosts/run.sh rust",
    "cargo rustc -- -C link-arg=…": _LONG + "by hand",
    "make ROCKSDB_PLUGINS=cassandra_bloom rocksdbjava": _LONG + "by hand",
    "make module MODULE=node_modules/rocksdb-native/prebuilds/linux-x64/rocksdb-native.node "
    "ROCKSDB=TREE": "tests/install/hosts/run.sh node",
    "make module MODULE=… ROCKSDB=TREE": "as above",
    "make module": "as above",
    "LD_PRELOAD=FOLDER/libcassandra_bloom_replace.so node PROGRAM": "as above",
    "tests/install/hosts/run.sh --help": "prints which hosts there are",
    "make rocksjava JAR=…/rocksdbjni-10.10.1.1.jar ROCKSDB=TREE":
        _ROOT + "tests/install/hosts/run.sh",
    "make rocksjava JAR=… ROCKSDB=TREE": "as above",
    "java -Djava.library.path=FOLDER …": "as above",
}

# Named in a sentence, but not a command to type.
MENTIONED = {
    "cmake --install",
    "db_bench --bloom_bits=10",
    "ldb --bloom_bits=10",
    "ldb put",
    "nodetool import",
    "nodetool refresh",
    "nodetool getsstables",
    "nodetool scrub",
    "nodetool tablestats",
    "nodetool upgradesstables -a",
    "nodetool verify",
    "nodetool upgradesstables -a KEYSPACE TABLE",
}

# The beginnings of blocks that show only output: of make demo and of make
# bench-filterdb.
OUTPUT = ("db_bench of RocksDB version ", "filterdb       ")
