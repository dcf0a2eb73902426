// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_sstable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "filterdb/sstable/key_reader.h"
#include "plugin/filter/murmur3.h"
#include "tests/support/fake_sstable/comparable_key.h"
#include "tests/support/fake_sstable/fake_statistics_db.h"
#include "tests/support/fake_sstable/naive_sstable.h"
#include "tests/support/random_keys.h"
#include "tests/support/read_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

const std::vector<std::string> kVersionsWithIndexDb = {
    "ia", "ib", "ic", "ja", "jb", "ka", "la", "lb", "ma",
    "mb", "mc", "md", "me", "na", "nb", "nc", "oa"};
const std::vector<std::string> kVersionsWithTrie = {"ms", "mt", "da"};

bool HasTrie(const std::string& version) {
  return version == "da" || version == "ms" || version == "mt";
}

std::string DataName(const std::string& version) {
  if (version < "la" && version != "da") {
    return "ks-table-" + version + "-1-Data.db";
  }
  return version + (version == "da" ? "-1-bti-" : "-1-big-") + "Data.db";
}

std::set<std::string> KeysOf(uint64_t seed, size_t number) {
  const RandomKeys random(seed, /*max_length=*/40);
  std::set<std::string> keys;
  for (uint64_t i = 0; keys.size() < number; ++i) {
    keys.insert(random[i]);
  }
  return keys;
}

SstableSpec SpecOf(const std::string& folder, const std::string& version,
                   size_t keys) {
  const std::set<std::string> some = KeysOf(Seed(), keys);
  SstableSpec spec;
  spec.folder = folder;
  spec.version = version;
  spec.keys.assign(some.begin(), some.end());
  return spec;
}

class SstableWriterTest : public ::testing::TestWithParam<std::string> {
 protected:
  SstableSpec Spec(size_t keys) const {
    return SpecOf(dir_.path(), GetParam(), keys);
  }

  const TempDir dir_;
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, std::to_string(Seed())};
};

class FakeIndexDbTest : public SstableWriterTest {};
class FakeTrieTest : public SstableWriterTest {};

// ---- Names ----

TEST_P(SstableWriterTest, FilesHaveCassandrasNames) {
  SstableSpec spec = Spec(10);
  spec.lz4 = true;
  const WrittenSstable sstable = WriteSstable(spec);
  EXPECT_EQ(sstable.Path("Data.db"), dir_ / DataName(GetParam()));
  std::set<std::string> toc;
  std::istringstream lines(ReadFile(sstable.Path("TOC.txt")));
  for (std::string line; std::getline(lines, line);) {
    toc.insert(std::filesystem::path(sstable.Path(line)).filename());
  }
  EXPECT_EQ(toc, dir_.Names());
  std::string version;
  std::string error;
  ASSERT_TRUE(
      SstableVersionOfFileName(sstable.Path("Filter.db"), &version, &error));
  EXPECT_EQ(version, GetParam());
  EXPECT_EQ(std::filesystem::exists(sstable.Path("Index.db")),
            !HasTrie(GetParam()));
  EXPECT_EQ(std::filesystem::exists(sstable.Path("Partitions.db")),
            HasTrie(GetParam()));
}

// ---- Keys ----

TEST_P(SstableWriterTest, KeysAreInTheOrderOfTheirForms) {
  const SstableSpec spec = Spec(1000);
  const WrittenSstable sstable = WriteSstable(spec);
  std::vector<std::string> by_form = spec.keys;
  std::sort(by_form.begin(), by_form.end(),
            [](const std::string& a, const std::string& b) {
              return ComparableForm(a) < ComparableForm(b);
            });
  EXPECT_EQ(sstable.keys, by_form);
}

// Expects a partition with the key `key` at the position `at` of `file`. The
// partition must not be deleted.
void ExpectPartition(const std::string& file, uint64_t at,
                     const std::string& key, const std::string& version) {
  const std::string deletion =
      version == "oa" || version == "da"
          ? "\x80"
          : std::string("\x7f\xff\xff\xff\x80\0\0\0\0\0\0\0", 12);
  ASSERT_EQ(NaiveText(file, at), key);
  ASSERT_EQ(file.substr(at + 2 + key.size(), deletion.size()), deletion);
}

