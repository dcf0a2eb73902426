// SPDX-License-Identifier: Apache-2.0

// Writes SSTables with chosen faults, and runs "filterdb mend" on them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

inline std::vector<std::string> NumberedKeys(size_t num_keys) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < num_keys; ++i) {
    keys.push_back("key" + std::to_string(i));
  }
  return keys;
}

inline struct stat StatusOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status;
}

class MendFixture : public ::testing::Test {
 protected:
  explicit MendFixture(const std::filesystem::path& parent =
                           std::filesystem::temp_directory_path())
      : dir_(parent) {}

  WrittenSstable Write(SstableSpec spec, const std::string& folder = "ks/t1") {
    std::filesystem::create_directories(dir_ / folder);
    spec.folder = dir_ / folder;
    if (spec.keys.empty()) {
      spec.keys = NumberedKeys(1000);
    }
    return WriteSstable(spec);
  }

  // Writes an SSTable whose filter lacks keys.
  WrittenSstable WriteFaulty(const std::string& version = "nb") {
    SstableSpec spec;
    spec.version = version;
    spec.fault = FilterFault::kBitsCleared;
    return Write(spec);
  }

  Ran Mend(const std::string& options) const {
    return Filterdb("mend " + options + " " + dir_ / "ks");
  }
  // Expects filterdb mend to change no file, and to print `reason`.
  void ExpectLeft(const std::string& options, const std::string& reason) const {
    SCOPED_TRACE(options);
    const auto before = Files();
    const Ran ran = Mend(options);
    EXPECT_EQ(ran.exit_code, 1) << ran;
    EXPECT_THAT(ran.out, ::testing::HasSubstr(reason));
    EXPECT_TRUE(Files() == before);
  }

  // Returns the names of all files, and the bytes of each file below ks that
  // has less than 16 MiB.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const std::string& name : dir_.Names()) {
      files[name] = "";
    }
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(dir_ / "ks")) {
      if (std::filesystem::is_regular_file(entry.path()) &&
          std::filesystem::file_size(entry.path()) < (1 << 24)) {
        files[entry.path()] = ReadFile(entry.path());
      }
    }
    return files;
  }

  Ran Scan() const { return Filterdb("scan --json " + dir_ / "ks"); }

  const TempDir dir_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
