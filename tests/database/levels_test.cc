// SPDX-License-Identifier: Apache-2.0

// Tests the bits per key of the files in each level.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/rocksdb/filter_types.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using rocksdb::CassandraBloomOptions;

PolicyPtr ListPolicy(std::vector<double> level_bits) {
  CassandraBloomOptions options;
  options.level_bits = std::move(level_bits);
  return PolicyOf(options);
}

size_t CountOf(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

void CompactTo(int level, const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) {
    names.push_back(file.name);
  }
  Require(db->CompactFiles(rocksdb::CompactionOptions(), names, level));
}

// The tolerance in bits per key. A filter has a header, and is rounded up.
constexpr double kExcess = 0.15;

TEST(LevelsTest, AListByLevel) {
  TestDb db(DbOptions(ListPolicy({16, 12, 8, 4})));
  db.Put(SomeRows());
  db.Flush();
  EXPECT_NEAR(BitsPerKey(db), 16, kExcess);
  for (const auto& [level, bits] :
       {std::pair(1, 12), {2, 8}, {3, 4}, {4, 4}, {6, 4}}) {
    CompactTo(level, db);
    EXPECT_NEAR(BitsPerKey(db), bits, kExcess) << level;
  }
}

// Bits for bottommost files go before the list.
TEST(LevelsTest, InAFlushAndAtTheBottom) {
  CassandraBloomOptions list;
  list.level_bits = {16, 12};
  list.bottommost_bits = 6;
  TestDb db(DbOptions(PolicyOf(list)));
  db.Put(SomeRows());
  db.Flush();
  EXPECT_NEAR(BitsPerKey(db), 16, kExcess);
  db.Compact();
  EXPECT_NEAR(BitsPerKey(db), 6, kExcess);
}

// RocksDB starts a new LOG each time a database is opened.
TEST(LevelsTest, TheLogHasTheIdOncePerOpen) {
  TestDb db(DbOptions(ListPolicy({16, 12})));
  for (int opened = 0; opened < 2; ++opened) {
    for (int flush = 0; flush < 2; ++flush) {
      db.Put(SomeRows());
      db.Flush();
    }
    EXPECT_EQ(
        CountOf(" filter_policy=cassandra_bloom:level_bits:16,12\n", LogOf(db)),
        1u)
        << LogOf(db);
    db.Reopen();
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
