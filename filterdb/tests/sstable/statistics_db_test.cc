// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/statistics_db.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/endian.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using tools::ReadStatistics;
using tools::Statistics;

class StatisticsDbTest : public ::testing::Test {
 protected:
  bool Read(const std::string& content, std::string_view version = "da") {
    WriteFile(path_, content);
    const Statistics facts = ReadStatistics(path_, version);
    chance_ = facts.fp_chance.value_or(-1);
    error_ = facts.error;
    EXPECT_EQ(facts.fp_chance.has_value(), error_.empty());
    return facts.fp_chance.has_value();
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "Statistics.db";
  const std::string real_ =
      ReadFile(CassandraSstables()[0] + "/da-1-bti-Statistics.db");
  double chance_ = -1;
  std::string error_;
};

TEST_F(StatisticsDbTest, ChancesThatCannotBe) {
  // The start of a file whose only component is VALIDATION. The planned false
  // positive chance follows.
  const std::string head("\0\0\0\1\0\0\0\0\0\0\0\14\0\0", 14);
  EXPECT_TRUE(Read(head + std::string("\x3f\xf0\0\0\0\0\0\0", 8), "ka"));
  EXPECT_EQ(chance_, 1);
  for (const std::string_view bytes :
       {std::string_view("\0\0\0\0\0\0\0\0", 8),         // 0
        std::string_view("\x40\0\0\0\0\0\0\0", 8),       // 2
        std::string_view("\xbf\xe0\0\0\0\0\0\0", 8),     // -0.5
        std::string_view("\x7f\xf8\0\0\0\0\0\0", 8)}) {  // NaN
    EXPECT_FALSE(Read(head + std::string(bytes), "ka"));
    EXPECT_THAT(error_, HasSubstr("a planned chance of"));
  }
}

TEST_F(StatisticsDbTest, TablesThatCannotBe) {
  for (const std::string_view table :
       {std::string_view("\0\0\0\0", 4), std::string_view("\xff\0\0\0", 4),
        std::string_view("\x7f\xff\xff\xff", 4)}) {
    EXPECT_FALSE(Read(std::string(table), "ka"));
    EXPECT_THAT(error_, HasSubstr("components; the file is damaged"));
  }
  // The table has no VALIDATION, only STATS.
  EXPECT_FALSE(Read(std::string("\0\0\0\1\0\0\0\2\0\0\0\14", 12), "ka"));
  EXPECT_THAT(error_, HasSubstr("no component VALIDATION"));
  // A histogram must not have INT32_MAX entries or a negative number of
  // entries.
  EXPECT_FALSE(Read(std::string("\x7f\xff\xff\xff", 4), "jb"));
  EXPECT_FALSE(Read(std::string("\x80\0\0\0", 4), "jb"));
  EXPECT_THAT(error_, HasSubstr("a histogram of"));
}

TEST_F(StatisticsDbTest, VersionsWithoutIt) {
  EXPECT_FALSE(Read(real_, "ic"));
  EXPECT_THAT(error_, HasSubstr("version ic does not hold"));
  EXPECT_FALSE(Read(real_, "hc"));
  EXPECT_THAT(error_, HasSubstr("older than ia"));
}

// ---- The partitioner, and the number of partitions ----

TEST_F(StatisticsDbTest, WhatCassandraWrote) {
  for (const std::string& folder : SstablesWithKeys()) {
    SCOPED_TRACE(folder);
    const std::string path = ComponentIn(folder, "Statistics.db");
    std::string version;
    std::string error;
    ASSERT_TRUE(SstableVersionOfFileName(path, &version, &error)) << error;
    const Statistics facts = ReadStatistics(path, version);
    const bool has_chance = version[0] != 'i';
    EXPECT_EQ(facts.fp_chance, has_chance
                                   ? std::optional(PlannedFpChance(folder))
                                   : std::nullopt);
    EXPECT_EQ(facts.partitioner, "Murmur3Partitioner");
    const std::string keys = ReadFile(folder + "/keys.txt");
    EXPECT_EQ(facts.num_partitions, std::count(keys.begin(), keys.end(), '\n'));
  }
}

// Before version `ka`, the file begins with two histograms. The first one
// counts the partitions. In a real file, both have the same counts.
TEST_F(StatisticsDbTest, TheFirstHistogramCounts) {
  for (const std::string version : {"ia", "ic", "jb"}) {
    std::string content = ReadFile(
        ComponentIn(RecordedSstable(version + "_plain"), "Statistics.db"));
    const auto entries = static_cast<size_t>(LoadBigEndian32(content.data()));
    ++content[4 + 16 * entries + 4 + 15];  // The lowest byte of a count.
    WriteFile(path_, content);
    EXPECT_EQ(ReadStatistics(path_, version).num_partitions, 70U) << version;
  }
}

// Since version `na`, each part of Statistics.db has a checksum. So damage in
// a part takes away the facts of this part, and of no other. After the table
// with its checksums, Cassandra writes VALIDATION, COMPACTION, STATS, HEADER.
TEST_F(StatisticsDbTest, ADamagedFile) {
  const auto offset_of = [&](size_t part) {
    return static_cast<size_t>(LoadBigEndian32(real_.data() + 12 + 8 * part));
  };
  const auto read = [&](const std::string& damaged, bool has_validation) {
    WriteFile(path_, damaged);
    Statistics facts = ReadStatistics(path_, "da");
    EXPECT_EQ(facts.fp_chance,
              has_validation ? std::optional<double>(0.01) : std::nullopt);
    EXPECT_EQ(facts.partitioner, has_validation ? "Murmur3Partitioner" : "");
    EXPECT_THAT(facts.error,
                StartsWith(has_validation ? "" : path_ + ": byte "));
    return facts.num_partitions;
  };
  for (size_t at = 0; at < real_.size(); at += at < 150 ? 1 : 31) {
    SCOPED_TRACE(at);
    std::string damaged = real_;
    damaged[at] ^= 0x10;
    const bool has_table_and_validation = at >= offset_of(1);
    const bool has_number =
        has_table_and_validation && (at < offset_of(2) || at >= offset_of(3));
    EXPECT_EQ(read(damaged, has_table_and_validation),
              has_number ? std::optional<uint64_t>(1) : std::nullopt);
  }
  for (size_t size = 0; size < real_.size(); size += size < 150 ? 1 : 61) {
    SCOPED_TRACE(size);
    EXPECT_EQ(read(real_.substr(0, size), size >= offset_of(1)).has_value(),
              size >= offset_of(3));
  }
}

TEST_F(StatisticsDbTest, PartitionsThatCannotBeCounted) {
  // The start of a file whose only component is STATS. The histogram follows.
  const std::string head("\0\0\0\1\0\0\0\2\0\0\0\14", 12);
  const std::string limit(8, '\0');
  for (const std::string& histogram :
       {std::string(4, '\0'), std::string("\0\0\0\2", 4) + limit + limit,
        std::string("\0\0\0\1", 4) + limit + std::string(8, '\xff'),
        std::string("\0\0\0\2", 4) + limit + "\x7f" + std::string(7, '\xff') +
            limit + "\x7f" + std::string(7, '\xff'),
        std::string("\x7f\xff\xff\xff", 4)}) {
    WriteFile(path_, head + histogram);
    EXPECT_EQ(ReadStatistics(path_, "ka").num_partitions, std::nullopt);
    WriteFile(path_, histogram);
    EXPECT_EQ(ReadStatistics(path_, "jb").num_partitions, std::nullopt);
  }
  EXPECT_THAT(ReadStatistics(dir_ / "none", "nb").error,
              HasSubstr("none: cannot open: No such file"));
  EXPECT_EQ(ReadStatistics(path_, "hc").partitioner, "");
}

}  // namespace
}  // namespace cassandra_bloom::testing
