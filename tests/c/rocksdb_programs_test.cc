// SPDX-License-Identifier: Apache-2.0

// Runs programs that use the C interface with RocksDB.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

TEST(CRocksdbProgramsTest, TheTestInCPasses) {
  const TempDir folder;
  const ProcessResult result = RunProcess({TEST_C_TEST, folder / "db"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.err, "");
}

#ifdef TEST_STUB_9_9
TEST(CRocksdbProgramsTest, AnotherRocksdbIsAnErrorAndOneLineOnStderr) {
  const ProcessResult result =
      RunProcess({TEST_C_TEST, "unused", "unused"}, TEST_STUB_9_9);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(Lines(result.err).size(), 1u) << result;
  EXPECT_EQ(
      result.err.rfind("cassandra_bloom: no filter policy: built for ", 0), 0u)
      << result;
}
#endif

TEST(CRocksdbProgramsTest, TheFilterOfTheExampleAnswers) {
  const TempDir folder;
  const ProcessResult result = RunProcess({TEST_C_EXAMPLE, folder / "db"});
  EXPECT_EQ(result.exit_code, 0) << result;
  long answered = 0;
  EXPECT_EQ(std::sscanf(result.out.c_str(),
                        "present keys: 10000 of 10000 found\n"
                        "absent keys:  0 of 10000 found, %ld answered",
                        &answered),
            1)
      << result;
  EXPECT_GT(answered, 9800);
  EXPECT_LT(answered, 10000);
  const ProcessResult again = RunProcess({TEST_C_EXAMPLE, folder / "db"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("error_if_exists"), std::string::npos) << again;
}

}  // namespace
}  // namespace cassandra_bloom::testing
