// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_statistics_db.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/fake_sstable/cassandra_sstables.h"
#include "tests/support/fake_sstable/checksums.h"
#include "tests/support/fake_sstable/naive_sstable.h"

namespace cassandra_bloom::testing {
namespace {

// Returns the components, and checks all checksums if `has_checks` is true.
std::vector<std::string> ReadComponents(const std::string& file,
                                        bool has_checks) {
  const size_t check = has_checks ? 4 : 0;
  const auto number = static_cast<size_t>(NaiveNumber(file, 0, 4));
  const size_t table = 4 + check;
  const size_t table_end = table + 8 * number;
  std::vector<size_t> offsets;
  for (size_t i = 0; i < number; ++i) {
    EXPECT_EQ(NaiveNumber(file, table + 8 * i, 4), i);
    offsets.push_back(NaiveNumber(file, table + 8 * i + 4, 4));
  }
  EXPECT_EQ(offsets.at(0), table_end + check);
  offsets.push_back(file.size());
  if (has_checks) {
    const std::string first = file.substr(0, 4);
    EXPECT_EQ(NaiveNumber(file, 4, 4), Crc32(first));
    EXPECT_EQ(NaiveNumber(file, table_end, 4),
              Crc32(first + file.substr(table, 8 * number)));
  }
  std::vector<std::string> components;
  for (size_t i = 0; i < number; ++i) {
    const size_t size = offsets[i + 1] - offsets[i];
    components.push_back(file.substr(offsets[i], size));
    if (has_checks) {
      EXPECT_EQ(NaiveNumber(components[i], size - 4, 4),
                Crc32(components[i].substr(0, size - 4)));
    }
  }
  return components;
}

TEST(StatisticsDbWriterTest, ValidationIsCassandras) {
  const std::string ours =
      StatisticsDb(StatisticsLayout::kTableAndChecks, 0.01, 7);
  const std::vector<std::string> our_components = ReadComponents(ours, true);
  ASSERT_EQ(our_components.size(), 4U);
  for (const std::string& folder : CassandraSstables()) {
    SCOPED_TRACE(folder);
    const std::string theirs = ReadFile(folder + "/da-1-bti-Statistics.db");
    const std::vector<std::string> components = ReadComponents(theirs, true);
    ASSERT_EQ(components.size(), our_components.size());
    EXPECT_EQ(our_components[0], components[0]);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
