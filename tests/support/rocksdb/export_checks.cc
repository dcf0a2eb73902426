// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/export_checks.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "plugin/export/export_folder.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::testing {

namespace fs = std::filesystem;

void AddFile(TestDb* db, uint32_t first, uint32_t end) {
  db->Put(NumberedRows(first, end));
  db->Flush();
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
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.rfind(kMark, 0) != 0) {
      names.insert(name);
    }
  }
  return names;
}

std::string WrongFilter(const std::string& db, const std::string& folder) {
  for (const std::string& name : NamesIn(folder)) {
    const auto number = NumberOfFilterDb(name, "nb");
    try {
      if (number &&
          ReadFile(folder + "/" + name) !=
              Exported(db + "/" + SstName(*number), {}) &&
          fs::exists(folder + "/" + name)) {
        return name;
      }
    } catch (const std::runtime_error&) {
      // One of the files is gone, or the SST file is not finished.
    }
  }
  return "";
}

std::string WrongExports(rocksdb::DB* db, const std::string& folder) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::set<std::string> expected;
  for (const auto& file : files) {
    expected.insert(FilterDbName("nb", file.file_number));
  }
  std::set<std::string> found;
  for (const std::string& name : NamesIn(folder)) {
    // A killed export leaves its temporary file for a day.
    if (name.find(kTemporarySuffix) == std::string::npos) {
      found.insert(name);
    }
  }
  if (found != expected) {
    return ::testing::PrintToString(found) + " are not " +
           ::testing::PrintToString(expected);
  }
  return WrongFilter(db->GetName(), folder);
}

void WriteOption(const TestDb& db, const std::string& name,
                 const std::string& value) {
  std::string newest;
  for (const std::string& file : NamesIn(db.path())) {
    newest = file.rfind("OPTIONS-", 0) == 0 ? file : newest;
  }
  const std::string path = db.path() + "/" + newest;
  std::string text = ReadFile(path);
  const std::string option = "  " + name + "=";
  const size_t begin = text.find(option);
  ASSERT_NE(begin, std::string::npos);
  text.replace(begin, text.find('\n', begin) - begin, option + value);
  WriteFile(path, text);
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

std::string Exported(const std::string& sst, const ExportOptions& options,
                     ExportedFilterDb* exported) {
  const TempDir dir;
  ExportedFilterDb ignored;
  exported = exported == nullptr ? &ignored : exported;
  *exported = {};
  exported->sst_file = sst;
  exported->filter_db = dir / "exported";
  std::string error;
  const auto plan = PlanExport(options, &error);
  if (plan && ExportSst(*plan, exported, &error) == ExportResult::kDone) {
    return ReadFile(dir / "exported");
  }
  if (!NamesIn(dir.path()).empty()) {
    throw std::logic_error("a file was left by: " + error);
  }
  throw std::runtime_error(error);
}

}  // namespace cassandra_bloom::testing
