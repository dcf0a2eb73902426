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
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"
#include "tools/export/reconcile.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

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

class FrozenNamesTest : public ::testing::Test {
 protected:
  // Returns the promised name, and removes it from names_.
  std::string Promised(const std::string& what) {
    const auto row = names_.find(what);
    if (row == names_.end()) {
      ADD_FAILURE() << "the document has no such row: " << what;
      return "";
    }
    const std::string name = row->second;
    names_.erase(row);
    return name;
  }

  void ExpectNamesBesideRocksdb();

  void ExpectNoRowIsLeft() const {
    for (const auto& [what, name] : names_) {
      ADD_FAILURE() << "nothing checks this row: " << what << ", " << name;
    }
  }

 private:
  std::map<std::string, std::string> names_ = PromisedNames();
};

std::string NewestFile(const std::string& folder, const std::string& part) {
  std::string newest;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string path = entry.path();
    if (path.find(part) != std::string::npos && path > newest) {
      newest = path;
    }
  }
  return ReadFile(newest);
}

Rows ThousandRows() { return NumberedDataset(1000, 0).rows; }

// Returns the name of the mark. The mark is the only file in an export folder
// that is not a Filter.db.
std::string MarkOfExports() {
  const TempDir out_dir;
  ExportReport report;
  std::string error;
  EXPECT_TRUE(Reconcile(
      *PlanExport({}, &error), out_dir.path(),
      [] {
        return LiveSsts{"a database", {}, {}, {}};
      },
      &report, &error))
      << error;
  for (const auto& entry : fs::directory_iterator(out_dir.path())) {
    const std::string name = entry.path().filename();
    if (name.find("Filter.db") == std::string::npos) {
      return name;
    }
  }
  return "";
}

rocksdb::Options PartitionKeyOptions() {
  constexpr char kPartitionKey[] = "skip:8,u16";
  rocksdb::Options options = DbOptions(PolicyFor(kPartitionKey));
  Require(rocksdb::NewCassandraPartitionTransform(kPartitionKey,
                                                  &options.prefix_extractor));
  return options;
}

void FrozenNamesTest::ExpectNamesBesideRocksdb() {
  const TestDb db(DbOptions(OurPolicyBesideRocksdb()), ThousandRows());
  EXPECT_EQ(db.OnlyTable()->filter_policy_name, "cassandra_bloom");
  const std::string sst = NewestFile(db.path(), ".sst");
  EXPECT_NE(sst.find(Promised("full filter block beside RocksDB's")),
            std::string::npos);
  EXPECT_EQ(sst.find("fullfilter.cassandra_bloom"), std::string::npos);
  EXPECT_NE(NewestFile(TestDb(DbOptions(OurPolicyBesideRocksdb(),
                                        Layout::kPartitioned),
                              ThousandRows())
                           .path(),
                       ".sst")
                .find(Promised("partitioned filter index beside RocksDB's")),
            std::string::npos);
  std::string hex = Promised("end of a filter block beside RocksDB's");
  hex.erase(std::remove(hex.begin(), hex.end(), ' '), hex.end());
  const std::string trailer = FromHex(hex);
  EXPECT_EQ(trailer.size(), 5u);
  EXPECT_NE(sst.find(trailer), std::string::npos);
}

TEST_F(FrozenNamesTest, AreThoseOfTheDocument) {
  const TestDb db(DbOptions(OurPolicy()), ThousandRows());
  const std::string id = Promised("filter policy");
  EXPECT_EQ(id, OurPolicy()->Name());
  EXPECT_NE(
      NewestFile(db.path(), "OPTIONS-").find("filter_policy=" + id + ":10\n"),
      std::string::npos);
  EXPECT_EQ(Promised("filter policy, in an SST file"),
            db.OnlyTable()->filter_policy_name);
  TestDb partitions(PartitionKeyOptions(), ThousandRows());
  EXPECT_EQ(Promised("filter policy of partition keys, in an SST file"),
            partitions.OnlyTable()->filter_policy_name);
  EXPECT_EQ(Promised("prefix extractor of partition keys"),
            partitions.OnlyTable()->prefix_extractor_name);
  EXPECT_NE(NewestFile(db.path(), ".sst").find(Promised("full filter block")),
            std::string::npos);
  EXPECT_NE(NewestFile(TestDb(DbOptions(OurPolicy(), Layout::kPartitioned),
                              ThousandRows())
                           .path(),
                       ".sst")
                .find(Promised("partitioned filter index")),
            std::string::npos);
  ExpectNamesBesideRocksdb();
  const TempDir out_dir;
  std::string error;
  const auto listener = NewFilterDbExportListener(out_dir.path(), "nb", &error);
  ASSERT_NE(listener, nullptr) << error;
  EXPECT_EQ(Promised("listener that exports"), listener->Name());
  EXPECT_EQ(Promised("mark of an export folder"), MarkOfExports());
  ExpectNoRowIsLeft();
}

}  // namespace
}  // namespace cassandra_bloom::testing
