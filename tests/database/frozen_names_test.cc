// SPDX-License-Identifier: Apache-2.0

// The names on disk must be the names that docs/stability.md promises.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_db_export.h"
#include "cassandra_bloom/filter_policy.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

// Maps the first column of the table in docs/stability.md to the second column.
std::map<std::string, std::string> PromisedNames() {
  std::ifstream document(TEST_STABILITY_DOCUMENT);
  std::string line;
  while (std::getline(document, line) && line != "## Names on disk") {
  }
  std::map<std::string, std::string> names;
  while (std::getline(document, line) && line.rfind("## ", 0) != 0) {
    const size_t what_end = line.find(" | `");
    const size_t name_end = line.find("` |");
    if (line.rfind("| ", 0) == 0 && what_end < name_end) {
      const size_t name = what_end + 4;
      names[line.substr(2, what_end - 2)] = line.substr(name, name_end - name);
    }
  }
  return names;
}

std::string NewestFile(const std::string& folder, const std::string& part) {
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path();
    if (path.find(part) != std::string::npos && path > newest) {
      newest = path;
    }
  }
  return ReadFile(newest);
}

Rows ThousandRows() { return NumberedDataset(1000, 0).rows; }

std::string SstOf(const PolicyPtr& policy, Layout layout) {
  return ReadFile(OnlySst(TestDb(DbOptions(policy, layout), ThousandRows())));
}

rocksdb::Options PartitionKeyOptions() {
  constexpr char kPartitionKey[] = "skip:8,u16";
  rocksdb::Options options = DbOptions(PolicyFor(kPartitionKey));
  Require(rocksdb::NewCassandraPartitionTransform(kPartitionKey,
                                                  &options.prefix_extractor));
  return options;
}

TEST(FrozenNamesTest, AreThoseOfTheDocument) {
  std::map<std::string, std::string> names = PromisedNames();
  // Returns the promised name, and removes it from `names`.
  const auto promised = [&names](const std::string& what) {
    const std::string name = names[what];
    EXPECT_NE(name, "") << "the document has no such row: " << what;
    names.erase(what);
    return name;
  };

  const TestDb db(DbOptions(OurPolicy()), ThousandRows());
  const std::string id = promised("filter policy");
  EXPECT_EQ(id, OurPolicy()->Name());
  EXPECT_NE(
      NewestFile(db.path(), "OPTIONS-").find("filter_policy=" + id + ":10\n"),
      std::string::npos);
  EXPECT_EQ(promised("filter policy, in an SST file"),
            db.OnlyTable()->filter_policy_name);
  const TestDb partitions(PartitionKeyOptions(), ThousandRows());
  EXPECT_EQ(promised("filter policy of partition keys, in an SST file"),
            partitions.OnlyTable()->filter_policy_name);
  EXPECT_EQ(promised("prefix extractor of partition keys"),
            partitions.OnlyTable()->prefix_extractor_name);

  const PolicyPtr beside = OurPolicyBesideRocksdb();
  const std::string sst = SstOf(beside, Layout::kFull);
  EXPECT_EQ(sst.find("fullfilter.cassandra_bloom"), std::string::npos);
  std::string trailer = promised("end of a filter block beside RocksDB's");
  trailer.erase(std::remove(trailer.begin(), trailer.end(), ' '),
                trailer.end());
  ASSERT_EQ(trailer.size(), 10u);
  for (const auto& [file, name] :
       {std::pair(SstOf(OurPolicy(), Layout::kFull),
                  promised("full filter block")),
        {SstOf(OurPolicy(), Layout::kPartitioned),
         promised("partitioned filter index")},
        {sst, promised("full filter block beside RocksDB's")},
        {SstOf(beside, Layout::kPartitioned),
         promised("partitioned filter index beside RocksDB's")},
        {sst, FromHex(trailer)}}) {
    EXPECT_NE(file.find(name), std::string::npos) << name;
  }

  const TempDir out_dir;
  std::string error;
  const auto listener = NewFilterDbExportListener(out_dir.path(), "nb", &error);
  ASSERT_NE(listener, nullptr) << error;
  EXPECT_EQ(promised("listener that exports"), listener->Name());
  // tests/export/reconcile_test.cc reads the file of this name.
  EXPECT_EQ(promised("mark of an export folder"), kMark);
  for (const auto& [what, name] : names) {
    ADD_FAILURE() << "nothing checks this row: " << what << ", " << name;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
