// SPDX-License-Identifier: Apache-2.0

// Reads the uncompressed bytes of a Data.db or Rows.db.
// Tested in filterdb/tests/sstable/data_db/compressed_data_file_test.cc.
// Tested in filterdb/tests/sstable/partitions_db_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_DATA_FILE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_DATA_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

class DataFile {
 public:
  DataFile() = default;
  virtual ~DataFile() = default;
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  virtual const std::string& path() const = 0;

  // The uncompressed size in bytes.
  virtual uint64_t size() const = 0;

  // Gets one or more bytes at `position`, which must be below size(). The bytes
  // are valid until the next call. Increasing positions are fastest.
  virtual bool ReadSome(uint64_t position, std::string_view* bytes,
                        std::string* error) = 0;

  // Gets `size` bytes, which must lie within size(). The bytes are valid until
  // the next call.
  bool Read(uint64_t position, size_t size, std::string_view* bytes,
            std::string* error);

 private:
  std::string joined_;  // Bytes that ReadSome gave in pieces.
};

// Opens an uncompressed file. Takes 64 KiB of memory.
std::unique_ptr<DataFile> OpenPlainDataFile(const std::string& path,
                                            std::string* error);

// Reads a key that Cassandra's ByteBufferUtil.writeWithShortLength wrote: a
// uint16 length, then the bytes. `*bytes` is valid until the next call with
// `file`.
bool ReadWithShortLength(DataFile* file, uint64_t position,
                         std::string_view* bytes, std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DB_DATA_FILE_H_
