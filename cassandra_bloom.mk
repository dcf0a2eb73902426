# SPDX-License-Identifier: Apache-2.0

# For RocksDB's own build with a clone of this repository as its plugin/cassandra_bloom:
#   make ROCKSDB_PLUGINS=cassandra_bloom ...
# RocksDB's CMake also reads this file. Its regular expressions need each list
# on one line.

cassandra_bloom_SOURCES = plugin/export/export_folder.cc plugin/export/listener.cc plugin/export/sst_reader.cc plugin/filter/filter_db_layout.cc plugin/filter/hash_list.cc plugin/filter/kernels/avx2_kernel.cc plugin/filter/kernels/avx512_kernel.cc plugin/filter/kernels/dispatch.cc plugin/filter/kernels/portable_kernel.cc plugin/filter/sizing.cc plugin/filter_db/filter_db_file.cc plugin/filter_db/read_file.cc plugin/filter_db/sstable_version.cc plugin/filter_db/write_file.cc plugin/lsm/partition_key.cc plugin/policy/bits_builder.cc plugin/policy/bits_reader.cc plugin/policy/filter_name.cc plugin/policy/in_place.cc plugin/policy/policy.cc plugin/policy/policy_options.cc plugin/policy/policy_settings.cc plugin/policy/report.cc plugin/policy/rocksdbs_policies.cc plugin/policy/running_rocksdb.cc plugin/prefix_extractor/partition_transform.cc plugin/registry.cc
cassandra_bloom_HEADERS = include/cassandra_bloom/filter_policy.h include/cassandra_bloom/filter_db.h include/cassandra_bloom/filter_db_export.h
cassandra_bloom_FUNC = register_cassandra_bloom
cassandra_bloom_TESTS = tests/install/in_tree/cassandra_bloom_plugin_test.cc
cassandra_bloom_CXXFLAGS = -Iplugin/cassandra_bloom -Iplugin/cassandra_bloom/include

# RocksDB's make puts the objects beside the sources, here. Two RocksDB trees with one
# checkout would use and delete each other's objects, so make refuses a checkout that is
# reached by a link. (CMake builds in a folder of its own, and reads only the lists above.)
cassandra_bloom_FOLDER := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ifneq ($(realpath $(cassandra_bloom_FOLDER)),$(abspath $(cassandra_bloom_FOLDER)))
$(error $(cassandra_bloom_FOLDER) is a link to $(realpath $(cassandra_bloom_FOLDER)). RocksDB's make \
  puts objects beside the sources, so RocksDB trees must not share one checkout: remove the link, \
  and `git clone` into $(cassandra_bloom_FOLDER); or build RocksDB by CMake)
endif
