// SPDX-License-Identifier: Apache-2.0

// Only checks that an SSTable has the fault that a test asks for. That the
// files have Cassandra's layouts is compared with Cassandra's own in the other
// files of this test.

#include "tests/support/fake_sstable/fake_sstable.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

#include "filterdb/sstable/sstable_keys.h"
#include "tests/support/fake_sstable/cassandra_sstables.h"
#include "tests/support/fake_sstable/checksums.h"
#include "tests/support/fake_sstable/naive_sstable.h"
#include "tests/support/read_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kNumKeys = 1000;

class SstableWriterTest : public ::testing::TestWithParam<const char*> {
 protected:
  SstableWriterTest() {
    spec_.folder = dir_.path();
    spec_.version = GetParam();
    for (size_t i = 0; i < kNumKeys; ++i) {
      spec_.keys.push_back("key" + std::to_string(i));
    }
    EXPECT_TRUE(FormOfSstableVersion(GetParam(), &form_, &error_));
  }

  // Returns how many keys the filter denies.
  size_t Denied(const WrittenSstable& sstable, FilterForm form) {
    const auto filter =
        FilterDbFile::Open(sstable.Path("Filter.db"), form, &error_);
    size_t denied = 0;
    for (const std::string& key : sstable.keys) {
      denied += filter != nullptr && !filter->MayContain(key);
    }
    return denied;
  }

  std::string Written(FilterFault fault, const std::string& component) {
    spec_.fault = fault;
    return ReadFile(WriteSstable(spec_).Path(component));
  }

  const TempDir dir_;
  SstableSpec spec_;
  FilterForm form_;
  std::string error_;
};

TEST_P(SstableWriterTest, TocHasTheNamesOfTheFiles) {
  spec_.lz4 = true;
  const WrittenSstable sstable = WriteSstable(spec_);
  std::set<std::string> toc;
  std::istringstream lines(ReadFile(sstable.Path("TOC.txt")));
  for (std::string line; std::getline(lines, line);) {
    toc.insert(std::filesystem::path(sstable.Path(line)).filename());
  }
  EXPECT_EQ(toc, dir_.Names());
}

TEST_P(SstableWriterTest, FiltersThatAnswer) {
  constexpr size_t kMany = kNumKeys / 2;
  const struct {
    FilterFault fault;
    size_t built_for;  // 0 means any number.
    size_t min_denied = 0;
    size_t max_denied = 0;
  } cases[] = {{FilterFault::kNone, kNumKeys},
               {FilterFault::kBitsCleared, 0, 1, kMany},
               {FilterFault::kKeysLeftOut, 0, 1, kMany},
               {FilterFault::kOtherForm, 0, kMany + 1, kNumKeys},
               {FilterFault::kHalfSize, kNumKeys / 2},
               {FilterFault::kQuarterSize, kNumKeys / 4},
               {FilterFault::kFourfoldSize, kNumKeys * 4},
               {FilterFault::kSaturated, 0}};
  for (const auto& [fault, built_for, min_denied, max_denied] : cases) {
    SCOPED_TRACE(NameOf(fault));
    spec_.fault = fault;
    const WrittenSstable sstable = WriteSstable(spec_);
    const size_t denied = Denied(sstable, form_);
    EXPECT_GE(denied, min_denied);
    EXPECT_LE(denied, max_denied);
    const std::string filter = ReadFile(sstable.Path("Filter.db"));
    if (built_for != 0) {
      EXPECT_EQ(filter.size(), 8 + 8 * ((10 * built_for + 19) / 64 + 1));
    }
    EXPECT_EQ(filter.find_first_not_of('\xff', 8) == std::string::npos,
              fault == FilterFault::kSaturated);
  }
}

