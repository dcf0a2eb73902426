// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/summary_db.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/cassandra_data.h"
#include "tests/support/fake_sstable/cassandra_sstables.h"
#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using tools::SummaryDb;

WrittenSstable Write(const std::string& folder, const std::string& version) {
  SstableSpec spec;
  spec.folder = folder;
  spec.version = version;
  for (int i = 0; i < 300; ++i) {
    spec.keys.push_back(std::string(static_cast<size_t>(i), 'k') + "y");
  }
  return WriteSstable(spec);
}

void ExpectSummary(const std::string& start, const std::string& version,
                   const std::vector<std::string>& keys) {
  SCOPED_TRACE(start);
  const std::string index = ReadFile(start + "Index.db");
  const auto summary = SummaryDb::Open(start + "Summary.db", version);
  ASSERT_NE(summary, nullptr);
  EXPECT_EQ(summary->first_key(), keys.front());
  EXPECT_EQ(summary->last_key(), keys.back());
  for (int pass = 0; pass < 2; ++pass) {
    std::string_view key;
    uint64_t offset = 0;
    for (size_t i = 0; i < keys.size(); i += 128) {
      ASSERT_TRUE(summary->Next(&key, &offset));
      EXPECT_EQ(key, keys[i]);
      EXPECT_EQ(index.substr(offset + 2, key.size()), key);
    }
    EXPECT_FALSE(summary->Next(&key, &offset));
    summary->Rewind();
  }
}

TEST(SummaryDbTest, EveryVersion) {
  for (const char* const version : {"ia", "ic", "ja", "jb", "ka", "la", "lb",
                                    "ma", "me", "na", "nc", "oa"}) {
    const TempDir dir;
    const WrittenSstable one = Write(dir.path(), version);
    ExpectSummary(one.prefix, version, one.keys);
  }
}

TEST(SummaryDbTest, OfCassandra) {
  for (const std::string& folder : SstablesBesideCorpus()) {
    for (const std::string version : {"nb", "oa"}) {
      const std::string start = folder + "/" + version + "-1-big-";
      if (std::filesystem::exists(start + "Summary.db")) {
        ExpectSummary(start, version, HexLines(folder + "/keys.txt"));
      }
    }
  }
}

TEST(SummaryDbTest, RefusesEveryCut) {
  for (const char* const version : {"ic", "jb", "nb"}) {
    const TempDir dir;
    const WrittenSstable one = Write(dir.path(), version);
    const std::string whole = ReadFile(one.Path("Summary.db"));
    for (size_t size = 0; size < whole.size(); size += 1 + size / 50) {
      WriteFile(one.Path("Summary.db"), whole.substr(0, size));
      EXPECT_EQ(SummaryDb::Open(one.Path("Summary.db"), version), nullptr);
    }
  }
  EXPECT_EQ(SummaryDb::Open("/nowhere/Summary.db", "nb"), nullptr);
}

}  // namespace
}  // namespace cassandra_bloom::testing
