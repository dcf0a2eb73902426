// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mend_record.h"

#include <gtest/gtest.h>

#include <string>

namespace cassandra_bloom::testing {
namespace {

using tools::MendRecord;

constexpr char kText[] =
    "filterdb mend 2\n"
    "index 18446744073709551615 0000abcd\n"
    "Filter.db old 0 00000000\n"
    "Filter.db new 16 ffffffff\n"
    "Filter.db new 24 00000001\n"
    "end\n";

bool Parse(const std::string& text, MendRecord* record) {
  std::string error;
  const bool parsed = tools::ParseMendRecord(text, record, &error);
  EXPECT_EQ(parsed, error.empty()) << error;
  return parsed;
}

TEST(MendRecordTest, ThereAndBack) {
  MendRecord record;
  ASSERT_TRUE(Parse(kText, &record));
  EXPECT_EQ(record.index.size, UINT64_MAX);
  EXPECT_EQ(record.index.crc, 0xabcdU);
  EXPECT_EQ(record.old_filter.size, 0U);
  ASSERT_EQ(record.new_filters.size(), 2U);
  EXPECT_EQ(record.new_filters[0].crc, 0xffffffffU);
  EXPECT_EQ(record.new_filters[1].size, 24U);
  EXPECT_EQ(tools::FormatMendRecord(record), kText);
}

TEST(MendRecordTest, NothingThatWasCutOrAddedTo) {
  const std::string text = kText;
  MendRecord record;
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(Parse(text.substr(0, size), &record)) << size;
  }
  EXPECT_FALSE(Parse(text + "\n", &record));
  EXPECT_FALSE(Parse("filterdb mend 1" + text.substr(15), &record));
}

}  // namespace
}  // namespace cassandra_bloom::testing
