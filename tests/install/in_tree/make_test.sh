#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests cassandra_bloom.mk with `make -n`, in a folder with the part of RocksDB's Makefiles
# that reads it.
set -euo pipefail

sources=$(realpath "$(dirname "$0")/../../..")
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
failed=0
# A test that make runs must not pass its own options on.
unset MAKEFLAGS MFLAGS MAKELEVEL

# tree FOLDER: a RocksDB tree without its sources. The lines about plugins are those of
# RocksDB's Makefile and java/Makefile, 7.8 to 11.8.
tree() {
  mkdir -p "$1/java" "$1/plugin"
  cat >"$1/Makefile" <<'END'
ROCKSDB_PLUGIN_MKS = $(foreach plugin, $(ROCKSDB_PLUGINS), plugin/$(plugin)/*.mk)
include $(ROCKSDB_PLUGIN_MKS)
ROCKSDB_PLUGIN_SOURCES = $(foreach p, $(ROCKSDB_PLUGINS), $(foreach source, $($(p)_SOURCES), plugin/$(p)/$(source)))
objects = $(patsubst %.cc, ./%.o, $(ROCKSDB_PLUGIN_SOURCES))
static_lib: $(objects)
java: ; $(MAKE) -C java
clean: ; rm -f $(objects)
.PHONY: java
END
  cat >"$1/java/Makefile" <<'END'
PLUGIN_PATH = ../plugin
ROCKSDB_PLUGIN_MKS = $(foreach plugin, $(ROCKSDB_PLUGINS), $(PLUGIN_PATH)/$(plugin)/*.mk)
include $(ROCKSDB_PLUGIN_MKS)
all: ; @echo java: $(cassandra_bloom_FUNC)
END
}

# clone FOLDER: what make reads of a clone, with an object of an earlier build.
clone() {
  mkdir -p "$1"
  (cd "$sources" && cp --parents cassandra_bloom.mk \
    $(sed -n 's/^cassandra_bloom_SOURCES = //p' cassandra_bloom.mk) "$1")
  touch "$1/plugin/registry.o"
}

fail() {
  echo "$1:"
  sed 's/^/  /' "$work/log"
  failed=1
}

# accepted WHAT TEXT MAKE_ARGUMENT...: make must succeed and say TEXT.
accepted() {
  local what=$1 text=$2
  shift 2
  echo "==== $what"
  make ROCKSDB_PLUGINS=cassandra_bloom "$@" >"$work/log" 2>&1 || { fail "refused"; return; }
  grep -qF -e "$text" "$work/log" || fail "does not say '$text'"
}

# refused WHAT FOLDER MAKE_ARGUMENT...: make must fail, and name the link and the remedy.
refused() {
  local what=$1 folder=$2
  shift 2
  echo "==== $what"
  if make ROCKSDB_PLUGINS=cassandra_bloom "$@" >"$work/log" 2>&1; then fail "not refused"; return; fi
  grep -qF -e "$folder is a link to $work/" "$work/log" || fail "does not name the link"
  grep -qF -e "remove the link, and \`git clone\` into $folder; or build RocksDB by CMake" "$work/log" ||
    fail "does not say what to do"
}

object="plugin/cassandra_bloom/plugin/policy/policy.o"
tree "$work/rocksdb"
clone "$work/rocksdb/plugin/cassandra_bloom"
accepted "a clone" "$object" -n -C "$work/rocksdb" static_lib
accepted "a clone, and RocksDB's tree is reached by a link" "$object" \
  -n -C "$(ln -s "$work/rocksdb" "$work/link" && echo "$work/link")" static_lib
accepted "a clone, and another folder to start in" "$object" -n --directory="$work" \
  --directory=rocksdb static_lib
accepted "the build of Java, which starts in another folder" "java: register_cassandra_bloom" \
  -C "$work/rocksdb" java
accepted "other targets" "rm -f" -n -C "$work/rocksdb" clean

tree "$work/linked"
ln -s "$work/rocksdb/plugin/cassandra_bloom" "$work/linked/plugin/cassandra_bloom"
refused "a link" plugin/cassandra_bloom -n -C "$work/linked" static_lib
refused "a link, without -n" plugin/cassandra_bloom -C "$work/linked" clean
refused "a link, from the folder java" ../plugin/cassandra_bloom -n -C "$work/linked/java"

tree "$work/shares"
rmdir "$work/shares/plugin"
ln -s ../rocksdb/plugin "$work/shares/plugin"
refused "a folder of plugins that is a link" plugin/cassandra_bloom -n -C "$work/shares" static_lib

echo "==== nothing was deleted or written"
find "$work/rocksdb/plugin/cassandra_bloom" -type f ! -name '*.cc' ! -name '*.mk' >"$work/log"
[ "$(cat "$work/log")" = "$work/rocksdb/plugin/cassandra_bloom/plugin/registry.o" ] ||
  fail "there is not just the old object"
exit $failed
