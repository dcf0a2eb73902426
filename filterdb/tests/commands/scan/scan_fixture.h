// SPDX-License-Identifier: Apache-2.0

// Writes SSTables with chosen faults and changes, and runs "filterdb scan" on
// them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_SCAN_SCAN_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_SCAN_SCAN_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/random_keys.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// The folder name of a table ends in an ID of 32 hexadecimal digits.
inline constexpr char kId[] = "-5a1c395c6f9511ee8e8b0f9a4e1c2b3d";

// Shell text that keeps a command from taking more memory.
inline std::string LimitOfMemory(int kilobytes) {
#ifdef CASSANDRA_BLOOM_SANITIZED
  kilobytes = 0;  // The sanitizers need more memory.
#endif
  return kilobytes == 0 ? "" : "ulimit -d " + std::to_string(kilobytes) + ";";
}

// Root may read and write any file, unless these capabilities are taken away.
inline std::string WithoutPrivileges() {
  return geteuid() == 0
             ? "setpriv --bounding-set=-dac_override,-dac_read_search"
             : "";
}

inline bool HasStrace() {
  return RunProcess({"/bin/sh", "-c", "strace -o /dev/null true"}).exit_code ==
         0;
}

// Returns the names of all findings.
inline std::string ChecksOf(const Json& sstable) {
  std::string checks;
  for (const Json& finding : sstable["findings"]) {
    checks +=
        (checks.empty() ? "" : ", ") + finding["check"].get<std::string>();
  }
  return checks;
}

inline SstableSpec WithLz4(SstableSpec spec) {
  spec.lz4 = true;
  return spec;
}

// Changes the files of a written SSTable.
using Change = std::function<void(const WrittenSstable& one)>;

inline void NoChange(const WrittenSstable&) {}

inline Change Remove(const char* component) {
  return [=](const WrittenSstable& one) {
    std::filesystem::remove(one.Path(component));
  };
}

inline Change Content(const char* component, const std::string& content) {
  return [=](const WrittenSstable& one) {
    WriteFile(one.Path(component), content);
  };
}

inline Change Both(const Change& first, const Change& second) {
  return [=](const WrittenSstable& one) {
    first(one);
    second(one);
  };
}

inline void ChangeCompressor(const WrittenSstable& one) {
  std::string info = ReadFile(one.Path("CompressionInfo.db"));
  info[2] = 'X';
  WriteFile(one.Path("CompressionInfo.db"), info);
}

class ScanFixture : public ::testing::Test {
 protected:
  explicit ScanFixture(const std::filesystem::path& parent =
                           std::filesystem::temp_directory_path())
      : dir_(parent) {}

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
  WrittenSstable Write(FilterFault fault, const std::string& generation = "1",
                       const std::string& folder = "ks/t1") {
    SstableSpec spec = SpecOf("nb", fault);
    spec.generation = generation;
    return Write(spec, folder);
  }

  Ran Scan(const std::string& options = "") const {
    return Filterdb("scan " + options + " " + dir_.path());
  }
  Json Report(const std::string& options = "") const {
    return Scan("--json " + options).report();
  }
  // Returns what scan prints about the only SSTable.
  Json TheOne(const std::string& options = "") const {
    const Ran ran = Scan("--json " + options);
    const Json report = ran.report();
    EXPECT_EQ(report["sstables"].size(), 1U) << ran;
    EXPECT_EQ(report["summary"]["exit_status"], ran.exit_code) << ran;
    return report["sstables"][0];
  }

  const TempDir dir_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_SCAN_SCAN_FIXTURE_H_
