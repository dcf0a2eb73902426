// SPDX-License-Identifier: Apache-2.0

// Writes SSTables with chosen faults, and runs "filterdb scan" on them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_SCAN_SCAN_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_SCAN_SCAN_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// The folder name of a table ends in an ID of 32 hexadecimal digits.
inline constexpr char kId[] = "-5a1c395c6f9511ee8e8b0f9a4e1c2b3d";

class ScanFixture : public ::testing::Test {
 protected:
  static std::vector<std::string> Keys(size_t num_keys) {
    const RandomKeys random(/*seed=*/20261123, /*max_length=*/40);
    std::vector<std::string> keys;
    for (size_t i = 0; i < num_keys; ++i) {
      keys.push_back(random[i] + std::to_string(i));
    }
    return keys;
  }

  WrittenSstable Write(SstableSpec spec, const std::string& folder = "ks/t1") {
    std::filesystem::create_directories(dir_ / folder);
    spec.folder = dir_ / folder;
    if (spec.keys.empty()) {
      spec.keys = Keys(1000);
    }
    return WriteSstable(spec);
  }

  Ran Scan(const std::string& options = "") const {
    return Filterdb("scan " + options + " " + dir_.path());
  }
  Json Report(const std::string& options = "") const {
    return Scan("--json " + options).report();
  }

  const TempDir dir_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_SCAN_SCAN_FIXTURE_H_
