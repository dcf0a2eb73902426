// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "tests/stress/data_directory/plan.h"
#include "tests/stress/data_directory/write_directory.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

DirectoryOptions Small() {
  DirectoryOptions options;
  options.tables = 12;
  options.sstables = 100;
  options.keys = 100000;
  return options;
}

// ---- The plan ----

TEST(PlanDirectoryTest, SumAndSpreadOfTheSizes) {
  const DirectoryOptions options;
  uint64_t sum = 0;
  std::vector<size_t> of_magnitude(20);
  for (const PlannedSstable& planned : PlanDirectory(options)) {
    sum += planned.num_keys;
    for (uint64_t size = planned.num_keys, log = 0; size > 0; size /= 10) {
      ++of_magnitude[log++];
    }
  }
  EXPECT_EQ(sum, options.keys);
  // of_magnitude[n] counts the SSTables with at least 10^n keys.
  EXPECT_EQ(of_magnitude[0], options.sstables);
  EXPECT_EQ(of_magnitude[1], options.sstables);
  EXPECT_GT(of_magnitude[3], options.sstables / 2);
  EXPECT_LT(of_magnitude[3], options.sstables * 4 / 5);
  EXPECT_GT(of_magnitude[5], options.sstables / 50);
}

TEST(PlanDirectoryTest, EveryFaultThreeTimesAndMostNone) {
  for (const DirectoryOptions& options : {DirectoryOptions(), Small()}) {
    std::map<FilterFault, size_t> faults;
    for (const PlannedSstable& planned : PlanDirectory(options)) {
      ++faults[planned.spec.fault];
    }
    for (const FilterFault fault : kAllFilterFaults) {
      EXPECT_GE(faults[fault], 3U) << NameOf(fault);
    }
    EXPECT_GT(faults[FilterFault::kNone], options.sstables / 2);
  }
}

TEST(PlanDirectoryTest, VersionsTakeTurns) {
  std::map<std::string, size_t> versions;
  size_t compressed = 0;
  for (const PlannedSstable& planned : PlanDirectory(DirectoryOptions())) {
    ++versions[planned.spec.version];
    compressed += planned.spec.lz4;
  }
  EXPECT_EQ(versions, (std::map<std::string, size_t>{
                          {"da", 500}, {"ma", 500}, {"nb", 500}, {"oa", 500}}));
  EXPECT_GT(compressed, 200U);
  EXPECT_LT(compressed, 300U);
}

TEST(PlanDirectoryTest, OptionsThatCannotBe) {
  const auto expect_error = [](auto change) {
    DirectoryOptions options = Small();
    change(&options);
    EXPECT_THROW(PlanDirectory(options), std::invalid_argument);
  };
  EXPECT_NO_THROW(PlanDirectory(Small()));
  expect_error([](DirectoryOptions* options) { options->tables = 0; });
  expect_error([](DirectoryOptions* options) { options->sstables = 50; });
  expect_error([](DirectoryOptions* options) { options->keys = 10000; });
  expect_error([](DirectoryOptions* options) { options->key_bytes = 7; });
}

// ---- The directory ----

std::map<std::string, std::string> ContentOf(const TempDir& dir) {
  std::map<std::string, std::string> content;
  for (const std::string& name : dir.Names()) {
    content[name] = fs::is_directory(dir / name) ? "" : ReadFile(dir / name);
  }
  return content;
}

TEST(WriteDirectoryTest, SameFilesForTheSameSeed) {
  DirectoryOptions options = Small();
  const TempDir one;
  const TempDir two;
  const TempDir other;
  const std::string expected = WriteDirectory(one.path(), options, 1);
  EXPECT_EQ(WriteDirectory(two.path(), options, 3), expected);
  EXPECT_TRUE(ContentOf(one) == ContentOf(two));
  ++options.seed;
  EXPECT_NE(WriteDirectory(other.path(), options, 2), expected);
  EXPECT_FALSE(ContentOf(one) == ContentOf(other));
}

std::set<std::string> PathsIn(const nlohmann::json& list) {
  std::set<std::string> paths;
  for (const nlohmann::json& one : list) {
    paths.insert(one.at("path").get<std::string>());
  }
  return paths;
}

TEST(WriteDirectoryTest, ExpectedHasAllDataFiles) {
  const TempDir dir;
  const auto expected =
      nlohmann::json::parse(WriteDirectory(dir.path(), Small(), 2));
  std::set<std::string> all = PathsIn(expected.at("sstables"));
  EXPECT_EQ(all.size(), 100U);
  const std::set<std::string> copies = PathsIn(expected.at("copies"));
  EXPECT_EQ(copies.size(), 4U);
  all.insert(copies.begin(), copies.end());
  std::set<std::string> data_files;
  for (const std::string& name : dir.Names()) {
    if (name.find("-Data.db") != std::string::npos) {
      data_files.insert(name);
    }
  }
  EXPECT_EQ(all, data_files);
}

TEST(WriteDirectoryTest, CopiesAreHardLinksOfEveryFile) {
  const TempDir dir;
  const auto expected =
      nlohmann::json::parse(WriteDirectory(dir.path(), Small(), 2));
  for (const nlohmann::json& copy : expected.at("copies")) {
    const fs::path from = dir / copy.at("of").get<std::string>();
    const fs::path to = dir / copy.at("path").get<std::string>();
    EXPECT_TRUE(fs::equivalent(from, to));
    const std::string name = from.filename();
    const std::string prefix = name.substr(0, name.size() - 7);
    for (const auto& entry : fs::directory_iterator(from.parent_path())) {
      const std::string other = entry.path().filename();
      if (other.rfind(prefix, 0) == 0) {
        EXPECT_TRUE(fs::equivalent(entry, to.parent_path() / other));
      }
    }
  }
}

TEST(WriteDirectoryTest, ExpectedTellsTheFaults) {
  const TempDir dir;
  const auto expected =
      nlohmann::json::parse(WriteDirectory(dir.path(), Small(), 2));
  for (const nlohmann::json& sstable : expected.at("sstables")) {
    std::string path = dir / sstable.at("path").get<std::string>();
    path.replace(path.size() - 7, 7, "Filter.db");
    const std::string fault = sstable.at("fault");
    SCOPED_TRACE(path + ": " + fault);
    const bool has_file = fault != "missing" && fault != "no_filter_planned";
    EXPECT_EQ(fs::exists(path), has_file);
    EXPECT_EQ(sstable.at("fp_chance") == 1.0, fault == "no_filter_planned");
    EXPECT_EQ(sstable.contains("written_form"), fault == "other_form");
    if (fault == "none") {
      FilterForm form;
      std::string error;
      ASSERT_TRUE(FormOfSstableVersion(sstable.at("version").get<std::string>(),
                                       &form, &error));
      const auto filter = FilterDbFile::Open(path, form, &error);
      ASSERT_NE(filter, nullptr) << error;
      const auto keys = sstable.at("keys").get<double>();
      EXPECT_NEAR(EstimatedNumKeys(filter->num_probes(), filter->CountSetBits(),
                                   filter->capacity_bits()),
                  keys, 5 + keys / 10);
    }
  }
}

TEST(WriteDirectoryTest, FolderMustBeEmpty) {
  const TempDir dir;
  WriteFile(dir / "something", "");
  EXPECT_THROW(WriteDirectory(dir.path(), Small(), 1), std::invalid_argument);
}

}  // namespace
}  // namespace cassandra_bloom::testing
