// SPDX-License-Identifier: Apache-2.0

// Parses RocksDB's statistics as several releases write them.

#include "tools/sst_filters/doctor/files/statistics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace cassandra_bloom::tools {
namespace {

using ::testing::HasSubstr;

std::optional<FilterQuestions> Parse(const std::string& text,
                                     std::string* error) {
  std::istringstream stream(text);
  return ParseStatistics(&stream, error);
}

FilterQuestions Good(const std::string& text) {
  std::string error;
  const auto questions = Parse(text, &error);
  EXPECT_TRUE(questions) << error << "\n" << text;
  return questions.value_or(FilterQuestions());
}

// The output of db_bench --statistics of RocksDB 7.8.
constexpr char kDbBench[] = R"(readmissing  :  1.000 micros/op
STATISTICS:
rocksdb.block.cache.miss COUNT : 5
rocksdb.bloom.filter.useful COUNT : 985
rocksdb.bloom.filter.full.positive COUNT : 25
rocksdb.bloom.filter.full.true.positive COUNT : 10
rocksdb.bloom.filter.micros COUNT : 7
rocksdb.bloom.filter.prefix.checked COUNT : 77
rocksdb.bloom.filter.prefix.useful COUNT : 66
rocksdb.db.get.micros P50 : 1.0 P95 : 2.0 P99 : 3.0 P100 : 9.0 COUNT : 8 SUM : 9
)";

TEST(StatisticsTextTest, OfDbBench) {
  const FilterQuestions questions = Good(kDbBench);
  EXPECT_EQ(questions.useful, 985u);
  EXPECT_EQ(questions.positive, 25u);
  EXPECT_EQ(questions.true_positive, 10u);
  EXPECT_EQ(questions.false_positives(), 15u);
  EXPECT_EQ(questions.of_absent_keys(), 1000u);
  EXPECT_DOUBLE_EQ(questions.Rate().value_or(0), 0.015);
}

// In a LOG of RocksDB 10.10, a blank comes before the first counter of a dump.
// If the LOG has several dumps, filterdb must use the last one.
TEST(StatisticsTextTest, OfALog) {
  const FilterQuestions questions = Good(
      "2026/01/01-00:00:00.000001 7f [db_impl.cc:1] STATISTICS:\n"
      " rocksdb.bloom.filter.useful COUNT : 1\n"
      "rocksdb.bloom.filter.full.positive COUNT : 1\n"
      "rocksdb.bloom.filter.full.true.positive COUNT : 1\n"
      "2026/01/01-00:10:00.000001 7f [db_impl.cc:1] STATISTICS:\n"
      " rocksdb.bloom.filter.useful COUNT : 90\n"
      "rocksdb.bloom.filter.full.positive COUNT : 30\n"
      "rocksdb.bloom.filter.full.true.positive COUNT : 20\r\n"
      "rocksdb.bloom.filter.prefix.true.positive COUNT : 5\n");
  EXPECT_DOUBLE_EQ(questions.Rate().value_or(0), 0.1);
}

TEST(StatisticsTextTest, NoQuestions) {
  EXPECT_FALSE(Good("rocksdb.bloom.filter.useful COUNT : 0\n"
                    "rocksdb.bloom.filter.full.positive COUNT : 5\n"
                    "rocksdb.bloom.filter.full.true.positive COUNT : 5\n")
                   .Rate());
}

// RocksDB does not read all counters at the same moment, so they may disagree.
TEST(StatisticsTextTest, MoreTruePositivesThanPositives) {
  EXPECT_EQ(Good("rocksdb.bloom.filter.useful COUNT : 1\n"
                 "rocksdb.bloom.filter.full.positive COUNT : 5\n"
                 "rocksdb.bloom.filter.full.true.positive COUNT : 6\n")
                .false_positives(),
            0u);
}

TEST(StatisticsTextTest, WhatIsMissingIsNamed) {
  struct Bad {
    std::string text;
    const char* missing;
  };
  const std::string dump = kDbBench;
  const auto without = [&dump](const std::string& name) {
    std::string text = dump;
    return text.replace(text.find(name), name.size(), "other");
  };
  const Bad bad_texts[] = {
      {"", "rocksdb.bloom.filter.full.positive"},
      {"any other text\n", "rocksdb.bloom.filter.full.positive"},
      {without("rocksdb.bloom.filter.useful"), "rocksdb.bloom.filter.useful"},
      {without("rocksdb.bloom.filter.full.positive"),
       "rocksdb.bloom.filter.full.positive"},
      {without("rocksdb.bloom.filter.full.true.positive"),
       "rocksdb.bloom.filter.full.true.positive"},
      {without("useful COUNT : 985"), "rocksdb.bloom.filter.useful"},
      {without("985"), "rocksdb.bloom.filter.useful"},
  };
  for (const Bad& bad : bad_texts) {
    std::string error;
    EXPECT_FALSE(Parse(bad.text, &error)) << bad.text;
    EXPECT_THAT(error, HasSubstr("has no line '" + std::string(bad.missing) +
                                 " COUNT : N'"));
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
