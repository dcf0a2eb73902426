// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder/folder_names.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace cassandra_bloom::testing {
namespace {

TEST(FolderNamesTest, OnlySstablesOfCassandraWithATrieIndexAreBti) {
  EXPECT_EQ(FilterDbName("nb", 123), "nb-123-big-Filter.db");
  EXPECT_EQ(FilterDbName("oa", 1), "oa-1-big-Filter.db");
  EXPECT_EQ(FilterDbName("da", 10), "da-10-bti-Filter.db");
  // ScyllaDB's versions with a trie index have "big" in their file names.
  EXPECT_EQ(FilterDbName("ms", 10), "ms-10-big-Filter.db");
  EXPECT_EQ(FilterDbName("mt", 10), "mt-10-big-Filter.db");
}

TEST(FolderNamesTest, NumberOfFilterDb) {
  EXPECT_EQ(NumberOfFilterDb("nb-123-big-Filter.db", "nb"), 123);
  EXPECT_EQ(NumberOfFilterDb("da-10-bti-Filter.db", "da"), 10);
  EXPECT_EQ(NumberOfFilterDb("nb-18446744073709551615-big-Filter.db", "nb"),
            UINT64_MAX);
  for (const char* const other :
       {"", "nb", "nb-", "nb-x-big-Filter.db", "nb--1-big-Filter.db",
        "nb-007-big-Filter.db", "nb-1-bti-Filter.db", "me-1-big-Filter.db",
        "xnb-1-big-Filter.db", "nb-1-big-Filter.db.bak", "nb-1-big-Data.db",
        "nb-18446744073709551616-big-Filter.db"}) {
    EXPECT_EQ(NumberOfFilterDb(other, "nb"), std::nullopt) << other;
  }
}

TEST(FolderNamesTest, TemporaryNames) {
  const std::string suffix = ".cassandra_bloom-01234567";
  EXPECT_TRUE(IsTemporaryName("nb-1-big-Filter.db" + suffix, "nb"));
  EXPECT_TRUE(IsTemporaryName("da-1-bti-Filter.db" + suffix, "da"));
  EXPECT_TRUE(IsTemporaryName(kFolderMarkName + suffix, "nb"));
  EXPECT_FALSE(IsTemporaryName("nb-1-big-Filter.db", "nb"));
  EXPECT_FALSE(IsTemporaryName("me-1-big-Filter.db" + suffix, "nb"));
  EXPECT_FALSE(IsTemporaryName("notes" + suffix, "nb"));
}

TEST(FolderNamesTest, NumberOfSst) {
  EXPECT_EQ(NumberOfSst("/db/000017.sst"), 17);
  EXPECT_EQ(NumberOfSst("17.sst"), 17);
  EXPECT_EQ(NumberOfSst("17.sst.trash"), std::nullopt);
  EXPECT_EQ(NumberOfSst("-17.sst"), std::nullopt);
  EXPECT_EQ(NumberOfSst("17/x.sst"), std::nullopt);
}

}  // namespace
}  // namespace cassandra_bloom::testing
