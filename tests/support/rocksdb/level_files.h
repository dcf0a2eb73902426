// SPDX-License-Identifier: Apache-2.0

// The bits per key of an SST file, and compactions into a level.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_LEVEL_FILES_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_LEVEL_FILES_H_

#include <rocksdb/metadata.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {

struct LevelFile {
  uint64_t keys;
  uint64_t filter_bytes;

  double bits_per_key() const {
    return 8 * static_cast<double>(filter_bytes) / static_cast<double>(keys);
  }
};

// Compacts all files of level 0 into `level`.
inline void CompactLevel0To(int level, const TestDb& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) {
    if (file.level == 0) {
      names.push_back(file.name);
    }
  }
  Require(db->CompactFiles(rocksdb::CompactionOptions(), names, level));
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_LEVEL_FILES_H_
