// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/two_histories.h"

#include <filesystem>
#include <stdexcept>

#include "tests/support/rocksdb/export_checks.h"

namespace cassandra_bloom::testing {

namespace fs = std::filesystem;

TwoHistories::TwoHistories(TestDb* db) : db_(db) {
  AddFile(db_, 0, 1000);
  db_->Close();
  fs::copy(db_->path(), other_ / "db", fs::copy_options::recursive);
  db_->Reopen();
  AddFile(db_, 1000, 2000);
  const auto names = LiveFilterNames(*db_);
  Swap();
  AddFile(db_, 3000, 4000);
  if (LiveFilterNames(*db_) != names) {
    throw std::runtime_error("the SST files have other numbers");
  }
}

void TwoHistories::Swap() {
  db_->Close();
  fs::rename(db_->path(), other_ / "away");
  fs::rename(other_ / "db", db_->path());
  fs::rename(other_ / "away", other_ / "db");
  db_->Reopen();
}

}  // namespace cassandra_bloom::testing
