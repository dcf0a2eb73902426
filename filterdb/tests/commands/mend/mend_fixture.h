// SPDX-License-Identifier: Apache-2.0

// Writes SSTables with chosen faults, and runs "filterdb mend" and "filterdb
// install" on them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/safe_folder.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

inline std::vector<std::string> NumberedKeys(size_t num_keys) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < num_keys; ++i) {
    keys.push_back("key" + std::to_string(i));
  }
  return keys;
}

// Root may read and write any file, unless these capabilities are taken away.
inline std::string WithoutPrivileges() {
  return geteuid() == 0
             ? "setpriv --bounding-set=-dac_override,-dac_read_search"
             : "";
}

class MendFixture : public ::testing::Test {
 protected:
  MendFixture() : dir_(FolderInMemory()), runs_(SafeFolder()) {}

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
  Ran Mend(const std::string& options = "",
           const std::string& before = "") const {
    return Filterdb("mend " + dir_ / "ks" + " --run=" + run() + " " + options,
                    before);
  }
  Ran Install(const std::string& options = "",
              const std::string& before = "") const {
    return Filterdb("install " + run() + " " + options, before);
  }
  Ran Undo(const std::string& options = "") const {
    return Install("--undo " + options);
  }
  // Mends and installs in one.
  Ran MendInPlace(const std::string& options = "",
                  const std::string& before = "") const {
    return Mend("--in-place " + options, before);
  }
  Ran Scan() const { return Filterdb("scan --json " + dir_ / "ks"); }

  // The folder of the present run.
  std::string run() const {
    return runs_ / ("run" + std::to_string(run_number_));
  }
  void NextRun() { ++run_number_; }

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
  const TempDir runs_;
  int run_number_ = 1;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
