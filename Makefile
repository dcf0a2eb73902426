# SPDX-License-Identifier: Apache-2.0

# The commands of the README. Each installs what it needs on Debian.

PACKAGES = cmake g++ libcli11-dev libgflags-dev libgmock-dev libgtest-dev liblz4-dev \
  libsnappy-dev libzstd-dev nlohmann-json3-dev python3 zlib1g-dev \
  $(if $(ROCKSDB_PREFIX),,librocksdb-dev rocksdb-tools)
test_PACKAGES = jq locales pkgconf qemu-user strace
deb_PACKAGES = build-essential debhelper
coverage_PACKAGES = gcovr
format_PACKAGES = clang-format
fuzz_PACKAGES = clang libclang-rt-dev
bench_PACKAGES = libbenchmark-dev
bench-filterdb_PACKAGES = time
rocksjava_PACKAGES = cmake default-jdk-headless g++
module_PACKAGES = cmake g++
# For ARCH, the compiler and the libraries of that CPU.
static_PACKAGES = cmake libcli11-dev nlohmann-json3-dev $(if $(ARCH),crossbuild-essential-$(ARCH),g++) \
  $(addsuffix $(if $(ARCH),:$(ARCH)),liblz4-dev libsnappy-dev libzstd-dev zlib1g-dev)
JOBS = $(shell nproc)
SUDO = $(if $(filter-out 0,$(shell id -u)),sudo)

# Each RocksDB has build folders of its own. Without ROCKSDB_PREFIX, it is Debian's.
ROCKSDB_FOLDER = $(abspath $(ROCKSDB_PREFIX))
DEV = build/dev$(subst /,-,$(ROCKSDB_FOLDER))
RELEASE = build/release$(subst /,-,$(ROCKSDB_FOLDER))
USE_ROCKSDB = $(if $(ROCKSDB_PREFIX),-DCMAKE_PREFIX_PATH=$(ROCKSDB_FOLDER))
CONFIGURE_DEV = cmake --preset dev -B $(DEV) $(USE_ROCKSDB)
CONFIGURE_RELEASE = cmake --preset release -B $(RELEASE) $(USE_ROCKSDB)

help:
	@echo "make demo    compare this filter with RocksDB's own in a database of four levels, in"
	@echo "             the stock db_bench, in a minute"
	@echo "make test    build and run all tests"
	@echo "make release build in build/release, for cmake --install"
	@echo "make bench   time the filters alone, without a database, in a minute"
	@echo "             (BENCH_FLAGS=--help: all parameters)"
	@echo "make bench-db"
	@echo "             as make demo, with more keys and batches, in 20 minutes (QUICK=1: in 4)"
	@echo "             (WORKLOAD=mixgraph: Facebook's; BENCH_DB_FLAGS=--help: other policies,"
	@echo "             keys and bits, data from the disk, a picture of memory)"
	@echo "make bench-db ROCKSDB=TREE"
	@echo "             the same with this source tree of RocksDB, built for this CPU"
	@echo "make bench-layouts"
	@echo "             measure filters in dynamic and static levels, universal and FIFO compaction:"
	@echo "             memory, false positives, and the CPU of filling (QUICK=1: in 2 minutes)"
	@echo "make bench-filterdb"
	@echo "             time filterdb on 100 million keys, and measure its memory"
	@echo "make soak MINUTES=60"
	@echo "             as make random, but with large databases that live for long"
	@echo "make crash ROUNDS=100"
	@echo "             kill processes that use such a database, five times each, and check what is left"
	@echo "make export-stress SECONDS=1200"
	@echo "             change a database and its folder of exported filters in every way at once"
	@echo "make random SECONDS=60"
	@echo "             compare databases of random settings with a map; failures are repeated"
	@echo "             with RocksDB's own filter (SEED=N: only one database)"
	@echo "make damage CASES=4000"
	@echo "             damage SSTables, mend their filters, and check that none denies a key"
	@echo "make scan-loop SCANS=5000"
	@echo "             scan tables in a loop while they are written, compacted and removed"
	@echo "make fuzz SECONDS=60"
	@echo "             run each of the 8 fuzzers for this long"
	@echo "make coverage"
	@echo "             show which lines of the core are run by its quick tests"
	@echo "make mutants"
	@echo "             put faults into the code, which tests must notice, in 25 minutes"
	@echo "make format  format the C and C++ sources with clang-format"
	@echo "make filterdb-static"
	@echo "             make filterdb as one file that needs no library:"
	@echo "             build/static/bin/filterdb (ARCH=arm64: for that CPU, in build/static-arm64)"
	@echo "make rocksjava JAR=FILE ROCKSDB=TREE"
	@echo "             make a folder for java -Djava.library.path, with which programs with this"
	@echo "             rocksdbjni jar have our filters (TREE: RocksDB's sources of its release)"
	@echo "make module MODULE=FILE ROCKSDB=TREE"
	@echo "             make a library to preload, with which programs with this native module of"
	@echo "             Node.js or Python have our filters (TREE: as above)"
	@echo "make dist    make a source archive of the last commit and its SHA-256, in build/dist"
	@echo "make deb     make Debian packages and their source package, in build/deb/packages"
	@echo
	@echo "With ROCKSDB_PREFIX=DIR, all of these but deb, fuzz and mutants take the RocksDB whose"
	@echo "headers, library and tools are in DIR/include, DIR/lib and DIR/bin, instead of Debian's,"
	@echo "and build in folders of their own, such as build/dev-DIR"

