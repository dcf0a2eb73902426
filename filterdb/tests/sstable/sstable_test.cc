// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable.h"

#include <gtest/gtest.h>

#include <string_view>

namespace cassandra_bloom::tools {
namespace {

TEST(ComponentNameTest, Parts) {
  const auto one = ParseComponentName("nb-1-big-Filter.db");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->name_prefix, "nb-1-big-");
  EXPECT_EQ(one->component, "Filter.db");
  EXPECT_EQ(ParseComponentName("ks-my-cf-ic-12-Data.db")->name_prefix,
            "ks-my-cf-ic-12-");
  EXPECT_EQ(ParseComponentName("nb-1-big-SAI+aa+Meta.db")->name_prefix,
            "nb-1-big-");
  for (const std::string_view name :
       {"", "-", "Filter.db", "-Filter.db", "nb-1-big-", "nb-1-big-Other.db",
        "nb-1-big-Filter.db.bak", "nb-1-big-Filter.db.cassandra_bloom-new",
        "nb-1-big-SAI+aa+Meta.txt"}) {
    EXPECT_FALSE(ParseComponentName(name)) << name;
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
