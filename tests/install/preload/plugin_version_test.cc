// SPDX-License-Identifier: Apache-2.0

// A program that was built with this version's plugin, where the next version's
// plugin is installed. CassandraBloomOptions may be larger there, so the
// program must not start with it.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kOurName[] =
    "librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE "-" TEST_ABI;
constexpr char kNextName[] =
    "librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE "-" TEST_NEXT_ABI;

class PluginVersionTest : public ::testing::Test {
 protected:
  // Runs the program, which finds its plugin in `libraries_` or where the
  // dynamic linker always searches.
  ProcessResult Run() {
    return RunProcess(
        {"/usr/bin/env",
         "LD_LIBRARY_PATH=" + libraries_.path() + ":" TEST_ROCKSDB_FOLDER,
         TEST_HOST});
  }

  void ExpectStarts() {
    const ProcessResult result = Run();
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.out, "cassandra_bloom:12 cassandra_bloom:fp:0.1 5\n");
    EXPECT_EQ(result.err, "");
  }

  void ExpectDoesNotStart(const std::string& reason) {
    const ProcessResult result = Run();
    EXPECT_NE(result.exit_code, 0) << result;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(reason), std::string::npos) << result;
  }

  TempDir libraries_;
};

TEST_F(PluginVersionTest, TheProgramStartsWithItsOwnVersion) {
  fs::copy_file(TEST_PLUGIN, libraries_ / kOurName);
  ExpectStarts();
  fs::copy_file(TEST_NEXT_PLUGIN, libraries_ / kNextName);
  ExpectStarts();
}

TEST_F(PluginVersionTest, OnlyTheNextVersionIsThere) {
  ASSERT_FALSE(fs::exists(fs::path(TEST_INSTALLED_PLUGIN_FOLDER) / kOurName))
      << "the program would find this installed plugin: remove it";
  fs::copy_file(TEST_NEXT_PLUGIN, libraries_ / kNextName);
  ExpectDoesNotStart(std::string(kOurName) + ": cannot open shared object");
}

TEST_F(PluginVersionTest, TheNextVersionHasTheNameOfThisOne) {
  fs::copy_file(TEST_NEXT_PLUGIN, libraries_ / kOurName);
  ExpectDoesNotStart("version `CASSANDRA_BLOOM_CXX_" TEST_ABI "' not found");
}

}  // namespace
}  // namespace cassandra_bloom::testing