BENCH_DB = $(if $(ROCKSDB_PREFIX),PATH="$(ROCKSDB_FOLDER)/bin:$$PATH") \
  python3 -B db_bench_ext/database/bench.py

demo: plugin
	$(BENCH_DB) --lib-dir=$(RELEASE)/lib --demo

bench: packages bench-packages
	$(CONFIGURE_RELEASE) -DCASSANDRA_BLOOM_BUILD_BENCHMARKS=ON
	cmake --build $(RELEASE) --parallel $(JOBS) --target filter_bench
	$(RELEASE)/bin/filter_bench $(BENCH_FLAGS)

bench-db: $(if $(ROCKSDB),rocksdb-for-this-cpu,plugin)
	$(BENCH_DB) $(BENCH_DB_TOOLS) $(if $(QUICK),--quick) $(if $(WORKLOAD),--workload=$(WORKLOAD)) $(BENCH_DB_FLAGS)

bench-layouts: plugin
	cmake --build $(RELEASE) --parallel $(JOBS) --target sst_filters
	$(BENCH_DB) --workload=layouts --lib-dir=$(RELEASE)/lib $(if $(QUICK),--quick) $(BENCH_DB_FLAGS)

# A RocksDB as people compile it for one machine, with this repository as its plugin.
IN_TREE = $(ROCKSDB)/build-for-this-cpu
BENCH_DB_TOOLS = $(if $(ROCKSDB),--in-tree=$(IN_TREE),--lib-dir=$(RELEASE)/lib)

rocksdb-for-this-cpu: packages
	@test -f $(ROCKSDB)/include/rocksdb/version.h || \
	  { echo "$(ROCKSDB) is not a source tree of RocksDB" >&2; exit 1; }
	@test -e $(ROCKSDB)/plugin/cassandra_bloom || ln -sfn $(CURDIR) $(ROCKSDB)/plugin/cassandra_bloom
	@test $(ROCKSDB)/plugin/cassandra_bloom -ef . || \
	  { echo "$(ROCKSDB)/plugin/cassandra_bloom is not this repository: remove it" >&2; exit 1; }
	cmake -S $(ROCKSDB) -B $(IN_TREE) -DCMAKE_BUILD_TYPE=Release -DPORTABLE=0 \
	  -DROCKSDB_PLUGINS=cassandra_bloom -DROCKSDB_BUILD_SHARED=OFF -DWITH_GFLAGS=ON \
	  -DWITH_TESTS=OFF -DWITH_LIBURING=OFF -DFAIL_ON_WARNINGS=OFF
	cmake --build $(IN_TREE) --parallel $(JOBS) --target db_bench sst_dump
	ln -sf tools/sst_dump $(IN_TREE)

bench-filterdb: release bench-filterdb-packages
	db_bench_ext/database/filterdb_bench.sh $(RELEASE)

MINUTES = 60
ROUNDS = 100

export-stress: packages test-packages
	$(CONFIGURE_DEV)
	cmake --build $(DEV) --parallel $(JOBS) --target export_test
	CASSANDRA_BLOOM_CHURN_SECONDS=$(SECONDS) $(if $(SEED),CASSANDRA_BLOOM_SEED=$(SEED)) \
	  $(DEV)/bin/export_test --gtest_filter='ChurnTest.*'

