// SPDX-License-Identifier: Apache-2.0

// The size and CRC-32 of a file. `filterdb mend` stores these two numbers, and
// later compares them to find out whether the file is still the same.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_FILE_SUM_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_FILE_SUM_H_

#include <cstdint>
#include <string_view>

#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {

// Returns the CRC-32 of `bytes`, as zlib computes it. To continue a checksum,
// give the CRC-32 of the preceding bytes as `before`.
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

struct FileSum {
  uint64_t size = 0;  // In bytes.
  uint32_t crc = 0;

  bool operator==(const FileSum& other) const {
    return size == other.size && crc == other.crc;
  }
};

FileSum SumOf(const WriteContent& content);

// Reads an open file in pieces of 1 MiB, and gives each piece to `append`. Sets
// `*sum` to the size and CRC-32 of the bytes read. Returns false if `append`
// returns false, or if a read fails. A failed read sets errno.
bool CopyInPieces(int fd, const Append& append, FileSum* sum);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_FILE_SUM_H_
