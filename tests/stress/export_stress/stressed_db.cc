// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/export_stress/stressed_db.h"

#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/listener.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/rocksdb/releases.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

rocksdb::Options RandomOptions(uint64_t* random) {
  const uint64_t choice = NextRandom(random) % 4;
  const PolicyPtr policy = choice == 0 ? BuiltinPolicy() : OurPolicy();
  rocksdb::Options options =
      DbOptions(policy, choice == 1 ? Layout::kPartitioned : Layout::kFull);
  options.create_if_missing = true;
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 3;
  options.write_buffer_size = size_t{64} << 10;
  options.target_file_size_base = size_t{64} << 10;
  options.max_bytes_for_level_base = size_t{256} << 10;
  return options;
}

}  // namespace

StressedDb::StressedDb(const std::string& folder, const std::string& out_dir,
                       uint64_t* random)
    : options_(RandomOptions(random)), out_dir_(out_dir) {
  std::string error;
  listener_ = NewFilterDbExportListener(out_dir, "nb", &error);
  if (listener_ == nullptr) {
    throw std::runtime_error(error);
  }
  options_.listeners = {listener_};
  std::vector<std::string> names;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  if (!rocksdb::DB::ListColumnFamilies(options_, folder, &names).ok()) {
    names = {rocksdb::kDefaultColumnFamilyName};
  }
  for (const std::string& name : names) {
    families.emplace_back(name, options_);
  }
  OpenedDb opened{};
  Require(rocksdb::DB::Open(options_, folder, families, &handles_, &opened));
  db_ = Own(std::move(opened));
}

void StressedDb::Write(uint64_t* random, int count) {
  for (int i = 0; i < count; ++i) {
    const auto key = static_cast<uint32_t>(NextRandom(random) % 100000);
    Require(db_->Put(rocksdb::WriteOptions(), NumberedKey(key),
                     std::string(50, 'v')));
  }
}

void StressedDb::Export() {
  FilterDbExportReport report;
  std::string error;
  ReconcileFilterDbExports(db_.get(), out_dir_, "nb", &report, &error);
  FilterDbExportCounts counts;
  if (!GetFilterDbExportCounts(*listener_, &counts) ||
      counts.exported < num_exported_) {
    throw std::runtime_error("no counts, or fewer exports than before");
  }
  num_exported_ = counts.exported;
}

void StressedDb::DeleteHandle() {
  if (handles_[0] != nullptr) {
    Require(
        db_->DestroyColumnFamilyHandle(std::exchange(handles_[0], nullptr)));
  }
}

void StressedDb::Close(bool close_first) {
  if (db_ == nullptr) {
    return;
  }
  for (rocksdb::ColumnFamilyHandle* const handle : handles_) {
    if (handle != nullptr) {
      db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    }
  }
  handles_.clear();
  if (close_first) {
    Require(db_->Close());
  }
  db_.reset();
}

void StressedDb::CheckExports() {
  Require(db_->SetOptions({{"disable_auto_compactions", "true"}}));
  const auto await_background_work = [this] {
    Require(db_->PauseBackgroundWork());
    Require(db_->ContinueBackgroundWork());
  };
  await_background_work();
  Require(db_->Put(rocksdb::WriteOptions(), "one more", "row"));
  Require(db_->Flush(rocksdb::FlushOptions()));
  await_background_work();  // RocksDB may send the event after the flush.
  static_cast<FilterDbExportListener&>(*listener_).worker()->WaitUntilIdle();

  if (const std::string wrong = WrongExports(db_.get(), out_dir_);
      !wrong.empty()) {
    throw std::runtime_error(wrong);
  }
}

}  // namespace cassandra_bloom::testing
