// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/export_stress/stressed_db.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_folder.h"
#include "plugin/export/reconcile.h"
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
  options_.listeners = {NewFilterDbExportListener(out_dir, "nb", &error)};
  if (options_.listeners[0] == nullptr) {
    throw std::runtime_error(error);
  }
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

std::string StressedDb::Export() {
  const auto list = [this] {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    LiveSsts live = {DatabaseOf(db_->GetName()), {}, {}, {db_->GetName()}};
    for (const auto& file : files) {
      live.files[file.file_number] = file.db_path + file.name;
    }
    return live;
  };
  ExportReport report;
  std::string error;
  return Reconcile(*PlanExport({}, &error), out_dir_, list, &report, &error)
             ? ""
             : error;
}

void StressedDb::CheckFilters() {
  if (!std::filesystem::exists(out_dir_)) {
    return;
  }
  if (const std::string wrong = WrongFilter(db_->GetName(), out_dir_);
      !wrong.empty()) {
    throw std::runtime_error(wrong + " is not the filter of its SST file");
  }
}

void StressedDb::CheckExports() {
  CheckFilters();
  Require(db_->SetOptions({{"disable_auto_compactions", "true"}}));
  Require(db_->PauseBackgroundWork());
  const std::string error = Export();
  const std::string wrong =
      error.empty() ? WrongExports(db_.get(), out_dir_) : error;
  Require(db_->ContinueBackgroundWork());
  if (!wrong.empty()) {
    throw std::runtime_error(wrong);
  }
}

void StressedDb::Close(bool close_first) {
  if (db_ == nullptr) {
    return;
  }
  for (rocksdb::ColumnFamilyHandle* const handle : handles_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  handles_.clear();
  if (close_first) {
    Require(db_->Close());
  }
  db_.reset();
}

}  // namespace cassandra_bloom::testing