TEST_P(SstableWriterTest, EachOtherFormDeniesKeys) {
  for (const FilterForm form : {kBeforeMa, kMaToMe, kNaAndLater}) {
    spec_.fault = FilterFault::kOtherForm;
    spec_.other_form = form;
    if (form == form_) {
      EXPECT_THROW(WriteSstable(spec_), std::invalid_argument);
      continue;
    }
    const WrittenSstable sstable = WriteSstable(spec_);
    EXPECT_GT(Denied(sstable, form_), 0U);
    EXPECT_EQ(Denied(sstable, form), 0U);
  }
}

TEST_P(SstableWriterTest, FiltersThatAreNone) {
  const size_t whole = Written(FilterFault::kNone, "Filter.db").size();
  EXPECT_EQ(Written(FilterFault::kTruncated, "Filter.db").size(), whole / 2);
  EXPECT_EQ(Written(FilterFault::kEmpty, "Filter.db"), "");
  EXPECT_EQ(Written(FilterFault::kProbes0, "Filter.db").substr(0, 4),
            std::string(4, '\0'));
  EXPECT_EQ(Written(FilterFault::kProbes99, "Filter.db")[3], 99);
  for (const FilterFault fault :
       {FilterFault::kMissing, FilterFault::kNoFilterPlanned}) {
    spec_.fp_chance = fault == FilterFault::kMissing ? 0.01 : 1;
    EXPECT_EQ(Written(fault, "TOC.txt").find("Filter.db"), std::string::npos);
    EXPECT_EQ(dir_.Names().count("Filter.db"), 0U);
  }
}

TEST_P(SstableWriterTest, OnlyACutIndexCannotBeRead) {
  for (const FilterFault fault : {FilterFault::kNone, FilterFault::kIndexCut}) {
    spec_.fault = fault;
    const WrittenSstable sstable = WriteSstable(spec_);
    const bool has_trie =
        std::filesystem::exists(sstable.Path("Partitions.db"));
    const auto reader = tools::OpenSstableKeys(
        sstable.Path(has_trie ? "Partitions.db" : "Index.db"), GetParam(),
        tools::KeyChecks::kEveryKey, &error_);
    EXPECT_EQ(reader != nullptr &&
                  ReadKeys(reader.get()).keys == sstable.keys &&
                  reader->error().empty(),
              fault == FilterFault::kNone);
    EXPECT_EQ(Denied(sstable, form_), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, SstableWriterTest,
                         ::testing::Values("ia", "ib", "ic", "ja", "jb", "ka",
                                           "la", "lb", "ma", "mb", "mc", "md",
                                           "me", "ms", "mt", "na", "nb", "nc",
                                           "oa", "da"));

TEST(SstableWriterErrorTest, WhatCannotBeWrittenThrows) {
  const TempDir dir;
  SstableSpec good;
  good.folder = dir.path();
  good.keys = {"a", "b"};
  const auto expect_error = [&good](auto change) {
    SstableSpec spec = good;
    change(&spec);
    EXPECT_ANY_THROW(WriteSstable(spec));
  };
  EXPECT_NO_THROW(WriteSstable(good));
  expect_error([](SstableSpec* spec) { spec->keys.clear(); });
  expect_error([](SstableSpec* spec) { spec->version = "zz"; });
  expect_error([](SstableSpec* spec) { spec->folder += "/none"; });
  expect_error([](SstableSpec* spec) { spec->fp_chance = 1; });
  expect_error(
      [](SstableSpec* spec) { spec->keys.push_back(spec->keys.front()); });
  expect_error(
      [](SstableSpec* spec) { spec->fault = FilterFault::kNoFilterPlanned; });
}

TEST(ChecksumsTest, DigestsAreCassandras) {
  for (const std::string& folder : CassandraSstables()) {
    SCOPED_TRACE(folder);
    EXPECT_EQ(std::to_string(Crc32(ReadFile(folder + "/da-1-bti-Data.db"))),
              ReadFile(folder + "/da-1-bti-Digest.crc32"));
  }
  EXPECT_EQ(Adler32("pedia", Adler32("Wiki")), 0x11e60398U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
