// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/export_checks.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/export/export_names.h"

namespace cassandra_bloom::testing {

namespace fs = std::filesystem;

namespace {

constexpr char kMark[] = ".cassandra_bloom_database";

}  // namespace

std::shared_ptr<rocksdb::EventListener> NewListener(
    const std::string& out_dir) {
  std::string error;
  auto listener = NewFilterDbExportListener(out_dir, "nb", &error);
  if (listener == nullptr) {
    throw std::runtime_error(error);
  }
  return listener;
}

std::string Built(const std::set<std::string>& keys,
                  const std::string& sstable_version) {
  FilterForm form;
  std::string error;
  if (!FormOfSstableVersion(sstable_version, &form, &error)) {
    throw std::runtime_error(error);
  }
  const auto builder =
      FilterDbBuilder::ForBitsPerKey(10, keys.size(), form, &error);
  for (const std::string& key : keys) {
    builder->Add(key);
  }
  const TempDir dir;
  if (!builder->Write(dir / "built", /*overwrite=*/false, &error)) {
    throw std::runtime_error(error);
  }
  return ReadFile(dir / "built");
}

Rows NumberedRows(uint32_t first, uint32_t end) {
  Rows rows;
  for (uint32_t i = first; i < end; ++i) {
    rows[NumberedKey(i)] = "value";
  }
  return rows;
}

void AddFile(TestDb* db, uint32_t first, uint32_t end) {
  db->Put(NumberedRows(first, end));
  db->Flush();
}

std::set<std::string> KeysOf(const Rows& rows) {
  std::set<std::string> keys;
  for (const auto& row : rows) {
    keys.insert(row.first);
  }
  return keys;
}

std::map<std::string, std::string> StateOf(const std::string& folder) {
  std::map<std::string, std::string> state;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    struct stat status;
    if (lstat(entry.path().c_str(), &status) != 0) {
      throw std::runtime_error("cannot stat " + entry.path().string());
    }
    std::string& of_file = state[entry.path()];
    of_file = std::to_string(status.st_ino);
    if (entry.path().filename() != "LOG") {
      of_file += " " + std::to_string(status.st_size) + " " +
                 std::to_string(status.st_mtim.tv_sec) + "." +
                 std::to_string(status.st_mtim.tv_nsec);
    }
  }
  return state;
}

std::set<std::string> NamesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    // An export writes the file kMark beside the filters, at the end of a pass
    // under a temporary name.
    if (const std::string name = entry.path().filename();
        name.rfind(kMark, 0) != 0) {
      names.insert(name);
    }
  }
  return names;
}

std::set<std::string> LiveFilterNames(const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::set<std::string> names;
  for (const auto& file : files) {
    names.insert(FilterDbName("nb", file.file_number));
  }
  return names;
}

std::string WrongExports(rocksdb::DB* db, const std::string& folder) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::set<std::string> expected;
  for (const auto& file : files) {
    const std::string name = FilterDbName("nb", file.file_number);
    expected.insert(name);
    if (ReadFile(folder + "/" + name) !=
        Exported(file.db_path + file.name, {})) {
      return name + " is not the filter of its SST file";
    }
  }
  const size_t found = NamesIn(folder).size();
  return found == expected.size()
             ? ""
             : "of " + std::to_string(expected.size()) +
                   " filters, the folder has " + std::to_string(found);
}

bool Eventually(const std::function<bool()>& is_so) {
  for (int i = 0; i < 3000; ++i) {
    if (is_so()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

bool Follows(const std::string& folder, const TestDb& db) {
  const std::string mark = folder + "/" + kMark;
  const auto names = LiveFilterNames(db);
  if (!fs::exists(mark) || NamesIn(folder) != names) {
    return false;
  }
  // Checks the records, too, because an export records a filter only after
  // the filter has its final name.
  const std::string recorded = ReadFile(mark);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return recorded.find("\n" + name + "\t") != std::string::npos;
  });
}

std::string NewestOptionsOf(const TestDb& db) {
  std::string newest;
  for (const std::string& name : NamesIn(db.path())) {
    newest = name.rfind("OPTIONS-", 0) == 0 ? name : newest;
  }
  return db.path() + "/" + newest;
}

void WriteListeners(const TestDb& db, const std::string& listeners) {
  const std::string file = NewestOptionsOf(db);
  std::string text = ReadFile(file);
  const size_t begin = text.find("  listeners=");
  ASSERT_NE(begin, std::string::npos);
  text.replace(begin, text.find('\n', begin) - begin,
               "  listeners=" + listeners);
  WriteFile(file, text);
}

std::string OnlySst(const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  if (files.size() != 1) {
    throw std::runtime_error(std::to_string(files.size()) +
                             " SST files instead of one");
  }
  return files[0].db_path + files[0].name;
}

bool ExportFilterDb(const std::string& sst, const std::string& filter_db,
                    const ExportOptions& options, ExportedFilterDb* exported,
                    std::string* error) {
  const auto plan = PlanExport(options, error);
  *exported = {};
  exported->sst_file = sst;
  exported->filter_db = filter_db;
  return plan && ExportSst(*plan, options.overwrite, NeverStop, exported,
                           error) == ExportResult::kDone;
}

std::string Exported(const std::string& sst, const ExportOptions& options,
                     ExportedFilterDb* exported) {
  const TempDir dir;
  ExportedFilterDb ignored;
  std::string error;
  if (!ExportFilterDb(sst, dir / "exported", options,
                      exported == nullptr ? &ignored : exported, &error)) {
    throw std::runtime_error(error);
  }
  return ReadFile(dir / "exported");
}

std::string ExportError(const std::string& sst, const ExportOptions& options) {
  const TempDir dir;
  ExportedFilterDb exported;
  std::string error;
  if (ExportFilterDb(sst, dir / "exported", options, &exported, &error)) {
    throw std::runtime_error(sst + " was exported");
  }
  if (!NamesIn(dir.path()).empty()) {
    throw std::runtime_error("a file was left by: " + error);
  }
  return error;
}

}  // namespace cassandra_bloom::testing
