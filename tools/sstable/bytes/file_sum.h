// SPDX-License-Identifier: Apache-2.0

// The size and a checksum of a file, by which it is recognised later.
// Tested in tests/sstable/mending/mend_record_test.cc.
// Tested in tests/sstable/mending/kept_filter_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_FILE_SUM_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_FILE_SUM_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "plugin/io/output_file.h"

namespace cassandra_bloom::tools {

// The CRC-32 of the bytes, as zlib computes it. `before`: that of the bytes in
// front of them.
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

struct FileSum {
  uint64_t size = 0;  // In bytes.
  uint32_t crc = 0;   // CRC-32.

  bool operator==(const FileSum& other) const {
    return size == other.size && crc == other.crc;
  }
};

// The sum of what `content` writes.
FileSum SumOf(const WriteContent& content);

// Called after each piece (1 MiB) of a large file. It may throw to stop the
// reading.
using BetweenPieces = std::function<void()>;

// Reads an open file in pieces, so that a large file takes little memory, and
// gives each piece to `append`. Sets `*sum` to the sum of the bytes that were
// read. Returns false if `append` does, or, with errno, if the file cannot be
// read.
bool CopyInPieces(int fd, const Append& append,
                  const BetweenPieces& between_pieces, FileSum* sum);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_BYTES_FILE_SUM_H_
