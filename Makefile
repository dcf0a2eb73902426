# The two commands of the README. Each installs what it needs on Debian.

PACKAGES = cmake g++ libcli11-dev libgflags-dev libgmock-dev libgtest-dev \
  librocksdb-dev nlohmann-json3-dev python3 rocksdb-tools
JOBS = $(shell nproc)
SUDO = $(if $(filter-out 0,$(shell id -u)),sudo)

help:
	@echo "make demo    compare this filter with RocksDB's own, in the stock db_bench"
	@echo "make test    build and run all tests"
	@echo "make bench   time the filters alone, without a database"

demo: release
	python3 db_bench_ext/demo.py --lib-dir=build/release/lib

bench: release
	build/release/bin/filter_bench

test: packages
	cmake --preset dev
	cmake --build --preset dev --parallel $(JOBS)
	ctest --preset dev

release: packages
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)

packages:
	@dpkg-query -W -f '$${db:Status-Status}\n' $(PACKAGES) 2>/dev/null | \
	  grep -c '^installed$$' | grep -qx $(words $(PACKAGES)) || { \
	  $(SUDO) apt-get update && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y --no-install-recommends $(PACKAGES); }

.PHONY: help demo bench test release packages