CASES = 4000

damage: packages test-packages
	$(CONFIGURE_DEV)
	cmake --build $(DEV) --parallel $(JOBS) --target damage_test
	CASSANDRA_BLOOM_DAMAGES=$(CASES) $(if $(SEED),CASSANDRA_BLOOM_SEED=$(SEED)) $(DEV)/bin/damage_test

SCANS = 5000

scan-loop: packages test-packages
	$(CONFIGURE_DEV)
	cmake --build $(DEV) --parallel $(JOBS) --target scan_loop_test
	CASSANDRA_BLOOM_SCANS=$(SCANS) $(if $(SEED),CASSANDRA_BLOOM_SEED=$(SEED)) $(DEV)/bin/scan_loop_test

SECONDS = 60

random: RUN = --seconds=$(SECONDS)
soak: RUN = --seconds=$$((60 * $(MINUTES))) --scale=20 --time_limit=3600
crash: RUN = --databases=$(ROUNDS) --kills=5

# In memory (/dev/shm) if possible, because RocksDB syncs many small files.
random soak crash: packages test-packages
	$(CONFIGURE_DEV)
	cmake --build $(DEV) --parallel $(JOBS) --target random_db
	TMPDIR=$${TMPDIR:-$$(test -d /dev/shm && echo /dev/shm || echo /tmp)} \
	  $(DEV)/bin/random_db $(RUN) --jobs=$(JOBS) $(if $(SEED),--seed=$(SEED))

fuzz: packages fuzz-packages
	cmake --preset dev -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang \
	  -DCMAKE_CXX_FLAGS="-O1 -g1" -DCASSANDRA_BLOOM_BUILD_FUZZERS=ON \
	  -DCASSANDRA_BLOOM_BUILD_TESTS=OFF -DCASSANDRA_BLOOM_BUILD_TOOLS=OFF
	cmake --build build/fuzz --parallel $(JOBS) --target fuzzers
	tests/stress/fuzz/run.sh build/fuzz/bin $(SECONDS) $(JOBS)

coverage: packages coverage-packages
	cmake --preset core-only -B build/coverage \
	  -DCMAKE_CXX_FLAGS="-O1 -g1 --coverage -fprofile-update=atomic" -DCMAKE_C_FLAGS=--coverage
	find build/coverage -name '*.gcda' -delete
	cmake --build build/coverage --parallel $(JOBS)
	ctest --test-dir build/coverage -L quick --parallel $(JOBS)
	gcovr --root . --object-directory build/coverage --filter plugin/filter/ --filter plugin/filter_db/ --filter plugin/lsm/ --filter include/ \
	  --exclude-throw-branches --fail-under-line 95 build/coverage

mutants: packages test-packages
	python3 -B tests/stress/mutants/mutants.py --jobs=$(JOBS)

# ctest runs as with the preset dev, which has only one folder. TESTS="-L quick": some of them.
test: packages test-packages
	$(CONFIGURE_DEV)
	cmake --build $(DEV) --parallel $(JOBS)
	ctest --test-dir $(DEV) --output-on-failure --parallel 4 $(TESTS)

release: packages
	$(CONFIGURE_RELEASE)
	cmake --build $(RELEASE) --parallel $(JOBS)

# The libraries alone that a stock program preloads.
plugin: packages
	$(CONFIGURE_RELEASE)
	cmake --build $(RELEASE) --parallel $(JOBS) --target cassandra_bloom_preload \
	  cassandra_bloom_replace rocksdb_cassandra_bloom

STATIC = build/static$(if $(ARCH),-$(ARCH))
TRIPLET_arm64 = aarch64-linux-gnu
CROSS = -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$(firstword $(subst -, ,$(TRIPLET_$(ARCH)))) \
  -DCMAKE_C_COMPILER=$(TRIPLET_$(ARCH))-gcc -DCMAKE_CXX_COMPILER=$(TRIPLET_$(ARCH))-g++

filterdb-static: static-packages
	cmake --preset static -B $(STATIC) $(if $(ARCH),$(CROSS))
	cmake --build $(STATIC) --parallel $(JOBS) --target filterdb

static-packages: $(if $(ARCH),foreign-architecture)

foreign-architecture:
	@test -n "$(TRIPLET_$(ARCH))" || { echo "ARCH=$(ARCH): not arm64" >&2; exit 1; }
	@dpkg --print-foreign-architectures | grep -qx $(ARCH) || $(SUDO) dpkg --add-architecture $(ARCH)

