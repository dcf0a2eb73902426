// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/sstable_keys.h"

namespace cassandra_bloom::tools {

bool IsPartitionsDb(std::string_view path) {
  return path.size() >= kPartitionsDb.size() &&
         path.substr(path.size() - kPartitionsDb.size()) == kPartitionsDb;
}

std::unique_ptr<KeyReader> OpenSstableKeys(const std::string& index_path,
                                           std::string_view version,
                                           std::string* error) {
  if (IsPartitionsDb(index_path)) {
    return PartitionsDbReader::Open(index_path, version, error);
  }
  return OpenIndexDb(index_path, version, error);
}

const PartitionsDbReader* AsPartitionsDbReader(const KeyReader* reader) {
  return dynamic_cast<const PartitionsDbReader*>(reader);
}

}  // namespace cassandra_bloom::tools
