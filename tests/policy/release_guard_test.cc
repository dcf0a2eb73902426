// SPDX-License-Identifier: Apache-2.0

// filter_bits_api.h must compile only with the RocksDB releases that it
// supports.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

constexpr char kOption[] = "CASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB";

ProcessResult Preprocess(int major, int minor,
                         const std::vector<std::string>& flags = {}) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "rocksdb");
  for (const char* const header : {"filter_policy.h", "slice.h", "status.h"}) {
    WriteFile(folder / "rocksdb/" + header, "");
  }
  WriteFile(folder / "rocksdb/version.h",
            "#define ROCKSDB_MAJOR " + std::to_string(major) +
                "\n#define ROCKSDB_MINOR " + std::to_string(minor) + "\n");
  std::vector<std::string> command = {TEST_COMPILER,
                                      "-std=c++17",
                                      "-x",
                                      "c++",
                                      "-E",
                                      "-I",
                                      folder.path(),
                                      "-I",
                                      TEST_SOURCE_DIR,
                                      "-o",
                                      "/dev/null",
                                      TEST_SOURCE_DIR
                                      "/plugin/policy/filter_bits_api.h"};
  command.insert(command.end(), flags.begin(), flags.end());
  return RunProcess(command);
}

TEST(ReleaseGuardTest, TestedReleasesAreCompiled) {
  for (const auto& [major, minor] :
       {std::pair{7, 1}, {7, 8}, {9, 10}, {10, 10}, {11, 9}}) {
    const ProcessResult result = Preprocess(major, minor);
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.err, "");
  }
}

TEST(ReleaseGuardTest, NewerOnesNameTheOptionThatAcceptsThem) {
  for (const auto& [major, minor] : {std::pair{11, 10}, {12, 0}}) {
    const ProcessResult refused = Preprocess(major, minor);
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_NE(refused.err.find("newer than 11.9"), std::string::npos);
    EXPECT_NE(refused.err.find(std::string("-D") + kOption + "=ON"),
              std::string::npos)
        << refused;
    const ProcessResult accepted =
        Preprocess(major, minor, {std::string("-D") + kOption});
    EXPECT_EQ(accepted.exit_code, 0) << accepted;
  }
}

TEST(ReleaseGuardTest, OlderOnesAreRefusedWhateverIsAccepted) {
  for (const auto& [major, minor] : {std::pair{7, 0}, {6, 29}}) {
    const ProcessResult refused =
        Preprocess(major, minor, {std::string("-D") + kOption});
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_NE(refused.err.find("RocksDB 7.1 or later is needed"),
              std::string::npos)
        << refused;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
