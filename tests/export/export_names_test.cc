// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

TEST(ExportNamesTest, OfFilters) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{7}, ~uint64_t{0}}) {
    for (const std::string version : {"nb", "da", "ka"}) {
      EXPECT_EQ(NumberOfFilterDb(FilterDbName(version, number), version),
                number);
    }
  }
  EXPECT_EQ(FilterDbName("nb", 123), "nb-123-big-Filter.db");
  EXPECT_EQ(FilterDbName("da", 123), "da-123-bti-Filter.db");
  for (const char* const other :
       {"", "nb", "nb-", "nb-7", "nb-7-big", "nb-07-big-Filter.db",
        "nb-7-bti-Filter.db", "na-7-big-Filter.db", "nb-7-big-Filter.db.bak",
        "xnb-7-big-Filter.db", "nb--7-big-Filter.db", "nb-x-big-Filter.db",
        "nb-99999999999999999999-big-Filter.db", "nb7-big-Filter.db"}) {
    EXPECT_EQ(NumberOfFilterDb(other, "nb"), std::nullopt) << other;
  }
}

TEST(ExportNamesTest, IdsOfListeners) {
  // RocksDB may have joined several listeners.
  for (const char* const id :
       {"cassandra_bloom_export(nb,/a_.-)",
        "cassandra_bloom_export(nb,/a_.-):cassandra_bloom_export(nb,/b)",
        "Other:cassandra_bloom_export(nb,/a_.-)",
        "{id=Other;option=1}:cassandra_bloom_export(nb,/a_.-):Another"}) {
    ExportTarget target;
    std::string error;
    ASSERT_TRUE(ParseExportId(id, &target, &error)) << id << error;
    EXPECT_EQ(target.out_dir, "/a_.-") << id;
    EXPECT_EQ(target.sstable_version, "nb");
  }
}

TEST(ExportNamesTest, IdsThatAreRefused) {
  const struct {
    const char* id;
    const char* why;
  } refusals[] = {
      {"cassandra_bloom_export", "is unknown; the listener is cassandra_bloom"},
      {"cassandra_bloom_export(nb)", "is unknown; the listener is"},
      {"cassandra_bloom_exports(nb,/a)", "is unknown"},
      {"my_cassandra_bloom_export(nb,/a)", "is unknown"},
      {"\"cassandra_bloom_export(nb,/a)\"", "is unknown"},
      {"cassandra_bloom_export(nb,)", "has no path of the folder"},
      {"cassandra_bloom_export(nb,/a", "has no ')' after its path"},
      {"cassandra_bloom_export(nb,/a)b", "has 'b' after its ')'"},
      {"cassandra_bloom_export(nb,/a:b)", "has ':' in its path, which may"},
      {"cassandra_bloom_export(nb,/a b)", "has ' ' in its path, which may"},
      {"cassandra_bloom_export(nb,/a#)", "only letters, digits and /._-"},
      {"cassandra_bloom_export(nb,/%3A)", "has '%' in its path, which may"},
  };
  for (const auto& refusal : refusals) {
    ExportTarget target;
    std::string error;
    EXPECT_FALSE(ParseExportId(refusal.id, &target, &error)) << refusal.id;
    EXPECT_THAT(error, HasSubstr(refusal.why)) << refusal.id;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
