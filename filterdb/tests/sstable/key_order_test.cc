// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index/key_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/cassandra_data.h"

namespace cassandra_bloom::testing {
namespace {

using tools::KeyOrder;

bool Follows(const std::string& key, KeyOrder* order) {
  return order->Follows(key, CassandraMurmur3(key.data(), key.size()));
}

// Returns how many keys are not in order.
size_t OutOfOrder(const std::string& partitioner,
                  const std::vector<std::string>& keys) {
  KeyOrder order(partitioner);
  size_t number = 0;
  for (const std::string& key : keys) {
    number += Follows(key, &order) ? 0 : 1;
  }
  return number;
}

TEST(KeyOrderTest, CassandrasOrderByToken) {
  for (const std::string& folder : CassandraSstables()) {
    std::vector<std::string> keys = HexLines(folder + "/keys.txt");
    EXPECT_EQ(OutOfOrder("Murmur3Partitioner", keys), 0U);
    if (keys.size() > 1) {
      std::swap(keys[0], keys[1]);
      EXPECT_EQ(OutOfOrder("Murmur3Partitioner", keys), 1U);
      EXPECT_EQ(OutOfOrder("RandomPartitioner", keys), 0U);
    }
  }
}

TEST(KeyOrderTest, TheEmptyKeyIsTheFirst) {
  EXPECT_EQ(OutOfOrder("Murmur3Partitioner", {"", "a"}), 0U);
  EXPECT_EQ(OutOfOrder("Murmur3Partitioner", {"a", ""}), 1U);
  EXPECT_EQ(OutOfOrder("Murmur3Partitioner", {"", ""}), 1U);
}

TEST(KeyOrderTest, ByteOrderIsUnsigned) {
  EXPECT_EQ(OutOfOrder("ByteOrderedPartitioner", {"", "a", "aa", "b", "\xff"}),
            0U);
  EXPECT_EQ(OutOfOrder("ByteOrderedPartitioner", {"\x80", "\x7f"}), 1U);
  EXPECT_EQ(OutOfOrder("ByteOrderedPartitioner", {"a", "a"}), 1U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