TEST_P(FakeIndexDbTest, HasAllKeysAndPositions) {
  SstableSpec spec = Spec(1000);
  spec.wide_every = 7;
  spec.row_bytes = 100;
  const WrittenSstable sstable = WriteSstable(spec);
  const std::string data = ReadFile(sstable.Path("Data.db"));
  const std::string index = ReadFile(sstable.Path("Index.db"));
  uint64_t at = 0;
  for (size_t i = 0; i < sstable.keys.size(); ++i) {
    ASSERT_EQ(NaiveText(index, at), sstable.keys[i]);
    at += 2 + sstable.keys[i].size();
    uint64_t position = 0;
    uint64_t promoted = 0;
    if (GetParam() < "ma") {
      position = NaiveNumber(index, at, 8);
      promoted = NaiveNumber(index, at + 8, 4);
      at += 12;
    } else {
      position = NaiveVInt(index, &at);
      promoted = NaiveVInt(index, &at);
    }
    EXPECT_EQ(promoted > 0, i % 7 == 0);
    at += promoted;
    ExpectPartition(data, position, sstable.keys[i], GetParam());
  }
  EXPECT_EQ(at, index.size());
  std::string error;
  const auto reader = OpenIndexDb(sstable.Path("Index.db"), GetParam(), &error);
  ASSERT_NE(reader, nullptr) << error;
  EXPECT_EQ(ReadKeys(reader.get()).keys, sstable.keys);
  EXPECT_EQ(reader->error(), "");
}

// Returns the position in Data.db that an entry of Rows.db contains.
uint64_t DataPosition(const std::string& rows, uint64_t entry,
                      const std::string& key) {
  EXPECT_EQ(NaiveText(rows, entry), key);
  uint64_t at = entry + 2 + key.size();
  const uint64_t base = at;
  const uint64_t position = NaiveVInt(rows, &at);
  const uint64_t zigzag = NaiveVInt(rows, &at);
  EXPECT_EQ(zigzag % 2, 1U) << "the rows' trie is before the entry";
  const uint64_t root = base - (zigzag + 1) / 2;
  EXPECT_EQ(root, entry - 1);
  EXPECT_EQ(NaiveByte(rows, root), 0);
  return position;
}

TEST_P(FakeTrieTest, HasAllKeys) {
  SstableSpec spec = Spec(3000);
  spec.wide_every = 7;
  spec.row_bytes = 100;
  const WrittenSstable sstable = WriteSstable(spec);
  const std::string data = ReadFile(sstable.Path("Data.db"));
  const std::string rows = ReadFile(sstable.Path("Rows.db"));
  const std::string partitions = ReadFile(sstable.Path("Partitions.db"));
  const std::vector<NaiveTrieEntry> entries =
      NaiveTrie(partitions)
          .Walk(NaiveNumber(partitions, partitions.size() - 8, 8));
  ASSERT_EQ(entries.size(), sstable.keys.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string& key = sstable.keys[i];
    EXPECT_EQ(ComparableForm(key).find(entries[i].path), 0U);
    EXPECT_EQ(entries[i].hash,
              CassandraMurmur3(key.data(), key.size()).h2 & 0xff);
    EXPECT_EQ(entries[i].position >= 0, i % 7 == 0);
    const uint64_t position =
        entries[i].position >= 0
            ? DataPosition(rows, static_cast<uint64_t>(entries[i].position),
                           key)
            : static_cast<uint64_t>(~entries[i].position);
    ExpectPartition(data, position, key, GetParam());
  }
}

TEST_P(SstableWriterTest, OneKeyAndTheLongest) {
  SstableSpec spec = Spec(1);
  EXPECT_EQ(WriteSstable(spec).keys, spec.keys);
  spec.keys.emplace_back(0xffff, '\0');
  EXPECT_EQ(WriteSstable(spec).keys.size(), 2U);
  spec.keys.emplace_back(0x10000, '\0');
  EXPECT_THROW(WriteSstable(spec), std::invalid_argument);
}

// ---- Statistics ----

