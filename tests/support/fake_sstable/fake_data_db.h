// SPDX-License-Identifier: Apache-2.0

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
  // If LZ4 makes a chunk of at least this many bytes, the chunk is stored
  // uncompressed. SSTable versions before `na` store every chunk compressed.
  size_t max_compressed_bytes = 0x7fffffff;
};

class DataDb {
 public:
  // If `lz4` is null, Data.db is not compressed. All functions throw on errors.
  DataDb(const std::string& path, const VersionFacts& facts,
         const Lz4Chunks* lz4);

  void Append(std::string_view bytes);

  // The number of uncompressed bytes so far.
  uint64_t position() const { return position_; }

  // Must be called once, after the last Append.
  void Close();

  // The functions below may be called only after Close.
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
  std::string chunk_;  // The bytes that are not written yet.
  std::vector<uint64_t> chunk_offsets_;
  uint64_t position_ = 0;
  uint64_t file_size_ = 0;
  uint32_t digest_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_DATA_DB_H_
