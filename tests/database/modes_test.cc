// SPDX-License-Identifier: Apache-2.0

// Compares reads with a plain map, for every way in which RocksDB builds and
// asks filters: files without keys, files with one key, keys of 64 KB and more,
// and keys without a prefix. All else is drawn by tests/stress/random.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

class ModesTest : public ::testing::TestWithParam<Mode> {
 protected:
  // As written, after reopening, and after a compaction. The statistics are
  // then those of the compacted file.
  static void ExpectReads(TestDb* db, const Dataset& dataset) {
    EXPECT_TRUE(ReadsMatch(db->source(), dataset)) << "as written";
    db->Reopen();
    EXPECT_TRUE(ReadsMatch(db->source(), dataset)) << "reopened";
    db->Compact();
    db->Reopen();
    db->ResetStatistics();
    EXPECT_TRUE(ReadsMatch(db->source(), dataset)) << "compacted, reopened";
  }
};

// All keys are outside the domain of the prefix extractor. So with prefixes
// alone, the partitions of a filter have no entries.
TEST_P(ModesTest, OnlyKeysOutOfTheDomain) {
  const Dataset dataset = PrefixedDataset(2, 300, 0, 600);
  for (const PolicyPtr& policy : {OurPolicy(), OurPolicyBesideRocksdb()}) {
    SCOPED_TRACE(policy->GetId());
    TestDb db(GetParam().OptionsWith(policy), dataset.rows);
    ExpectReads(&db, dataset);
    if (GetParam().filtered != Filtered::kPrefixes) {
      // Each absent key is read three times: by Get and by two kinds of
      // MultiGet.
      EXPECT_GT(db.Ticker(rocksdb::BLOOM_FILTER_USEFUL),
                3 * dataset.absent.size() * 95 / 100);
    }
    db.Reopen(GetParam().OptionsWith(BuiltinPolicy()));
    EXPECT_TRUE(ReadsMatch(db.source(), dataset)) << "read by RocksDB's own";
    db.Compact();
    db.Reopen(GetParam().OptionsWith(policy));
    EXPECT_TRUE(ReadsMatch(db.source(), dataset)) << "built by RocksDB's own";
  }
}

TEST_P(ModesTest, NoKeyAtAll) {
  TestDb db(GetParam().OptionsWith(OurPolicy()));
  Require(db->DeleteRange(rocksdb::WriteOptions(), db->DefaultColumnFamily(),
                          NumberedKey(10), NumberedKey(20)));
  db.Flush();
  EXPECT_EQ(db.OnlyTable()->num_entries, db.OnlyTable()->num_range_deletions);
  ExpectReads(&db, {{}, {NumberedKey(10), NumberedKey(15), NumberedKey(20)}});
}

TEST_P(ModesTest, OneKey) {
  TestDb db(GetParam().OptionsWith(OurPolicy()));
  const Dataset dataset = {{{"key b", "value"}}, {"key a", "key c", "other"}};
  db.Fill(dataset.rows);
  ExpectReads(&db, dataset);
}

// The largest key length that fits into two bytes is 65535.
TEST_P(ModesTest, LongKeys) {
  Dataset dataset;
  for (const size_t size : {65534u, 65535u, 65536u, 65537u, 200000u}) {
    for (int i = 0; i < 12; ++i) {
      const std::string key =
          std::string(size, static_cast<char>(0x80 + i)) + static_cast<char>(i);
      if (i % 3 == 0) {
        dataset.absent.push_back(key);
      } else {
        dataset.rows[key] = "value";
      }
    }
  }
  TestDb db(GetParam().OptionsWith(OurPolicy()), dataset.rows);
  ExpectReads(&db, dataset);
  EXPECT_GT(db.ReadsFiltered(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, ModesTest, ::testing::ValuesIn(AllModes()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace cassandra_bloom::testing
