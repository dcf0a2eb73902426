// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on damaged filter blocks and unknown comparators.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/sst_filters/doctor_checks.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// In bytes. RocksDB writes the compression type and a checksum after each
// block.
constexpr size_t kTrailerSize = 5;

class DamagedFilterTest : public ::testing::TestWithParam<Layout> {
 protected:
  DamagedFilterTest() : db_(DbOptions(OurPolicy(), GetParam())) {
    AddFile(&db_, 0, 2000);
    db_.Compact();
    sst_ = OnlySst(db_);
    AddFile(&db_, 2000, 4000);
    db_.Close();
    content_ = ReadFile(sst_);
  }

  std::vector<size_t> FilterBlocks() const {
    const auto policy = std::make_shared<CapturingPolicy>();
    rocksdb::SstFileReader reader(DbOptions(policy, GetParam()));
    Require(reader.Open(sst_));
    std::vector<size_t> blocks;
    for (const std::string& block : policy->blocks()) {
      blocks.push_back(content_.find(block));
    }
    if (IsPartitioned(GetParam())) {
      EXPECT_GT(blocks.size(), 2);
      // The index of the partitions follows the last filter block.
      blocks.push_back(blocks.back() + policy->blocks().back().size() +
                       kTrailerSize);
    }
    EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
    return blocks;
  }

  void Damage(size_t at) const {
    std::string damaged = content_;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteFile(sst_, damaged);
  }

  TestDb db_;
  std::string sst_;
  std::string content_;
};

TEST_P(DamagedFilterTest, DoctorSaysSo) {
  EXPECT_EQ(Doctor(db_).exit_code, 0);
  const std::vector<size_t> blocks = FilterBlocks();
  for (const size_t block : {blocks.front(), blocks.back()}) {
    SCOPED_TRACE(block);
    Damage(block + 9);
    const Ran ran = Exits(1, Doctor(db_));
    const Json verdict = VerdictOf(ran);
    ExpectFiles(verdict, {{"good", 1}, {"damaged", 1}});
    ASSERT_EQ(verdict["findings"].size(), 1);
    EXPECT_THAT(verdict["findings"][0]["what"],
                HasSubstr("a damaged filter, whose checksum is wrong"));
    EXPECT_EQ(verdict["findings"][0]["files"], Json({sst_}));
    const Json ssts = ran.json()["column_families"][0]["ssts"];
    EXPECT_THAT(ssts[1].value("reason", ""), HasSubstr("checksum mismatch"));
    EXPECT_EQ(ssts[1]["keys"], 2000);
    EXPECT_NEAR(FalsePositives(verdict), 1.008, 0.003);
    const Ran text = Doctor(db_, "");
    EXPECT_THAT(text.out, HasSubstr("1 with our filter, 1 with a damaged one"));
    EXPECT_THAT(text.out, HasSubstr("fault: a damaged filter"));
  }
}

TEST_P(DamagedFilterTest, TheRemedyHelps) {
  Damage(FilterBlocks().back() + 9);
  try {
    db_.Reopen();
    db_.Compact();
  } catch (const std::exception& error) {
    EXPECT_TRUE(IsPartitioned(GetParam())) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("checksum mismatch"));
    db_.Reopen(DbOptions(nullptr));
    db_.Compact();
    db_.Reopen(DbOptions(OurPolicy(), GetParam()));
    db_.Compact();
  }
  EXPECT_EQ(Doctor(db_).exit_code, 0);
}

