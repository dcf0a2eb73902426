// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/soak/export_comparison.h"

#include <rocksdb/metadata.h>

#include <filesystem>
#include <set>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_names.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

namespace {

// RocksDB's background work could change files during the comparison.
class BackgroundPause {
 public:
  explicit BackgroundPause(rocksdb::DB* db) : db_(db) {
    Require(db_->PauseBackgroundWork());
  }
  ~BackgroundPause() { EXPECT_TRUE(db_->ContinueBackgroundWork().ok()); }
  BackgroundPause(const BackgroundPause&) = delete;
  BackgroundPause& operator=(const BackgroundPause&) = delete;

 private:
  rocksdb::DB* const db_;
};

}  // namespace

AssertionResult ExportsMatch(rocksdb::DB* db, const std::string& out_dir,
                             uint64_t* num_from_blocks) {
  const BackgroundPause pause(db);
  FilterDbExportReport report;
  std::string error;
  const bool all = ReconcileFilterDbExports(db, out_dir, "nb", &report, &error);
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);

  const TempDir alone;
  std::set<std::string> expected;
  for (const rocksdb::LiveFileMetaData& file : files) {
    const std::string name = FilterDbName("nb", file.file_number);
    ExportedFilterDb exported;
    if (!ExportFilterDb(file.db_path + file.name, alone / name, {}, &exported,
                        &error)) {
      if (all) {
        return AssertionFailure()
               << name << " was exported, but now: " << error;
      }
      continue;
    }
    expected.insert(name);
    *num_from_blocks += exported.from_block;
    if (!std::filesystem::exists(out_dir + "/" + name)) {
      return AssertionFailure() << name << " was not exported: " << error;
    }
    if (ReadFile(alone / name) != ReadFile(out_dir + "/" + name)) {
      return AssertionFailure() << name << " is not the filter of its SST file";
    }
  }
  if (NamesIn(out_dir) != expected) {
    return AssertionFailure()
           << "of " << files.size() << " SST files and " << expected.size()
           << " filters, the folder has " << NamesIn(out_dir).size();
  }
  return AssertionSuccess();
}

}  // namespace cassandra_bloom::testing
