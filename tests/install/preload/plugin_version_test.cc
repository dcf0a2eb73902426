// SPDX-License-Identifier: Apache-2.0

// A program that was built with this version's plugin, where the next version's
// plugin is installed. CassandraBloomOptions may be larger there, so the
// program must not start with it.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kOurName[] =
    "librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE "-" TEST_ABI;
constexpr char kNextName[] =
    "librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE "-" TEST_NEXT_ABI;

TEST(PluginVersionTest, TheProgramStartsWithItsOwnVersionAlone) {
  ASSERT_FALSE(fs::exists(fs::path(TEST_INSTALLED_PLUGIN_FOLDER) / kOurName))
      << "the program would find this installed plugin: remove it";
  struct Copy {
    const char* plugin;
    const char* name;
  };
  const struct {
    std::vector<Copy> copies;  // In the folder where the program looks.
    std::string error;         // Empty if the program starts.
  } cases[] = {
      {{{TEST_PLUGIN, kOurName}}, ""},
      {{{TEST_PLUGIN, kOurName}, {TEST_NEXT_PLUGIN, kNextName}}, ""},
      {{{TEST_NEXT_PLUGIN, kNextName}},
       std::string(kOurName) + ": cannot open shared object"},
      {{{TEST_NEXT_PLUGIN, kOurName}},
       "version `CASSANDRA_BLOOM_CXX_" TEST_ABI "' not found"},
  };
  for (const auto& [copies, error] : cases) {
    const TempDir libraries;
    for (const Copy& copy : copies) {
      fs::copy_file(copy.plugin, libraries / copy.name);
    }
    const ProcessResult result = RunProcess(
        {"/usr/bin/env",
         "LD_LIBRARY_PATH=" + libraries.path() + ":" TEST_ROCKSDB_FOLDER,
         TEST_HOST});
    EXPECT_EQ(result.exit_code == 0, error.empty()) << result;
    EXPECT_EQ(result.out, error.empty()
                              ? "cassandra_bloom:12 cassandra_bloom:fp:0.1 5\n"
                              : "");
    EXPECT_EQ(result.err.empty(), error.empty()) << result;
    EXPECT_NE(result.err.find(error), std::string::npos) << result;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
