// SPDX-License-Identifier: Apache-2.0

// The CRC-32 of a file, by which `filterdb mend` finds out whether the file is
// still the same, and which ScyllaDB stores in Scylla.db.
// Tested in filterdb/tests/commands/mend/undo_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_FILE_SUM_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_FILE_SUM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {

// Returns the CRC-32 of `bytes`, as zlib computes it. To continue a checksum,
// give the CRC-32 of the preceding bytes as `before`.
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

uint32_t CrcOf(const WriteContent& content);

// Returns eight hexadecimal digits.
std::string HexOfCrc(uint32_t crc);

// Returns nothing, and sets `*error`, if `path` is not a regular file or cannot
// be read.
std::optional<uint32_t> CrcOfFile(const std::string& path, std::string* error);

// Returns a function that reads a file in pieces of 128 KiB, and sets `*crc` to
// the CRC-32 of what it has read. `crc` must outlive that function.
WriteContent ContentOfFile(const std::string& path, uint32_t* crc);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_FILE_SUM_H_