TEST_P(SstableWriterTest, StatisticsHaveTheVersionsLayout) {
  const std::string version = GetParam();
  StatisticsLayout layout = StatisticsLayout::kTableAndChecks;
  if (version[0] == 'i') {
    layout = StatisticsLayout::kNoChance;
  } else if (version[0] == 'j') {
    layout = StatisticsLayout::kNoTable;
  } else if (version[0] >= 'k' && version[0] <= 'm') {
    layout = StatisticsLayout::kTable;
  }
  SstableSpec spec = Spec(10);
  spec.fp_chance = 0.1;
  EXPECT_EQ(ReadFile(WriteSstable(spec).Path("Statistics.db")),
            StatisticsDb(layout, 0.1, spec.keys.size()));
}

// ---- Filters ----

class Answers {
 public:
  Answers(const WrittenSstable& sstable, const std::string& version) {
    FilterForm form;
    EXPECT_TRUE(FormOfSstableVersion(version, &form, &error_));
    filter_ = FilterDbFile::Open(sstable.Path("Filter.db"), form, &error_);
    for (const std::string& key : sstable.keys) {
      denied_ += filter_ != nullptr && !filter_->MayContain(key);
    }
  }

  const FilterDbFile* filter() const { return filter_.get(); }
  size_t denied() const { return denied_; }

 private:
  std::string error_;
  std::unique_ptr<FilterDbFile> filter_;
  size_t denied_ = 0;
};

constexpr size_t kFilterKeys = 1000;

TEST_P(SstableWriterTest, FiltersThatAnswer) {
  constexpr size_t kMany = kFilterKeys / 2;
  const struct {
    FilterFault fault;
    size_t built_for;  // 0 means any number.
    size_t min_denied = 0;
    size_t max_denied = 0;
  } cases[] = {{FilterFault::kNone, kFilterKeys},
               {FilterFault::kBitsCleared, 0, 1, kMany},
               {FilterFault::kKeysLeftOut, 0, 1, kMany},
               {FilterFault::kOtherForm, 0, kMany + 1, kFilterKeys},
               {FilterFault::kHalfSize, kFilterKeys / 2},
               {FilterFault::kQuarterSize, kFilterKeys / 4},
               {FilterFault::kFourfoldSize, kFilterKeys * 4},
               {FilterFault::kSaturated, 0}};
  for (const auto& [fault, built_for, min_denied, max_denied] : cases) {
    SCOPED_TRACE(NameOf(fault));
    SstableSpec spec = Spec(kFilterKeys);
    spec.fault = fault;
    const Answers answers(WriteSstable(spec), GetParam());
    const FilterDbFile* const filter = answers.filter();
    ASSERT_NE(filter, nullptr);
    EXPECT_GE(answers.denied(), min_denied);
    EXPECT_LE(answers.denied(), max_denied);
    EXPECT_EQ(filter->num_probes(), 5);
    if (built_for != 0) {
      EXPECT_EQ(filter->num_words(), (10 * built_for + 19) / 64 + 1);
    }
    EXPECT_EQ(filter->CountSetBits() == filter->capacity_bits(),
              fault == FilterFault::kSaturated);
  }
}

TEST_P(SstableWriterTest, EachOtherFormDeniesKeys) {
  FilterForm own;
  std::string error;
  ASSERT_TRUE(FormOfSstableVersion(GetParam(), &own, &error));
  for (const FilterForm form : {kBeforeMa, kMaToMe, kNaAndLater}) {
    SstableSpec spec = Spec(kFilterKeys);
    spec.fault = FilterFault::kOtherForm;
    spec.other_form = form;
    if (form == own) {
      EXPECT_THROW(WriteSstable(spec), std::invalid_argument);
      continue;
    }
    const WrittenSstable sstable = WriteSstable(spec);
    EXPECT_GT(Answers(sstable, GetParam()).denied(), 0U);
    EXPECT_EQ(Answers(sstable, FormName(form)).denied(), 0U);
  }
}

TEST_P(SstableWriterTest, FiltersThatAreNone) {
  SstableSpec spec = Spec(kFilterKeys);
  const size_t whole = ReadFile(WriteSstable(spec).Path("Filter.db")).size();
  const auto content = [&spec](FilterFault fault) {
    spec.fault = fault;
    return ReadFile(WriteSstable(spec).Path("Filter.db"));
  };
  EXPECT_EQ(content(FilterFault::kTruncated).size(), whole / 2);
  EXPECT_EQ(content(FilterFault::kEmpty), "");
  EXPECT_EQ(NaiveNumber(content(FilterFault::kProbes0), 0, 4), 0U);
  EXPECT_EQ(content(FilterFault::kProbes99).size(), whole);
  EXPECT_EQ(NaiveNumber(content(FilterFault::kProbes99), 0, 4), 99U);
}

