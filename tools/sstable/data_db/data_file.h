// SPDX-License-Identifier: Apache-2.0

// The bytes of a Data.db or Rows.db, as they were before compression.
// Tested in tests/sstable/data_db/compressed_data_file_test.cc.
// Tested in tests/sstable/partitions_db_reader_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DATA_FILE_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DATA_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tools/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

class DataFile {
 public:
  DataFile() = default;
  virtual ~DataFile() = default;
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  virtual const std::string& path() const = 0;

  // The number of uncompressed bytes.
  virtual uint64_t size() const = 0;

  // Gets the bytes from `position` on: one byte or more, as many as are in
  // memory in one piece. `position` must be below size(). The bytes are valid
  // until the next call. Fast if positions increase.
  virtual bool ReadSome(uint64_t position, std::string_view* bytes,
                        std::string* error) = 0;

  // Gets `size` bytes at `position`; all must lie within size(). The bytes are
  // valid until the next call.
  bool Read(uint64_t position, size_t size, std::string_view* bytes,
            std::string* error);

 private:
  std::string joined_;  // Bytes that ReadSome gave in pieces.
};

// Opens a file that is not compressed. Uses 64 KiB of memory.
std::unique_ptr<DataFile> OpenPlainDataFile(const std::string& path,
                                            std::string* error);

// Gets a key that ByteBufferUtil.writeWithShortLength has written at
// `position`: its length as a uint16, then its bytes. `*bytes` is valid until
// the next call, as with Read.
bool ReadWithShortLength(DataFile* file, uint64_t position,
                         std::string_view* bytes, std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DATA_FILE_H_
