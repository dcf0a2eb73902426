// SPDX-License-Identifier: Apache-2.0

// Uses the filter policy of an installed cassandra_bloom in a database.

#include <cassandra_bloom/c.h>
#include <cassandra_bloom/filter_policy.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <cstdint>
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

rocksdb::CassandraBloomStatistics StatisticsOf(rocksdb::DB* db) {
  const auto* const table_options =
      db->GetOptions()
          .table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  rocksdb::CassandraBloomStatistics statistics;
  if (!rocksdb::GetCassandraBloomStatistics(*table_options->filter_policy,
                                            &statistics)) {
    std::fprintf(stderr, "the policy is not cassandra_bloom\n");
    std::exit(1);
  }
  return statistics;
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
  const rocksdb::CassandraBloomStatistics statistics = StatisticsOf(db.get());
  std::fputs(statistics.ToString().c_str(), stdout);
  uint64_t entries = 0;  // The same figure, in C.
  cassandra_bloom_get_statistic("entries", &entries, nullptr);
  return useful > 950 && statistics.entries == 1000 && entries == 1000 ? 0 : 1;
}
