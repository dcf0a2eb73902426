// SPDX-License-Identifier: Apache-2.0

// RocksDB's checksum must detect a changed bit of a filter block. No row may be
// reported absent.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plugin/policy/block_form.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/opened_db.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"

namespace cassandra_bloom::testing {
namespace {

// RocksDB writes a compression type of one byte and a checksum of 4 bytes after
// each block.
constexpr size_t kChecksumSize = 5;

class DamagedBlockTest
    : public ::testing::TestWithParam<std::tuple<Layout, BlockForm>> {
 protected:
  DamagedBlockTest() : db_(DbOptions(Policy(), layout())) {
    db_.Put(dataset_.rows);
    db_.Flush();
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    sst_ = files.at(0).db_path + files.at(0).name;
    db_.Close();
    content_ = ReadFile(sst_);
  }

  static Layout layout() { return std::get<Layout>(GetParam()); }
  static BlockForm form() { return std::get<BlockForm>(GetParam()); }
  static PolicyPtr Policy() {
    return form() == BlockForm::kFilterDb ? OurPolicy()
                                          : OurPolicyBesideRocksdb();
  }

  // Returns the offset and the size of each filter block. The size includes
  // RocksDB's checksum.
  std::vector<std::pair<size_t, size_t>> FindBlocks() {
    const auto policy = std::make_shared<CapturingPolicy>(form());
    Read(policy);
    std::vector<std::pair<size_t, size_t>> blocks;
    for (const std::string& block : policy->blocks()) {
      const size_t at = content_.find(block);
      EXPECT_NE(at, std::string::npos);
      EXPECT_EQ(content_.find(block, at + 1), std::string::npos);
      blocks.emplace_back(at, block.size() + kChecksumSize);
    }
    return blocks;
  }

  struct Answers {
    bool opens = false;
    size_t found = 0;
    size_t corruption = 0;
    size_t lost = 0;
  };

  Answers Read(const PolicyPtr& policy) const {
    rocksdb::Options options = DbOptions(policy, layout());
    Answers answers;
    OpenedDb raw{};
    const rocksdb::Status opened =
        rocksdb::DB::OpenForReadOnly(options, db_.path(), &raw);
    const std::unique_ptr<rocksdb::DB> db = Own(std::move(raw));
    answers.opens = opened.ok();
    if (!opened.ok()) {
      EXPECT_TRUE(opened.IsCorruption()) << opened.ToString();
      return answers;
    }
    const auto count = [&](const std::string& key, const auto& status,
                           const std::string& value) {
      if (status.ok() && value == ValueOf(key)) {
        ++answers.found;
      } else {
        ++(status.IsCorruption() ? answers.corruption : answers.lost);
      }
    };
    std::vector<rocksdb::Slice> keys;
    for (const auto& row : dataset_.rows) {
      std::string value;
      const auto status = db->Get(rocksdb::ReadOptions(), row.first, &value);
      count(row.first, status, value);
      keys.emplace_back(row.first);
    }
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    db->MultiGet(rocksdb::ReadOptions(), db->DefaultColumnFamily(), keys.size(),
                 keys.data(), values.data(), statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      count(keys[i].ToString(), statuses[i], values[i].ToString());
    }
    return answers;
  }

  void Flip(size_t at, int bit) const {
    std::string damaged = content_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
    WriteFile(sst_, damaged);
  }

  const Dataset dataset_ = NumberedDataset(600, 0);
  TestDb db_;
  std::string sst_;
  std::string content_;
};

TEST_P(DamagedBlockTest, NoRowIsSaidToBeAbsent) {
  const auto blocks = FindBlocks();
  ASSERT_GE(blocks.size(), IsPartitioned(layout()) ? 2u : 1u);
  uint64_t random = Seed();
  size_t errors = 0;
  size_t flips = 0;
  for (const auto& [begin, size] : blocks) {
    // Damages bytes of the filter's header, of our trailer and of RocksDB's
    // trailer, and some random bytes.
    std::vector<size_t> places;
    for (size_t i = 0; i < 8; ++i) {
      places.push_back(begin + i);
    }
    for (size_t i = 0; i < TrailerSize(form()) + kChecksumSize; ++i) {
      places.push_back(begin + size - 1 - i);
    }
    for (size_t i = 0; i < 40 / blocks.size() + 2; ++i) {
      places.push_back(begin + NextRandom(&random) % size);
    }
    for (const size_t place : places) {
      const int bit = static_cast<int>(NextRandom(&random) % 8);
      SCOPED_TRACE("byte " + std::to_string(place - begin) + " of " +
                   std::to_string(size) + ", bit " + std::to_string(bit));
      Flip(place, bit);
      const Answers answers = Read(Policy());
      EXPECT_EQ(answers.lost, 0u);
      errors += !answers.opens || answers.corruption > 0;
      ++flips;
    }
  }
  // If RocksDB cannot read a filter while opening the SST file, reads work
  // without the filter.
  const bool read_at_open =
      layout() == Layout::kFull || layout() == Layout::kFullCached;
  EXPECT_EQ(errors, read_at_open ? 0 : flips);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedBlockTest,
    ::testing::Combine(::testing::ValuesIn(AllLayouts()),
                       ::testing::Values(BlockForm::kFilterDb,
                                         BlockForm::kBesideRocksdb)),
    [](const auto& test) {
      const bool is_filter_db =
          std::get<BlockForm>(test.param) == BlockForm::kFilterDb;
      return ToString(std::get<Layout>(test.param)) +
             (is_filter_db ? "" : "_BesideRocksdb");
    });

}  // namespace
}  // namespace cassandra_bloom::testing
