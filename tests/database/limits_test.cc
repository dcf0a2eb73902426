// SPDX-License-Identifier: Apache-2.0

// Tests files without keys, files with one key, and keys of 64 KB and more.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

class LimitsTest : public ::testing::TestWithParam<Layout> {
 protected:
  LimitsTest() : db_(OptionsFor()) {}

  static rocksdb::Options OptionsFor() {
    rocksdb::Options options = DbOptions(OurPolicy(), GetParam());
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(kPrefixSize));
    return options;
  }

  void DeleteRange(const std::string& begin, const std::string& end) {
    Require(db_->DeleteRange(rocksdb::WriteOptions(),
                             db_->DefaultColumnFamily(), begin, end));
  }

  void ExpectAlways(const Dataset& dataset) {
    const auto expect = [&] {
      EXPECT_TRUE(PointReadsMatch(db_.source(), dataset));
      EXPECT_TRUE(SeeksMatch(db_.source(), dataset,
                             db_.options().prefix_extractor.get()));
    };
    expect();
    db_.Reopen();
    expect();
    db_.Compact();
    expect();
  }

  TestDb db_;
};

TEST_P(LimitsTest, NoKeyAtAll) {
  DeleteRange(NumberedKey(10), NumberedKey(20));
  db_.Flush();
  const auto table = db_.OnlyTable();
  EXPECT_EQ(table->num_entries, table->num_range_deletions);
  Dataset dataset;
  dataset.absent = {NumberedKey(10), NumberedKey(15), NumberedKey(20)};
  ExpectAlways(dataset);
}

TEST_P(LimitsTest, NoKeyAboveKeys) {
  Dataset dataset = NumberedDataset(1000, 100);
  db_.Put(dataset.rows);
  db_.Flush();
  DeleteRange(NumberedKey(10), NumberedKey(900));
  db_.Flush();
  for (uint32_t i = 10; i < 900; ++i) {
    dataset.rows.erase(NumberedKey(i));
    dataset.absent.push_back(NumberedKey(i));
  }
  ExpectAlways(dataset);
}

TEST_P(LimitsTest, OneKey) {
  const Dataset dataset = {{{"key b", "value"}}, {"key a", "key c", "other"}};
  db_.Put(dataset.rows);
  db_.Flush();
  ExpectAlways(dataset);
}

// The largest key length that fits into two bytes is 65535.
TEST_P(LimitsTest, LongKeys) {
  Dataset dataset;
  for (const size_t size :
       std::vector<size_t>{65534, 65535, 65536, 65537, 200000}) {
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
  db_.Put(dataset.rows);
  db_.Flush();
  ExpectAlways(dataset);
  EXPECT_GT(db_.ReadsFiltered(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, LimitsTest, ::testing::ValuesIn(AllLayouts()),
                         [](const auto& test) { return ToString(test.param); });

}  // namespace
}  // namespace cassandra_bloom::testing
