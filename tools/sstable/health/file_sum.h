// SPDX-License-Identifier: Apache-2.0

// The size and a checksum of a file, by which it is recognised later.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILE_SUM_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILE_SUM_H_

#include <cstdint>
#include <string>

#include "plugin/io/output_file.h"

namespace cassandra_bloom::tools {

struct FileSum {
  uint64_t size = 0;  // In bytes.
  uint32_t crc = 0;   // CRC-32, as of zlib.

  bool operator==(const FileSum& other) const {
    return size == other.size && crc == other.crc;
  }
};

// The sum of a file that would be written.
FileSum SumOf(const WriteContent& content);

// Which bytes of a file the checksum is of.
enum class SumOver {
  kAll,
  kEnds,  // The first and the last 64 KiB: for Data.db, which may be huge.
};

// The sum of an open regular file, which `path` names in errors. `fd` may be
// negative, as after a failed open().
bool SumOfFile(int fd, const std::string& path, SumOver over, FileSum* sum,
               std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_FILE_SUM_H_
