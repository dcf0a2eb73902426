// SPDX-License-Identifier: Apache-2.0

// Tests the command line of sst_filters. The code that it shares with filterdb
// is tested there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/filterdb_command.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

TEST(SstFiltersCommandLineTest, HelpOfEach) {
  const std::string all = Exits(0, SstFilters("--help")).out;
  EXPECT_THAT(all,
              HasSubstr("Exit status: 0 good, 2 a fault was found or a file"));
  for (const std::string command : {"doctor", "export"}) {
    EXPECT_THAT(all, HasSubstr("\n  " + command + " "));
    const std::string help = Exits(0, SstFilters(command + " --help")).out;
    EXPECT_THAT(help, HasSubstr("sst_filters " + command + " [OPTIONS]"));
    EXPECT_THAT(help, HasSubstr("--db DIR (required)"));
    EXPECT_THAT(help, HasSubstr("--json"));
    EXPECT_THAT(help, HasSubstr("--db-path"));
  }
}

TEST(SstFiltersCommandLineTest, ErrorsNameTheProgram) {
  EXPECT_EQ(Exits(64, SstFilters("")).err,
            "sst_filters: no command; the commands are doctor, export\nsee "
            "sst_filters --help\n");
  EXPECT_EQ(Exits(64, SstFilters("doctor --db=")).err,
            "sst_filters: --db= has no value; give one, or leave the option "
            "out\nsee sst_filters --help\n");
  EXPECT_THAT(Exits(64, SstFilters("doctor")).err,
              HasSubstr("sst_filters: --db is required"));
}

// What needs RocksDB is not in filterdb.
TEST(SstFiltersCommandLineTest, FilterdbHasOtherCommands) {
  for (const std::string command : {"doctor", "export"}) {
    EXPECT_THAT(Exits(64, Filterdb(command)).err,
                HasSubstr("'" + command + "' is no command"));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
