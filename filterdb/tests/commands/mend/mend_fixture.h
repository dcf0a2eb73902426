// SPDX-License-Identifier: Apache-2.0

// Writes SSTables with chosen faults, and runs "filterdb mend" on them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "filterdb/tests/fake_sstable/fake_sstable.h"
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

class MendFixture : public ::testing::Test {
 protected:
  MendFixture() : dir_(FolderInMemory()) {}

  WrittenSstable Write(SstableSpec spec, const std::string& folder = "ks/t1") {
    std::filesystem::create_directories(dir_ / folder);
    spec.folder = dir_ / folder;
    if (spec.keys.empty()) {
      spec.keys = NumberedKeys(1000);
    }
    return WriteSstable(spec);
  }
  WrittenSstable Write(FilterFault fault, const std::string& generation = "1") {
    SstableSpec spec;
    spec.fault = fault;
    spec.generation = generation;
    return Write(spec);
  }

  // `before` is shell text before the command.
  Ran Mend(const std::string& options, const std::string& before = "") const {
    return Filterdb("mend " + options + " " + dir_ / "ks", before);
  }
  Ran MendWithBackup(const std::string& options = "") const {
    return Mend(Backup() + " " + options);
  }
  static Ran Undo(const std::string& run, const std::string& options = "") {
    return Filterdb("mend --undo=" + run + " " + options);
  }
  Ran Scan() const { return Filterdb("scan --json " + dir_ / "ks"); }

  std::string Backup() const { return "--backup-dir=" + dir_ / "old"; }
  // Returns the folders of the runs in the backup folder, the first run first.
  std::vector<std::string> Runs() const {
    std::vector<std::string> runs;
    if (std::filesystem::exists(dir_ / "old")) {
      for (const auto& entry :
           std::filesystem::directory_iterator(dir_ / "old")) {
        runs.push_back(entry.path());
      }
    }
    std::sort(runs.begin(), runs.end());
    return runs;
  }
  std::string LastRun() const {
    EXPECT_FALSE(Runs().empty());
    return Runs().empty() ? dir_ / "none" : Runs().back();
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

  const TempDir dir_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