TEST_P(DamagedFilterTest, ExportSaysSoAndGoesByTheKeys) {
  const std::vector<size_t> blocks = FilterBlocks();
  for (const size_t block : {blocks.front(), blocks.back()}) {
    SCOPED_TRACE(block);
    Damage(block + 9);
    const TempDir out;
    const std::string command =
        "export --json --sstable-version=nb --out-dir=" + out.path() +
        " --sst=" + sst_;
    const Ran ran = SstFilters(command);
    ASSERT_EQ(ran.exit_code, 0) << ran;
    const Json exported = ran.json()["exported"][0];
    EXPECT_EQ(exported["from"], "keys");
    EXPECT_THAT(exported["why_not_block"], HasSubstr("its filter is damaged"));
    EXPECT_EQ(ReadFile(exported["file"]),
              Built(KeysOf(NumberedRows(0, 2000)), "nb"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedFilterTest,
                         ::testing::ValuesIn(AllLayouts()),
                         [](const auto& test) { return ToString(test.param); });

// With partition keys, the policy has another name in the SST file.
TEST(DamagedPartitionKeyFilterTest, DoctorSaysSo) {
  FilledDb db(DbOptions(PolicyFor("fixed:8")));
  const std::string sst = OnlySst(db);
  db.Close();
  const TempDir out;
  ASSERT_EQ(SstFilters("export --sstable-version=nb --out-dir=" + out.path() +
                       " --sst=" + sst)
                .exit_code,
            0);
  const std::string block = ReadFile(out / *NamesIn(out.path()).begin());
  std::string content = ReadFile(sst);
  content[content.find(block) + 9] ^= 1;
  WriteFile(sst, content);
  const Ran ran = Exits(1, Doctor(db));
  EXPECT_THAT(VerdictOf(ran)["findings"][0]["what"],
              HasSubstr("whose checksum is wrong"));
}

class UsersComparator : public rocksdb::Comparator {
 public:
  enum Order { kBytewise, kReverse, kLastByteFirst };

  UsersComparator(std::string name, Order order)
      : name_(std::move(name)), order_(order) {}

  const char* Name() const override { return name_.c_str(); }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    if (order_ != kLastByteFirst) {
      return order_ == kBytewise ? a.compare(b) : b.compare(a);
    }
    return Backwards(a).compare(Backwards(b));
  }
  void FindShortestSeparator(std::string*,
                             const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static std::string Backwards(const rocksdb::Slice& key) {
    std::string backwards = key.ToString();
    std::reverse(backwards.begin(), backwards.end());
    return backwards;
  }

  const std::string name_;
  const Order order_;
};

// Fills two levels with the same keys. The lower level has several files.
void Fill(TestDb* db, rocksdb::ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) {
    family = (*db)->DefaultColumnFamily();
  }
  for (uint32_t round = 0; round < 2; ++round) {
    for (const auto& [key, value] : NumberedRows(0, 3000)) {
      Require((*db)->Put(rocksdb::WriteOptions(), family, key,
                         std::string(100, 'v')));
    }
    Require((*db)->Flush(rocksdb::FlushOptions(), family));
    if (round == 0) {
      Require(CompactAll({db->get(), family, {}}));
    }
  }
}

rocksdb::Options OptionsWith(const rocksdb::Comparator* comparator) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.comparator = comparator;
  options.target_file_size_base = 64 << 10;
  options.compression = rocksdb::kNoCompression;
  return options;
}

Ran ExportAll(const TestDb& db, const TempDir& out,
              const std::string& options = "") {
  return SstFilters("export --json --sstable-version=nb --out-dir=" +
                    out.path() + " --db=" + db.path() + " " + options);
}

TEST(ComparatorTest, OrdersThatAreKnownUnderAnotherName) {
  for (const auto order :
       {UsersComparator::kBytewise, UsersComparator::kReverse}) {
    const UsersComparator comparator("mine.and:mine", order);
    TestDb db(OptionsWith(&comparator));
    Fill(&db);
    const Ran ran = Doctor(db);
    ASSERT_EQ(ran.exit_code, 0) << ran;
    const Json levels = ran.json()["column_families"][0]["levels"];
    ASSERT_EQ(levels.size(), 2);
    EXPECT_GT(levels[1]["files"], 2);
    const TempDir out;
    Exits(0, ExportAll(db, out));
    ExpectFiltersAreTheirs(db, out.path());
  }
}

TEST(ComparatorTest, OneForEachColumnFamily) {
  const UsersComparator forward("forward", UsersComparator::kBytewise);
  const UsersComparator backward("backward", UsersComparator::kReverse);
  TestDb db(OptionsWith(&backward));
  Fill(&db);
  std::vector<rocksdb::ColumnFamilyHandle*> others(3);
  const rocksdb::Comparator* const orders[] = {&forward, &backward,
                                               rocksdb::BytewiseComparator()};
  for (size_t i = 0; i < others.size(); ++i) {
    Require(db->CreateColumnFamily(OptionsWith(orders[i]),
                                   "other" + std::to_string(i), &others[i]));
    Fill(&db, others[i]);
  }
  const Ran ran = Doctor(db);
  ASSERT_EQ(ran.exit_code, 0) << ran;
  const Json json = ran.json();
  for (const Json& family : json["column_families"]) {
    EXPECT_GT(family["ssts"].size(), 3);
  }
  for (auto* const other : others) {
    Require(db->DestroyColumnFamilyHandle(other));
  }
}

TEST(ComparatorTest, AnyOrderWhereNoFilesOfALevelLieSideBySide) {
  const UsersComparator comparator("odd", UsersComparator::kLastByteFirst);
  rocksdb::Options options = OptionsWith(&comparator);
  options.target_file_size_base = 64 << 20;
  TestDb db(options);
  Fill(&db);
  EXPECT_EQ(Doctor(db).exit_code, 0);
  const TempDir out;
  EXPECT_EQ(ExportAll(db, out).exit_code, 0);
  ExpectFiltersAreTheirs(db, out.path());

  // filterdb cannot read the keys of a file whose comparator it does not know.
  const Ran keys = Exits(2, ExportAll(db, out, "--from=keys --force"));
  EXPECT_THAT(keys.err, HasSubstr("the order of the comparator 'odd'"));
  EXPECT_THAT(keys.err, HasSubstr("partition_filters=false"));
  EXPECT_THAT(keys.err, HasSubstr("FilterDbBuilder"));
}

// If RocksDB was built with assertions, it refuses to list files whose keys are
// in another order than that of the default comparator.
TEST(ComparatorTest, AnotherOrder) {
  const UsersComparator comparator("odd", UsersComparator::kLastByteFirst);
  TestDb db(OptionsWith(&comparator));
  Fill(&db);
  const TempDir out;
  const Ran doctor = Doctor(db);
  const Ran exported = ExportAll(db, out);
  if (doctor.exit_code == 0) {
    EXPECT_EQ(exported.exit_code, 0) << exported;
    ExpectFiltersAreTheirs(db, out.path());
    return;
  }
  for (const Ran& ran : {doctor, exported}) {
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_THAT(ran.err, HasSubstr("the order of the comparator 'odd'"));
    EXPECT_THAT(ran.err, HasSubstr("from single SST files"));
    EXPECT_THAT(ran.err, HasSubstr("ReconcileFilterDbExports"));
  }
}

TEST(ComparatorTest, WithoutItsOptionsFile) {
  const UsersComparator comparator("mine", UsersComparator::kBytewise);
  TestDb db(OptionsWith(&comparator));
  Fill(&db);
  db.Close();
  for (const std::string& name : NamesIn(db.path())) {
    if (name.rfind("OPTIONS", 0) == 0) {
      std::filesystem::remove(db.path() + "/" + name);
    }
  }
  const Ran ran = Exits(2, Doctor(db));
  EXPECT_THAT(ran.err, HasSubstr("does not match existing comparator mine"));
  EXPECT_THAT(ran.err, HasSubstr("latest OPTIONS file, which is missing"));
}

TEST(ComparatorTest, RocksdbsOwn) {
  TestDb reverse(OptionsWith(rocksdb::ReverseBytewiseComparator()));
  Fill(&reverse);
  EXPECT_EQ(Doctor(reverse).exit_code, 0);
  const TempDir out_of_reverse;
  EXPECT_EQ(ExportAll(reverse, out_of_reverse).exit_code, 0);
  ExpectFiltersAreTheirs(reverse, out_of_reverse.path());

  const rocksdb::Comparator* with_timestamps = nullptr;
  Require(rocksdb::Comparator::CreateFromString(
      rocksdb::ConfigOptions(), "leveldb.BytewiseComparator.u64ts",
      &with_timestamps));
  TestDb db(OptionsWith(with_timestamps));
  const std::string timestamp(8, '\1');
  for (const auto& [key, value] : NumberedRows(0, 3000)) {
    Require(db->Put(rocksdb::WriteOptions(), key, timestamp,
                    std::string(100, 'v')));
  }
  db.Flush();
  db.Compact();
  const Ran ran = Exits(0, Doctor(db));
  EXPECT_GT(ran.json()["column_families"][0]["ssts"].size(), 2);
  const TempDir out;
  EXPECT_EQ(ExportAll(db, out).exit_code, 0);
  EXPECT_THAT(Exits(2, ExportAll(db, out, "--from=keys --force")).err,
              HasSubstr("FilterDbBuilder"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