TEST_P(SstableWriterTest, NoFilter) {
  for (const FilterFault fault :
       {FilterFault::kMissing, FilterFault::kNoFilterPlanned}) {
    SstableSpec spec = Spec(kFilterKeys);
    WriteSstable(spec);
    spec.fault = fault;
    spec.fp_chance = fault == FilterFault::kMissing ? 0.01 : 1;
    const WrittenSstable sstable = WriteSstable(spec);
    EXPECT_FALSE(std::filesystem::exists(sstable.Path("Filter.db")));
    EXPECT_EQ(ReadFile(sstable.Path("TOC.txt")).find("Filter.db"),
              std::string::npos);
  }
}

TEST_P(SstableWriterTest, CutIndex) {
  SstableSpec spec = Spec(kFilterKeys);
  const std::string component =
      HasTrie(GetParam()) ? "Partitions.db" : "Index.db";
  const std::string whole = ReadFile(WriteSstable(spec).Path(component));
  spec.fault = FilterFault::kIndexCut;
  const WrittenSstable sstable = WriteSstable(spec);
  const std::string cut = ReadFile(sstable.Path(component));
  EXPECT_EQ(whole.compare(0, cut.size(), cut), 0);
  EXPECT_GT(cut.size(), whole.size() / 4);
  EXPECT_LT(cut.size(), whole.size() * 3 / 4);
  EXPECT_EQ(Answers(sstable, GetParam()).denied(), 0U);
  if (!HasTrie(GetParam())) {
    std::string error;
    const auto reader =
        OpenIndexDb(sstable.Path("Index.db"), GetParam(), &error);
    EXPECT_NE(ReadKeys(reader.get()).error, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, SstableWriterTest,
                         ::testing::ValuesIn(kVersionsWithIndexDb));
INSTANTIATE_TEST_SUITE_P(VersionsWithTrie, SstableWriterTest,
                         ::testing::ValuesIn(kVersionsWithTrie));
INSTANTIATE_TEST_SUITE_P(Versions, FakeIndexDbTest,
                         ::testing::ValuesIn(kVersionsWithIndexDb));
INSTANTIATE_TEST_SUITE_P(Versions, FakeTrieTest,
                         ::testing::ValuesIn(kVersionsWithTrie));

// ---- Errors ----

TEST(SstableWriterErrorTest, WhatCannotBeWrittenThrows) {
  const TempDir dir;
  const SstableSpec good = SpecOf(dir.path(), "nb", 10);
  const auto expect_error = [&good](auto change) {
    SstableSpec spec = good;
    change(&spec);
    EXPECT_ANY_THROW(WriteSstable(spec));
  };
  EXPECT_NO_THROW(WriteSstable(good));
  expect_error([](SstableSpec* spec) { spec->keys.clear(); });
  expect_error([](SstableSpec* spec) { spec->version = "zz"; });
  expect_error([](SstableSpec* spec) { spec->version = "ma-to-me"; });
  expect_error([](SstableSpec* spec) { spec->folder += "/none"; });
  expect_error([](SstableSpec* spec) { spec->fp_chance = 1; });
  expect_error([](SstableSpec* spec) { spec->fp_chance = 0; });
  expect_error([](SstableSpec* spec) { spec->chunk_bytes = 0; });
  expect_error(
      [](SstableSpec* spec) { spec->keys.push_back(spec->keys.front()); });
  expect_error(
      [](SstableSpec* spec) { spec->fault = FilterFault::kNoFilterPlanned; });
}

TEST(SstableWriterErrorTest, EveryFaultHasAName) {
  std::set<std::string> names;
  for (const FilterFault fault : kAllFilterFaults) {
    names.insert(NameOf(fault));
  }
  EXPECT_EQ(names.size(), kAllFilterFaults.size());
  EXPECT_EQ(names.count("unknown"), 0U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
