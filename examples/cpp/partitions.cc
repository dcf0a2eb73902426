// SPDX-License-Identifier: Apache-2.0

// Stores rows in partitions, as Rocksandra (Cassandra on RocksDB) does. The
// filter holds the partition keys. To compile and run this example (RocksDB 10
// and later need C++20):
//
//   c++ -std=c++20 partitions.cc -lrocksdb_cassandra_bloom -lrocksdb
//   ./a.out FOLDER
//
// Makes a database in FOLDER, which must not exist yet. The storage key is
//
//   token, 8 bytes | length, 2 bytes | partition key | clustering, 4 bytes
//
// All numbers are big-endian, because RocksDB compares keys byte by byte. So
// the partitions are in the order of their tokens, and the rows of a partition
// are in the order of their clustering numbers.

#include <cassandra_bloom/c.h>
#include <cassandra_bloom/filter_policy.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/version.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace {

constexpr int kNumUsers = 10000;
constexpr uint32_t kRowsPerUser = 20;

// `skip:8,u16` says where the partition key is in a storage key. It stands here
// twice: for the prefixes of iterators, and for the entries of the filter.
constexpr char kOptions[] =
    "prefix_extractor=cassandra_partition:skip:8,u16;"
    "block_based_table_factory={"
    "filter_policy={id=cassandra_bloom;partition_key=skip:8,u16}}";

void Require(const rocksdb::Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "partitions: %s\n", status.ToString().c_str());
    std::exit(1);
  }
}

std::string BigEndian(uint64_t number, int size) {
  std::string bytes;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift);
  }
  return bytes;
}

// Returns the beginning of a storage key, up to the end of the partition key.
// All rows of the partition have this prefix.
std::string Partition(const std::string& key) {
  uint64_t hash[2];
  cassandra_bloom_hash(key.data(), key.size(), hash);
  // Cassandra's token is the first half of the hash, as a signed number. The
  // sign bit is inverted, so that the order of the bytes is the order of the
  // numbers.
  const uint64_t token = hash[0] ^ (uint64_t{1} << 63);
  return BigEndian(token, 8) + BigEndian(key.size(), 2) + key;
}

std::string Row(const std::string& key, uint32_t clustering) {
  return Partition(key) + BigEndian(clustering, 4);
}

std::unique_ptr<rocksdb::DB> Open(const std::string& folder) {
  rocksdb::ObjectRegistry::Default()->AddLibrary("cassandra_bloom",
                                                 register_cassandra_bloom, "");
  rocksdb::Options base;
  base.create_if_missing = true;
  base.error_if_exists = true;
  base.statistics = rocksdb::CreateDBStatistics();
  rocksdb::Options options;
  Require(rocksdb::GetOptionsFromString(rocksdb::ConfigOptions(), base,
                                        kOptions, &options));
  // Since RocksDB 11, DB::Open takes a std::unique_ptr.
#if ROCKSDB_MAJOR >= 11
  std::unique_ptr<rocksdb::DB> db;
#else
  rocksdb::DB* db = nullptr;
#endif
  Require(rocksdb::DB::Open(options, folder, &db));
  return std::unique_ptr<rocksdb::DB>(std::move(db));
}

void WriteRows(rocksdb::DB* db) {
  for (int user = 0; user < kNumUsers; ++user) {
    for (uint32_t row = 0; row < kRowsPerUser; ++row) {
      Require(db->Put(rocksdb::WriteOptions(),
                      Row("user-" + std::to_string(user), row), "value"));
    }
  }
  Require(db->Flush(rocksdb::FlushOptions()));
}

int CountRows(rocksdb::DB* db, const std::string& key) {
  rocksdb::ReadOptions options;
  options.prefix_same_as_start = true;
  const std::unique_ptr<rocksdb::Iterator> rows(db->NewIterator(options));
  int count = 0;
  for (rows->Seek(Partition(key)); rows->Valid(); rows->Next()) {
    ++count;
  }
  Require(rows->status());
  return count;
}

bool IsThere(rocksdb::DB* db, const std::string& key, uint32_t clustering) {
  std::string value;
  const rocksdb::Status status =
      db->Get(rocksdb::ReadOptions(), Row(key, clustering), &value);
  if (!status.IsNotFound()) {
    Require(status);
  }
  return status.ok();
}

// Returns how many seeks of iterators a filter has avoided. Since RocksDB 8.3,
// RocksDB counts seeks in tickers of their own (facebook/rocksdb#11460).
uint64_t IteratorsFiltered(const rocksdb::Statistics& statistics) {
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 803
  return statistics.getTickerCount(rocksdb::LAST_LEVEL_SEEK_FILTERED) +
         statistics.getTickerCount(rocksdb::NON_LAST_LEVEL_SEEK_FILTERED);
#else
  return statistics.getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
#endif
}

// Looks up the users PREFIX-0, PREFIX-1, and so on. Prints how many rows
// iterators and Get have found.
void PrintFound(rocksdb::DB* db, const std::string& prefix) {
  rocksdb::Statistics* const statistics = db->GetDBOptions().statistics.get();
  Require(statistics->Reset());
  int by_iterator = 0;
  int by_get = 0;
  for (int user = 0; user < kNumUsers; ++user) {
    const std::string key = prefix + "-" + std::to_string(user);
    by_iterator += CountRows(db, key);
    by_get += IsThere(db, key, 7) ? 1 : 0;
  }
  std::printf(
      "%s: %d rows by iterators, %d by Get; the filter said no to %llu "
      "iterators and %llu Gets\n",
      prefix.c_str(), by_iterator, by_get,
      static_cast<unsigned long long>(IteratorsFiltered(*statistics)),
      static_cast<unsigned long long>(
          statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL)));
}

void PrintFilters(rocksdb::DB* db) {
  rocksdb::TablePropertiesCollection tables;
  Require(db->GetPropertiesOfAllTables(&tables));
  for (const auto& [path, table] : tables) {
    std::printf("%s: %llu rows, %llu entries in the filter, %llu bytes\n",
                table->filter_policy_name.c_str(),
                static_cast<unsigned long long>(table->num_entries),
                static_cast<unsigned long long>(table->num_filter_entries),
                static_cast<unsigned long long>(table->filter_size));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: partitions FOLDER\n");
    return 2;
  }
  const std::unique_ptr<rocksdb::DB> db = Open(argv[1]);
  WriteRows(db.get());
  PrintFilters(db.get());
  PrintFound(db.get(), "user");
  PrintFound(db.get(), "stranger");
}