# Other releases break some lines differently.
format: format-packages
	@clang-format --version | grep -q 'version 14\.' || \
	  { echo "make format needs clang-format 14: pipx install clang-format==14.0.6" >&2; exit 1; }
	git ls-files '*.h' '*.cc' '*.c' | xargs clang-format -i

ROCKSJAVA = build/$(notdir $(basename $(JAR)))

rocksjava: rocksjava-packages
	cmake --preset release -B $(ROCKSJAVA) -DCASSANDRA_BLOOM_BUILD_TOOLS=OFF \
	  -DCASSANDRA_BLOOM_ROCKSJAVA=$(abspath $(JAR)) -DROCKSDB_SOURCE_DIR=$(abspath $(ROCKSDB))
	cmake --build $(ROCKSJAVA) --parallel $(JOBS) --target rocksjava
	@echo "java -Djava.library.path=$(abspath $(ROCKSJAVA))/lib ..."

MODULE_BUILD = build/module-$(notdir $(basename $(MODULE)))

module: module-arguments module-packages
	cmake --preset release -B "$(MODULE_BUILD)" -DCASSANDRA_BLOOM_BUILD_TOOLS=OFF \
	  "-DCASSANDRA_BLOOM_MODULE=$$(realpath "$(MODULE)")" "-DROCKSDB_SOURCE_DIR=$$(realpath "$(ROCKSDB)")"
	cmake --build "$(MODULE_BUILD)" --parallel $(JOBS) --target rocksdb_cassandra_bloom cassandra_bloom_replace
	@echo "LD_PRELOAD=$$(realpath "$(MODULE_BUILD)")/lib/libcassandra_bloom_replace.so ..."

module-arguments:
	@test -f "$(MODULE)" -a -d "$(ROCKSDB)" || { echo "make module MODULE=FILE ROCKSDB=TREE" >&2; exit 1; }

deb: packages deb-packages
	rm -rf build/deb
	mkdir -p build/deb/source build/deb/packages
	tar -c --exclude-vcs --exclude=./build . | tar -x -C build/deb/source
	cd build/deb/source && DEB_BUILD_OPTIONS="noautodbgsym parallel=$(JOBS) $$DEB_BUILD_OPTIONS" dpkg-buildpackage --no-sign
	mv build/deb/cassandra-bloom_* build/deb/*.deb build/deb/packages

VERSION = $(shell sed -n 's/^project.cassandra_bloom VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
ARCHIVE = cassandra_bloom-$(VERSION).tar.gz

dist:
	@git rev-parse --verify --quiet HEAD >/dev/null || { echo "make dist needs a git clone" >&2; exit 1; }
	mkdir -p build/dist
	git archive --format=tar.gz --prefix=cassandra_bloom-$(VERSION)/ --output=build/dist/$(ARCHIVE) HEAD
	cd build/dist && sha256sum $(ARCHIVE) | tee $(ARCHIVE).sha256

packages: $(if $(ROCKSDB_PREFIX),rocksdb-in-prefix)
	$(call install,$(PACKAGES))

rocksdb-in-prefix:
	@for file in include/rocksdb/version.h bin/db_bench bin/ldb bin/sst_dump; do \
	  test -f $(ROCKSDB_FOLDER)/$$file || { echo "ROCKSDB_PREFIX: no $(ROCKSDB_FOLDER)/$$file" >&2; exit 1; }; \
	done

NEEDS = test-packages deb-packages coverage-packages format-packages fuzz-packages \
  bench-packages bench-filterdb-packages rocksjava-packages module-packages static-packages

$(NEEDS): %-packages:
	$(call install,$($*_PACKAGES))

define install
	@dpkg-query -W -f '$${db:Status-Status}\n' $(1) 2>/dev/null | \
	  grep -c '^installed$$' | grep -qx $(words $(1)) || { \
	  $(SUDO) apt-get update && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y --no-install-recommends $(1); }
endef

# Two targets at once would both call apt-get.
.NOTPARALLEL:
.PHONY: help demo bench bench-db bench-layouts rocksdb-for-this-cpu rocksdb-in-prefix bench-filterdb soak crash export-stress damage scan-loop random fuzz coverage \
  mutants test release plugin rocksjava module dist filterdb-static foreign-architecture format deb packages $(NEEDS)
