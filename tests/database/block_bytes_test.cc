// SPDX-License-Identifier: Apache-2.0

// The filter block of an SST file equals a Filter.db of Cassandra, byte for
// byte.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/run_process.h"

namespace cassandra_bloom::testing {
namespace {

// sha256 of the Filter.db that Cassandra's own BloomFilter and serializer
// wrote. The keys are key000000, key000001 and so on. The filter has 10 bits
// per key.
struct CassandrasFilter {
  PolicyPtr (*policy)(double bits_per_key);
  uint32_t num_keys;
  const char* digest;
};
constexpr CassandrasFilter kCassandrasFilters[] = {
    {OurPolicy, 1000,
     "5318348414c7c21d960391f4fb9bcef4c39ddddef8c7cb08cad95427c525a115"},
    // A filter without the last key has the same digest, because the last key
    // is a false positive of the other keys' filter.
    {OurPolicy, 100000,
     "bc540b5acf793f48a4b05e4864de6ddebb0967e35a874172b33e89d7764beeed"},
    // The first one with the bytes 00 63 62 ff ff behind it, by Python's
    // hashlib.
    {OurPolicyBesideRocksdb, 1000,
     "2dc9aeeccab746abc4b378fc0f9de205042db7fd38aa74251148da5703db5f68"},
};

TEST(BlockBytesTest, EqualCassandrasFilterDb) {
  for (const CassandrasFilter& expected : kCassandrasFilters) {
    const PolicyPtr policy = expected.policy(10);
    SCOPED_TRACE(policy->GetId() + ", " + std::to_string(expected.num_keys));
    TestDb db(DbOptions(policy), NumberedDataset(expected.num_keys, 0).rows);
    for (const char* const writer : {"flush", "compaction"}) {
      const auto capturing = std::make_shared<CapturingPolicy>(policy);
      db.Reopen(DbOptions(capturing));
      const std::vector<std::string> blocks = capturing->blocks();
      ASSERT_EQ(blocks.size(), 1);
      EXPECT_EQ(Sha256(blocks[0]), expected.digest)
          << "written by a " << writer;
      db.Reopen(DbOptions(policy));
      db.Compact();
    }
  }
}

void ExpectPartitionsAreFilterDbs(Layout layout, const PolicyPtr& policy,
                                  size_t trailer_size) {
  SCOPED_TRACE(ToString(layout));
  const Dataset dataset = NumberedDataset(5000, 0);
  TestDb db(DbOptions(policy, layout), dataset.rows);
  const auto capturing = std::make_shared<CapturingPolicy>(policy);
  db.Reopen(DbOptions(capturing, layout));
  EXPECT_TRUE(ReadsMatch(db.source(), dataset));
  const std::vector<std::string> blocks = capturing->blocks();
  if (layout == Layout::kPartitionedDecoupled) {
    ASSERT_LT(blocks.size(), db.OnlyTable()->index_partitions);
  } else {
    ASSERT_EQ(blocks.size(), db.OnlyTable()->index_partitions);
  }
  ASSERT_GT(blocks.size(), 5);
  for (const std::string& block : blocks) {
    ASSERT_GE(block.size(), 16 + trailer_size);
    EXPECT_EQ(block.substr(0, 4), std::string("\0\0\0\7", 4));
    // In this test, metadata_block_size is 512 bytes.
    EXPECT_LE(block.size(), 512);
    EXPECT_EQ(8 + 8 * size_t{static_cast<unsigned char>(block[7])},
              block.size() - trailer_size);
    EXPECT_EQ(block.substr(block.size() - trailer_size),
              std::string("\0cb\xff\xff", trailer_size));
  }
}

TEST(BlockBytesTest, PartitionsAreFilterDbs) {
  for (const Layout layout : AllLayouts()) {
    if (layout == Layout::kPartitioned ||
        layout == Layout::kPartitionedDecoupled) {
      ExpectPartitionsAreFilterDbs(layout, OurPolicy(), 0);
      ExpectPartitionsAreFilterDbs(layout, OurPolicyBesideRocksdb(), 5);
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
