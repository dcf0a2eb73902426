// SPDX-License-Identifier: Apache-2.0

// Uses the filter policy of an installed cassandra_bloom in a database.

#include <cassandra_bloom/c.h>
#include <cassandra_bloom/filter_policy.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace {

void Require(const rocksdb::Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(1);
  }
}

rocksdb::Options OptionsWithOurFilter() {
  rocksdb::BlockBasedTableOptions table_options;
  table_options.filter_policy.reset(rocksdb::NewCassandraBloomPolicy(10));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.statistics = rocksdb::CreateDBStatistics();
  options.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(table_options));
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: plugin DATABASE\n");
    return 2;
  }
  const rocksdb::Options options = OptionsWithOurFilter();
#if ROCKSDB_MAJOR >= 11
  std::unique_ptr<rocksdb::DB> opened;
#else
  rocksdb::DB* opened = nullptr;
#endif
  Require(rocksdb::DB::Open(options, argv[1], &opened));
  const std::unique_ptr<rocksdb::DB> db(std::move(opened));
  for (int i = 0; i < 1000; ++i) {
    Require(db->Put({}, "key" + std::to_string(2 * i), "value"));
  }
  Require(db->Flush({}));
  std::string value;
  for (int i = 0; i < 999; ++i) {
    db->Get({}, "key" + std::to_string(2 * i + 1), &value);
  }
  const auto useful =
      options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  std::printf("RocksDB %s: the filter answered %d of 999\n",
              rocksdb::GetRocksVersionAsString().c_str(),
              static_cast<int>(useful));
  char* error = nullptr;  // The interface for C, too.
  const bool is_registered = cassandra_bloom_register_with_rocksdb(&error);
  return useful > 950 && is_registered ? 0 : 1;
}
