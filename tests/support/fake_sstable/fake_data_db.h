// SPDX-License-Identifier: Apache-2.0

// Writes a Data.db, with or without compression.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_DATA_DB_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_DATA_DB_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fake_sstable/version_facts.h"

namespace cassandra_bloom::testing {

struct Lz4Chunks {
  size_t bytes = 16384;
  // A chunk that LZ4 makes as long as this or longer is stored as it is.
  // Written only since `na`; before, every chunk is compressed.
  size_t max_compressed_bytes = 0x7fffffff;
};

class DataDb {
 public:
  // `lz4`: nullptr for no compression. All functions throw on errors.
  DataDb(const std::string& path, const VersionFacts& facts,
         const Lz4Chunks* lz4);

  void Append(std::string_view bytes);

  // The bytes so far, uncompressed.
  uint64_t position() const { return position_; }

  // Once, after the last Append.
  void Close();

  // After Close: the checksum of the whole file, and the content of
  // CompressionInfo.db.
  uint32_t digest() const { return digest_; }
  std::string CompressionInfo() const;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void WriteChunk();
  void Write(std::string_view bytes);
  [[noreturn]] void Fail(const std::string& what) const;

  const std::string path_;
  const VersionFacts facts_;
  const bool is_compressed_;
  const Lz4Chunks lz4_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::string chunk_;  // What the file does not have yet, uncompressed.
  std::vector<uint64_t> chunk_offsets_;
  uint64_t position_ = 0;
  uint64_t file_size_ = 0;
  uint32_t digest_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_DATA_DB_H_
