#include "tests/export/export_checks.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::testing {

namespace fs = std::filesystem;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
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

std::set<std::string> KeysOf(const Rows& rows) {
  std::set<std::string> keys;
  for (const auto& row : rows) {
    keys.insert(row.first);
  }
  return keys;
}

std::set<std::string> PrefixesOf(const std::set<std::string>& keys,
                                 const rocksdb::SliceTransform& extractor) {
  std::set<std::string> prefixes;
  for (const std::string& key : keys) {
    if (extractor.InDomain(key)) {
      prefixes.insert(extractor.Transform(key).ToString());
    }
  }
  return prefixes;
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
    names.insert(entry.path().filename());
  }
  return names;
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

std::string Exported(const std::string& sst,
                     const FilterDbExportOptions& options,
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

std::string ExportError(const std::string& sst,
                        const FilterDbExportOptions& options) {
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
