// SPDX-License-Identifier: Apache-2.0

// Runs the example `partitions`, and sst_filters on the database of the
// example.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

TEST(PartitionsExampleTest, TheFilterAnswersForPartitions) {
  const TempDir folder;
  const ProcessResult result = RunProcess({TEST_EXAMPLE, folder / "db"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.err, "");
  int iterators = 0;
  int gets = 0;
  EXPECT_EQ(
      std::sscanf(
          result.out.c_str(),
          "cassandra_bloom.partition_key.skip:8,u16: 200000 rows, 10000 "
          "entries in the filter, 12512 bytes\n"
          "user: 200000 rows by iterators, 10000 by Get; the filter said no to "
          "0 iterators and 0 Gets\n"
          "stranger: 0 rows by iterators, 0 by Get; the filter said no to %d "
          "iterators and %d Gets\n",
          &iterators, &gets),
      2)
      << result;
  EXPECT_GT(gets, 9800);
  // Iterators and Gets ask the filter for the same entries.
  EXPECT_EQ(iterators, gets);

  const ProcessResult doctor =
      RunProcess({TEST_SST_FILTERS, "doctor", "--db=" + folder / "db"});
  EXPECT_EQ(doctor.exit_code, 0) << doctor;
}

}  // namespace
}  // namespace cassandra_bloom::testing
