// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable_keys.h"

#include <sys/stat.h>

#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {

namespace {

constexpr std::string_view kIndexDb = "-Index.db";

std::string StartOf(const std::string& index_path) {
  return index_path.substr(0, index_path.size() - kIndexDb.size() + 1);
}

}  // namespace

bool IsPartitionsDb(std::string_view path) {
  return EndsWith(path, kPartitionsDb);
}

bool IsIndexDbBesideData(const std::string& path) {
  struct stat status;
  return EndsWith(path, kIndexDb) && stat(path.c_str(), &status) == 0 &&
         S_ISREG(status.st_mode) && FileExists(StartOf(path) + "Data.db");
}

std::unique_ptr<KeyReader> OpenSstableKeys(const std::string& index_path,
                                           std::string_view version,
                                           KeyChecks checks,
                                           std::string* error) {
  if (IsPartitionsDb(index_path)) {
    return PartitionsDbReader::Open(index_path, version, checks, error);
  }
  return !IsFormName(version) && IsIndexDbBesideData(index_path)
             ? OpenCheckedIndexDb(StartOf(index_path), version, checks, error)
             : OpenIndexDb(index_path, version, error);
}

const PartitionsDbReader* AsPartitionsDbReader(const KeyReader* reader) {
  return dynamic_cast<const PartitionsDbReader*>(reader);
}

}  // namespace cassandra_bloom::tools
