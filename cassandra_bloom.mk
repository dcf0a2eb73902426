# For RocksDB's own build, where this repository is its plugin/cassandra_bloom:
#   make ROCKSDB_PLUGINS=cassandra_bloom ...
# RocksDB's CMake reads this file, too, by regular expressions that want each
# list on one line.

cassandra_bloom_SOURCES = plugin/core/byte_source.cc plugin/core/file_io.cc plugin/core/filter_db.cc plugin/core/filter_db_file.cc plugin/core/filter_writer.cc plugin/core/hash_list.cc plugin/core/index_db_reader.cc plugin/core/index_format.cc plugin/core/input_buffer.cc plugin/core/kernels/avx2_kernel.cc plugin/core/kernels/avx512_kernel.cc plugin/core/kernels/kernel.cc plugin/core/kernels/portable_kernel.cc plugin/core/key_reader.cc plugin/core/level_sizing.cc plugin/core/output_file.cc plugin/core/partition_key.cc plugin/core/sizing.cc plugin/core/sstable_version.cc plugin/core/temporary_file.cc plugin/rocksdb/bits_builder.cc plugin/rocksdb/bits_reader.cc plugin/rocksdb/database_exporter.cc plugin/rocksdb/export_folder.cc plugin/rocksdb/export_listener.cc plugin/rocksdb/export_target.cc plugin/rocksdb/export_worker.cc plugin/rocksdb/filter_db_export.cc plugin/rocksdb/live_ssts.cc plugin/rocksdb/marked_skip_list.cc plugin/rocksdb/partition_transform.cc plugin/rocksdb/policy.cc plugin/rocksdb/policy_options.cc plugin/rocksdb/policy_settings.cc plugin/rocksdb/read_only_env.cc plugin/rocksdb/recorded_options.cc plugin/rocksdb/registry.cc plugin/rocksdb/report.cc plugin/rocksdb/running_rocksdb.cc plugin/rocksdb/sst_exporter.cc plugin/rocksdb/sst_file.cc plugin/rocksdb/statistics.cc
cassandra_bloom_HEADERS = include/cassandra_bloom/filter_policy.h include/cassandra_bloom/filter_statistics.h include/cassandra_bloom/filter_db.h include/cassandra_bloom/filter_db_export.h include/cassandra_bloom/filter_db_export_listener.h include/cassandra_bloom/key_reader.h
cassandra_bloom_FUNC = register_cassandra_bloom
cassandra_bloom_TESTS = tests/in_tree/cassandra_bloom_plugin_test.cc
cassandra_bloom_CXXFLAGS = -Iplugin/cassandra_bloom -Iplugin/cassandra_bloom/include

# make puts the objects beside the sources, which is in this repository even where
# it is only linked. What was compiled for another RocksDB must not stay.
ifneq ($(shell cat plugin/cassandra_bloom/.rocksdb-tree 2>/dev/null),$(CURDIR))
$(shell find plugin/cassandra_bloom/plugin plugin/cassandra_bloom/tests/in_tree -name '*.[od]' -delete && \
  echo $(CURDIR) >plugin/cassandra_bloom/.rocksdb-tree)
endif
