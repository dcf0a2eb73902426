// SPDX-License-Identifier: Apache-2.0

// Tests a filterdb that was built without RocksDB.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/filterdb_command.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

TEST(WithoutRocksdbTest, SaysHowToGetTheRest) {
  for (const std::string line : {"export", "export --db=/tmp --out-dir=/tmp",
                                 "doctor /tmp", "doctor --json /tmp"}) {
    const Ran ran = Exits(2, Filterdb(line));
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_THAT(ran.err, HasSubstr("built without RocksDB")) << line;
    EXPECT_THAT(ran.err, HasSubstr("librocksdb-dev")) << line;
    EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << line;
  }
}

TEST(WithoutRocksdbTest, HelpNamesWhatIsMissing) {
  for (const std::string command : {"export", "doctor"}) {
    EXPECT_THAT(Exits(0, Filterdb(command + " --help")).out,
                HasSubstr("Not in this build"));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
